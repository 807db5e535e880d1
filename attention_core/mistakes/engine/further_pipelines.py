"""Pipelines with positions in the scores, or with heads that share keys: plain pipelines with some replaced steps.

Some positions rotate queries and keys, in pairs of neighbouring columns or of columns that are half a width apart.
Other positions (ALiBi) lower each scaled score by the distance of its two tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

from attention_core.mistakes.engine.pipelines import ATTENTION, HEADS, Pipeline, Step

ROTARY_KINDS = ("rotary_pairs", "rotary_halves")
KINDS = ("none", *ROTARY_KINDS, "alibi")
LINES_THAT_ROTATE = {
    "rotary_pairs": """\
def turned(m, angles):                              # each pair of neighbouring columns turns by its angle
    crossed = np.stack([-m[..., 1::2], m[..., ::2]], axis=-1).reshape(m.shape)
    return m * np.cos(angles) + crossed * np.sin(angles)
""",
    "rotary_halves": """\
def turned(m, angles):                              # column i and column i + width / 2 turn by their angle
    crossed = np.concatenate([-m[..., width // 2:], m[..., :width // 2]], axis=-1)
    of_pairs = np.concatenate([angles[:, ::2], angles[:, ::2]], axis=1)
    return m * np.cos(of_pairs) + crossed * np.sin(of_pairs)
""",
}
_ANGLES = (
    Step("base", "rope_base", is_matrix=False),
    Step("exponents", "(np.arange(width) - np.arange(width) % 2)[None] / width"),
    Step("angles", "positions[:, None] * base ** -exponents"),
)
_SHARED = """\
def split_keys(m):                                  # each head of keys serves some heads of queries that stand together
    return np.repeat(m.reshape(len(m), n_kv_heads, -1).swapaxes(0, 1), n_heads // n_kv_heads, axis=0)
"""


def pipeline_with(kind: str, *, several: bool = False, shared: bool = False) -> Pipeline:
    """Return the steps of correct attention with one kind of positions from `KINDS`, such as "alibi".

    `several` says whether there are several heads, and `shared` whether heads share keys and values.
    """
    return _pipeline(kind, several, shared)


@cache
def _pipeline(kind: str, several: bool, shared: bool) -> Pipeline:
    plain = HEADS if several else ATTENTION
    plain = _with_shared_keys(plain) if shared else plain
    if kind == "none":
        return plain
    return _with_bias(plain, several) if kind == "alibi" else _with_rotation(plain, kind, several)


def further_pipelines() -> Iterator[tuple[str, bool, bool, Pipeline]]:
    """Yield every computation that has positions in its scores or shared keys, with the arguments of `pipeline_with`.

    The order is: kind of positions, several heads or not, shared keys or not, computation.
    """
    for kind, (several, shared) in product(KINDS, ((False, False), (True, False), (True, True))):
        if kind != "none" or shared:
            yield kind, several, shared, pipeline_with(kind, several=several, shared=shared)


def pipeline_with_heads(pipeline: Pipeline) -> Pipeline:
    """Return the computation with several heads that corresponds to `pipeline`, a computation with one head.

    Return any other pipeline unchanged.
    """
    kinds = {pipeline_with(kind): kind for kind in KINDS}
    return pipeline_with(kinds[pipeline], several=True) if pipeline in kinds else pipeline


@cache
def _with_shared_keys(plain: Pipeline) -> Pipeline:
    steps = _replace_step(
        plain.steps,
        "q_heads, k_heads, v_heads",
        Step("q_heads, k_heads, v_heads", "split(q), split_keys(k), split_keys(v)"),
    )
    return replace(
        plain, other_inputs=(*plain.other_inputs, "n_kv_heads"), start=f"{plain.start}\n{_SHARED}", steps=steps
    )


def _with_rotation(plain: Pipeline, kind: str, several: bool) -> Pipeline:
    q, k = ("q_heads", "k_heads") if several else ("q", "k")
    turned = Step("q_turned, k_turned", f"turned({q}, angles[query_places]), turned({k}, angles[key_places])")
    scores = Step("scores", "q_turned @ k_turned.swapaxes(-1, -2)" if several else "q_turned @ k_turned.T")
    return replace(
        plain,
        other_inputs=(*plain.other_inputs, "positions", "n", "query_places", "key_places", "rope_base"),
        start=f"{plain.start}\nwidth = w_q.shape[-1]{' // n_heads' * several}\n{LINES_THAT_ROTATE[kind]}",
        steps=_replace_step(plain.steps, "scores", *_ANGLES, turned, scores),
    )


def _with_bias(plain: Pipeline, several: bool) -> Pipeline:
    own = "slopes[:, None, None]" if several else "slopes[own_head]"
    bias = (
        Step("slopes", "slopes_of_heads"),
        Step("bias", "-of_own_head(slopes) * np.abs(query_places[:, None] - key_places)"),
        Step("biased", "scaled + bias"),
        Step("masked", "np.where(allowed, biased, -np.inf)"),
    )
    return replace(
        plain,
        other_inputs=(*plain.other_inputs, "query_places", "key_places", "slopes_of_heads", "own_head"),
        start=f"{plain.start}\ndef of_own_head(slopes):\n    return {own}\n",
        steps=_replace_step(plain.steps, "masked", *bias),
    )


def _replace_step(steps: tuple[Step, ...], gives: str, *others: Step) -> tuple[Step, ...]:
    return tuple(each for step in steps for each in (others if step.gives == gives else (step,)))
