"""The matrix equation: matrices stand on the page as in a textbook, and are the controls as well as the result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import streamlit as st
import streamlit.components.v2 as components

from pages.shared import events, session
from pages.shared.controls import Parameters
from pages.shared.kinds import BOUNDS

Tint = Literal["signed", "weight", "plain"]

MOST_SHOWN = 64  # a side; of larger matrices the first rows and columns are sent, and the heading says so

# One module for the browser: each file one idea, joined in the order in which they need each other.
_SCRIPTS = ("numbers.js", "light.js", "matrix.js", "heatmap.js", "edit.js", "actions.js", "tools.js", "equation.js")
_HERE = Path(__file__).parent


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_component = components.component(
    "attention_lab_equation",
    html='<div class="equation"></div>',
    css=_read("equation.css"),
    js="\n".join(map(_read, _SCRIPTS)),
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Matrix:
    """A matrix to show: its numbers, what it is called, and how it is to be read."""

    id: str  # the same on all equations of a page; "weights.1" is head 1 of weights
    symbol: str  # as LaTeX writes it, simple: "W^Q", "d_k", "K^T"
    name: str  # for a screen reader: "Weights of the queries"
    values: np.ndarray  # (rows, columns)
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()  # what cell [i, j] is computed from: "q[i,:]", "k[j,:]"
    tint: Tint = "signed"
    limit: float = 1.0  # the magnitude that gets the full tint
    editable: bool = False
    transposed: bool = False
    blocks: int | None = None  # the width of the column blocks to be told apart, such as heads
    sums: dict[str, np.ndarray] = field(default_factory=dict)  # "rows", "columns": margins
    right: np.ndarray | None = None  # the right numbers, where these show what a slip does
    only_row: int | None = None  # the one row to show, where a single token is followed

    def transpose(self, symbol: str) -> Matrix:
        """Show the same numbers with rows and columns swapped; cells keep their identity."""
        return replace(self, symbol=symbol, transposed=not self.transposed)

    def row(self, index: int, symbol: str) -> Matrix:
        """Show one row only; its cells keep their identity."""
        return replace(self, symbol=symbol, only_row=index)

    def renamed(self, id: str) -> Matrix:
        """Show the numbers as another matrix, whose cells are not those of the page's own."""
        return replace(self, id=id, editable=False)

    def reading(self, *reads: str) -> Matrix:
        """Light up other cells than those computed from, where those are not shown."""
        return replace(self, reads=reads)

    def with_sums(self, *sides: Literal["rows", "columns"]) -> Matrix:
        """Show the sums of rows or columns in the margins."""
        axes = {"rows": 1, "columns": 0}
        return replace(self, sums={side: np.sum(self.values, axis=axes[side]) for side in sides})


@dataclass(frozen=True, slots=True)
class Sign:
    """What stands between matrices: "·", "=", or an operation written on an arrow."""

    text: str
    arrow: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One equation, with a few words above it."""

    items: tuple[Matrix | Sign | str, ...]
    label: str = ""


def equation(
    lines: Sequence[Line], key: str, parameters: Parameters, *, abreast: bool = False, tools: bool = False
) -> None:
    """Draw equations, below each other or abreast; what is done in them reaches the session before the next run.

    The first equation of a page carries its tools: undo, redo, back to the example.
    """
    name = f"{session.page_name()}.equation.{key}"
    _component(
        key=name,
        data={
            "lines": [{"label": line.label, "items": [_item(item) for item in line.items]} for line in lines],
            "digits": parameters.decimals,
            "abreast": abreast,
            "selected": _selected(),
            "history": session.history() if tools else None,
            **events.sync(name),
        },
        on_events_change=lambda: events.receive(name, st.session_state[name].get("events")),
    )


def _selected() -> dict[str, Any] | None:
    place = session.selected()
    return None if place is None else dict(zip(("id", "row", "column"), place, strict=True))


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
        "reads": item.reads,
        "tint": item.tint,
        "limit": item.limit,
        "editable": item.editable,
        "bounds": BOUNDS,
        "transposed": item.transposed,
        "onlyRow": item.only_row,
        "shape": item.values.shape,
        "blocks": item.blocks,
        "sums": {side: _rows(values[None])[0] for side, values in item.sums.items()},
        "right": None if item.right is None else _rows(item.right),
    }


def _rows(values: np.ndarray) -> list[list[float | str]]:
    # JSON has neither infinities nor NaN: they travel as text.
    shown = np.asarray(values, dtype=float)[:MOST_SHOWN, :MOST_SHOWN].tolist()
    return [[v if math.isfinite(v) else str(v) for v in row] for row in shown]
