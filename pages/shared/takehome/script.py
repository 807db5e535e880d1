"""Code to take home: a script, a notebook, PyTorch."""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core.late_import import late_import
from pages.shared.notation.numbers import number_literal
from pages.shared.takehome.code import TEXTS, Block, rows_literal, shorten_digits
from pages.shared.takehome.screen import EXACT, Check, ShownPage, checks, not_compared_names

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


def script(screen: ShownPage) -> str:
    """Return a Python script, as text, that computes what the page shows and compares its numbers with the page."""
    return _script(screen, "needs_numpy")


def _script(screen: ShownPage, needs: str) -> str:
    of_blocks = list(checks(screen))
    blocks = [_block(screen, block, its_checks) for block, its_checks in of_blocks]
    end = f'print("{proof([check for _, found in of_blocks for check in found])}")\n'
    return "\n\n".join([_heading(screen, needs), START, _given_text(screen), *blocks, end])


def proof(all_checks: list[Check]) -> str:
    """Return the sentence that the script prints at its end: which values agree with the page."""
    names = not_compared_names(all_checks)
    return TEXTS.fill("all_other_numbers" if names else "every_number", names=names)


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
    """Return the line of Python that prints the value of the expression that `check` computes."""
    if check.shown is not None and not check.is_compared:
        return f'show("{check.expression}", {check.expression})  # not compared: rounding alone decides it'
    near = f", near={check.near:.1g}" if on_the_page and check.near != EXACT else ""
    return f'show("{check.expression}", {check.expression}{on_the_page and ", " + on_the_page}{near})'


def shown_literal(shown: np.ndarray, indent: int) -> str:
    """Return `shown`, the numbers on the page, as Python code."""
    if shown.ndim == 2:
        return rows_literal(shown, indent)
    if shown.ndim == 0:
        return number_literal(float(shown))
    return f"[{', '.join(number_literal(float(value)) for value in shown)}]"


def _heading(screen: ShownPage, needs: str) -> str:
    """Return the docstring of the script. `needs` is the section that says what the script needs."""
    paragraphs = [
        screen.title,
        textwrap.fill(f"{screen.example_sentence} {screen.example.about}", 100),
        *[TEXTS.fill("tokens_are_columns")] * screen.columns,
        *[TEXTS.fill("link_to_the_page", link=screen.link)] * bool(screen.link),
        f"{TEXTS.fill(needs)}\n",
    ]
    return '"""' + "\n\n".join(paragraphs).replace("\\", "\\\\").replace('"""', "'''") + '"""'


def _given_text(screen: ShownPage) -> str:
    names = [*screen.code.given, *screen.code.drawn_names]
    small = [name for name in names if isinstance(screen.code.given.get(name), np.ndarray)]
    lines = [f'show("{name}", {name})' for name in small]
    return "\n".join([_rule(TEXTS.fill("starts_from")), screen.code.start(screen.columns), *["", *lines] * bool(lines)])


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


SHOW = '''\
def show(name, value, on_the_page=None, near=1e-9):
    """Print what was computed, and stop if the page shows something else."""
    print(f"{name} =\\n{value}\\n")
    if on_the_page is not None:
        torch.testing.assert_close(torch.as_tensor(value), torch.tensor(on_the_page, dtype=torch.float64),
                                   rtol=1e-9, atol=near, equal_nan=True, msg=lambda text: f"{name}: {text}")
'''
# NumPy's names and PyTorch's, in the order in which they are replaced.
NAMES = (
    (r"np\.array\(", "torch.tensor("),
    (r", dtype=float\)", ", dtype=torch.float64)"),
    (r"np\.tri\((.+?), dtype=bool\)", r"torch.tril(torch.ones(\1, dtype=torch.bool))"),
    (r"np\.sqrt\(", "math.sqrt("),
    (r"np\.split\(", "torch.chunk("),
    (r"np\.concatenate\(", "torch.cat("),
    (r"np\.repeat\(", "torch.repeat_interleave("),
    (r"\.max\(axis=", ".amax(axis="),
    (r"\.var\(axis=", ".var(correction=0, axis="),  # PyTorch would divide by n − 1
    (r"\.copy\(\)", ".clone()"),
    (r"np\.(exp|exp2|expm1|log|log2|log10|log1p|sin|cos|tanh|abs|sign)\b", r"torch.\1"),
    (r"np\.(where|arange|stack|eye|outer|diag|cumsum|einsum|linalg|pi|inf|nan)\b", r"torch.\1"),
    (r"\baxis(?=[=,)])", "dim"),
    (r"\bkeepdims\b", "keepdim"),
)


def torch_script(screen: ShownPage) -> str:
    """Return the text of the script in PyTorch instead of NumPy.

    Random numbers are still drawn by NumPy, so that the script has the same numbers.

    Raises: ValueError if the code makes sense only in NumPy.
    """
    if screen.code.only_numpy:
        raise ValueError(f"PyTorch is not for this code; got {screen.stem}: {screen.code.only_numpy}")
    needs = "needs_torch_and_numpy" if screen.code.drawn else "needs_torch"
    text = _with_proof(_script(_without_asides(screen), needs), screen.code.autograd[screen.columns])
    text = re.sub(r"def show\(.*?err_msg=name\)\n", lambda _: SHOW, text, flags=re.S)
    text = re.sub(r"np\.(?:set_printoptions|seterr).*\n", "", text)
    drawn = screen.code.start(screen.columns) if screen.code.drawn else ""
    before, _, after = text.partition(drawn) if drawn else ("", "", text)
    written = [name for name, value in screen.code.given.items() if isinstance(value, np.ndarray)]
    names = ", ".join([*written, *screen.code.drawn_names])
    tensors = (
        f"{drawn}\n{names} = map(torch.from_numpy, ({names}))   # the same numbers, drawn by NumPy" if drawn else ""
    )
    text = _translate(before) + tensors + _translate(after)
    modules = "import math\n\n" * ("math.sqrt(" in text) + "import numpy as np\n" * bool(drawn) + "import torch\n"
    return text.replace("import numpy as np\n", modules + "\ntorch.set_default_dtype(torch.float64)\n", 1)


def _with_proof(text: str, proof: str) -> str:
    before, last = text.rstrip("\n").rsplit("\n", 1)
    return f"{before}\n{_rule(TEXTS.fill('by_torch_itself'))}\n\n{proof}\n\n{last}\n" if proof else text


def _translate(text: str) -> str:
    for ours, theirs in NAMES:
        text = re.sub(ours, theirs, text)
    return text


def _without_asides(screen: ShownPage) -> ShownPage:
    blocks = tuple(block for block in screen.code.blocks if not block.aside)
    return replace(screen, code=replace(screen.code, blocks=blocks))


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


@late_import
def _nbformat():
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
    start = "type_over"
    if shorten_digits(given.source) != given.source:  # the cell has thousands of digits, which nobody reads
        given.metadata["jupyter"] = {"source_hidden": True}
        start = "folded"
    every = [
        v4.new_markdown_cell(_heading_cell(screen)),
        setup,
        v4.new_markdown_cell(TEXTS.fill(start)),
        given,
        *cells,
        v4.new_markdown_cell(TEXTS.fill("your_turn", proof=proof(every_check))),
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


def _heading_cell(screen: ShownPage) -> str:
    example = screen.example
    named = {"example": screen.example_sentence, "about": example.about, "source": example.source}
    paragraphs = [
        TEXTS.fill("title_of_notebook", question=screen.question, concept=screen.concept),
        *[TEXTS.fill("link_in_notebook", link=screen.link)] * bool(screen.link),
        TEXTS.fill("example_in_notebook", **named),
        TEXTS.fill("notebook_needs_with_tokens_as_columns" if screen.columns else "notebook_needs"),
    ]
    return "\n\n".join(paragraphs)
