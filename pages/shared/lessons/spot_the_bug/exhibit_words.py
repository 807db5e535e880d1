"""The texts of an exhibit: what its code computes, what a reader can see in its result, which line is wrong and why."""

from __future__ import annotations

import numpy as np
import streamlit as st

from attention_core.arithmetic import Cell, CellCalculations
from attention_core.museum import EXHIBITS, Exhibit, inspect
from pages.shared.controls import Parameters
from pages.shared.equation import selected_cell
from pages.shared.equation.drawn import matrix_on_page_at
from pages.shared.lessons.spot_the_bug.choosing import findings
from pages.shared.mistake_switch import source_of, verdict
from pages.shared.notation.prose import typeset
from pages.shared.notation.symbols import SYMBOLS, matrix_id_of_stage
from pages.shared.site.catalogue import page_named
from pages.shared.site.links import link
from pages.shared.state import session
from pages.shared.state.link_text import encode
from pages.shared.state.workspace import Workspace

INTRODUCTION = (
    "People really made these mistakes, in notebooks and public threads. We wrote a short cell of code for each "
    "mistake. The cell runs without an error message, but **one of its lines is wrong**."
)
HINT = "Press a number, or Enter on it, to see how it should be computed, and what the cell gives."


def score_text() -> str:
    """Return a text that says how many wrong lines this visitor has found, and how many answers were shown."""
    told = len(findings().answers_shown)
    return f"**{len(findings().found)} of {len(EXHIBITS)}** found" + (f", {told} shown to you" if told else "")


def label(shown: Exhibit, parameters: Parameters) -> str:
    """Return the text beside an exhibit: its title, its task, and the variables that its code uses."""
    place = EXHIBITS.index(shown) + 1
    finds = ", ".join(_value_text(name, value) for name, value in shown.input_values().items())
    given = f" The cell can use {finds}, `np` and SciPy’s `softmax`." if finds else " The cell can use only `np`."
    turned = (
        " *The cell has tokens as rows, as its author wrote it. The matrices below have them as columns.*"
        if parameters.columns
        else ""
    )
    return f"## {place}. {shown.title}\n\n{typeset(shown.task)}{given}{turned}"


def damage_text(shown: Exhibit) -> str:
    """Return a text that says how wrong the result of the code is."""
    return verdict(shown.greatest_error, "result")


def checks_text(shown: Exhibit, parameters: Parameters) -> str:
    """Return a text with checks that need no correct result: of shapes, of sums, and for NaN and infinity."""
    seen = inspect(shown.outcome())
    said = [_wrong_shape_text(name, *both, parameters) for name, both in seen.shapes.items() if both[0] != both[1]]
    said = said or ["✓ Every shape is right."]
    if not seen.finite:
        said.append("✗ Some of the results are **not numbers**.")
    elif seen.sums is not None:
        each = ", ".join(f"{total:.2f}" for total in seen.sums)
        said.append(
            "✓ Every row of the weights sums to 1."
            if seen.sum_to_one
            else f"✗ The rows of the weights sum to **{each}**."
        )
    if seen.passes:
        said.append("These checks find no error, but the result is wrong.")
    return parameters.in_layout(" ".join(said))


def draw_answer(shown: Exhibit, line: int, *, answer_shown: bool) -> None:
    """Draw a message that says whether the visitor's line, `line`, is the wrong line of an exhibit.

    If it is another line and `answer_shown`, the message names the wrong line.
    """
    if line == shown.wrong_line:
        st.success(f"**Right: line {line} is wrong.** {damage_text(shown)}", icon=":material/check_circle:")
    elif line:
        again = "" if answer_shown else " Choose another line, or look at the numbers below."
        st.warning(f"**No: line {line} is right.**{again}", icon=":material/cancel:")
    if answer_shown and line != shown.wrong_line:
        st.info(f"**Line {shown.wrong_line} is wrong.** {damage_text(shown)}", icon=":material/lightbulb:")


def draw_explanation(shown: Exhibit, parameters: Parameters) -> None:
    """Draw the wrong line with its correction, the reason, and where the mistake was seen."""
    st.code(
        f"✗  {shown.lines[shown.wrong_line - 1].strip()}\n✓  {shown.correct_line.strip()}",
        language=None,
        wrap_lines=True,
    )
    seen = ", ".join(map(source_of, shown.sources))
    st.markdown(f"{parameters.in_layout(typeset(shown.why))}\n\n:small[:gray[Seen in: {seen}]]")


def draw_link_to_page(shown: Exhibit) -> None:
    """Draw a link to the page that explains the mistake. The page opens with the numbers of the exhibit."""
    page = page_named(shown.page)
    how = "switch this mistake on" if "mistake" in shown.state else "read about it"
    link(page.name, f"**{page.concept}**: {how}", link_parameters(shown), icon=page.icon)


def link_parameters(shown: Exhibit) -> dict[str, str]:
    """Return the parameters of the link to the page that explains the mistake, with the numbers of the exhibit."""
    rows = {name: tuple(tuple(map(float, row)) for row in np.asarray(matrix)) for name, matrix in shown.edits.items()}
    return encode(Workspace(shown.own_example().name, rows), Parameters()) | dict(shown.state)


def draw_arithmetic(shown: Exhibit, parameters: Parameters) -> None:
    """Draw the correct calculation of the selected number, and what the code gives.

    If none is selected, say how to select one.
    """
    place = session.visit().cell
    matrix = place and matrix_on_page_at(place)
    st.caption(HINT)
    if place and matrix:
        said = _right_arithmetic(shown, matrix.cell(*place[1:]), parameters)
        selected_cell.card(said, *selected_cell.mistake_text(matrix, place, parameters))


def _right_arithmetic(shown: Exhibit, cell: Cell | None, parameters: Parameters) -> str:
    if cell is None:
        return "The right result has another shape, so it has no such number."
    trace, tokens, key_tokens = (
        shown.outcome().correct_trace,
        shown.own_example().tokens,
        shown.own_example().key_tokens,
    )
    if isinstance(trace, CellCalculations):
        n = len(next(iter(trace.rules.values()))[0])
        tokens, key_tokens = tuple(f"position {i}" for i in range(n)), ()
    return selected_cell.arithmetic_text(cell, tokens, key_tokens, parameters)


def _value_text(name: str, value: object) -> str:
    shape = getattr(value, "shape", None)
    return f"`{name} = {value}`" if shape is None else f"`{name}` {_shape_text(shape)}"


def _wrong_shape_text(name: str, came: tuple[int, ...], meant: tuple[int, ...], parameters: Parameters) -> str:
    symbol = SYMBOLS[matrix_id_of_stage(name)][0]
    turned = [(*shape[:-2], *shape[:-3:-1]) if parameters.columns else shape for shape in (came, meant)]
    return f"✗ ${symbol}$ is **{_shape_text(turned[0])}**, but should be {_shape_text(turned[1])}."


def _shape_text(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape))
