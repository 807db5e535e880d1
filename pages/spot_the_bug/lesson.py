"""The exhibits of “Spot the bug”: which one is chosen, its code, its guesses, and its explanation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from attention_core.arithmetic import Cell, CellCalculations
from attention_core.museum import EXHIBITS, Exhibit, Numbers, exhibit, inspect
from pages.shared.controls import Parameters, controls_of, kinds, of_kind
from pages.shared.controls.kinds import Control
from pages.shared.equation import Line, Matrix, Sign, selected_cell
from pages.shared.equation.computation import Computation
from pages.shared.equation.engine import matrix_on_page_at
from pages.shared.equation.matrices import matrix_of
from pages.shared.equation.position_matrices import position_matrix
from pages.shared.equation.selected_cell import MISTAKE_SUFFIX, RIGHT_SUFFIX
from pages.shared.mistake_switch import source_of, verdict
from pages.shared.notation.prose import literal, typeset
from pages.shared.notation.symbols import SYMBOLS, matrix_id_of_stage, symbol_of_matrix
from pages.shared.notation.texts import texts_beside
from pages.shared.site.menu import link
from pages.shared.site.page import page_named
from pages.shared.state import session, widgets
from pages.shared.state.link_text import encode
from pages.shared.state.session import Workspace

TEXTS = texts_beside(__file__)

NAMES = tuple(each.name for each in EXHIBITS)

Choice = tuple[str, int]  # the name of an exhibit, and the picked line, counted from 1; 0 means none


@dataclass(frozen=True, slots=True)
class LineInput(Control):
    """The choice of an exhibit (code with a bug) and of one of its lines: 0 if none is chosen yet."""

    label: str
    help: str | None = None

    def encode(self, value: Choice) -> str:
        name, line = value
        return f"{name}.{line}" if line else name

    def decode(self, text: str) -> Choice:
        name, dot, line = text.partition(".")
        lines = {str(i): i for i in range(1, len(exhibit(name).lines) + 1)} if name in NAMES else {}
        if not lines or (dot and line not in lines):
            raise ValueError(TEXTS.fill("rule_of_the_link", first=NAMES[0]))
        return name, lines.get(line, 0)

    def draw(self, key: str, shown: Exhibit) -> None:
        options = [(shown.name, i) for i, _ in enumerate(shown.lines, start=1)]
        picked = options.index(said) if (said := kinds.default_of(key)) in options else None
        st.radio(self.label, options, picked, lambda o: _line_label(shown, o[1]), key=key, help=self.help)


def line_of_an_exhibit() -> Any:
    """Declare the parameter with the name of the shown exhibit and the number of its chosen line."""
    return of_kind(LineInput(""), (NAMES[0], 0))


def _line_label(shown: Exhibit, number: int) -> str:
    return literal(f"{number}  {shown.lines[number - 1]}")


# --- what was found ---


@dataclass(slots=True)
class Findings:
    """What one visitor has done: the lines chosen last, the bugs found, and the exhibits whose answer was shown."""

    last_lines: dict[str, int] = field(default_factory=dict)  # the line that was picked last, by exhibit
    found: set[str] = field(default_factory=set)
    answers_shown: set[str] = field(default_factory=set)  # exhibits whose answer was asked for before it was found


def findings() -> Findings:
    """Return the `Findings` of this visitor."""
    return session.visitor_object(Findings)


def note_pick(shown: Exhibit, line: int, *, answer_shown: bool) -> None:
    """Store the chosen line of an exhibit (0: none), which does not count as found if the answer was shown first."""
    found = findings()
    if line:
        found.last_lines[shown.name] = line
    if answer_shown and shown.name not in found.found:
        found.answers_shown.add(shown.name)
    elif line == shown.wrong_line and shown.name not in found.answers_shown:
        found.found.add(shown.name)


# --- from one exhibit to another ---


def draw_lines(parameters: Parameters, name: str) -> None:
    """Draw the lines of an exhibit as options, of which the parameter `name` holds the chosen one."""
    chosen = getattr(parameters, name)
    key = widgets.key_showing(session.widget_of(name), chosen if chosen[1] else None, chosen[0])
    with st.container(border=True, key="cell"):
        controls_of(type(parameters))[name].draw(key, exhibit(chosen[0]))


def draw_walk(shown: Exhibit, score: str, name: str, *aids: str) -> None:
    """Draw the list of all exhibits, the buttons to the previous and the next one, and the text `score`."""
    go, place = partial(_show_exhibit, name, aids), NAMES.index(shown.name)
    titles = {each.name: _title(i, each) for i, each in enumerate(EXHIBITS, start=1)}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="walk"):
        key = widgets.key_showing("museum.list", shown.name, titles)
        st.selectbox(
            TEXTS.fill("list_of_exhibits"), NAMES, NAMES.index(shown.name), titles.__getitem__, key=key, width=340,
            on_change=lambda: widgets.act_on_change(key, go),
        )  # fmt: skip
        _draw_button("Previous", TEXTS.fill("previous"), "arrow_back", place - 1, go)
        _draw_button("Next", TEXTS.fill("next"), "arrow_forward", place + 1, go)
        st.markdown(score, width="content")


def draw_next(shown: Exhibit, name: str, *aids: str) -> None:
    """Draw a button to the next exhibit whose bug the visitor has not seen yet, if there is one."""
    after = NAMES.index(shown.name) + 1
    known = findings().found | findings().answers_shown
    left = [other for other in (*NAMES[after:], *NAMES[:after]) if other not in known and other != shown.name]
    if left:
        st.button(
            TEXTS.fill("next_exhibit"), icon=":material/arrow_forward:", type="primary", key="museum.next",
            on_click=_show_exhibit, args=(name, aids, left[0]),
        )  # fmt: skip


def _draw_button(key: str, label: str, icon: str, place: int, go: Callable[[str], None]) -> None:
    there = 0 <= place < len(NAMES)
    st.button(
        label, icon=f":material/{icon}:", disabled=not there, key=f"museum.{key}",
        on_click=go, args=(NAMES[place] if there else "",),
    )  # fmt: skip


def _title(place: int, exhibit: Exhibit) -> str:
    return f"{place} · {exhibit.title}" + " ✓" * (exhibit.name in findings().found)


def _show_exhibit(name: str, aids: tuple[str, ...], to: str) -> None:
    picked = (to, findings().last_lines.get(to, 0))
    session.set_parameters(cell=None, **{name: picked}, **dict.fromkeys(aids, ""))


Items = tuple[Matrix | Sign | str, ...]

OWN_VALUES = Sign(TEXTS.fill("arrow_own_values"), arrow=True)
# used if the output is not the product of the matrices before it
OTHERWISE = Sign(TEXTS.fill("arrow_by_the_cell"), arrow=True)
PRODUCTS = (("weights", "v"), ("concat", "w_o"))


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two results of an exhibit: the result of its wrong code, or the correct result."""

    shown: Exhibit
    numbers: Numbers
    suffix: str  # the ending of the ids of its matrices
    right: Numbers | None = None  # the numbers to compare these with

    @property
    def computation(self) -> Computation:
        """The computation of the correct numbers, which explains their cells."""
        return Computation(self.shown.outcome().correct_trace)


def result_lines(shown: Exhibit, *, beside: bool) -> list[Line]:
    """Return lines with the result of an exhibit's code and, if `beside`, with the correct result to compare."""
    outcome = shown.outcome()
    if not beside:
        return _lines(Side(shown, outcome.wrong, MISTAKE_SUFFIX), TEXTS.fill("what_the_cell_gives"))
    comparable = outcome.correct[shown.result].shape == outcome.wrong[shown.result].shape
    label = TEXTS.fill("what_the_cell_gives_marked" if comparable else "what_the_cell_gives")
    given = _lines(Side(shown, outcome.wrong, MISTAKE_SUFFIX, outcome.correct), label)
    return given + _lines(Side(shown, outcome.correct, RIGHT_SUFFIX), TEXTS.fill("what_it_should_give"))


def has_line_for_each_head(shown: Exhibit) -> bool:
    """Return whether the result has one line for each head, so that the page draws these lines side by side."""
    return "heads" in shown.outcome().correct


def _lines(side: Side, label: str) -> list[Line]:
    numbers = side.numbers
    if "encoding" in numbers:
        return [Line((_encoding_matrix(side),), label)]
    if "heads" in numbers:
        each = [_head_items(side, h) for h in range(len(numbers["heads"]))]
        return [Line(items, label if h == 0 else "") for h, items in enumerate(each)]
    if "scores" in numbers:
        return [Line(tuple(_score_matrices(side)), label)]
    left, factor = next(pair for pair in PRODUCTS if pair[0] in numbers)
    return [Line(_product_items(side, left, factor), label)]


def _product_items(side: Side, left: str, factor: str) -> Items:
    first = _matrix(side, left)
    output = replace(_matrix(side, "output"), symbol=SYMBOLS[symbol_of_matrix("output", (left,))].symbol)
    first = first.with_sums("rows") if left == "weights" else first
    second = _matrix(Side(side.shown, side.numbers, RIGHT_SUFFIX), factor)
    if not side.shown.outcome().is_product(side.numbers, left, factor):
        output = output.with_reads(f"{first.id}[:,:]", f"{second.id}[:,:]")
        return first, TEXTS.fill("with_the_factor"), second, OTHERWISE, output
    return first, "·", second, "=", output.with_reads(f"{first.id}[i,:]", f"{second.id}[:,j]")


def _matrix(side: Side, name: str) -> Matrix:
    values, right = side.numbers[name], _right_values(side, name)
    return _with_id_of_side(matrix_of(name, side.shown.own_example(), values, side.computation, right=right), side)


def _head_items(side: Side, h: int) -> Items:
    weights, output = (_matrix_of_head(side, name, h) for name in ("weights", "heads"))
    return weights, OWN_VALUES, output.with_reads(f"{weights.id}[i,:]")


def _matrix_of_head(side: Side, name: str, h: int) -> Matrix:
    values, right = side.numbers[name][h], _right_values(side, name)
    beside = None if right is None else right[h]
    made = matrix_of(name, side.shown.own_example(), values, side.computation, part=h, right=beside)
    return _with_id_of_side(made, side)


def _encoding_matrix(side: Side) -> Matrix:
    encoding, right = side.numbers["encoding"], _right_values(side, "encoding")
    return _with_id_of_side(position_matrix("sinusoidal", encoding, side.computation, right=right), side)


def _right_values(side: Side, name: str) -> np.ndarray | None:
    if side.right is None or side.right[name].shape != side.numbers[name].shape:
        return None
    return side.right[name]


def _with_id_of_side(matrix: Matrix, side: Side) -> Matrix:
    here, right = (matrix.with_suffix(suffix, (matrix.id,)) for suffix in (side.suffix, RIGHT_SUFFIX))
    return here.with_reads() if matrix.right is None else here.paired_with(right)


def _score_matrices(side: Side) -> Iterator[Matrix]:
    """Yield the matrix of the scores or, if each score is wrongly a matrix itself, one for query 1 and each key."""
    scores = side.numbers["scores"]
    if scores.ndim == 2:
        made = matrix_of("scores", side.shown.own_example(), scores, side.computation)
        yield _with_id_of_side(made, side)
        return
    for j, values in enumerate(scores[0]):
        features = tuple(str(i + 1) for i in range(len(values)))
        name = TEXTS.fill("score_of_a_pair", number=j + 1)
        yield Matrix(
            id=f"scores{side.suffix}.{j}", symbol=f"S_{{1,{j + 1}}}", name=name, values=values,
            row_labels=features, column_labels=features,
        )  # fmt: skip


# --- what the texts say ---


def score_text() -> str:
    """Return a text that says how many wrong lines this visitor has found, and how many answers were shown."""
    found, shown = len(findings().found), len(findings().answers_shown)
    return TEXTS.fill("found_and_shown" if shown else "found", found=found, exhibits=len(EXHIBITS), shown=shown)


def task_text(shown: Exhibit, parameters: Parameters) -> str:
    """Return the text beside an exhibit: its title, its task, and the variables that its code uses."""
    inputs = ", ".join(_value_text(name, value) for name, value in shown.input_values().items())
    task = TEXTS.fill(
        "task_with_inputs" if inputs else "task",
        place=EXHIBITS.index(shown) + 1, title=shown.title, task=typeset(shown.task), inputs=inputs,
    )  # fmt: skip
    return f"{task} {TEXTS.fill('cell_has_tokens_as_rows')}" if parameters.columns else task


def damage_text(shown: Exhibit) -> str:
    """Return a text that says how wrong the result of the code is."""
    return verdict(shown.greatest_error, TEXTS.fill("name_of_the_result"))


def checks_text(shown: Exhibit, parameters: Parameters) -> str:
    """Return a text with checks that need no correct result: of shapes, of sums, and for NaN and infinity."""
    seen = inspect(shown.outcome())
    said = [_wrong_shape_text(name, *both, parameters) for name, both in seen.shapes.items() if both[0] != both[1]]
    said = said or [TEXTS.fill("shapes_are_right")]
    if not seen.finite:
        said.append(TEXTS.fill("not_numbers"))
    elif seen.sums is not None:
        sums = ", ".join(f"{total:.2f}" for total in seen.sums)
        said.append(parameters.say(TEXTS, "sums_are_1" if seen.sum_to_one else "sums_are_wrong", sums=sums))
    if seen.passes:
        said.append(TEXTS.fill("checks_find_nothing"))
    return " ".join(said)


def draw_answer(shown: Exhibit, line: int, *, answer_shown: bool) -> None:
    """Draw messages that say whether `line` is the wrong line of an exhibit and, if `answer_shown`, which one is."""
    damage = damage_text(shown)
    if line == shown.wrong_line:
        st.success(TEXTS.fill("line_is_found", line=line, damage=damage), icon=":material/check_circle:")
    elif line:
        section = "line_is_right" if answer_shown else "line_is_right_try_again"
        st.error(TEXTS.fill(section, line=line), icon=":material/cancel:")
    if answer_shown and line != shown.wrong_line:
        st.info(TEXTS.fill("line_is_shown", line=shown.wrong_line, damage=damage), icon=":material/lightbulb:")


def draw_explanation(shown: Exhibit, parameters: Parameters) -> None:
    """Draw the wrong line with its correction, the reason, and where the mistake was seen."""
    st.code(
        f"✗  {shown.lines[shown.wrong_line - 1].strip()}\n✓  {shown.correct_line.strip()}",
        language=None,
        wrap_lines=True,
    )
    seen = TEXTS.fill("seen_in", sources=", ".join(map(source_of, shown.sources)))
    st.markdown(f"{parameters.in_layout(typeset(shown.why))}\n\n{seen}")


def draw_link_to_page(shown: Exhibit) -> None:
    """Draw a link to the page that explains the mistake, with the numbers of the exhibit."""
    page = page_named(shown.page)
    label = TEXTS.fill("link_to_switch_on" if "mistake" in shown.state else "link_to_read", concept=page.concept)
    link(page.name, label, link_parameters(shown), icon=page.icon)


def link_parameters(shown: Exhibit) -> dict[str, str]:
    """Return the parameters of the link to the page that explains the mistake, with the numbers of the exhibit."""
    rows = {name: tuple(tuple(map(float, row)) for row in np.asarray(matrix)) for name, matrix in shown.edits.items()}
    return encode(Workspace(shown.own_example().name, rows), Parameters()) | dict(shown.state)


def draw_arithmetic(shown: Exhibit, parameters: Parameters) -> None:
    """Draw how to select a number, and the correct calculation of the selected one beside what the code gives."""
    place = session.visit().cell
    matrix = place and matrix_on_page_at(place)
    st.caption(TEXTS.fill("hint"))
    if place and matrix:
        said = _right_arithmetic(shown, matrix.cell(*place[1:]), parameters)
        selected_cell.card(said, *selected_cell.mistake_text(matrix, place, parameters))


def _right_arithmetic(shown: Exhibit, cell: Cell | None, parameters: Parameters) -> str:
    if cell is None:
        return TEXTS.fill("no_such_number")
    trace, example = shown.outcome().correct_trace, shown.own_example()
    tokens, key_tokens = example.tokens, example.key_tokens
    if isinstance(trace, CellCalculations):
        n = len(next(iter(trace.rules.values()))[0])
        tokens, key_tokens = tuple(TEXTS.fill("name_of_a_position", number=i) for i in range(n)), ()
    return selected_cell.arithmetic_text(cell, tokens, key_tokens, parameters)


def _value_text(name: str, value: object) -> str:
    shape = getattr(value, "shape", None)
    return f"`{name} = {value}`" if shape is None else f"`{name}` {_shape_text(shape)}"


def _wrong_shape_text(name: str, came: tuple[int, ...], meant: tuple[int, ...], parameters: Parameters) -> str:
    came, meant = ((*shape[:-2], *shape[:-3:-1]) if parameters.columns else shape for shape in (came, meant))
    symbol = SYMBOLS[matrix_id_of_stage(name)].symbol
    return TEXTS.fill("shape_is_wrong", symbol=symbol, came=_shape_text(came), meant=_shape_text(meant))


def _shape_text(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape))
