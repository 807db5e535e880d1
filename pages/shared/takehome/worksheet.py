"""The worksheet: its tasks and its page."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from attention_core.examples import MATRICES
from pages.shared.equation.model import Line, Matrix, matrices_of
from pages.shared.notation.symbols import OF_A_PAGE, SYMBOLS
from pages.shared.takehome.code import TEXTS, Block, expression, run, start_arrays
from pages.shared.takehome.latex import math, matrix_mathml, sign_html, symbol_mathml, words_html
from pages.shared.takehome.screen import MOST_WRITTEN, ShownPage

LOW, HIGH = -1, 2  # the least and the greatest random number
ON_THE_WAY = ("q", "k", "v", "scores", "scaled", "masked")  # the steps before the weights and the output
TRIALS = 60  # draws for one sheet, with more and more zeros, until its weights differ from 0 and 1
DULL = 0.01  # a weight this near to 0 or 1, but not equal to it, shows little and is hard to compute by hand
MOST_ZEROS = 0.8  # the share of zeros in the last draw


@dataclass(frozen=True, slots=True, eq=False)
class PrintedTask:
    """An equation on a worksheet: a learner fills in the matrices `blank`, and the matrices `known` have numbers."""

    line: Line
    blank: frozenset[tuple[str, int | None]]
    known: frozenset[tuple[str, int | None]]


def too_large(screen: ShownPage) -> str:
    """Return a sentence that says why no worksheet can be made of this page, or "" if one can be made."""
    screen = screen.without_mistake()
    if not any(screen.equations.get(block.key) for block in screen.code.blocks):
        return TEXTS.fill("no_worksheet")
    sides = [max(m.values.shape) for m in screen.matrices().values()]
    fits = max(sides) <= MOST_WRITTEN
    return "" if fits else TEXTS.fill("too_large_for_a_worksheet", most=MOST_WRITTEN, size=max(sides))


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
    *_, (_, names) = run(screen.code, screen.columns, given)
    weights = [np.ravel(names[name]) for name in names if name.startswith("weights") and np.ndim(names[name]) >= 2]
    shares = np.concatenate([np.zeros(1), *weights])
    near = np.minimum(np.abs(shares), np.abs(1 - shares))
    return float(np.mean((near > 0) & (near < DULL)))


def given_matrices(screen: ShownPage, given: Mapping[str, Any]) -> list[Matrix]:
    """Return the matrices that a worksheet starts from, ready to show."""
    screen = screen.without_mistake()
    arrays = start_arrays(screen.code, screen.columns) | dict(given)
    names = {n: n.removesuffix(OF_A_PAGE) for n in arrays}
    return [
        Matrix.named(name, arrays[n], id=n)
        for n, name in names.items()
        if name in SYMBOLS  # a matrix without a symbol is a visitor’s own result
    ]


def tasks(screen: ShownPage, given: Mapping[str, Any]) -> Iterator[PrintedTask]:
    """Yield the equations of a worksheet that have something to fill in, with the correct numbers."""
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
    """Return a line for each matrix that the learner has to compute although the page does not show it."""
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


MOST_OF_A_LINE = 70  # longer code is not written beside the title of a step
_STYLE = Path(__file__).parent / "worksheet.css"


def worksheet(screen: ShownPage, seeds: Sequence[int], *, code: bool = True) -> str:
    """Return worksheets as HTML: one for each seed, each on a page of its own.

    `code` says whether to print lines of code. Raises: ValueError if a matrix is too large for paper.
    """
    screen = _fit_for_paper(screen)
    sheets = [_sheet(screen, seed, random_numbers(screen, seed), code=code) for seed in seeds]
    return _document(TEXTS.fill("title_of_worksheet", stem=screen.stem), sheets)


def answer_sheet(screen: ShownPage, seeds: Sequence[int]) -> str:
    """Return the answers to the worksheets with these seeds, as HTML.

    Raises: ValueError if a matrix is too large for paper.
    """
    screen = _fit_for_paper(screen)
    answers = [_answers(screen, seed, random_numbers(screen, seed)) for seed in seeds]
    return _document(TEXTS.fill("title_of_answers", stem=screen.stem), answers)


def _fit_for_paper(screen: ShownPage) -> ShownPage:
    screen = screen.without_mistake()
    if reason := too_large(screen):
        raise ValueError(reason)
    return screen


def _document(title: str, sections: Sequence[str]) -> str:
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{escape(title)}</title>
<style>
{_STYLE.read_text(encoding="utf-8")}</style></head>
<body>
{"".join(sections)}</body>
</html>
"""


def _sheet(screen: ShownPage, seed: int, given: Mapping[str, Any], *, code: bool) -> str:
    steps = "".join(_step(screen, block, code=code) for block in screen.code.blocks if not block.aside)
    start = "".join(
        f'<span class="item">{matrix_mathml(m, 4, blank=False)}</span>' for m in given_matrices(screen, given)
    )
    return f"""<section class="tasks">
{_heading(screen, _sheet_name(screen, seed))}
<p class="who">{TEXTS.fill("name_and_date")}</p>
<div class="task given"><h2>{TEXTS.fill("given")}</h2><div class="line">{start}</div></div>
<ol class="steps">{steps}</ol>
<p>{_what_to_do(screen)}</p>
{"".join(_task(task, screen.decimals) for task in tasks(screen, given))}
</section>
"""


def _answers(screen: ShownPage, seed: int, given: Mapping[str, Any]) -> str:
    """Return the answers to one worksheet as HTML: the matrices to fill in, close together to save paper."""
    matrices = "".join(
        f'<span class="item">{_matrix(item, task, screen.decimals, answers=True)}</span>'
        for task in tasks(screen, given)
        for item in task.line.items
        if isinstance(item, Matrix) and (item.id, item.only_row) in task.blank
    )
    heading = TEXTS.fill("heading_of_answers", sheet=_sheet_name(screen, seed))
    return f"""<section class="answers"><h2>{escape(heading)}</h2>
<div class="line">{matrices}</div></section>
"""


def _sheet_name(screen: ShownPage, seed: int) -> str:
    return TEXTS.fill("name_of_sheet" if seed else "name_of_first_sheet", seed=seed, example=screen.example.title)


def _step(screen: ShownPage, block: Block, *, code: bool) -> str:
    """Return a block of code as an HTML list item: its title and, if `code`, its lines of code up to some length."""
    if not code:
        return f"<li>{words_html(screen.in_layout(block.title))}</li>"
    body = ast.parse(block.code(screen.columns)).body
    lines = [ast.unparse(node) for node in body if isinstance(node, ast.Assign)]
    how = "".join(f"<code>{escape(line)}</code>" for line in lines if len(line) <= MOST_OF_A_LINE)
    return f"<li>{words_html(screen.in_layout(block.title))}{how}</li>"


def _heading(screen: ShownPage, right: str) -> str:
    left = TEXTS.fill("page_in_the_lab", concept=words_html(screen.concept))
    return f"<header><p>{left}<span>{escape(right)}</span></p><h1>{words_html(screen.question)}</h1></header>"


def _what_to_do(screen: ShownPage) -> str:
    example, has_tokens = screen.example, any(name in screen.code.given for name in ("x", "tokens"))
    tokens, answering = (", ".join(map(escape, each)) for each in (example.tokens, example.key_tokens))
    of_tokens = "fill_in_and_tokens" if example.context is None else "fill_in_and_both_tokens"
    said = {"places": screen.decimals, "tokens": tokens, "answering": answering}
    return TEXTS.fill(of_tokens if has_tokens else "fill_in", screen.decimals, screen.columns, **said)


def _task(task: PrintedTask, digits: int) -> str:
    items = "".join(
        f'<span class="item">{_matrix(item, task, digits, answers=False)}</span>'
        if isinstance(item, Matrix)
        else sign_html(item)
        for item in task.line.items
    )
    label = f"<h2>{words_html(task.line.label)}</h2>" if task.line.label else ""
    return f'<div class="task">{label}<div class="line">{items}</div></div>'


def _matrix(matrix: Matrix, task: PrintedTask, digits: int, *, answers: bool) -> str:
    place = (matrix.id, matrix.only_row)
    if place in task.known:
        return math(symbol_mathml(matrix.symbol))
    blank = place in task.blank and not answers
    made = matrix_mathml(matrix, digits, blank=blank)
    return made.replace("<math ", '<math class="answer" ', 1) if place in task.blank and answers else made
