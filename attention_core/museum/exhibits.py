"""The exhibits: their words and code from `exhibits.toml`, their results, and how each is inspected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic.position_rules import encoding_rules
from attention_core.attention import SelfAttentionTrace
from attention_core.caching import cache_recent
from attention_core.checks import Array, greatest_difference
from attention_core.examples import Example, example
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes import (
    WITH_SWITCH,
    Mistake,
    outer_scores,
    sinusoidal_doubled_exponent,
    sinusoidal_shifted_cosine,
)
from attention_core.mistakes.toml_files import read_entries
from attention_core.positions import sinusoidal

Numbers = Mapping[str, Array]  # the arrays that a cell computes, by their names in the cell

EXACT = 1e-9


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Outcome:
    """The wrong and the correct results of a cell of code. The core computes both."""

    correct_trace: SelfAttentionTrace | MultiHeadTrace | CellCalculations  # has the calculation of every correct number
    wrong: Numbers
    correct: Numbers

    def is_product(self, results: Numbers, left: str, factor: str) -> bool:
        """Return whether the output in `results` is the product of the matrices `left` and `factor`.

        `results` is the wrong results or the correct results.
        """
        if left not in results or factor not in results or np.ndim(results[left]) > 2:
            return False
        product = results[left] @ results[factor]
        return product.shape == results["output"].shape and np.allclose(
            product, results["output"], EXACT, equal_nan=True
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Exhibit:
    """A cell of code with one wrong line, in which a visitor looks for the mistake."""

    name: str  # in snake case, as in links; the name does not reveal the mistake
    title: str
    task: str  # what the cell should do, in a sentence
    inputs: tuple[str, ...]  # the names from earlier cells, apart from np and softmax
    code: str
    wrong_line: int  # counted from 1
    correct_line: str  # the line without the mistake
    outcome: Callable[[], Outcome]
    why: str
    sources: tuple[str, ...]  # errata of the notebooks (000-06), or public threads (owner/repository#number)
    page: str  # the page that explains the mistake
    state: Mapping[str, str]  # the settings of this page that show the mistake
    result: str = "output"  # the name of the result in the cell
    own_example: Callable[[], Example] = field(default=lambda: example("hand"))
    edits: Mapping[str, ArrayLike] = field(
        default_factory=dict[str, ArrayLike]
    )  # the edits of this example on its page

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the cell, with the wrong line."""
        return tuple(self.code.splitlines())

    @property
    def corrected_code(self) -> str:
        """The code of the cell with the correct line in place of the wrong line."""
        return "\n".join(
            self.correct_line if i == self.wrong_line else line for i, line in enumerate(self.lines, start=1)
        )

    @property
    def greatest_error(self) -> float:
        """The greatest error of a number in the result: ∞ if the shape is wrong, NaN if a number is NaN."""
        outcome = self.outcome()
        return greatest_difference(outcome.correct[self.result], outcome.wrong[self.result])

    def input_values(self) -> dict[str, Any]:
        """Return the values that the cell takes from earlier cells, by name."""
        everything = self.own_example().matrices() | _computed_matrices(self.outcome().correct_trace)
        context = everything.get("context")
        everything |= {"decoder": everything["x"]} | ({} if context is None else {"encoder": context})
        return {name: everything[name] for name in self.inputs}


def _computed_matrices(trace: SelfAttentionTrace | MultiHeadTrace | CellCalculations) -> dict[str, Any]:
    if isinstance(trace, MultiHeadTrace):
        return {"q": trace.heads.q, "k": trace.heads.k, "v": trace.heads.v, "n_heads": trace.n_heads}
    return {} if isinstance(trace, CellCalculations) else {"q": trace.q, "k": trace.k, "v": trace.v}


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """The checks of a result that need no correct result: shapes, sums of weights, and NaN."""

    shapes: dict[str, tuple[tuple[int, ...], tuple[int, ...]]]  # by name: the actual shape, and the correct shape
    sums: Array | None  # the sum of each row of the weights, one head after another; None without weights
    finite: bool

    @property
    def has_correct_shapes(self) -> bool:
        """Whether every matrix has the correct shape."""
        return all(came == meant for came, meant in self.shapes.values())

    @property
    def sum_to_one(self) -> bool:
        """Whether every row of the weights sums to 1. True if there are no weights."""
        return self.sums is None or bool(np.allclose(self.sums, 1))

    @property
    def passes(self) -> bool:
        """Whether all checks pass, so that nothing looks wrong."""
        return self.has_correct_shapes and self.sum_to_one and self.finite


def inspect(outcome: Outcome) -> Inspection:
    """Check the wrong results of a cell without the correct numbers: the shapes, the sums of the weights, and NaN.

    >>> from attention_core.museum import exhibit
    >>> inspect(exhibit("two_loops").outcome()).passes
    True
    """
    names = [name for name in ("scores", "weights", "heads", "concat", "output", "encoding") if name in outcome.wrong]
    shapes = {name: (outcome.wrong[name].shape, outcome.correct[name].shape) for name in names}
    weights = outcome.wrong.get("weights")
    finite = all(bool(np.isfinite(outcome.wrong[name]).all()) for name in names)
    return Inspection(shapes, None if weights is None else weights.sum(axis=-1).ravel(), finite)


FILE = Path(__file__).with_name("exhibits.toml")
N, D_MODEL = 6, 8  # the sizes in the cells that compute an encoding


def read_exhibits(file: Path = FILE) -> tuple[Exhibit, ...]:
    """Return the exhibits of a TOML file, which has one `[[exhibit]]` for each, in order.

    Raises: ValueError if an exhibit has a wrong field, or does not have either a mistake or an outcome of its own.
    """
    mistakes = {mistake.name: mistake for mistake in WITH_SWITCH}
    return tuple(map(_exhibit, read_entries(file, Entry, "exhibit", mistake=mistakes, outcome=OUTCOMES)))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Entry:
    """An exhibit as `exhibits.toml` has it. A mistake of the catalogue gives its results, its reason and its page."""

    name: str
    title: str
    task: str
    inputs: tuple[str, ...]
    code: str
    wrong_line: int
    correct_line: str
    result: str = "output"
    mistake: Mistake[Any] | None = None
    example: str = "hand"
    mask: str = "none"
    edits: Mapping[str, Sequence[Sequence[float]]] = field(default_factory=dict[str, Sequence[Sequence[float]]])
    outcome: Callable[[], Outcome] | None = None  # of an exhibit whose mistake is not in the catalogue, with the rest:
    why: str = ""
    sources: tuple[str, ...] = ()
    page: str = ""
    state: Mapping[str, str] = field(default_factory=dict[str, str])


def _exhibit(entry: Entry) -> Exhibit:
    cell: dict[str, Any] = {name: getattr(entry, name) for name in CELL}
    if entry.outcome and not entry.mistake:
        return Exhibit(
            **cell, why=entry.why, sources=entry.sources, page=entry.page, state=entry.state, outcome=entry.outcome
        )
    if entry.outcome or not entry.mistake:
        raise ValueError(
            f"an exhibit must have either a mistake or an outcome; got {entry.name} with "
            f"{'both' if entry.mistake else 'neither'}: name one of them in {FILE.name}."
        )
    mistake, masked = entry.mistake, {} if entry.mask == "none" else {"mask": entry.mask}
    edits = {name: tuple(map(tuple, rows)) for name, rows in entry.edits.items()}

    @cache_recent
    def own_example() -> Example:
        return example(entry.example).with_matrices(edits)

    @cache_recent
    def outcome() -> Outcome:
        return _outcome_of_mistake(mistake, own_example(), entry)

    return Exhibit(
        **cell, why=mistake.why, sources=mistake.sources, page=mistake.concept, outcome=outcome,
        state={"mistake": mistake.name, "example": entry.example} | masked, own_example=own_example, edits=edits,
    )  # fmt: skip


CELL = ("name", "title", "task", "inputs", "code", "wrong_line", "correct_line", "result")


def _outcome_of_mistake(mistake: Mistake[Any], numbers: Example, entry: Entry) -> Outcome:
    if mistake.concept == "multi_head":
        right = numbers.multi_head()
        wrong, correct = (_results_of_heads(trace, entry.result) for trace in (mistake.apply(right), right))
    else:
        right = numbers.attention(mask=numbers.mask(entry.mask))
        wrong, correct = (_results_of_one_head(trace, right) for trace in (mistake.apply(right), right))
    return Outcome(correct_trace=right, wrong=wrong, correct=correct)


def _results_of_one_head(trace: SelfAttentionTrace, right: SelfAttentionTrace) -> Numbers:
    return {"weights": trace.weights, "v": right.v, "output": trace.output}


def _results_of_heads(trace: MultiHeadTrace, result: str) -> Numbers:
    if result == "heads":
        return {"weights": trace.heads.weights, "heads": trace.heads.output}
    return {"concat": trace.concat, "w_o": np.asarray(trace.projections.w_o), "output": trace.output}


@cache_recent
def _outcome_of_outer_products() -> Outcome:
    right = example("hand").attention()
    return Outcome(
        correct_trace=right, wrong={"scores": outer_scores(right.q, right.k)}, correct={"scores": right.scores}
    )


def _outcome_of_encoding(encoding: Callable[[int, int], Array]) -> Callable[[], Outcome]:
    @cache_recent
    def outcome() -> Outcome:
        wrong, right = {"encoding": encoding(N, D_MODEL)}, {"encoding": sinusoidal(N, D_MODEL)}
        return Outcome(correct_trace=encoding_rules(N, D_MODEL), wrong=wrong, correct=right)

    return outcome


# The outcomes of mistakes that are not in the catalogue, by their names in `exhibits.toml`.
OUTCOMES: Mapping[str, Callable[[], Outcome]] = {
    "outer_products": _outcome_of_outer_products,
    "doubled_exponent": _outcome_of_encoding(sinusoidal_doubled_exponent),
    "shifted_cosine": _outcome_of_encoding(sinusoidal_shifted_cosine),
}
