"""Write the script as a notebook, with the lesson's text between its cells. One cell holds the numbers on the page."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.late_import import late_import
from pages.shared.takehome.in_code import shorten_digits
from pages.shared.takehome.screen import Check, ShownPage, checks
from pages.shared.takehome.script import proof, show_line, shown_literal

SETUP = '''\
import numpy as np

CHECK = True        # set it to False when you change a number
np.set_printoptions(precision=4, suppress=True, linewidth=110)
np.seterr(all="ignore")  # what overflows is shown as it is


def show(name, value, on_the_page=None, near=1e-9):
    """Print what was computed, and stop if the page shows something else."""
    print(f"{{name}} =\\n{{value}}\\n")
    if CHECK and on_the_page is not None:
        np.testing.assert_allclose(value, on_the_page, rtol=1e-9, atol=near, err_msg=name)


# What the page shows, to compare with.
PAGE = {{
{numbers}
}}'''
LAST = (
    "## Your turn\n\n{proof} A cell would have stopped otherwise. Now change one: set "
    "`CHECK = False` in the first cell, type another number where the computation starts, and run all cells."
)


@late_import
def _nbformat():
    """Return three things from the package nbformat: `v4`, `validate` and `writes`.

    The package is imported by the first call only, because the import takes a tenth of a second.
    """
    from nbformat import v4, validate, writes

    return v4, validate, writes


def notebook(screen: ShownPage) -> str:
    """Return the text of a Jupyter notebook that computes the numbers of the page and compares them with the page."""
    v4, validate, writes = _nbformat()
    numbers = dict[str, np.ndarray]()
    cells = list[Any]()
    every_check = list[Check]()
    for block, its_checks in checks(screen):
        every_check += its_checks
        named = [(_keep(numbers, check), check) for check in its_checks]
        formula = f"\n\n$$\n{block.formula}\n$$" * bool(block.formula)
        cells.append(
            v4.new_markdown_cell(f"## {screen.in_layout(block.title)}\n\n{screen.in_layout(block.says)}{formula}")
        )
        lines = [show_line(check, f'PAGE["{key}"]' * bool(key)) for key, check in named]
        cells.append(v4.new_code_cell("\n".join([block.code(screen.columns), *["", *lines] * bool(lines)])))
    written = "\n".join(f'    "{key}": {shown_literal(shown, len(key) + 8)},' for key, shown in numbers.items())
    setup = v4.new_code_cell(SETUP.format(numbers=written))
    setup.metadata["jupyter"] = {"source_hidden": True}
    given = v4.new_code_cell(screen.code.start(screen.columns))
    says = "Type over any of these numbers."
    if shorten_digits(given.source) != given.source:  # the cell has thousands of digits, which nobody reads
        given.metadata["jupyter"] = {"source_hidden": True}
        says = "The next cell is folded. It holds learned numbers as packed digits."
    start = v4.new_markdown_cell(f"## What it starts from\n\n{says}")
    every = [
        v4.new_markdown_cell(_heading(screen)),
        setup,
        start,
        given,
        *cells,
        v4.new_markdown_cell(LAST.format(proof=proof(every_check))),
    ]
    for place, cell in enumerate(every):
        cell["id"] = f"cell-{place}"  # not random, so that the same state gives the same file
    made = v4.new_notebook(cells=every)
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    validate(made)
    return writes(made)


def _keep(numbers: dict[str, np.ndarray], check: Check) -> str:
    """Store the page's number that a check needs in `numbers`. Return the key under which it is stored.

    If the check compares nothing, store nothing and return "".
    """
    if check.shown is None or not check.is_compared:
        return ""
    key = check.expression
    while key in numbers:
        key += ", again"
    numbers[key] = check.shown
    return key


def _heading(screen: ShownPage) -> str:
    example, layout = screen.example, "Tokens are columns here. " * screen.columns
    address = f"[The page in this very state]({screen.link})\n\n" * bool(screen.link)
    return (
        f"# {screen.question}\n\n**{screen.concept}** · Attention Lab\n\n{address}"
        f"Example: **{screen.example_sentence}** {example.about} *{example.source}*\n\n{layout}"
        "NumPy is all that it needs. Each cell computes one step and compares it with the page."
    )
