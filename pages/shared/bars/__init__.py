"""Rows of scores and of their shares as bars, which follow every number. Scores that can be edited are dragged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pages.shared.controls import Parameters
from pages.shared.equation import Matrix, engine, formulas_of_page
from pages.shared.equation.computation import numbers_as_data
from pages.shared.equation.engine import note_picture
from pages.shared.notation.palette import HUES, NEGATIVE, POSITIVE, css, css_of_tint
from pages.shared.state import session

__all__ = ["bars"]

_HERE = Path(__file__).parent
MODULES = ("drag_bar.js", "bars.js")  # each follows those that it imports, and those of equations
SCRIPT = engine.script_of(_HERE, MODULES)
BARS = engine.component_kind(
    "bars",
    f".bars {{ --above: {css_of_tint(POSITIVE)}; --below: {css_of_tint(NEGATIVE)}; --share: {css(HUES['weight'])}; }}\n"
    + (_HERE / "bars.css").read_text(encoding="utf-8"),
    engine.own_scope(SCRIPT),
)


def bars(
    scores: Matrix,
    shares: Matrix,
    titles: Mapping[int, str],
    labels: Sequence[str],
    key: str,
    parameters: Parameters,
    *,
    along: Literal["rows", "columns"] = "rows",
) -> None:
    """Draw some rows of scores as bars, each with its shares below.

    `titles` has a title for each drawn row, by the number of the row, and `labels` are those of its bars. If `along` is
    "columns", these are columns.
    """
    name = f"{session.visit().page}.bars.{key}"
    note_picture(name, "the bars")
    data: dict[str, Any] = {
        "scores": _numbers(scores),
        "shares": _numbers(shares),
        "isEditable": scores.editable,
        "titles": [{"at": at, "text": text} for at, text in titles.items()],
        "labels": list(labels),
        "along": along,
        "formulas": formulas_of_page([scores, shares]),
        "digits": parameters.decimals,
    }
    BARS.component(key=name, data=[data])  # in a list, because Streamlit would search a mapping for tables


def _numbers(matrix: Matrix) -> dict[str, Any]:
    return {"id": matrix.id, "values": numbers_as_data(matrix.values), "shape": matrix.values.shape}
