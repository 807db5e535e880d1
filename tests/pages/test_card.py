"""The card of a selected cell is about that cell: whatever is changed, its result is the number on the board.

Or the card is gone, and it is said that the cell is not shown.
"""

import re
from itertools import cycle, groupby, product

import pytest
from hypothesis import Phase, given, settings

from attention_core.examples import EXAMPLES
from attention_core.language_model.head import Head
from attention_core.museum import EXHIBITS
from pages.shared.controls import controls_of
from pages.shared.controls.example_kinds import ColumnInput, Count, HeadsInput, HeadsOffInput, TokenInput, WordInput
from pages.shared.controls.kinds import CellInput, Choice, MatrixInput, Slider, Steps, Switch
from pages.shared.controls.listed import Listed
from pages.shared.controls.text_area import TextArea
from pages.shared.controls.text_input import TextInput
from pages.shared.equation import matrices_of
from pages.shared.equation.selected_cell import MISTAKE_SUFFIX
from pages.shared.lessons.check_my_matrix.pasted_equation import YOURS
from pages.shared.lessons.real_heads.choosing import HeadInput
from pages.shared.lessons.spot_the_bug.choosing import LineInput
from pages.shared.notation.numbers import number
from pages.shared.state.link_text import encode
from pages.shared.state.widgets import DrawnWidgets
from pages.shared.state.workspace import Workspace, with_workspace
from pagesutil import KINDS, values_of
from simulating import captions, drawn_in, go, opened, visit_of, visitor_of

pytestmark = pytest.mark.once

CARD = re.compile(r"\*\*.*\n\n\$\$\n\\begin\{aligned\}(.*)\\end\{aligned\}\n\$\$", re.DOTALL)
RESULT = re.compile(r"&= ((?:(?! &= ).)*?)(?: \\\\ \\text\{where.*)? $", re.DOTALL)

EXAMPLE = Workspace()

# For kinds of controls the values that tell most; of the others any will do.
TELLING = {
    Choice: lambda control: [*control.options, *[""] * control.optional],
    Listed: lambda control: [next(iter(control.options)), list(control.options)[-1]],
    Slider: lambda control: [control.low, control.high],
    Steps: lambda control: [control.values[0], control.values[-1]],
    Switch: lambda _: [True, False],
    TokenInput: lambda _: [0, 1, 2],
    WordInput: lambda _: [-1, 0, 1],
    ColumnInput: lambda _: [0, 1],
    Count: lambda _: [0, 1, 2],
    HeadsInput: lambda _: [0, 1, 2],
    HeadsOffInput: lambda _: [(), (0,), (0, 1)],
    HeadInput: lambda _: [Head(18, 6), Head(3, 3)],
    LineInput: lambda _: [(each.name, line) for each in EXHIBITS for line in (0, each.wrong_line)],
    TextInput: lambda _: ["", "one", "a b a c"],
    TextArea: lambda _: ["", "1 2\n3 4", "1 0 0 0 0\n0 0 0 0 1\n0 0 0 1 0"],
    CellInput: lambda _: [],
    MatrixInput: lambda _: [],
}


def changes(kind):
    """Every control of a page, with some of its values."""
    return [{name: value} for name, control in controls_of(kind).items() for value in telling(control)]


def telling(control):
    """Some values of a control, the same ones each time."""
    kind = type(control)
    return TELLING[kind](control) if kind in TELLING else some_of(values_of(control))


def some_of(strategy):
    found = []

    @settings(max_examples=3, phases=[Phase.generate], derandomize=True, database=None)
    @given(strategy)
    def note(value):
        found.append(value)

    note()
    return found


def looks(kind):
    """The control that chooses what a page shows, with its options."""
    name = next((name for name in ("look", "step") if name in controls_of(kind)), None)
    return [{name: option} for option in controls_of(kind)[name].options] if name else [{}]


LOOKS = [pytest.param(page, look, id=f"{page}-{look}") for page, kind in KINDS.items() for look in looks(kind)]


def board(app):
    return [matrix for lines in drawn_in(app).values() for matrix in matrices_of(lines)]


def places(app):
    """The first and the last cell of every matrix on the board."""
    ends = {}
    for matrix in board(app):
        rows, columns = matrix.values.shape
        shown = range(rows) if matrix.only_row is None else [matrix.only_row]
        ends |= {(matrix.id, shown[0], 0): None, (matrix.id, shown[-1], columns - 1): None}
    return list(ends)


def shown_with(page, workspace=EXAMPLE, **values):
    """The page in a state, opened by its link."""
    return checked(opened(page, **link(page, workspace, values)))


def turn_to(app, page, workspace=EXAMPLE, **values):
    """Turn to another state of the page in the same visit, as the browser's Back does."""
    app.query_params.clear()
    app.query_params.update(link(page, workspace, values))
    return checked(go(app, page))


def link(page, workspace, values):
    return encode(workspace, with_workspace(KINDS[page](**values), workspace))


def checked(app):
    assert not app.exception
    return app


def cards(app):
    return [match for text in app.markdown if (match := CARD.match(text.value))]


def check_card(app):
    """The card is about the selected cell."""
    assert visit_of(app).cell is not None
    id, row, column = visit_of(app).cell
    matrix, card = next((m for m in board(app) if m.id == id and m.shows(row, column)), None), cards(app)
    if matrix is None:
        assert not card or "Positions are counted from 0" in card[0][0], (id, row, column)  # which sliders choose
        return
    shown = number(float(matrix.values[row, column]), visit_of(app).parameters.decimals)
    name = id.partition(".")[0]
    if name.endswith(MISTAKE_SUFFIX):
        assert not card or f"The mistake gives ${shown}$." in [text.value for text in app.markdown]
    elif name.endswith(YOURS):
        assert not card or f"Yours is ${shown}$." in card[0][0]
    else:
        assert [*map(result, card)] == [shown], (id, row, column)


def result(card):
    match = RESULT.search(card[1])
    assert match is not None, card[1]
    return match[1]


def changes_in(page, look, app):
    """All values of what can be changed in a view; of what other views change, another one in each view."""
    drawn = {widget.partition(".")[2] for widget in visitor_of(app).kept[DrawnWidgets].drawn}
    place, elsewhere = looks(KINDS[page]).index(look), dict[str, list[dict[str, object]]]()
    for change in changes(KINDS[page]):
        (name,) = change
        if name in drawn:
            yield change
        else:
            elsewhere.setdefault(name, []).append(change)
    yield from (values[place % len(values)] for values in elsewhere.values())


@pytest.mark.parametrize(("page", "look"), LOOKS)
def test_the_card_is_the_selected_cells_whatever_is_changed(page, look):
    app = shown_with(page, **look)
    at_first = places(app)
    chosen = cycle(at_first or [("weights", 0, 0)])
    controls = groupby(list(changes_in(page, look, app)) if at_first else [{}], key=list)
    for cell, (_, values) in zip(chosen, controls, strict=False):
        for change in values:  # while one cell is selected, so that a card of an earlier value is seen
            check_card(turn_to(app, page, **look | {"cell": cell} | change))


@pytest.mark.parametrize("page", KINDS)
def test_the_card_is_the_selected_cells_whatever_the_example_and_the_layout(page):
    app = shown_with(page)
    chosen = cycle(places(app) or [("weights", 0, 0)])
    kept = (cell for cell in chosen for _ in range(3))  # while the example changes, and while the layout does
    for cell, (name, layout) in zip(kept, product(EXAMPLES, ("columns", "rows")), strict=False):
        check_card(turn_to(app, page, Workspace(name).laid_out(layout), cell=cell))


def test_a_cell_that_another_axis_took_off_the_board_has_no_card():
    state = {"cell": ("entropies_rows", 0, 0), "source": "array", "look": "temperature"}
    before, after = (shown_with("softmax_axes", axis=axis, **state) for axis in ("rows", "whole"))
    assert [*map(result, cards(before))] == ["0.751"]
    assert cards(after) == []
    assert "The selected cell of $H$ (entropy), row 1, column 1, is not shown here. " in captions(after)
