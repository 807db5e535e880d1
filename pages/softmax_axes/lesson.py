"""The lesson of the page “Softmax axes”: the softmax of its scores, and what its texts say about the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from attention_core import add_constant, softmax_steps
from attention_core.arithmetic.attention_rules import softmax_rules
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.mistakes import naive_softmax_steps
from attention_core.softmax import SoftmaxTrace
from pages.shared.bars import bars
from pages.shared.equation import Matrix, Sign
from pages.shared.equation.matrices import scores_matrix, softmax_matrices
from pages.shared.notation.numbers import format_as_shown, number, significant
from pages.shared.notation.prose import matrix_as_text, whom
from pages.shared.notation.symbols import SYMBOLS
from pages.shared.notation.texts import texts_beside

TEXTS = texts_beside(__file__)

AXES = {"rows": -1, "columns": 0, "whole": None}
BASES = {"e": 2.718281828459045, "2": 2.0, "3": 3.0}
LADDER = (0.25, 0.5, 1.0, 2.0, 4.0)  # temperatures to compare
COLD, PLAIN, HOT = 0.5, 1.0, 2.0  # those in the text
GREATEST_NUMBER = float(np.finfo(float).max)
FAR_BELOW = 800  # how far a row is below the greatest score of the matrix


# --- the numbers ---


def scores_of(parameters: Any, example: Example) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
    """Return the shown scores, and the labels of their rows and columns: none for scores that a visitor typed in."""
    if parameters.source == "array":
        return parameters.scores, (), ()
    return getattr(example.attention(), id_of_scores(parameters)), example.tokens, example.key_tokens


def given_scores(parameters: Any, example: Example) -> Matrix:
    """Return the scores as a matrix, which can be edited if they are those of the page."""
    scores, *labels = scores_of(parameters, example)
    return scores_matrix(id_of_scores(parameters), scores, *labels, editable=parameters.source == "array")


def id_of_scores(parameters: Any) -> str:
    """Return the id of the shown scores in the table of symbols: only those of an example can be scaled."""
    return "scaled" if parameters.source == "example" else "scores"


def symbol_of_scores(parameters: Any) -> str:
    """Return the symbol of the scores in a formula."""
    return SYMBOLS[id_of_scores(parameters)].symbol


def names_of(parameters: Any, example: Example) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names for the rows and for the columns of the scores: tokens, or “row 1” and “column 1”, and so on."""
    scores, tokens, key_tokens = scores_of(parameters, example)
    rows = tuple(parameters.say(TEXTS, "row_name", number=i) for i, _ in enumerate(scores, start=1))
    columns = tuple(parameters.say(TEXTS, "column_name", number=j) for j, _ in enumerate(scores[0], start=1))
    return tokens or rows, key_tokens or columns


class Setting(NamedTuple):
    """What a softmax of the page depends on."""

    given: Example | tuple[tuple[float, ...], ...]  # an example with its scaled scores, or the scores
    axis: str
    temperature: float
    base: str
    constant: int
    subtract: bool

    @property
    def scores(self) -> np.ndarray:
        """The scores before the constant is added."""
        return self.given.attention().scaled if isinstance(self.given, Example) else np.array(self.given, dtype=float)


def _setting(parameters: Any, example: Example, axis: str) -> Setting:
    p = parameters
    undivided = tuple(map(tuple, example.attention().scores.tolist())) if p.source == "undivided" else None
    given = p.scores if p.source == "array" else undivided or example
    return Setting(given, axis, p.temperature, p.base, p.constant, p.subtract)


def trace(parameters: Any, example: Example, axis: str) -> SoftmaxTrace:
    """Return the steps of softmax along `axis` ("rows", "columns" or "whole"), with the settings of the page."""
    return _softmax(_setting(parameters, example, axis))


def without_overflow(parameters: Any, example: Example, axis: str = "rows", **others: Any) -> SoftmaxTrace:
    """Return the steps of softmax with the greatest score subtracted first; `others` replaces settings of the page."""
    return _softmax(_setting(parameters, example, axis)._replace(**others, subtract=True))


@cache_recent
def _softmax(setting: Setting) -> SoftmaxTrace:
    softmax = softmax_steps if setting.subtract else naive_softmax_steps
    scores = add_constant(setting.scores, setting.constant)
    return softmax(scores, AXES[setting.axis], setting.temperature, BASES[setting.base])


def matrices(parameters: Any, example: Example) -> dict[str, dict[str, Matrix]]:
    """Return the powers, the weights and the entropies of softmax, for each axis by its name."""
    (_, rows, columns), name = scores_of(parameters, example), id_of_scores(parameters)
    return {axis: _matrices(_setting(parameters, example, axis), name, rows, columns) for axis in AXES}


@cache_recent
def _matrices(s: Setting, name: str, rows: tuple[str, ...], columns: tuple[str, ...]) -> dict[str, Matrix]:
    softmax = _softmax(s)
    rules = softmax_rules(softmax, name, given=s.scores, constant=s.constant, subtracts=s.subtract)
    return softmax_matrices(softmax, s.axis, rows, columns, rules)


def has_numbers(matrix: Matrix) -> bool:
    """Return whether a matrix has at least one number. If all powers overflow, all its cells are NaN."""
    return not np.isnan(matrix.values).all()


def powers_sign(parameters: Any) -> Sign:
    """Return the sign between the scores and their powers, such as e^S with an arrow."""
    constant = f" + {parameters.constant}" if parameters.constant else ""
    exponent = f"{symbol_of_scores(parameters)}{constant}{' − max' if parameters.subtract else ''}"
    if parameters.temperature != 1:
        exponent = f"( {exponent} ) / {parameters.temperature:g}"
    return Sign(f"{parameters.base}^{{{exponent}}}", arrow=True)


def weights_by_temperature(parameters: Any, example: Example) -> tuple[int, Mapping[float, np.ndarray]]:
    """Return the index of the token with the greatest weight, and its weights by temperature."""
    asks, _ = _place_of_greatest(without_overflow(parameters, example, temperature=1.0).weights)
    return asks, {t: without_overflow(parameters, example, temperature=t).weights[asks] for t in LADDER}


def _place_of_greatest(weights: np.ndarray) -> tuple[int, int]:
    row, column = np.unravel_index(np.nanargmax(weights), weights.shape)
    return int(row), int(column)


def link_to_check(parameters: Any, example: Example) -> Mapping[str, str] | None:
    """Return the parameters of a link to “Check my matrix” for the weights of the shown scores.

    Return None if the softmax of the shown scores is not the usual one.
    """
    if (parameters.temperature, parameters.base) != (1.0, "e"):
        return None
    own = {"source": "scores", "own_scores": matrix_as_text(np.array(parameters.scores), columns=parameters.columns)}
    return {"asked": "weights"} | {"array": own, "undivided": {"scale": "none"}}.get(parameters.source, {})


# --- the bars ---


def all_lines(parameters: Any, example: Example) -> Sequence[int]:
    """Return the numbers of all rows of the scores, or of all columns if each column adds up to 1."""
    return range(len(names_of(parameters, example)[_side(parameters)]))


def chosen_line(parameters: Any, example: Example) -> int:
    """Return the number of the row with the selected cell, or else with the greatest weight before any change.

    It is that of a column if each column adds up to 1.
    """
    side, place = _side(parameters), parameters.cell
    shown = {id_of_scores(parameters)} | {f"{name}_{axis}" for name in ("powers", "weights") for axis in AXES}
    if place and place[0] in shown and place[1 + side] < len(all_lines(parameters, example)):
        return place[1 + side]
    unchanged = type(parameters)(source=parameters.source)  # the row must not change while a visitor drags its bars
    return _place_of_greatest(without_overflow(unchanged, example, parameters.axis).weights)[side]


def draw_bars(parameters: Any, example: Example, lines: Sequence[int], key: str) -> None:
    """Draw rows of scores and of their weights as bars, or columns if each column adds up to 1."""
    weights = matrices(parameters, example)[parameters.axis]["weights"]
    if not has_numbers(weights):
        return
    side, names = _side(parameters), names_of(parameters, example)
    titles, along = {line: names[side][line] for line in lines}, "columns" if side else "rows"
    st.markdown(parameters.say(TEXTS, "bars_to_drag" if parameters.source == "array" else "bars"))
    bars(given_scores(parameters, example), weights, titles, names[1 - side], key, parameters, along=along)


def _side(parameters: Any) -> int:
    return 1 if parameters.axis == "columns" else 0


# --- what the texts say ---


def one_unit_text(parameters: Any, example: Example) -> str:
    """Return a text that says why each row of weights sums to 1, and what would follow if columns did."""
    weights, (tokens, keys) = without_overflow(parameters, example).weights, names_of(parameters, example)
    (i, j), received = _place_of_greatest(weights), weights.sum(axis=0)
    return parameters.say(
        TEXTS, "one_unit", tokens=tokens, keys=keys, weights=weights, i=i, j=j, whom=whom(tokens, keys, i, j),
        received=received, least=received.argmin(),
    )  # fmt: skip


def steps_text(parameters: Any) -> str:
    """Return a label that says which powers softmax takes, and which sums it divides them by."""
    sections = {
        "rows": "powers_and_sums_of_rows",
        "columns": "powers_and_sums_of_columns",
        "whole": "powers_and_sum_of_whole",
    }
    return parameters.say(TEXTS, sections[parameters.axis], base=parameters.base)


def missing_weights_text(parameters: Any, example: Example) -> str:
    """Return a text that says why some weights are NaN and what helps, or "" if all weights are numbers."""
    softmax = trace(parameters, example, parameters.axis)
    missing = np.isnan(softmax.weights)
    if not missing.any():
        return ""
    overflow = np.isinf(softmax.powers[missing]).any()
    why = parameters.say(
        TEXTS,
        "power_too_large" if overflow else "power_too_small",
        base=parameters.base,
        exponent=softmax.scores[missing].max() / softmax.temperature,
        greatest_number=GREATEST_NUMBER,
    )
    which = parameters.say(TEXTS, "all_are_missing" if missing.all() else "some_are_missing")
    return parameters.say(TEXTS, "missing_weights", which=which, why=why)


def three_axes_text(parameters: Any, example: Example) -> str:
    """Return a text that compares softmax over rows, over columns and over the whole matrix, by the sums of rows."""
    of_columns, of_whole = (
        without_overflow(parameters, example, axis).weights.sum(axis=1) for axis in ("columns", "whole")
    )
    tokens, _ = names_of(parameters, example)
    return parameters.say(
        TEXTS, "three_axes", tokens=tokens, of_columns=of_columns, most=of_columns.argmax(), least=of_columns.argmin(),
        poorest=of_whole.argmin(), share_of_poorest=_share_text(of_whole.min(), parameters.decimals),
    )  # fmt: skip


def _share_text(share: float, decimals: int) -> str:
    """Return a weight as the screen shows it. If the screen would show 0, return it with a power of ten."""
    return format_as_shown(share, decimals) if share >= 10**-decimals else significant(float(share))


def why_powers_text(parameters: Any, example: Example) -> str:
    """Return a text that says what powers do that plain scores cannot, with two scores of one row if two differ."""
    softmax, (_, keys) = without_overflow(parameters, example, constant=0), names_of(parameters, example)
    i, j = _place_of_greatest(softmax.weights)
    scores, weights = softmax.scores[i], softmax.weights[i]
    lower = [k for k in np.argsort(-scores, kind="stable") if scores[k] < scores[j] and weights[k] > 0]
    if not lower:
        return parameters.say(TEXTS, "why_powers", base=parameters.base)
    return parameters.say(
        TEXTS, "why_powers_with_example", base=parameters.base, best=keys[j], next=keys[lower[0]],
        best_score=scores[j], next_score=scores[lower[0]], ratio=weights[j] / weights[lower[0]],
        exponent=_difference(scores[j], scores[lower[0]], softmax.temperature),
    )  # fmt: skip


def _difference(a: float, b: float, temperature: float) -> str:
    """Return the difference of two scores, divided by the temperature, as LaTeX with its numbers."""
    subtrahend = number(float(b)) if b >= 0 else f"({number(float(b))})"
    difference = f"{number(float(a))} - {subtrahend}"
    return difference if temperature == 1 else f"({difference}) / {number(temperature)}"


def only_differences_text(parameters: Any, example: Example) -> str:
    """Return a text that says that only differences of scores count, so that a constant changes no weight."""
    if not parameters.constant:
        return parameters.say(TEXTS, "only_differences_count", **far_below())
    added, plain = (without_overflow(parameters, example, constant=c).weights for c in (parameters.constant, 0))
    rounded = bool((added != plain).any())
    section = "no_weight_has_changed_except_for_rounding" if rounded else "no_weight_has_changed"
    return parameters.say(TEXTS, section, constant=parameters.constant, **far_below())


def far_below() -> dict[str, float]:
    """Return the values of the text about a row whose scores are all far below the greatest score of the matrix."""
    return {"far_below": FAR_BELOW, "power_of_it": float(np.exp(-FAR_BELOW))}


def temperature_text(parameters: Any, weights: Mapping[float, np.ndarray], asks: str, keys: Sequence[str]) -> str:
    """Return a text that says how a temperature changes the greatest weight of the token `asks`, and what it is for.

    `weights` holds the weights of the token by temperature.
    """
    best = int(weights[PLAIN].argmax())
    cold, plain, hot = (float(weights[t][best]) for t in (COLD, PLAIN, HOT))
    raised = weights[PLAIN] ** (1 / HOT)
    return parameters.say(
        TEXTS, "what_a_temperature_is_for", asks=asks, best=keys[best], cold=cold, plain=plain, hot=hot,
        from_plain=raised[best] / raised.sum(),
    )  # fmt: skip


def evenness_text(parameters: Any, weights: np.ndarray, entropies: np.ndarray) -> str:
    """Return a text that explains the entropy of weights."""
    return parameters.say(TEXTS, "evenness", n=weights.size // entropies.size)
