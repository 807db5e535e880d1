"""The tasks of a worksheet: the equations on the screen, with what is known and what is to be filled in. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core.examples import MATRICES
from pages.shared.equation.model import Line, Matrix, matrices_of
from pages.shared.notation.symbols import OF_A_PAGE, SYMBOLS
from pages.shared.takehome.code import expression, run, start_arrays
from pages.shared.takehome.screen import MOST_WRITTEN, Screen

LOW, HIGH = -1, 2  # of the numbers drawn: with larger ones softmax gives nearly all to one key


@dataclass(frozen=True, slots=True, eq=False)
class PrintedTask:
    """An equation of a worksheet: which of its matrices to fill in, and which are known already."""

    line: Line
    blank: frozenset[tuple[str, int | None]]
    known: frozenset[tuple[str, int | None]]


def too_large(screen: Screen) -> str:
    """Return the reason if there is no worksheet, or an empty text."""
    screen = screen.without_mistake()
    if not any(screen.equations.get(block.key) for block in screen.code.blocks):
        return "A worksheet is made of equations that the code computes; this view has none: choose one that has."
    sides = [max(m.values.shape) for m in screen.matrices().values()]
    if max(sides) <= MOST_WRITTEN:
        return ""
    return (
        f"A worksheet’s matrices have at most {MOST_WRITTEN} rows and columns; here is one of {max(sides)}: choose a "
        "smaller example."
    )


def fresh(screen: Screen, seed: int) -> dict[str, Any]:
    """Draw small whole numbers for the matrices that the screen starts from. Seed 0 keeps its own numbers."""
    if not seed:
        return {}
    draw = np.random.default_rng(seed)
    return {
        name: draw.integers(LOW, HIGH, size=values.shape, endpoint=True).astype(float)
        for name, values in start_arrays(screen.code, screen.columns).items()
    }


def givens(screen: Screen, seed: int) -> list[Matrix]:
    """Return the matrices that a worksheet starts from."""
    screen = screen.without_mistake()
    arrays = start_arrays(screen.code, screen.columns) | fresh(screen, seed)
    entries = {n: SYMBOLS.get(n.removesuffix(OF_A_PAGE)) for n in arrays}
    return [
        Matrix(id=n, symbol=entry.symbol, name=entry.words, values=np.atleast_2d(arrays[n]))
        for n, entry in entries.items()
        if entry  # one without a symbol is a visitor’s result, to compare with
    ]


def tasks(screen: Screen, seed: int) -> Iterator[PrintedTask]:
    """Yield the tasks of a worksheet, with the answers filled in."""
    screen = screen.without_mistake()
    given = fresh(screen, seed)
    known = {(m.id, None) for m in givens(screen, seed)}
    for block, names in run(screen.code, screen.columns, given):
        for line in screen.equations.get(block.key, ()):
            filled = _filled(line, names, screen.columns)
            if filled is None:
                continue
            known |= {(m.id, m.only_row) for m in matrices_of((filled,)) if (m.id, None) in known}  # one of its rows
            places = {(m.id, m.only_row) for m in matrices_of((filled,)) if not _is_given(screen, m.id)}
            if places <= known:
                continue  # nothing in it is left to fill in
            yield PrintedTask(
                filled.turned() if screen.columns else filled, frozenset(places - known), frozenset(known)
            )
            known |= places


def _filled(line: Line, names: Mapping[str, Any], columns: bool) -> Line | None:
    """Return an equation with the numbers that the code computed, or None if it did not compute all of them."""
    items = []
    for item in line.items:
        if isinstance(item, Matrix):
            called = expression(item.id, names, columns)
            if called is None:
                return None
            values = np.atleast_2d(_value(called, names))
            item = replace(item, values=values.T if columns else values, right=None)
        items.append(item)
    return replace(line, items=tuple(items))


def _value(called: str, names: Mapping[str, Any]) -> np.ndarray:
    base, _, part = called.partition("[")
    return names[base][int(part.rstrip("]"))] if part else names[base]


def _is_given(screen: Screen, id: str) -> bool:
    return id in MATRICES or id in screen.code.given or id in screen.code.drawn_names
