"""Test the address in the browser: the page writes its link there when the state has changed.

The browser's Back button keeps working.

Also what a link holds.
"""

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.runtime.state import QueryParamsProxy

from attention_core.examples import EXAMPLES, example
from pages.shared.controls.kinds import Choice
from pages.shared.state.link_text import decode, encode
from pages.shared.state.session import LONGEST_EDITABLE_SIDE, Workspace, matrix_inputs, original, with_workspace
from pagesutil import KINDS, names_of, of_every_page, states
from simulating import X_5, choose, edits, go, link_of, open_page, undo, visit_of, with_edit
from strategies import law
from visiting import edit, with_x


@pytest.fixture
def written_links(monkeypatch):
    """Give the test a list that collects every link that the app writes into the address."""
    written, write = [], QueryParamsProxy.from_dict

    def watched(self, params):
        written.append(dict(params))
        write(self, params)

    monkeypatch.setattr(QueryParamsProxy, "from_dict", watched)
    return written


@pytest.mark.lowest
def test_the_link_is_written_only_where_it_differs(written_links):
    app = open_page("attention", step="3")
    app.run()
    assert written_links == []
    with_edit(app, edit(0, 0, 5)).run()
    assert written_links == [{"step": "3", "x": X_5}]


@pytest.mark.lowest
def test_a_drag_writes_one_link_when_it_ends(written_links):
    app = open_page("attention")
    for value in (2, 3, 4):
        app = with_edit(app, edit(0, 0, value, gesture="d1", done=False))
    assert written_links == []
    with_edit(app, edit(0, 0, 5, gesture="d1", done=True))
    assert written_links == [{"x": X_5}]


@pytest.mark.lowest
def test_a_drag_that_the_menu_breaks_off_keeps_no_later_link_from_being_written():
    app = with_edit(open_page("attention"), edit(0, 0, 5, gesture="d1", done=False))
    app.query_params.clear()
    app = go(app, "softmax_axes")
    assert link_of(choose(app, "axis", "columns")) == {"x": X_5, "axis": "columns"}


@pytest.mark.lowest
def test_a_drag_whose_end_never_came_keeps_no_later_link_from_being_written():
    app = with_edit(open_page("softmax_axes"), edit(0, 0, 5, "scores", gesture="d1", done=False))
    assert link_of(app) == {}
    assert link_of(choose(app, "axis", "columns"))["axis"] == "columns"


@pytest.mark.lowest
def test_the_browser_s_back_restores_the_state_before():
    app = with_edit(open_page("attention", step="3"), edit(0, 0, 5))
    app.query_params.clear()
    app.query_params["step"] = "3"
    app = app.run()
    assert edits(app) == {}
    assert link_of(app) == {"step": "3"}


@pytest.mark.lowest
def test_a_drag_ends_with_its_page():
    app = with_edit(open_page("attention"), edit(0, 0, 5, gesture="d1", done=False))
    assert link_of(app) == {}  # during a drag, no step is written for the browser's Back
    assert link_of(go(app, "queries_keys_values")) == {"x": X_5}


@pytest.mark.lowest
def test_a_bare_address_restores_the_state_on_arrival():
    app = go(with_edit(open_page("attention"), edit(0, 0, 5)), "queries_keys_values")
    app = with_edit(app, edit(0, 1, 6))
    app.query_params.clear()
    app = app.run()
    assert edits(app) == with_x((0, 0, 5.0)).edits
    assert link_of(app) == {}


@pytest.mark.lowest
def test_another_link_on_the_same_page_can_be_undone():
    app = with_edit(open_page("attention"), edit(0, 0, 5))
    app.query_params.clear()
    app.query_params["example"] = "book"
    app = undo(app.run())
    assert link_of(app) == {"x": X_5}


@pytest.mark.lowest
def test_the_address_counts_more_than_widgets_that_show_the_state_before():
    app = open_page("softmax_axes", axis="columns")
    app.query_params["axis"] = "whole"
    app = app.run()
    assert link_of(app) == {"axis": "whole"}
    assert visit_of(app).parameters.axis == "whole"


@pytest.mark.lowest
def test_a_widget_outside_the_lesson_does_not_take_a_slow_address_for_an_older_one():
    app = with_edit(open_page("attention", step="3"), edit(0, 0, 5))
    app.query_params.clear()  # a slow browser may still have the old address
    app = choose(app, "example", "book")
    assert link_of(app) == {"step": "3", "example": "book"}
    app.query_params.clear()
    assert link_of(app.run()) == {}  # this time the browser's Back emptied the address


ATTENTION, SOFTMAX = KINDS["attention"], KINDS["softmax_axes"]


def through_the_address_bar(query):
    """Return a query after it was written into an address and read from this address again."""
    return parse_qs(urlencode(query, safe=",;."), keep_blank_values=True, strict_parsing=bool(query))


def as_received(query):
    """Return a query in the form that the app gets it: a list of values for each name."""
    return {name: [text] for name, text in query.items()}


# --- encode → decode ---


@pytest.mark.many
@of_every_page
@law
@given(st.data())
def test_every_state_comes_back(kind, data):
    workspace, parameters = data.draw(states(kind))
    query = encode(workspace, parameters)
    assert decode(through_the_address_bar(query), kind) == (workspace, parameters, [])


@of_every_page
def test_a_page_as_it_starts_needs_no_link(kind):
    opened = Workspace(kind.opens_with)
    assert encode(opened, kind()) == {}
    assert decode({}, kind) == (opened, kind(), [])


@pytest.mark.parametrize("name", EXAMPLES)
@of_every_page
def test_an_example_as_it_is_needs_its_name_alone(kind, name):
    query = encode(Workspace(name), kind())
    assert query == ({} if name == kind.opens_with else {"example": name})
    assert decode(as_received(query), kind) == (Workspace(name), with_workspace(kind(), Workspace(name)), [])


def test_a_link_can_be_read():
    workspace = Workspace("book", {"x": ((1.0, 0.0, 1.0, 0.0), (0.0, 2.0, 0.0, 2.5), (1.0, 1e-7, 1.0, -1.0))})
    here = {"step": "5", "mask": "causal", "cell": ("weights.1", 2, 0), "token": 1}
    query = encode(workspace, replace(ATTENTION(), **here))
    assert urlencode(query, safe=",;.") == (
        "example=book&x=1,0,1,0;0,2,0,2.5;1,1e-07,1,-1&cell=weights.1.2.0&step=5&token=1&mask=causal"
    )


def test_an_edit_back_to_the_example_is_no_edit():
    given = {"example": ["hand"], "x": ["1,0,0,2,0;1,0,1,0,0;0,1,0,1,1"]}
    assert decode(given, ATTENTION)[0] == Workspace("hand")


def test_matrices_that_are_too_large_are_not_in_links():
    assert matrix_inputs("wide", ATTENTION) == matrix_inputs("heads_512", ATTENTION) == {}
    sides = [max(m.shape) for name in EXAMPLES for m in example(name).matrices().values()]
    inputs = [each for name in EXAMPLES for each in matrix_inputs(name, ATTENTION)]
    assert len(inputs) == sum(side <= LONGEST_EDITABLE_SIDE for side in sides)


def test_a_vector_is_a_matrix_of_one_row():
    columns = example("columns")
    assert columns.b_q is not None
    assert original("b_q", "columns", ATTENTION) == (tuple(columns.b_q.tolist()),)
    edited = decode({"example": ["columns"], "b_q": ["1,2,3,4"]}, ATTENTION)[0].edited_example
    assert edited.b_q is not None
    assert edited.b_q.tolist() == [1, 2, 3, 4]


# --- links with mistakes ---

MUTATIONS = {
    "dropped": lambda text: [],
    "given twice": lambda text: [text, text],
    "given twice, differently": lambda text: [text, text[::-1]],
    "emptied": lambda text: [""],
    "cut": lambda text: [text[: len(text) // 2]],
    "doubled": lambda text: [text + text],
    "reversed": lambda text: [text[::-1]],
    "huge": lambda text: [(text or "9") * 5000],
    "spaced": lambda text: [f" {text}\t"],
    "underscored": lambda text: [text.replace(",", "_") + "1_000"],
    "separators nested": lambda text: [text.replace(",", ",;,")],
    "separators swapped": lambda text: [text.translate(str.maketrans(",;", ";,"))],
    "separator added": lambda text: [text + ";"],
    "number to not one": lambda text: [re.sub(r"\d+", "NaN", text, count=1)],
    "number to infinity": lambda text: [re.sub(r"\d+", "-inf", text, count=1)],
    "number beyond floats": lambda text: [re.sub(r"\d+", "1e999", text, count=1)],
    "number beyond bounds": lambda text: [re.sub(r"\d+", "10001", text, count=1)],
    "number with many digits": lambda text: [re.sub(r"\d+", "1" * 400, text, count=1)],
    "other digits": lambda text: [text.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))],
    "other letters": lambda text: [f"{text}é\u202e😀\u200b"],
    "markup": lambda text: [f"`<b>{text}</b>`**"],
    "control characters": lambda text: [f"\0{text}\n"],
    "another's": lambda text: ["scores.1.0"],
}
STRANGERS = st.sampled_from(["nonsense", "b_q", "w_o", "scores", "__class__", "", "é", "`**x**`", "a" * 3000])


@st.composite
def query_with_errors(draw, query):
    """Draw a copy of `query` with errors. Return the copy, and the names of the parameters that are still correct."""
    chosen = draw(st.lists(st.sampled_from(sorted(query)), unique=True, min_size=1, max_size=3)) if query else []
    wrong = {name: MUTATIONS[draw(st.sampled_from(sorted(MUTATIONS)))](query[name]) for name in chosen}
    stranger = {name: ["1"] for name in draw(st.lists(STRANGERS, max_size=2)) if name not in query}
    return as_received(query) | wrong | stranger, query.keys() - chosen - {*stranger}


def value_of(name, workspace, parameters):
    """Return the value of the parameter `name` in a state, which consists of `workspace` and `parameters`."""
    if name == "example":
        return workspace.example
    return getattr(parameters, name) if hasattr(parameters, name) else workspace.edits.get(name)


@pytest.mark.many
@of_every_page
@settings(law, max_examples=1200 // len(KINDS))
@given(st.data())
def test_a_wrong_parameter_leaves_the_others_unchanged(kind, data):
    before = data.draw(states(kind))
    query, unharmed = data.draw(query_with_errors(encode(*before)))
    workspace, parameters, notices = decode(query, kind)
    after = workspace, parameters

    if "example" not in unharmed and before[0].example != after[0].example:
        unharmed = unharmed & {*names_of(kind)}  # the matrices in the link belong to another example
    for name in unharmed:
        assert value_of(name, *after) == value_of(name, *before)
        assert not any(notice.startswith(f"The link’s `{name}` ") for notice in notices)
    # Whatever the link was, the resulting state can be written as a link.
    assert decode(as_received(encode(*after)), kind) == (*after, [])
    # Every parameter that was refused has one notice, which names the parameter and fits on a line.
    assert all(re.match(r"The link(’s| sets) `[^`]*`", notice) and len(notice) < 300 for notice in notices)
    assert len(notices) == len(set(notices)) <= sum(map(len, query.values()))


def test_a_notice_names_the_first_of_very_many_options():
    choice = Choice("", {f"a_rather_long_name_{i}": "" for i in range(40)})
    with pytest.raises(ValueError, match=r"^one of a_rather_long_name_0, .*_[78], …$") as refused:
        choice.decode("b")
    assert len(str(refused.value)) <= 210


LINKS = "The link’s `{}` must be {}, but it is `{}`, so it was ignored."
SLIDER = "-1000 to 1000 in steps of 10"
X = "5 rows of 6 numbers, as 1,2;3,4"
SIXES = "1,2,3,4,5,6;" * 4
NUMBERS = "numbers from -10000 to 10000"


@pytest.mark.parametrize(
    ("kind", "name", "texts", "rule", "shown"),
    [
        (ATTENTION, "example", ["boook"], f"one of {', '.join(EXAMPLES)}", "boook"),
        (ATTENTION, "step", ["11"], "one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10", "11"),
        (ATTENTION, "mask", [""], "one of none, causal, padding", " "),
        (ATTENTION, "token", ["-1"], "a token’s place, counted from 0, or last", "-1"),
        (ATTENTION, "token", ["100"], "a token’s place, counted from 0, or last", "100"),
        (ATTENTION, "cell", ["scores"], "a matrix, a row and a column, counted from 0, as scores.1.0", "scores"),
        (ATTENTION, "x", ["1,2;3,4"], X, "1,2;3,4"),
        (ATTENTION, "x", [f"{SIXES}1,2,3,4,5"], X, "1,2,3,4,5,6;1,2,3,4,5,6;…"),
        (ATTENTION, "x", [f"{SIXES}1,2,3,4,5,nan"], NUMBERS, "1,2,3,4,5,6;1,2,3,4,5,6;…"),
        (ATTENTION, "x", ["9" * 1000], "5×6 numbers", "9" * 24 + "…"),
        (SOFTMAX, "constant", ["5"], SLIDER, "5"),
        (SOFTMAX, "constant", ["1010"], SLIDER, "1010"),
        (SOFTMAX, "constant", ["<`b`>"], SLIDER, "<b>"),
        (SOFTMAX, "temperature", ["0"], "0.1 to 10 in steps of 0.1", "0"),
        (SOFTMAX, "subtract", ["yes"], "on or off", "yes"),
    ],
)
def test_a_notice_names_the_rule_and_the_wrong_value(kind, name, texts, rule, shown):
    workspace, parameters, notices = decode({name: texts, "digits": ["4"]}, kind)
    assert notices == [LINKS.format(name, rule, shown)]
    assert (workspace, parameters) == (Workspace(kind.opens_with), kind(digits="4"))


def test_of_several_values_the_last_counts():
    query = {"example": ["book", "hand"], "step": ["2", "11", "3"], "token": ["0", "x"]}
    workspace, parameters, notices = decode(query, ATTENTION)
    assert (workspace.example, parameters) == ("hand", replace(ATTENTION(), **{"step": "3", "token": -1}))
    assert notices == [
        "The link’s `example` must have one value, but it has 2. Only the last counts: `hand`.",
        "The link’s `step` must have one value, but it has 3. Only the last counts: `3`.",
        "The link’s `token` must have one value, but it has 2. Only the last counts: `x`.",
        LINKS.format("token", "a token’s place, counted from 0, or last", "x"),
    ]


def test_names_that_are_not_there():
    query = {"example": ["wide"], "x": ["1"], "b_q": ["1"], "ste`p": ["5"]}
    of_the_example = "this example does not have, or does not let you edit"
    expected = {"x": of_the_example, "b_q": of_the_example, "step": "this page does not have"}
    assert decode(query, ATTENTION)[2] == [
        f"The link sets `{name}`, which {where}, so it was ignored." for name, where in expected.items()
    ]


def test_links_from_before_a_name_was_changed_still_open_what_they_opened():
    old = {"slip": ["scores_as_weights"], "cell": ["weights_slip.1.0"]}
    new = {"mistake": ["scores_as_weights"], "cell": ["weights_mistake.1.0"]}

    def of_attention(query):
        return decode(query, KINDS["attention"])

    assert of_attention(old) == of_attention(new)
    both = old | {"mistake": ["mask_inverted"]}
    opens = [(vars(read[1])["mistake"], vars(read[1])["cell"], read[2]) for read in map(of_attention, (old, both))]
    cell = ("weights_mistake", 1, 0)
    assert opens == [("scores_as_weights", cell, []), ("mask_inverted", cell, [])]
