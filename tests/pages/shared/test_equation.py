"""Test the card of a selected cell: after any change, its result is the number in that cell.

If the cell is no longer shown, there is no card, and the page says so.

Also the cells that it reads.
"""

import re
from itertools import cycle, groupby, product

import numpy as np
import pytest
from hypothesis import Phase, given, settings

from attention_core import alibi_bias, alibi_slopes
from attention_core.arithmetic import CellCalculations, operands, rules_of
from attention_core.arithmetic.formulas import Formula, Grid, given_rules, letters
from attention_core.arithmetic.position_rules import (
    alibi_rules,
    average_rules,
    embedding_rules,
    rope_rules,
    shift_rules,
    similarity_rules,
)
from attention_core.arithmetic.training_rules import add_and_norm_rules, path_rules, plain_softmax_rules, training_rules
from attention_core.examples import EXAMPLES, example
from attention_core.experiments.positions import embed_positions
from attention_core.experiments.training import Aim, path_steps, training_trace
from attention_core.language_model.model import Head
from attention_core.museum import EXHIBITS
from attention_core.normalization import add_and_norm
from attention_core.rotation import rope_scores, shift_pair
from lit_cells import Board, cell_of_page, lit_cells
from pages.check_my_matrix.remedy import YOURS
from pages.shared.controls import controls_of
from pages.shared.controls.example_kinds import (
    ColumnInput,
    Count,
    HeadsInput,
    HeadsOffInput,
    TextArea,
    TextInput,
    TokenInput,
    WordInput,
)
from pages.shared.controls.kinds import CellInput, Choice, Listed, MatrixInput, Slider, Steps, Switch
from pages.shared.equation import matrices_of
from pages.shared.equation.computation import Computation
from pages.shared.equation.selected_cell import MISTAKE_SUFFIX
from pages.shared.notation.numbers import number
from pages.shared.real_heads.reading import HeadInput
from pages.shared.state.link_text import encode
from pages.shared.state.session import Workspace, with_workspace
from pages.shared.state.widgets import DrawnWidgets
from pages.spot_the_bug.lesson import LineInput
from pagesutil import KINDS, values_of
from simulating import captions, controls_in_panels, drawn_equations, go, open_page, visit_of, visitor_of
from strategies import random_numbers

CARD = re.compile(r"\*\*.*\n\n\$\$\n[^\n]+\n\$\$\n\n(\$\$\n= .*\n\$\$)", re.DOTALL)
RESULTS = re.compile(r"^(?:=|\\approx) (.*)$", re.MULTILINE)

EXAMPLE = Workspace()

# For these kinds of controls, the values that are most likely to reveal errors. For other kinds, any values are tried.
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


def changes_of(kind):
    """Return a list of changes: each sets one control of the parameters class `kind` to one of its values."""
    return [{name: value} for name, control in controls_of(kind).items() for value in telling_values(control)]


def telling_values(control):
    """Return some values of a control that are likely to reveal errors. They are the same in every run."""
    kind = type(control)
    return TELLING[kind](control) if kind in TELLING else some_of(values_of(control))


def some_of(strategy):
    """Return up to three values that the hypothesis strategy draws, the same in every run."""
    found = []

    @settings(max_examples=3, phases=[Phase.generate], derandomize=True, database=None)
    @given(strategy)
    def note(value):
        found.append(value)

    note()
    return found


def view_changes(kind):
    """Return one change of the state for each option of the control that chooses what a page shows."""
    name = next((name for name in ("look", "step") if name in controls_of(kind)), None)
    return [{name: option} for option in controls_of(kind)[name].options] if name else [{}]


LOOKS = [pytest.param(page, look, id=f"{page}-{look}") for page, kind in KINDS.items() for look in view_changes(kind)]


def matrices_on(app):
    """Return all matrices on the page that the simulated `app` shows."""
    return [matrix for lines in drawn_equations(app).values() for matrix in matrices_of(lines)]


def corner_cells(app):
    """Return the first and the last cell of every matrix on the page, each as (matrix id, row, column)."""
    ends = {}
    for matrix in matrices_on(app):
        rows, columns = matrix.values.shape
        shown = range(rows) if matrix.only_row is None else [matrix.only_row]
        ends |= {(matrix.id, shown[0], 0): None, (matrix.id, shown[-1], columns - 1): None}
    return list(ends)


def open_with(page, workspace=EXAMPLE, **values):
    """Open a page with an example and its edits (`workspace`) and with parameters (`values`), and return the app."""
    return check_no_error(open_page(page, **link_to(page, workspace, values)))


def turn_to(app, page, workspace=EXAMPLE, **values):
    """Go to another state of the page in the same visit, as the browser's Back button does, and return the app."""
    app.query_params.clear()
    app.query_params.update(link_to(page, workspace, values))
    return check_no_error(go(app, page))


def link_to(page, workspace, values):
    """Return the link of a page with an example and its edits (`workspace`) and with parameters (`values`)."""
    return encode(workspace, with_workspace(KINDS[page](**values), workspace))


def check_no_error(app):
    """Check that the page raised nothing, and return `app`, the simulated app."""
    assert not app.exception
    return app


def cards(app):
    """Return a regular-expression match for each card on the page. A card is the explanation of a selected cell."""
    return [match for text in app.markdown if (match := CARD.match(text.value))]


def check_card(app):
    """Check that the card shows the number of the selected cell, or that there is no card if the cell is not shown."""
    assert visit_of(app).cell is not None
    id, row, column = visit_of(app).cell
    matrix, card = next((m for m in matrices_on(app) if m.id == id and m.shows(row, column)), None), cards(app)
    if matrix is None:
        # sliders choose the position
        assert not card or "Positions are counted from 0" in card[0][0], (id, row, column)
        return
    shown = number(float(matrix.values[row, column]), visit_of(app).parameters.decimals)
    name = id.partition(".")[0]
    if name.endswith(MISTAKE_SUFFIX):
        assert not card or card[0].string.endswith(f"\n\nThe mistake gives ${shown}$.")
    elif name.endswith(YOURS):
        assert not card or f"Yours is ${shown}$." in card[0][0]
    else:
        assert [*map(result, card)] == [shown], (id, row, column)


def result(card):
    """Return the result at the end of the calculation in a card."""
    return RESULTS.findall(card[1])[-1].replace(r"\nobreak", "")


def changes_in(page, look, app):
    """Yield the changes to try in one view of a page. `look` is the change that opens this view.

    For each control that the view shows, yield a change to each of its values. For each other control, yield one
    change.
    """
    drawn = {widget.partition(".")[2] for widget in visitor_of(app).kept[DrawnWidgets].drawn} | {
        *controls_in_panels(app)
    }
    place, elsewhere = view_changes(KINDS[page]).index(look), dict[str, list[dict[str, object]]]()
    for change in changes_of(KINDS[page]):
        (name,) = change
        if name in drawn:
            yield change
        else:
            elsewhere.setdefault(name, []).append(change)
    yield from (values[place % len(values)] for values in elsewhere.values())


@pytest.mark.many
@pytest.mark.parametrize(("page", "look"), LOOKS)
def test_the_card_is_the_selected_cells_whatever_is_changed(page, look):
    app = open_with(page, **look)
    at_first = corner_cells(app)
    chosen = cycle(at_first or [("weights", 0, 0)])
    controls = groupby(list(changes_in(page, look, app)) if at_first else [{}], key=list)
    for cell, (_, values) in zip(chosen, controls, strict=False):
        for change in values:  # the same cell stays selected, so that the card of an earlier value would be noticed
            check_card(turn_to(app, page, **look | {"cell": cell} | change))


@pytest.mark.many
@pytest.mark.parametrize("page", KINDS)
def test_the_card_is_the_selected_cells_whatever_the_example_and_the_layout(page):
    app = open_with(page)
    chosen = cycle(corner_cells(app) or [("weights", 0, 0)])
    # each cell stays selected while the example changes and while the layout changes
    kept = (cell for cell in chosen for _ in range(3))
    for cell, (name, layout) in zip(kept, product(EXAMPLES, ("columns", "rows")), strict=False):
        check_card(turn_to(app, page, Workspace(name).with_layout(layout), cell=cell))


def test_a_selected_cell_that_is_no_longer_shown_has_no_card():
    state = {"cell": ("entropies_rows", 0, 0), "source": "array", "look": "temperature"}
    before, after = (open_with("softmax_axes", axis=axis, **state) for axis in ("rows", "whole"))
    assert [*map(result, cards(before))] == ["0.751"]
    assert cards(after) == []
    assert "The selected cell of $H$ (entropy), row 1, column 1, is not shown here." in captions(after)


SMALL = [name for name in EXAMPLES if example(name).w_q.size <= 64]


def check_reads(rules):
    """Check, cell by cell, that the formula of each matrix lights up the same cells as its calculation uses.

    Cells of the matrix itself and of the mask do not count. `rules` holds the values and the formula of each matrix.
    """
    computation, found = Computation(CellCalculations(rules)), {}
    places = [(name, part) for name, (values, _) in rules.items() for part in np.ndindex(values.shape[:-2])]
    for name, part in places:
        computation.add_formulas(name, part, found)
    board = Board(found)
    for name, part in places:
        values, rule = rules[name]
        id = ".".join([name, *map(str, part)])
        for i, j in np.ndindex(np.atleast_2d(values[part]).shape):
            read = {cell_of_page(*cell) for cell in operands(rule(*part, *(i, j)[-values.ndim :]))}
            for other, *_ in read:
                board.add(other, found[other]["shape"] if other in found else (99, 99))
            assert lit_cells(id, i, j, board) == {cell for cell in read if cell[0] not in (id, "mask")}, (id, i, j)


@pytest.mark.parametrize("name", SMALL)
def test_heads(name):
    this = example(name)
    check_reads(rules_of(this.attention()))
    check_reads(rules_of(this.multi_head()))


@pytest.mark.parametrize("name", SMALL)
def test_a_step_of_training(name):
    check_reads(training_rules(training_trace(example(name), Aim(token=1, target=1))).rules)


def test_what_is_around_a_head():
    check_reads(add_and_norm_rules(add_and_norm(random_numbers(3, 4), random_numbers(3, 4, seed=1))).rules)
    steps = path_steps(example("story"))
    check_reads(path_rules(steps, example("story").w_o).rules)
    check_reads(plain_softmax_rules(steps).rules)
    check_reads(average_rules("losses", random_numbers(5, 3)).rules)


@pytest.mark.parametrize("root", [True, False])
def test_positions(root):
    check_reads(embedding_rules(embed_positions(random_numbers(3, 4), root=root)).rules)
    check_reads(similarity_rules(5, 4).rules)
    check_reads(shift_rules(shift_pair(2, 3, 1, 8)).rules)
    check_reads(alibi_rules(alibi_slopes(8), alibi_bias(8, 3, 4), 2).rules)


def test_turned_queries_and_keys():
    check_reads(rope_rules(rope_scores(random_numbers(6), random_numbers(6, seed=1), 5), query_row=2, key_row=1).rules)


# --- where some cells read nothing ---


@pytest.mark.parametrize("kind", ["causal", "padding"])
@pytest.mark.parametrize("name", SMALL)
def test_a_forbidden_score_reads_nothing(name, kind):
    this = example(name)
    check_reads(rules_of(this.attention(mask=this.mask(kind))))


def test_a_row_in_which_everything_is_forbidden_reads_what_the_others_read():
    this = example("hand")
    n = len(this.x)
    mask = np.ones((n, n), dtype=bool)
    mask[0] = False
    computation, found = Computation(this.attention(mask=mask)), {}
    computation.add_formulas("weights", (), found)
    board = Board(found)
    board.add("masked", (n, n))
    assert lit_cells("weights", 0, 1, board) == {("masked", 0, column) for column in range(n)}


@pytest.mark.parametrize("d_v", [1, 2])
def test_heads_side_by_side_read_their_own_columns(d_v):
    i, j = letters("i j")
    parts = np.zeros((2, 3, d_v))
    whole = Formula((i, j), Grid("a", parts)[j // d_v, i, j % d_v])
    check_reads({**given_rules(a=parts), "whole": (np.zeros((3, 2 * d_v)), whole)})
