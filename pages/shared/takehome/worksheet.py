"""The tasks of a worksheet: the equations on the screen, with given matrices and matrices to fill in. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core.examples import MATRICES
from pages.shared.equation.model import Line, Matrix, matrices_of
from pages.shared.notation.symbols import OF_A_PAGE, SYMBOLS
from pages.shared.takehome.code import Block, expression, run, start_arrays
from pages.shared.takehome.screen import MOST_WRITTEN, ShownPage

LOW, HIGH = -1, 2  # the least and the greatest random number
ON_THE_WAY = ("q", "k", "v", "scores", "scaled", "masked")  # the steps before the weights and the output
TRIALS = 60  # draws for one sheet, with more and more zeros, until its weights differ from 0 and 1
DULL = 0.01  # a weight this near to 0 or 1, but not equal to it, shows little and is hard to compute by hand
MOST_ZEROS = 0.8  # the share of zeros in the last draw


@dataclass(frozen=True, slots=True, eq=False)
class PrintedTask:
    """An equation on a worksheet: a learner fills in the matrices `blank`, and the matrices `known` have numbers.

    Both sets name a matrix by its id and the number of its row. The number is None if all rows are shown.
    """

    line: Line
    blank: frozenset[tuple[str, int | None]]
    known: frozenset[tuple[str, int | None]]


def too_large(screen: ShownPage) -> str:
    """Return a sentence that says why no worksheet can be made of this page, or "" if one can be made."""
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


def random_numbers(screen: ShownPage, seed: int) -> dict[str, Any]:
    """Return random whole numbers for the matrices that the page starts from, by name. Each seed gives other numbers.

    Seed 0 means the page's own numbers, so it gives {}. Large scores would give nearly all weight to one key, which is
    dull to compute. So several draws are tried. The first draw without dull weights is returned or, if there is none,
    the draw with the fewest. See `_dull_weights`.
    """
    if not seed:
        return {}
    screen = screen.without_mistake()
    arrays = start_arrays(screen.code, screen.columns)
    draws = (
        _draw_numbers(arrays, np.random.default_rng((seed, trial)), MOST_ZEROS * trial / TRIALS)
        for trial in range(TRIALS)
    )
    best, least = {}, np.inf
    for drawn in draws:
        dull = _dull_weights(screen, drawn)
        if dull < least:
            best, least = drawn, dull
        if not least:
            break
    return best


def _draw_numbers(arrays: Mapping[str, np.ndarray], draw: np.random.Generator, zeros: float) -> dict[str, Any]:
    return {
        name: draw.integers(LOW, HIGH, size=values.shape, endpoint=True)
        * (draw.random(values.shape) >= zeros).astype(float)
        for name, values in arrays.items()
    }


def _dull_weights(screen: ShownPage, given: Mapping[str, Any]) -> float:
    """Return how many of the attention weights are dull, as a share from 0 to 1. A dull weight is nearly 0 or nearly 1.

    Exactly 0 or 1 is not dull: the weights of masked keys are exactly 0. `given` has numbers for the matrices that the
    page starts from.
    """
    *_, (_, names) = run(screen.code, screen.columns, given)
    weights = [np.ravel(names[name]) for name in names if name.startswith("weights") and np.ndim(names[name]) >= 2]
    shares = np.concatenate([np.zeros(1), *weights])
    near = np.minimum(np.abs(shares), np.abs(1 - shares))
    return float(np.mean((near > 0) & (near < DULL)))


def given_matrices(screen: ShownPage, given: Mapping[str, Any]) -> list[Matrix]:
    """Return the matrices that a worksheet starts from, ready to show.

    `given` has new numbers for some of these matrices, by name.
    """
    screen = screen.without_mistake()
    arrays = start_arrays(screen.code, screen.columns) | dict(given)
    names = {n: n.removesuffix(OF_A_PAGE) for n in arrays}
    return [
        Matrix.named(name, arrays[n], id=n)
        for n, name in names.items()
        if name in SYMBOLS  # a matrix without a symbol is a visitor’s own result
    ]


def tasks(screen: ShownPage, given: Mapping[str, Any]) -> Iterator[PrintedTask]:
    """Yield the equations of a worksheet that have something to fill in, with the correct numbers.

    `given` has new numbers for some of the matrices that the page starts from, by name. An equation may need a matrix
    that the page does not show. Then an equation for this matrix comes first.
    """
    screen = screen.without_mistake()
    known = {(m.id, None) for m in given_matrices(screen, given)}
    shown = {m.id for line in screen.lines() for m in matrices_of((line,))}
    for block, names in run(screen.code, screen.columns, given):
        lines = screen.equations.get(block.key, ())
        for line in (*_lines_of_hidden_matrices(block, names, shown, screen), *lines):
            filled = _fill_line(line, names, screen.columns)
            if filled is None:
                continue
            known |= {(m.id, m.only_row) for m in matrices_of((filled,)) if (m.id, None) in known}  # their rows
            places = {(m.id, m.only_row) for m in matrices_of((filled,)) if not _is_given(screen, m.id)}
            if places <= known:
                continue  # it has nothing to fill in
            yield PrintedTask(
                filled.with_tokens_as_columns() if screen.columns else filled,
                frozenset(places - known),
                frozenset(known),
            )
            known |= places


def _lines_of_hidden_matrices(block: Block, names: Mapping[str, Any], shown: set[str], screen: ShownPage) -> list[Line]:
    """Return a line for each matrix that the learner has to compute although the page does not show it.

    A block of code computes this matrix, and later code needs it. `names` has the variables after the block, and
    `shown` has the ids of the matrices on the page.
    """
    blocks = screen.code.blocks
    later = [ast.parse(each.code(screen.columns)) for each in blocks[blocks.index(block) :] if not each.aside]
    used = _names(later, ast.Load)
    made = _names([line for line in later[0].body if isinstance(line, ast.Assign)], ast.Store)
    needed = {id: np.atleast_2d(names[id]) for id in made if id in ON_THE_WAY and id in used and id not in shown}
    if not any(screen.equations.get(each.key) for each in blocks[blocks.index(block) :]):
        return []  # the screen shows nothing that needs these matrices
    return [
        Line((Matrix.named(id, values),))
        for id, values in needed.items()
        if values.ndim == 2 and max(values.shape) <= MOST_WRITTEN
    ]


def _names(trees: Sequence[ast.AST], context: type[ast.expr_context]) -> list[str]:
    """Return the names of the variables in the syntax trees of some code, each name once.

    These are the names that the code assigns if `context` is `ast.Store`, and those that it reads if `context` is
    `ast.Load`.
    """
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name))
    return list(dict.fromkeys(node.id for node in nodes if isinstance(node.ctx, context)))


def _fill_line(line: Line, names: Mapping[str, Any], columns: bool) -> Line | None:
    """Return an equation with the numbers that the code has computed. `names` has the variables of the code.

    Return None if the code has not computed all matrices of the equation. `columns` says whether tokens are columns.
    """
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


def _is_given(screen: ShownPage, id: str) -> bool:
    return id in MATRICES or id in screen.code.given or id in screen.code.drawn_names
