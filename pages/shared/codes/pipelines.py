"""The right computations that a mistake departs from, a matrix a line: of attention, of heads, of positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attention_core.attention import SelfAttentionTrace
from attention_core.examples import Example
from attention_core.experiments.rewiring import rewired
from attention_core.heads import MultiHeadTrace
from attention_core.position_trace import PositionTrace, encode
from attention_core.slips import HEAD_SLIPS, POSITION_SLIPS, Slip

Trace = SelfAttentionTrace | MultiHeadTrace | PositionTrace

# Whom a mask lets see, with tokens as rows.
ALLOWED: Mapping[str, str] = {
    "causal": "allowed = np.tri(len(x), len(context), dtype=bool)   # no token sees what comes after it\n",
    "padding": "allowed = np.arange(len(context)) < len(context) - 1   # the last token is a filler\n",
    "none": "",
}
_PROJECTED = ("q = x @ w_q + b_q", "k = context @ w_k + b_k", "v = context @ w_v + b_v")
SOFTMAX = """\
def softmax(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)

"""
SOFTMAX_OF_LITTLE = """\
def softmax(scores, axis=-1):                       # shares of nothing, where a mask leaves nothing, are 0
    greatest = scores.max(axis=axis, keepdims=True)
    powers = np.exp(scores - np.where(greatest > -np.inf, greatest, 0))
    totals = powers.sum(axis=axis, keepdims=True)
    return powers / (totals + (totals == 0))

"""
_SPLIT = """\
def split(m):                                       # (n, heads · d) -> (heads, n, d)
    return m.reshape(len(m), n_heads, -1).swapaxes(0, 1)

"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """A computation with tokens as rows. A mistake takes the place of the step whose matrix it computes."""

    start: str  # what no mistake changes
    steps: tuple[str, ...]
    ends: tuple[str, ...]  # the matrices that are shown of it, with the mistake and without
    inputs: tuple[str, ...]


ATTENTION = Pipeline(
    start="ALLOWEDd_k = w_q.shape[-1]\n",
    steps=(
        *_PROJECTED,
        "scores = q @ k.T",
        "scaled = scores / np.sqrt(d_k)",
        "masked = np.where(allowed, scaled, -np.inf)",
        "weights = softmax(masked)",
        "output = weights @ v",
    ),
    ends=("weights", "output"),
    inputs=("x", "context", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v"),
)
HEADS = Pipeline(
    start=f"{_SPLIT}d_k = w_q.shape[-1] // n_heads\nw_o_right = w_o\n",
    steps=(
        *_PROJECTED,
        "q_heads, k_heads, v_heads = split(q), split(k), split(v)",
        "scaled = q_heads @ k_heads.swapaxes(-1, -2) / np.sqrt(d_k)",
        "weights = softmax(scaled)",
        "heads = weights @ v_heads",
        "concat = heads.swapaxes(0, 1).reshape(len(x), -1)",
        "output = concat @ w_o",
    ),
    ends=("concat", "output"),
    inputs=(*ATTENTION.inputs, "w_o"),
)
POSITIONS = Pipeline(
    start="n, d_model = x.shape\neven = d_model + d_model % 2   # an odd width leaves out the last cosine\n",
    steps=(
        "base = 10000.0",
        "exponents = (np.arange(d_model) - np.arange(d_model) % 2)[None] / even",
        "angles = np.arange(n)[:, None] * base ** -exponents",
        "sinusoidal = np.where(np.arange(d_model) % 2 == 0, np.sin(angles), np.cos(angles))",
        "positioned = x * np.sqrt(d_model) + sinusoidal",
    ),
    ends=("sinusoidal", "positioned"),
    inputs=("x",),
)


def pipeline_of(slip: Slip[Any]) -> Pipeline:
    """Return the computation in which a slip happens."""
    return HEADS if slip in HEAD_SLIPS else POSITIONS if slip in POSITION_SLIPS else ATTENTION


def right_trace(slip: Slip[Any], example: Example, mask: str = "none", n_heads: int | None = None) -> Trace:
    """Return the right trace that a slip is applied to on its page."""
    if slip in HEAD_SLIPS:
        return rewired(example, n_heads or example.n_heads)
    if slip in POSITION_SLIPS:
        return encode(example.x, range(len(example.x)))
    return example.attention(mask=example.mask(mask))
