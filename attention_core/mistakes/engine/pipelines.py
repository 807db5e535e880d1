"""The correct computations as named steps: attention with one head and with several, and the encoding of positions.

The attention of a real language model has several heads, and it rotates queries and keys by their positions.

Other pipelines with positions in the scores, or with heads that share keys, are plain pipelines with some replaced
steps. Some positions rotate queries and keys, in pairs of neighbouring columns or of columns that are half a width
apart. Other positions (ALiBi) lower each scaled score by the distance of its two tokens.

A mistake is an edit of these steps: its code computes some of their names in another way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

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
