"""The choice of rotary positions or ALiBi for a task, and the formulas and sentences about them."""

from __future__ import annotations

import re
from typing import Any

from attention_core.diagnosis.pasted import ALL_HEADS, Problem
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.named_traces import Trace, inner_of, places_of
from attention_core.position_trace import PositionTrace
from attention_core.positioned import Places
from pages.shared.lessons.check_my_matrix.places import join_names
from pages.shared.notation.numbers import number
from pages.shared.state import widgets
from pages.shared.task_block.sheets import read_entry

KINDS = {
    "none": "None", "rotary_pairs": "Rotary, pairs of neighbours", "rotary_halves": "Rotary, pairs of halves",
    "alibi": "ALiBi",
}  # fmt: skip
USUAL_BASE = "10000"
_SIGNS = ("{Q'}", r"\lvert")
_QUERIES_OR_KEYS = re.compile(r"(?<![\\A-Za-z^])[QK]\b")


def fields_of(parameters: Any, asked: str) -> dict[str, Any]:
    """Return the chosen kind of positions and its base or slope, as fields of a `Setting`.

    If the visitor gives scores, no positions are added, because the scores already depend on them. Raises: ValueError
    if the base or the slope is not a number.
    """
    kind = parameters.positions if parameters.source != "scores" else "none"
    fields: dict[str, Any] = {"positions": kind}
    if kind.startswith("rotary"):
        fields["base"] = number_in("base of the rotation", parameters.base)
    elif kind == "alibi" and asked != ALL_HEADS and parameters.slope.strip():
        fields["slope"] = number_in("slope", parameters.slope)
    return fields


def number_in(name: str, text: str) -> float:
    """Return the number that a visitor wrote in the field `name`. Raises: ValueError if `text` is not a number."""
    try:
        return read_entry(text)
    except ValueError:
        got = f"you wrote “{text}”" if text.strip() else "the field is empty"
        raise ValueError(f"The {name} must be a number, but {got}. Write a number such as 0.125 or 1/8.") from None


def draw(parameters: Any, asked: str) -> None:
    """Draw the choice of the kind of positions, and the fields for the numbers of the chosen kind."""
    widgets.draw(parameters, "positions")
    if parameters.positions.startswith("rotary"):
        widgets.draw(parameters, "base")
    elif parameters.positions == "alibi" and asked != ALL_HEADS:
        widgets.draw(parameters, "slope")


def with_positions(latex: str, problem: Problem) -> str:
    """Return the formula `latex`, changed for the positions of the problem.

    Rotated queries and keys get a prime. For ALiBi, the penalty is subtracted from the scores.
    """
    places = places_of(problem.trace)
    if places is None:
        return latex
    if places.kind == "alibi":
        return latex.replace(r"\right)", r" - m \, \lvert i - j \rvert\right)")
    return _QUERIES_OR_KEYS.sub(lambda symbol: f"{{{symbol[0]}'}}", latex)


def positions_text(problem: Problem, formula: str) -> str:
    """Return sentences that explain the symbols of the positions in a formula, or "" if it has none."""
    trace = problem.trace
    places = places_of(trace)
    if places is None or isinstance(trace, PositionTrace) or not any(sign in formula for sign in _SIGNS):
        return ""
    told = _penalty(places, trace) if places.kind == "alibi" else _rotation(places, inner_of(trace).q.shape[-1])
    return f". {told} {_count(places)}"


def _penalty(places: Places, trace: Trace) -> str:
    several = isinstance(trace, MultiHeadTrace)
    slopes = places.slopes if several else places.slopes[[places.head]]
    named = join_names([f"${number(float(slope), 6)}$" for slope in slopes])
    are = "the slopes $m$ of the heads are" if several else "the slope $m$ is"
    return rf"Here $\lvert i - j \rvert$ is the distance of the two tokens, and {are} {named}."


def _rotation(places: Places, width: int) -> str:
    pairs = [(1, 2), (3, 4)] if places.kind == "rotary_pairs" else [(1, 1 + width // 2), (2, 2 + width // 2)]
    named = ", and ".join(f"columns {first} and {second}" for first, second in pairs[: width // 2])
    are = " are a pair" if width == 2 else ", are the first two pairs"
    return (
        rf"Here $Q'$ and $K'$ are $Q$ and $K$ after a rotation: {named}{are}. For the token at "
        rf"position $pos$, pair $i$ is rotated by the angle $pos / {places.base:g}^{{2i/{width}}}$, with $i$ from 0."
    )


def _count(places: Places) -> str:
    first = int(places.queries[0])
    return "Positions count from 0." if not first else (
        f"The positions of the keys count from 0, those of the queries from {first}."
    )  # fmt: skip
