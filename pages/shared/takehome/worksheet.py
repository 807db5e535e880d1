"""A worksheet in HTML: the equations on the screen with blanks to fill in, and a page of answers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from attention_core.examples import MATRICES
from pages.shared.equation.model import Line, Matrix, matrices_of
from pages.shared.notation.symbols import SYMBOLS
from pages.shared.takehome.code import Block, expression, run, start_arrays
from pages.shared.takehome.mathml import math, matrix_mathml, sign_html, symbol_mathml, words_html
from pages.shared.takehome.screen import MOST_WRITTEN, Screen

LOW, HIGH = -1, 2  # of the numbers drawn: with larger ones softmax gives nearly all to one key
MOST_OF_A_LINE = 70  # characters of code beside the title of a step
_STYLE = Path(__file__).parent / "worksheet.css"


@dataclass(frozen=True, slots=True, eq=False)
class Task:
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
    return [
        Matrix(id=n, symbol=SYMBOLS[n][0], name=SYMBOLS[n][1], values=np.atleast_2d(v))
        for n, v in arrays.items()
        if n in SYMBOLS  # one without a symbol is a visitor’s result, to compare with
    ]


def tasks(screen: Screen, seed: int) -> Iterator[Task]:
    """Yield the tasks of a worksheet, with the answers filled in."""
    screen = screen.without_mistake()
    given = fresh(screen, seed)
    known = {(m.id, None) for m in givens(screen, seed)}
    for block, names in run(screen.code, screen.columns, given):
        for line in screen.equations.get(block.key, ()):
            filled = _filled(line, names, screen.columns)
            if filled is None:
                continue
            places = {(m.id, m.only_row) for m in matrices_of((filled,)) if not _is_given(screen, m.id)}
            if places <= known:
                continue  # nothing in it is left to fill in
            yield Task(filled.turned() if screen.columns else filled, frozenset(places - known), frozenset(known))
            known |= places


def worksheet(screen: Screen, seed: int) -> str:
    """Return the worksheet: the tasks, a page break, and the answers.

    Raises: ValueError if a matrix is too large for paper.
    """
    screen = screen.without_mistake()
    reason = too_large(screen)
    if reason:
        raise ValueError(reason)
    every = list(tasks(screen, seed))
    steps = "".join(_step(screen, block) for block in screen.code.blocks if not block.aside)
    start = "".join(f'<span class="item">{matrix_mathml(m, 4, blank=False)}</span>' for m in givens(screen, seed))
    numbers = f"Numbers of seed {seed}" if fresh(screen, seed) else f"Numbers of “{screen.example.title}”"
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{escape(screen.stem)} worksheet</title>
<style>
{_STYLE.read_text(encoding="utf-8")}</style></head>
<body>
<section class="tasks">
{_heading(screen, numbers)}
<p class="who">Name <span></span> Date <span></span></p>
<div class="task given"><h2>Given</h2><div class="line">{start}</div></div>
<ol class="steps">{steps}</ol>
<p>Fill in every empty cell, to {screen.decimals} decimals where a number does not come out even. {_tokens(screen)}</p>
{_written(every, screen, answers=False)}
</section>
<section class="answers">
{_heading(screen, f"Answers · {numbers}")}
{_written(every, screen, answers=True)}
</section>
</body>
</html>
"""


def _step(screen: Screen, block: Block) -> str:
    """Return the title of a step, with its code where that is short."""
    body = ast.parse(block.code(screen.columns)).body
    lines = [ast.unparse(node) for node in body if isinstance(node, ast.Assign)]
    how = "".join(f"<code>{escape(line)}</code>" for line in lines if len(line) <= MOST_OF_A_LINE)
    return f"<li>{words_html(screen.says(block.title))}{how}</li>"


def _heading(screen: Screen, right: str) -> str:
    return (
        f"<header><p>Attention Lab · {words_html(screen.concept)}<span>{escape(right)}</span></p>"
        f"<h1>{words_html(screen.question)}</h1></header>"
    )


def _tokens(screen: Screen) -> str:
    tokens, answering = (", ".join(map(escape, each)) for each in (screen.example.tokens, screen.example.key_tokens))
    of_rows = screen.says("rows")
    both = f"; those that answer: <i>{answering}</i>" * (screen.example.context is not None)
    return f"Tokens are {of_rows}: <i>{tokens}</i>{both}." * any(n in screen.code.given for n in ("x", "tokens"))


def _written(every: list[Task], screen: Screen, *, answers: bool) -> str:
    return "\n".join(_task(task, screen.decimals, answers) for task in every)


def _task(task: Task, digits: int, answers: bool) -> str:
    items = "".join(
        f'<span class="item">{_matrix(item, task, digits, answers)}</span>'
        if isinstance(item, Matrix)
        else sign_html(item)
        for item in task.line.items
    )
    label = f"<h2>{words_html(task.line.label)}</h2>" if task.line.label else ""
    return f'<div class="task">{label}<div class="line">{items}</div></div>'


def _matrix(matrix: Matrix, task: Task, digits: int, answers: bool) -> str:
    place = (matrix.id, matrix.only_row)
    if place in task.known:
        return math(symbol_mathml(matrix.symbol))
    blank = place in task.blank and not answers
    made = matrix_mathml(matrix, digits, blank=blank)
    return made.replace("<math ", '<math class="answer" ', 1) if place in task.blank and answers else made


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
