"""The matrix equation: matrices on the page as in a textbook. Visitors read them and edit them in place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import streamlit as st

from pages.shared.controls import Parameters
from pages.shared.equation import engine
from pages.shared.equation.computation import Formulas, lit_as_data, numbers_as_data
from pages.shared.equation.engine import equations_on_page
from pages.shared.equation.model import AND, Line, Matrix, Sign, matrices_of
from pages.shared.state import events, history, session
from pages.shared.state.events import Blank
from pages.shared.state.opening import (
    cells_in_text,
    cover_key,
    focus,
    is_guessing,
    matrices_hidden_at_first,
    presented_lines,
)

__all__ = ["Line", "Matrix", "Sign", "equation", "matrices_of"]

UNCHANGED = ("targets", "_task")  # ids of given numbers that no edit changes: a task has its own
LONGEST_SHOWN_SIDE = 64  # a larger matrix is cut to so many rows and columns, and its heading says this


def equation(
    lines: Sequence[Line],
    key: str,
    parameters: Parameters,
    *,
    abreast: bool = False,
    aligned: bool = False,
    tools: bool = False,
    blank: Blank | None = None,
    place: str = "",
) -> None:
    """Draw equations on the page, below each other or, if `abreast`, next to each other.

    `key` is the name of this drawing on the page. What a visitor does in the equations changes the visit (the state of
    the page) before the next run.

    Lines are written for tokens as rows. If the parameters say that tokens are columns, this function transposes the
    lines. If `aligned`, the lines have the same number of items, and each item is below the same item of the line
    above.

    Set `tools` for the first equation of a page: it gets the buttons undo, redo and reset. `blank` receives what a
    visitor writes into an empty matrix. Drawings of which the page shows one at a time, such as those of its steps,
    have the same `place`: the browser then changes one drawing into the other, and nothing else moves.

    The lines are added to `equations_on_page()`. The arithmetic of the selected cell, the claims of scenes and the
    files to take home read them there. Lines with a blank matrix are not added, because their numbers are not known
    yet.
    """
    visit = session.visit()
    name = f"{visit.page}.equation.{key}"
    # A scene finds the drawing that it is about by its name.
    here = f"{visit.page}.equation.{place}" if place and name != focus() else name
    if all(matrix.blank is None for matrix in matrices_of(lines)):
        equations_on_page()[key] = tuple(lines)
    staged = visit.lecture.present and name == focus()
    if (staged or (is_guessing() and name == focus())) and presented_lines():
        lines = [lines[number - 1] for number in presented_lines() if number <= len(lines)]
    shown = [line.with_tokens_as_columns() for line in lines] if parameters.columns else lines
    data = {
        "lines": [{"label": line.label, "items": _items(line)} for line in shown],
        "formulas": formulas_of_page(matrices_of(lines)),
        "digits": parameters.decimals,
        "edited": bool(visit.workspace.edits),
        "abreast": abreast,
        "aligned": aligned,
        "selected": _selected_place(),
        "history": history.usable_tools() if tools else None,
        "present": visit.lecture.present,
        "staged": staged,
        "said": cells_in_text() if staged else [],
        "cover": cover_key() if _has_covered_results(name, tools) else None,
        "guessing": is_guessing(),
        "waits": matrices_hidden_at_first(),
        **events.sync(here),
    }
    engine.EQUATION.component(
        key=here,
        data=[data],  # in a list, because Streamlit would search a mapping for tables
        on_events_change=lambda: events.receive(here, st.session_state[here].get("events"), blank),
    )


def formulas_of(matrices: Sequence[Matrix]) -> Formulas:
    """Return the formulas of these matrices, and of all matrices from which they are computed, by id."""
    found: Formulas = {}
    for matrix in matrices:
        if matrix.computation is not None:
            name, *part = matrix.origin
            matrix.computation.add_formulas(name, part, found)
            for id in matrix.read_ids if matrix.lights is not None else ():
                matrix.computation.add_formulas_of_id(id, found)
    return found


def formulas_of_page(matrices: Sequence[Matrix]) -> Formulas:
    """Return the formulas of matrices of the page, with a mark at given numbers that may follow from its inputs.

    The browser does not know how such numbers follow, so after an edit it does not trust them.
    """
    visit, found = session.visit(), formulas_of(matrices)
    kind = type(visit.parameters)  # a page with matrices of its own makes everything else from these
    inputs = session.page_matrices(kind) or session.matrix_inputs(visit.workspace.example, kind)
    for id, formula in found.items():
        if "given" in formula and id not in inputs and not id.endswith(UNCHANGED):
            formula["follows"] = True
    return found


def _has_covered_results(name: str, tools: bool) -> bool:
    return name == focus() if focus() else tools


def _selected_place() -> dict[str, Any] | None:
    place = session.visit().cell
    return None if place is None else dict(zip(("id", "row", "column"), place, strict=True))


def _items(line: Line) -> list[dict[str, Any]]:
    """Return the items of a line as data, with a comma between two matrices without a sign."""
    items = list[dict[str, Any]]()
    for before, item in pairwise(("", *line.items)):
        if isinstance(before, Matrix) and isinstance(item, Matrix):
            items.append({"text": AND})
        items.append(_item(item))
    return items


def _item(item: Matrix | Sign | str) -> dict[str, Any]:
    if isinstance(item, str):
        return {"text": item}
    if isinstance(item, Sign):
        return {"text": item.text, "arrow": item.arrow}
    return {
        "id": item.id,
        "symbol": item.symbol,
        "name": item.name,
        "values": _rows(item.values),
        "rowLabels": item.row_labels,
        "columnLabels": item.column_labels,
        "lights": None if item.lights is None else [lit_as_data(read) for read in item.lights],
        "tint": item.tint,
        "hue": item.hue,
        "decimals": item.decimals,
        "editable": item.editable,
        "transposed": item.transposed,
        "onlyRow": item.only_row,
        "shape": item.values.shape,
        "blocks": item.blocks,
        "sums": {side: _rows(values[None])[0] for side, values in item.sums.items()},
        "right": None if item.right is None else _rows(item.right),
        "blank": item.blank,
        "marks": None if item.marks is None else item.marks.tolist(),
    }


def _rows(values: np.ndarray) -> list[list[float | str]]:
    return numbers_as_data(np.asarray(values)[:LONGEST_SHOWN_SIDE, :LONGEST_SHOWN_SIDE])
