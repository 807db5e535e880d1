"""The exhibits: their words and code from `exhibits.toml`, and their wrong and correct results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from attention_core.arithmetic.position_rules import encoding_rules
from attention_core.attention import SelfAttentionTrace
from attention_core.caching import cache_recent
from attention_core.checks import Array
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
from attention_core.museum.exhibit import Exhibit, Numbers, Outcome
from attention_core.positions import sinusoidal

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
