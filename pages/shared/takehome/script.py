"""Write the computation on the screen as a Python script. It needs only NumPy, prints each step and checks numbers."""

from __future__ import annotations

import re
import textwrap

import numpy as np

from pages.shared.notation.numbers import number_literal
from pages.shared.takehome.code import Block
from pages.shared.takehome.literals import rows_literal
from pages.shared.takehome.rounding import EXACT
from pages.shared.takehome.screen import Check, ShownPage, checks, not_compared_names

START = '''\
import numpy as np

np.set_printoptions(precision=4, suppress=True, linewidth=120)
np.seterr(all="ignore")  # what overflows is shown as it is


def show(name, value, on_the_page=None, near=1e-9):
    """Print what was computed, and stop if the page shows something else."""
    print(f"{name} =\\n{value}\\n")
    if on_the_page is not None:
        np.testing.assert_allclose(value, on_the_page, rtol=1e-9, atol=near, err_msg=name)
'''
EVERY = "Every number is the one on the page."
OTHERS = "Not compared: {names}. Rounding alone decides these large numbers. All others are the page’s."


def script(screen: ShownPage) -> str:
    """Return a Python script, as text, that computes what the page shows and compares its numbers with the page."""
    of_blocks = list(checks(screen))
    blocks = [_block(screen, block, its_checks) for block, its_checks in of_blocks]
    end = f'print("{proof([check for _, found in of_blocks for check in found])}")\n'
    return "\n\n".join([_heading(screen), START, _given_text(screen), *blocks, end])


def proof(all_checks: list[Check]) -> str:
    """Return the sentence that the script prints at its end: which values agree with the page.

    If the script cannot compare some values, the sentence says so. `all_checks` has all checks of the script.
    """
    names = not_compared_names(all_checks)
    return OTHERS.format(names=names) if names else EVERY


def title_of(screen: ShownPage, block: Block) -> str:
    """Return the title of a block of code. If the page shows tokens as columns, the title speaks of columns."""
    return screen.in_layout(block.title)


def plain_text(text: str) -> str:
    """Return Markdown as plain text.

    >>> plain_text("**Never** more than $d_k$, by $\\\\sqrt{d_k}$.")
    'Never more than d_k, by √d_k.'
    """
    plain = re.sub(r"\\sqrt\{([^}]*)\}", r"√\1", text)
    plain = re.sub(r"\\text\{([^}]*)\}", r"\1", plain)
    return re.sub(r"\*\*|[$`{}]", "", plain)


def show_line(check: Check, on_the_page: str = "") -> str:
    """Return the line of Python that prints the value of the expression that `check` computes.

    `on_the_page` is a Python expression for the numbers of the page, with which the value is compared, or "".
    """
    if check.shown is not None and not check.is_compared:
        return f'show("{check.expression}", {check.expression})  # not compared: rounding alone decides it'
    near = f", near={check.near:.1g}" if on_the_page and check.near != EXACT else ""
    return f'show("{check.expression}", {check.expression}{on_the_page and ", " + on_the_page}{near})'


def shown_literal(shown: np.ndarray, indent: int) -> str:
    """Return `shown`, the numbers on the page, as Python code.

    `indent` is the number of characters that stand before the code on its first line.
    """
    if shown.ndim == 2:
        return rows_literal(shown, indent)
    if shown.ndim == 0:
        return number_literal(float(shown))
    return f"[{', '.join(number_literal(float(value)) for value in shown)}]"


def _heading(screen: ShownPage) -> str:
    about = textwrap.fill(f"{screen.example_sentence} {screen.example.about}", 100)
    layout = "Tokens are columns.\n\n" if screen.columns else ""
    address = f"The page in this very state: {screen.link}\n\n" if screen.link else ""
    text = (
        f"{screen.title}\n\n{about}\n\n{layout}{address}"
        "It needs Python and NumPy alone, prints every step, and stops if a number differs from the page.\n"
    )
    return '"""' + text.replace("\\", "\\\\").replace('"""', "'''") + '"""'


def _given_text(screen: ShownPage) -> str:
    names = [*screen.code.given, *screen.code.drawn_names]
    small = [name for name in names if isinstance(screen.code.given.get(name), np.ndarray)]
    lines = [f'show("{name}", {name})' for name in small]
    return "\n".join([_rule("What it starts from"), screen.code.start(screen.columns), *["", *lines] * bool(lines)])


def _block(screen: ShownPage, block: Block, its_checks: list[Check]) -> str:
    says = textwrap.fill(plain_text(screen.in_layout(block.says)), 108, initial_indent="# ", subsequent_indent="# ")
    heading = _rule(title_of(screen, block)) + f"\n{says}" * bool(block.says)
    lines = [
        show_line(
            check,
            ""
            if check.shown is None or not check.is_compared
            else shown_literal(check.shown, 2 * len(check.expression) + 11),
        )
        for check in its_checks
    ]
    return "\n".join([heading, "", block.code(screen.columns), *["", *lines] * bool(lines)])


def _rule(title: str) -> str:
    return f"# --- {title} ---"
