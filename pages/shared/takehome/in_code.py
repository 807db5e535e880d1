"""The expander “In code” of a page: the code of what is shown, and the source of the functions of the core."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import streamlit as st

from attention_core.examples import Example
from attention_core.mistakes import Mistake
from pages.shared.controls import Parameters
from pages.shared.state import session
from pages.shared.takehome.code import Code

MakesCode = Callable[[Any, Any], Code]


def in_code(parameters: Parameters, example: Example, make_code: MakesCode) -> None:
    """Draw the expander “In code”, which shows the code of the page and the functions of `attention_core` that it uses.

    The function `make_code` makes the code. It is called only when the visitor opens the expander.
    """
    key = f"{session.visit().page}.in_code"
    expander = st.expander("In code: the same numbers", icon=":material/code:", key=key, on_change="rerun")
    if not expander.open:
        return
    code = make_code(parameters, example)
    with expander:
        ours, core = st.tabs(["NumPy alone, with your numbers", "The library behind this page"])
    with ours:
        text = code.text(parameters.columns)
        short = shorten_digits(text)
        if short != text:
            st.markdown("Long rows of digits are cut here. The files of *Take home* have all digits.")
        _show(short)
    with core:
        names = ", ".join(f"`{name_of(function)}`" for function in code.core)
        turned = parameters.columns * " It keeps tokens as rows; here they are turned."
        st.markdown(f"The page computes with {names}, which also check what they are given.{turned}")
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
