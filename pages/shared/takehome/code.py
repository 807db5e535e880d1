"""The code of a page as blocks, and the expander “In code”."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st

from attention_core.examples import MATRICES, Example
from attention_core.examples.example import UNNAMED
from attention_core.mistakes import Mistake
from attention_core.mistakes.engine.code_lines import names_given
from pages.shared.controls import Parameters
from pages.shared.equation.model import labels_of
from pages.shared.notation.latex import turn_words
from pages.shared.notation.numbers import number_literal
from pages.shared.notation.texts import texts_beside
from pages.shared.state import session

TEXTS = texts_beside(__file__)

WIDTH = 110  # characters in a line


def literal(value: Any, indent: int = 0) -> str:
    """Return a value as Python code. For an array, the code calls `np.array`.

    `indent` is the number of characters that stand before the code on its first line.

    >>> literal(0.1), literal(-np.inf), literal(("a", "b"))
    ('0.1', '-np.inf', "('a', 'b')")
    >>> literal(np.array([[1.0, 20.0]]))
    'np.array([[1, 20]], dtype=float)'
    """
    if isinstance(value, np.ndarray):
        return _array(value, indent)
    return number_literal(value) if isinstance(value, float) else repr(value)


def rows_literal(values: np.ndarray, indent: int = 0) -> str:
    """Return a matrix as Python code: a list of rows, one in each line, with the numbers of a column below each other.

    `indent` is the number of characters that stand before the code on its first line.
    """
    cells = [[number_literal(float(value)) for value in row] for row in values]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rows = [_wrap([c.rjust(w) for c, w in zip(row, widths, strict=True)], indent + 2) for row in cells]
    return "[" + (",\n" + " " * (indent + 1)).join(f"[{row}]" for row in rows) + "]"


def _array(values: np.ndarray, indent: int) -> str:
    start = "np.array("
    whole = all("." not in text and "e" not in text for text in map(number_literal, values.ravel().tolist()))
    inner = (
        f"[{_wrap([number_literal(float(v)) for v in values], indent + len(start) + 1)}]"
        if values.ndim == 1
        else rows_literal(values, indent + len(start))
    )
    return f"{start}{inner}{', dtype=float' if whole else ''})"


def _wrap(cells: list[str], indent: int) -> str:
    lines, room = [""], WIDTH - indent
    for i, cell in enumerate(cells):
        text = cell + ", " * (i < len(cells) - 1)
        if lines[-1] and len(lines[-1]) + len(text.rstrip()) > room:
            lines.append("")
        lines[-1] += text
    return ("\n" + " " * indent).join(line.rstrip() for line in lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A few lines of code that belong together, written for tokens as rows and again for tokens as columns."""

    title: str  # what the lines do, in a few words; written for tokens as rows
    rows: str
    columns: str = ""  # the code with tokens as columns, if it differs
    key: str = ""  # the equation whose numbers the lines give
    says: str = ""  # the reason, in a sentence or two of Markdown; written for tokens as rows
    formula: str = ""  # in LaTeX, as it is shown
    aside: bool = False  # its results are not in an equation, and it may be slow

    def code(self, columns: bool) -> str:
        """Return the lines for tokens as columns if `columns`, and otherwise for tokens as rows."""
        return self.columns if columns and self.columns else self.rows


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Code:
    """The code that computes what a page shows in one state."""

    name: str  # a part of the names of its files: "step_5"
    given: Mapping[str, Any]  # arrays with tokens as rows, numbers, tokens
    blocks: tuple[Block, ...]
    core: tuple[Callable[..., Any] | Mistake[Any], ...]
    drawn: str = ""  # code that draws further random arrays to start from, with tokens as rows
    drawn_names: tuple[str, ...] = ()  # the names of these arrays
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the names of rows and columns of arrays
    only_numpy: str = ""  # the reason if there is no PyTorch version
    autograd: tuple[str, str] = ("", "")  # for each layout: a proof that only PyTorch can give, in NumPy's names

    def given_values(self, columns: bool) -> dict[str, Any]:
        """Return the input values that the code writes as numbers, by name."""
        return {name: for_columns(value) if columns else value for name, value in self.given.items()}

    def start(self, columns: bool) -> str:
        """Return the code that defines the values which the computation starts from."""
        literals = [self._written(name, value, columns) for name, value in self.given_values(columns).items()]
        turn = f"{', '.join(self.drawn_names)} = {', '.join(f'{name}.T' for name in self.drawn_names)}"
        drawn = [self.drawn, *([f"{turn}   # tokens as columns"] if columns else [])] if self.drawn else []
        return "\n".join([*literals, *drawn])

    def _written(self, name: str, value: Any, columns: bool) -> str:
        labels = self.labels.get(name, ())
        comments = map(turn_words, reversed(labels)) if columns else labels
        return "\n".join([*(f"# {line}" for line in comments), f"{name} = {literal(value, len(name) + 3)}"])

    def text(self, columns: bool) -> str:
        """Return the whole code as the page shows it. `columns` says whether tokens are columns."""
        blocks = [f"# {_title(block, columns)}\n{block.code(columns)}" for block in self.blocks]
        return "\n\n".join(["import numpy as np", self.start(columns), *blocks]) + "\n"


def _title(block: Block, columns: bool) -> str:
    return turn_words(block.title) if columns else block.title


def for_columns(value: Any) -> Any:
    """Return an input value for tokens as columns."""
    return np.atleast_2d(value).T if isinstance(value, np.ndarray) else value


def run(
    code: Code, columns: bool, other_values: Mapping[str, Any] | None = None
) -> Iterator[tuple[Block, dict[str, Any]]]:
    """Run the code block by block. After each block, yield the block and all variables by name."""
    names: dict[str, Any] = {"np": np, **starting_names(code, columns), **(other_values or {})}
    with np.errstate(all="ignore"):  # an overflow is shown as it is
        for block in code.blocks:
            if not block.aside:
                exec(block.code(columns), names)
                yield block, dict(names)


def starting_names(code: Code, columns: bool) -> dict[str, Any]:
    """Return the variables that the code starts from, by name. `columns` says whether tokens are columns."""
    names: dict[str, Any] = {"np": np}
    exec(code.drawn and code.start(columns), names)
    return names | {n: np.array(v) if isinstance(v, np.ndarray) else v for n, v in code.given_values(columns).items()}


def start_arrays(code: Code, columns: bool) -> dict[str, np.ndarray]:
    """Return the arrays that the code starts from, by name. `columns` says whether tokens are columns."""
    names = starting_names(code, columns)
    return {name: names[name] for name in (*code.given, *code.drawn_names) if isinstance(names[name], np.ndarray)}


def expression(id: str, names: Mapping[str, Any], columns: bool) -> str | None:
    """Return the Python expression that gives a matrix of the page, or None if the code does not compute this matrix.

    `id` is the id of the matrix, and `names` has all variables after the code has run. `columns` says whether tokens
    are columns.

    >>> expression("weights.1", {"weights": np.zeros((2, 3, 3))}, columns=False)
    'weights[1]'
    """
    base, _, part = id.partition(".")
    of_head = re.fullmatch(r"(\w+)_head(\d+)", base)
    if of_head:
        base, part = of_head.groups()
    if columns:
        base = re.sub(r"_(rows|columns)$", lambda match: turn_words(match[0].replace("_", "_ ")).replace(" ", ""), base)
    if base not in names:
        return None
    return f"{base}[{part}]" if part and np.ndim(names[base]) == 3 else base


def given_of(example: Example, *without: str) -> dict[str, Any]:
    """Return the matrices of an example that its code writes as numbers, by name."""
    left_out = {*without, *_drawn_names(example)}
    return {name: matrix for name, matrix in example.matrices().items() if name not in left_out}


def start_of(example: Example) -> dict[str, Any]:
    """Return arguments of `Code` that depend on the example: the code that draws random arrays, and labels."""
    drawn = {"drawn": example.drawn, "drawn_names": _drawn_names(example)} if example.drawn else {}
    labels = {name: _labels(name, example, matrix.shape[-1]) for name, matrix in example.matrices().items()}
    return drawn if example.names == UNNAMED else {**drawn, "labels": labels}


def _labels(name: str, example: Example, width: int) -> tuple[str, ...]:
    labels = labels_of(name, example, width)
    sides = {"rows": labels.get("row_labels", ()), "columns": labels.get("column_labels", ())}
    return tuple(f"{side}: {', '.join(words)}" for side, words in sides.items() if words)


def _drawn_names(example: Example) -> tuple[str, ...]:
    given = {node.id for node in names_given(ast.parse(example.drawn))}
    return tuple(name for name in MATRICES if name in given)


def is_code_open() -> bool:
    """Return whether the expander “In code” is open."""
    return bool(st.session_state.get(_fold()))


def _fold() -> str:
    return f"{session.visit().page}.in_code"


MakesCode = Callable[[Any, Any], Code]


def in_code(parameters: Parameters, example: Example, make_code: MakesCode) -> None:
    """Draw the expander “In code”, which shows the code of the page and the functions of `attention_core` that it uses.

    The function `make_code` makes the code. It is called only when the visitor opens the expander.
    """
    expander = st.expander(TEXTS.fill("in_code"), icon=":material/code:", key=_fold(), on_change="rerun")
    if not expander.open:
        return
    code = make_code(parameters, example)
    with expander:
        ours, core = st.tabs([TEXTS.fill("numpy_alone"), TEXTS.fill("library")])
    with ours:
        text = code.text(parameters.columns)
        short = shorten_digits(text)
        if short != text:
            st.markdown(TEXTS.fill("digits_are_cut"))
        _show(short)
    with core:
        names = ", ".join(f"`{name_of(function)}`" for function in code.core)
        st.markdown(TEXTS.fill("computes_with_and_turns" if parameters.columns else "computes_with", names=names))
        _show("\n\n".join(map(source_of, code.core)))


def shorten_digits(text: str) -> str:
    """Return code in which long packed numbers are cut to their first digits, followed by the number of digits.

    >>> shorten_digits(f'q = read("{"3c" * 100}", rows=2)')
    'q = read("3c3c3c3c3c3c…", rows=2)  # 200 digits'
    """
    return re.sub(r"(?m)^(.*\")([0-9a-f]{12})([0-9a-f]{68,})(\".*)$", _shortened_line, text)


def _shortened_line(line: re.Match[str]) -> str:
    before, first, rest, after = line.groups()
    return f"{before}{first}…{after}  # {len(first) + len(rest):,} digits"


def name_of(function: Callable[..., Any] | Mistake[Any]) -> str:
    """Return the name of a function with its module. For a mistake, return its name after “attention_core.mistakes”."""
    if isinstance(function, Mistake):
        return f"attention_core.mistakes, {function.name}"
    return f"{function.__module__}.{function.__name__}"


def source_of(function: Callable[..., Any] | Mistake[Any]) -> str:
    """Return the source code of a function of `attention_core`. For a mistake, return its lines of code."""
    if isinstance(function, Mistake):
        return f"# {function.title}: this takes the place of the steps of the same name.\n{function.code}\n"
    return inspect.getsource(inspect.unwrap(function))


def _show(text: str) -> None:
    st.code(text, language=None, wrap_lines=True)  # the highlighter’s colours lack contrast
