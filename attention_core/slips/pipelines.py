"""The right computations as named steps: attention of one head, of several heads, and the encoding of positions.

A mistake is an edit of these steps: its code gives some of their names another value. What follows from these is
computed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from attention_core.slips.code_lines import lines_of


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a computation, with tokens as rows."""

    gives: str  # a name, or several: "q_heads, k_heads"
    expression: str  # NumPy
    is_matrix: bool = True  # a number is not transposed where tokens are columns

    @property
    def names(self) -> tuple[str, ...]:
        """The names that it gives a value."""
        return tuple(self.gives.split(", "))

    @property
    def code(self) -> str:
        """The line of code that does it."""
        return f"{self.gives} = {self.expression}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """A right computation. No mistake changes what it starts from; each changes some of its steps."""

    matrices: tuple[str, ...]  # what it starts from, as an example has it
    besides: tuple[str, ...] = ()  # numbers and masks that it starts from as well
    start: str  # code for what all steps use
    steps: tuple[Step, ...]
    ends: tuple[str, ...]  # the matrices that a page shows of it

    @property
    def names(self) -> tuple[str, ...]:
        """The names that its steps give a value, in the order in which they are computed."""
        return tuple(name for step in self.steps for name in step.names)

    @property
    def fixed(self) -> tuple[str, ...]:
        """The names that no mistake gives another value."""
        return (*self.matrices, *self.besides, *_names_of(self.start), "softmax", "np")


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
    besides=("allowed",),  # the mask: whom each token may attend to
    start="d_k = w_q.shape[-1]\n",
    steps=(
        *_PROJECTED,
        Step("scores", "q @ k.T"),
        Step("scaled", "scores / np.sqrt(d_k)"),
        Step("masked", "np.where(allowed, scaled, -np.inf)"),
        Step("weights", "softmax(masked)"),
        Step("output", "weights @ v"),
    ),
    ends=("weights", "output"),
)
HEADS = Pipeline(
    matrices=(*ATTENTION.matrices, "w_o"),
    besides=("n_heads",),
    start="""\
def split(m):                                       # (n, heads · d) -> (heads, n, d)
    return m.reshape(len(m), n_heads, -1).swapaxes(0, 1)

d_k = w_q.shape[-1] // n_heads
w_o_right = w_o
""",
    steps=(
        *_PROJECTED,
        Step("q_heads, k_heads, v_heads", "split(q), split(k), split(v)"),
        Step("scaled", "q_heads @ k_heads.swapaxes(-1, -2) / np.sqrt(d_k)"),
        Step("weights", "softmax(scaled)"),
        Step("heads", "weights @ v_heads"),
        Step("concat", "heads.swapaxes(0, 1).reshape(len(x), -1)"),
        Step("output", "concat @ w_o"),
    ),
    ends=("concat", "output"),
)
POSITIONS = Pipeline(
    matrices=("x",),
    start="n, d_model = x.shape\neven = d_model + d_model % 2   # an odd width leaves out the last cosine\n",
    steps=(
        Step("base", "10000.0", is_matrix=False),
        Step("exponents", "(np.arange(d_model) - np.arange(d_model) % 2)[None] / even"),
        Step("angles", "np.arange(n)[:, None] * base ** -exponents"),
        Step("sinusoidal", "np.where(np.arange(d_model) % 2 == 0, np.sin(angles), np.cos(angles))"),
        Step("positioned", "x * np.sqrt(d_model) + sinusoidal"),
    ),
    ends=("sinusoidal", "positioned"),
)
_OTHER_THAN_ATTENTION: Mapping[str, Pipeline] = {"multi_head": HEADS, "positional_encoding": POSITIONS}


def pipeline_of(concept: str) -> Pipeline:
    """Return the computation in which the mistakes of a concept happen."""
    return _OTHER_THAN_ATTENTION.get(concept, ATTENTION)
