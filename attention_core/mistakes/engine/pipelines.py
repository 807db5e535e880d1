"""The correct computations as named steps: attention with one head and with several, and the encoding of positions.

The attention of a real language model has several heads, and it rotates queries and keys by their positions.

A mistake is an edit of these steps: its code computes some of their names in another way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from attention_core.mistakes.engine.code_lines import CodeLine, lines_of


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a computation: the code of an assignment. Tokens are rows."""

    gives: str  # the name that the step assigns, or several names: "q_heads, k_heads"
    expression: str  # the NumPy expression that computes the value
    is_matrix: bool = True  # whether the value is a matrix, which is transposed in the layout with tokens as columns

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the step assigns."""
        return tuple(self.gives.split(", "))

    @property
    def code(self) -> str:
        """The line of code of the step."""
        return f"{self.gives} = {self.expression}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pipeline:
    """A correct computation: its inputs, the code before its steps, and its steps.

    A mistake may change only the steps. A pipeline is equal only to itself.
    """

    matrices: tuple[str, ...]  # the names of the matrices that the computation starts from
    other_inputs: tuple[str, ...] = ()  # the names of its other inputs, such as a number or a mask
    start: str  # code before the steps, such as functions that several steps use
    steps: tuple[Step, ...]
    shown: tuple[str, ...]  # the names of the computed matrices that the page shows

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the steps assign, in order."""
        return tuple(name for step in self.steps for name in step.names)

    @property
    def lines(self) -> tuple[CodeLine, ...]:
        """The steps as lines of code."""
        return _lines_of(self.steps)

    @property
    def protected_names(self) -> tuple[str, ...]:
        """The names that a mistake must not assign: the inputs, the names from `start`, and `softmax` and `np`."""
        return (*self.matrices, *self.other_inputs, *_names_of(self.start), "softmax", "np")


@cache
def _lines_of(steps: tuple[Step, ...]) -> tuple[CodeLine, ...]:
    return lines_of("\n".join(step.code for step in steps))


@cache
def _names_of(code: str) -> tuple[str, ...]:
    return tuple(name for line in lines_of(code) for name in line.gives)


_PROJECTED = (
    Step("q", "x @ w_q + b_q"),
    Step("k", "context @ w_k + b_k"),
    Step("v", "context @ w_v + b_v"),
)
ATTENTION = Pipeline(
    matrices=("x", "context", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v"),
    other_inputs=("allowed",),  # the mask: which tokens each token may attend to
    start="d_k = w_q.shape[-1]\n",
    steps=(
        *_PROJECTED,
        Step("scores", "q @ k.T"),
        Step("scaled", "scores / np.sqrt(d_k)"),
        Step("masked", "np.where(allowed, scaled, -np.inf)"),
        Step("weights", "softmax(masked)"),
        Step("output", "weights @ v"),
    ),
    shown=("weights", "output"),
)
HEADS = Pipeline(
    matrices=(*ATTENTION.matrices, "w_o", "b_o"),
    other_inputs=("n_heads", "allowed"),
    start="""\
def split(m):                                       # (n, heads · d) -> (heads, n, d)
    return m.reshape(len(m), n_heads, -1).swapaxes(0, 1)

d_k = w_q.shape[-1] // n_heads
w_o_right = w_o
""",
    steps=(
        *_PROJECTED,
        Step("q_heads, k_heads, v_heads", "split(q), split(k), split(v)"),
        Step("scores", "q_heads @ k_heads.swapaxes(-1, -2)"),
        Step("scaled", "scores / np.sqrt(d_k)"),
        Step("masked", "np.where(allowed, scaled, -np.inf)"),
        Step("weights", "softmax(masked)"),
        Step("heads", "weights @ v_heads"),
        Step("concat", "heads.swapaxes(0, 1).reshape(len(x), -1)"),
        Step("output", "concat @ w_o + b_o"),
    ),
    shown=("concat", "output"),
)
POSITIONS = Pipeline(
    matrices=("x",),
    start="n, d_model = x.shape\npositions = np.arange(n)\n"
    "even = d_model + d_model % 2   # an odd width leaves out the last cosine\n",
    steps=(
        Step("base", "10000.0", is_matrix=False),
        Step("exponents", "(np.arange(d_model) - np.arange(d_model) % 2)[None] / even"),
        Step("angles", "positions[:, None] * base ** -exponents"),
        Step("sinusoidal", "np.where(np.arange(d_model) % 2 == 0, np.sin(angles), np.cos(angles))"),
        Step("positioned", "x * np.sqrt(d_model) + sinusoidal"),
    ),
    shown=("sinusoidal", "positioned"),
)
ROTARY = replace(
    HEADS,
    other_inputs=(*HEADS.other_inputs, "positions", "rope_base"),
    start=f"""\
{HEADS.start}
def turned(m, angles):                              # each pair of neighbouring columns turns by its angle
    crossed = np.stack([-m[..., 1::2], m[..., ::2]], axis=-1).reshape(m.shape)
    return m * np.cos(angles) + crossed * np.sin(angles)
""",
    steps=(
        *HEADS.steps[:4],
        Step("base", "rope_base", is_matrix=False),
        Step("exponents", "(np.arange(d_k) - np.arange(d_k) % 2)[None] / d_k"),
        Step("angles", "positions[:, None] * base ** -exponents"),
        Step("q_turned, k_turned", "turned(q_heads, angles), turned(k_heads, angles)"),
        Step("scores", "q_turned @ k_turned.swapaxes(-1, -2)"),
        *HEADS.steps[5:],
    ),
)
ENCODING = replace(POSITIONS, steps=POSITIONS.steps[:-1], shown=("sinusoidal",))  # without the sum with embeddings
_OTHER_THAN_ATTENTION: Mapping[str, Pipeline] = {
    "multi_head": HEADS,
    "positional_encoding": POSITIONS,
    "real_model": ROTARY,
}


def pipeline_of(concept: str) -> Pipeline:
    """Return the correct computation, as named steps, for the mistakes of a concept, such as "multi_head"."""
    return _OTHER_THAN_ATTENTION.get(concept, ATTENTION)
