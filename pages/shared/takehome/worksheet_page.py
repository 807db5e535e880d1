"""Write worksheets in HTML: one sheet with blanks for each seed, and a file with the answers."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from pages.shared.equation.model import Matrix
from pages.shared.takehome.code import Block
from pages.shared.takehome.mathml import math, matrix_mathml, sign_html, symbol_mathml, words_html
from pages.shared.takehome.screen import ShownPage
from pages.shared.takehome.worksheet import PrintedTask, given_matrices, random_numbers, tasks, too_large

MOST_OF_A_LINE = 70  # longer code is not written beside the title of a step
_STYLE = Path(__file__).parent / "worksheet.css"


def worksheet(screen: ShownPage, seeds: Sequence[int], *, code: bool = True) -> str:
    """Return worksheets as HTML: one for each seed, each on a page of its own.

    `code` says whether to print lines of code. Raises: ValueError if a matrix is too large for paper.
    """
    screen = _fit_for_paper(screen)
    return _document(
        f"{screen.stem} worksheet", [_sheet(screen, seed, random_numbers(screen, seed), code=code) for seed in seeds]
    )


def answer_sheet(screen: ShownPage, seeds: Sequence[int]) -> str:
    """Return the answers to the worksheets with these seeds, as HTML.

    Raises: ValueError if a matrix is too large for paper.
    """
    screen = _fit_for_paper(screen)
    return _document(f"{screen.stem} answers", [_answers(screen, seed, random_numbers(screen, seed)) for seed in seeds])


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
<p class="who">Name <span></span> Date <span></span></p>
<div class="task given"><h2>Given</h2><div class="line">{start}</div></div>
<ol class="steps">{steps}</ol>
<p>Fill in every empty cell, to {screen.decimals} decimals where a number does not come out even. {_tokens(screen)}</p>
{"".join(_task(task, screen.decimals) for task in tasks(screen, given))}
</section>
"""


def _answers(screen: ShownPage, seed: int, given: Mapping[str, Any]) -> str:
    """Return the answers to one worksheet as HTML: the matrices to fill in, close together to save paper.

    `given` has the worksheet's numbers for the matrices that the page starts from.
    """
    matrices = "".join(
        f'<span class="item">{_matrix(item, task, screen.decimals, answers=True)}</span>'
        for task in tasks(screen, given)
        for item in task.line.items
        if isinstance(item, Matrix) and (item.id, item.only_row) in task.blank
    )
    return f"""<section class="answers"><h2>{escape(f"Answers · {_sheet_name(screen, seed)}")}</h2>
<div class="line">{matrices}</div></section>
"""


def _sheet_name(screen: ShownPage, seed: int) -> str:
    """Return the name of a worksheet. It has the number of the seed or, for seed 0, the title of the example."""
    return f"Sheet {seed}" if seed else f"Numbers of “{screen.example.title}”"


def _step(screen: ShownPage, block: Block, *, code: bool) -> str:
    """Return a block of code as an HTML list item: its title and, if `code`, its lines of code up to some length."""
    if not code:
        return f"<li>{words_html(screen.in_layout(block.title))}</li>"
    body = ast.parse(block.code(screen.columns)).body
    lines = [ast.unparse(node) for node in body if isinstance(node, ast.Assign)]
    how = "".join(f"<code>{escape(line)}</code>" for line in lines if len(line) <= MOST_OF_A_LINE)
    return f"<li>{words_html(screen.in_layout(block.title))}{how}</li>"


def _heading(screen: ShownPage, right: str) -> str:
    return (
        f"<header><p>Attention Lab · {words_html(screen.concept)}<span>{escape(right)}</span></p>"
        f"<h1>{words_html(screen.question)}</h1></header>"
    )


def _tokens(screen: ShownPage) -> str:
    tokens, answering = (", ".join(map(escape, each)) for each in (screen.example.tokens, screen.example.key_tokens))
    of_rows = screen.in_layout("rows")
    both = f"; those that answer: <i>{answering}</i>" * (screen.example.context is not None)
    return f"Tokens are {of_rows}: <i>{tokens}</i>{both}." * any(n in screen.code.given for n in ("x", "tokens"))


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
