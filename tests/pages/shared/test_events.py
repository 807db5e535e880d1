"""Test the events that an equation sends from the browser: each is applied once and in order, or not at all."""

import math
from typing import Any

import pytest

from attention_core.examples import example
from pages.shared.state import events, history, session
from pages.shared.state.session import Workspace
from visiting import BROWSER, HERE, edit, new_visitor, send, visiting, with_x


def test_an_edit_reaches_the_workspace(visitor_session):
    send(edit(0, 1, 7))
    assert visitor_session.visit.workspace == with_x((0, 1, 7.0))
    assert visitor_session.visit.workspace.edited_example.x[0, 1] == 7
    assert example("story").x[0, 1] == 0


def test_a_block_is_one_edit(visitor_session):
    send({"kind": "edit", "id": "x", "cells": [[0, 0, 5], [0, 1, -2.5]], "done": True})
    assert visitor_session.visit.workspace == with_x((0, 0, 5.0), (0, 1, -2.5))
    assert history.history().past == [Workspace()]


def test_a_bias_is_a_row(visitor_session):
    session.update(workspace=Workspace("columns"))
    send(edit(0, 3, 2, name="b_q"))
    bias = visitor_session.visit.workspace.edited_example.b_q
    assert bias is not None
    assert bias[3] == 2


def test_a_page_has_matrices_of_its_own():
    with visiting(new_visitor("softmax_axes")) as visitor:
        send(edit(0, 0, 9, name="scores"))
    assert visitor.visit.workspace.edits["scores"][0] == (9.0, 0.5, 0.2, 3.0)
    assert visitor.visit.workspace.edited_example.matrices().keys() == example("story").matrices().keys()


def test_an_edit_back_to_what_was_given_is_no_edit(visitor_session):
    send(edit(0, 1, 7), edit(0, 1, 0))
    assert visitor_session.visit.workspace == Workspace()
    assert len(history.history().past) == 2


def test_events_that_are_sent_again_are_not_applied_again(visitor_session):
    once = send(edit(0, 0, 5), edit(0, 1, 6))
    events.receive(HERE, once)
    events.receive(HERE, once | {"list": [*once["list"], {"sequence": 3, **edit(0, 2, 7)}]})
    assert len(history.history().past) == 3
    assert events.sync(HERE)["applied"] == {BROWSER: 3}


def test_another_browser_numbers_its_events_from_1(visitor_session):
    send(edit(0, 0, 5), edit(0, 1, 6))
    send(edit(0, 2, 7), instance="b")
    assert visitor_session.visit.workspace == with_x((0, 0, 5.0), (0, 1, 6.0), (0, 2, 7.0))
    assert events.sync("another equation")["applied"] == {}


def test_edits_of_a_state_that_is_gone_are_dropped(visitor_session):
    before = history.history().generation
    history.choose_example("book")
    send(edit(0, 0, 5), {"kind": "select", "place": ["x", 1, 2]}, generation=before)
    assert visitor_session.visit.workspace == Workspace("book")
    # a selection still counts, because it changes no numbers
    assert visitor_session.visit.parameters.cell == ("x", 1, 2)
    send(edit(0, 0, 5), first=3)
    assert visitor_session.visit.workspace.edits["x"][0][0] == 5


def test_an_edit_after_an_undo_in_one_message_counts(visitor_session):
    send(edit(0, 0, 5), {"kind": "undo"}, edit(0, 1, 6))
    assert visitor_session.visit.workspace == with_x((0, 1, 6.0))


def test_an_empty_message_changes_nothing(visitor_session):
    events.receive(HERE, None)
    assert visitor_session == new_visitor()


def test_selecting(visitor_session):
    send({"kind": "select", "place": ["weights.1", 2, 0]})
    assert session.visit().cell == ("weights.1", 2, 0)
    send({"kind": "select", "place": None}, first=2)
    assert session.visit().cell is None
    assert history.history().past == []


def set_to(value, name: Any = "temperature"):
    """Return the event by which a live slider says that it rests at a number."""
    return {"kind": "set", "name": name, "value": value}


def shown(visitor) -> Any:
    """Return the parameters of the page that a visitor sees."""
    return visitor.visit.parameters


def test_a_live_slider_sets_its_parameter():
    with visiting(new_visitor("softmax_axes")) as visitor:
        send(set_to(0.1 + 0.2), set_to(30, "constant"))
        assert (shown(visitor).temperature, shown(visitor).constant) == (0.3, 30)
        assert type(shown(visitor).constant) is int
        send(set_to(2.5), first=2)  # the second event was applied before
        assert shown(visitor).temperature == 0.3
        send(set_to(2.5), first=3, generation=-1)  # numbers that were replaced since do not matter
        assert shown(visitor).temperature == 2.5
        assert visitor.visit.notices == ()
        assert history.history().past == []


def test_an_edit_after_a_slider_is_another_step_of_undo():
    drag = {"name": "scores", "gesture": "g", "done": False}
    with visiting(new_visitor("softmax_axes")):
        send(edit(0, 0, 5, **drag), set_to(2), edit(0, 0, 6, **drag))
        assert len(history.history().past) == 2


def chosen(text, name: Any = "axis"):
    """Return the event by which a panel says that a value was chosen."""
    return {"kind": "choose", "name": name, "text": text}


def test_a_panel_sets_its_parameters_by_their_texts_in_links():
    with visiting(new_visitor("softmax_axes")) as visitor:
        send(chosen("columns"), chosen("off", "subtract"), chosen("softmax_twice", "mistake"))
        assert (shown(visitor).axis, shown(visitor).subtract) == ("columns", False)
        assert shown(visitor).mistake == "softmax_twice"
        send(chosen("", "mistake"), first=4)
        assert shown(visitor).mistake == ""
        assert visitor.visit.notices == ()


@pytest.mark.parametrize(("name", "text"), [("axis", "sideways"), ("axis", ""), ("subtract", "maybe"), ("task", "x")])
def test_a_choice_that_a_link_could_not_hold_is_refused(name, text):
    with visiting(new_visitor("softmax_axes")) as visitor:
        send(chosen(text, name), chosen("off", "subtract"))
        assert shown(visitor) == type(shown(visitor))(subtract=False)
        (notice,) = visitor.visit.notices
        assert notice.endswith("So the old value stays.")


@pytest.mark.parametrize("name", ["scores", "columns", "nonsense", "__class__", ""])
def test_a_panel_sets_no_matrix_and_nothing_that_is_no_parameter(name):
    with visiting(new_visitor("softmax_axes")) as visitor:
        send(chosen("1,2;3,4", name))
        assert visitor.visit.parameters == type(visitor.visit.parameters)()
        assert visitor.visit.notices == (events.NOT_AN_EVENT,)


# --- what the browser should never have sent ---


@pytest.mark.parametrize("value", [0, 10.1, 0.15, -1, 1e9, math.inf, math.nan])
def test_a_number_that_is_no_step_of_the_slider_is_refused(value):
    with visiting(new_visitor("softmax_axes")) as visitor:
        send(set_to(value), set_to(20, "constant"))
        assert shown(visitor) == type(shown(visitor))(constant=20)
        rule = f"“Temperature T” must be 0.1 to 10 in steps of 0.1, but it was `{value}`. So the old value stays."
        assert visitor.visit.notices == (rule,)


@pytest.mark.parametrize("name", ["base", "subtract", "scores", "cell", "columns", "nonsense", "__class__", ""])
def test_only_a_live_slider_of_the_page_is_set(name):
    with visiting(new_visitor("softmax_axes")) as visitor:
        send(set_to(2, name))
        assert visitor.visit.parameters == type(visitor.visit.parameters)()
        assert visitor.visit.notices == (events.NOT_AN_EVENT,)


HELD = "A cell must hold a number from -10000 to 10000, but you typed `{}`. Nothing was changed."
PLACED = "x is 5×6. It has no cell {}. Nothing was changed."
NAMED = "You can edit only x, w_q, w_k, w_v, w_o here, but the edit was of `{}`. Nothing was changed."


@pytest.mark.parametrize(
    ("bad", "notice"),
    [
        (edit(0, 0, math.nan), HELD.format("nan")),
        (edit(0, 0, math.inf), HELD.format("inf")),
        (edit(0, 0, 1e9), HELD.format("1000000000.0")),
        (edit(0, 0, -10001), HELD.format("-10001")),
        (edit(0, 0, "5"), HELD.format("5")),
        (edit(0, 0, None), HELD.format("None")),
        (edit(5, 0, 1), PLACED.format("5, 0")),
        (edit(0, 6, 1), PLACED.format("0, 6")),
        (edit(-1, 0, 1), PLACED.format("-1, 0")),
        (edit(0, 0, 1, name="q"), NAMED.format("q")),
        (edit(0, 0, 1, name="b_q"), NAMED.format("b_q")),
        (edit(0, 0, 1, name="scores"), NAMED.format("scores")),
        (edit(0, 0, 1, name="nonsense"), NAMED.format("nonsense")),
        ({"kind": "edit", "id": "x", "cells": [[0, 0, 5], [9, 9, 5]], "done": True}, PLACED.format("9, 9")),
    ],
)
def test_a_bad_edit_changes_nothing_and_says_so(visitor_session, bad, notice):
    send(edit(0, 1, 7))
    before = visitor_session.visit.workspace
    send(bad, first=2)
    assert visitor_session.visit.workspace == before == with_x((0, 1, 7.0))
    assert visitor_session.visit.notices == (notice,)
    assert history.usable_tools() == {"undo": True, "redo": False, "reset": True}
    send(edit(0, 1, 8), first=3)
    assert visitor_session.visit.workspace == with_x((0, 1, 8.0))


@pytest.mark.parametrize("name", ["wide", "heads_512"])
def test_what_is_too_large_is_not_edited(visitor_session, name):
    session.update(workspace=Workspace(name))
    send(edit(0, 0, 1))
    assert visitor_session.visit.workspace == Workspace(name)
    assert len(visitor_session.visit.notices) == 1


# --- what no hand can do ---

TAMPERED = [
    {"kind": "select", "place": ["x", -1, -1]},
    {"kind": "select", "place": ["weights.x", 0, 0]},
    {"kind": "select", "place": ["x"]},
    {"kind": "select", "place": ["x", "a", 0]},
    {"kind": "select", "place": ["x", None, 0]},
    {"kind": "select", "place": ["x", math.inf, 0]},
    {"kind": "select", "place": 5},
    {"kind": "select"},
    {"kind": "select", "place": ["x" + ".0" * 40 + "y" * 9000, 0, 0]},
    edit(0, 0, 1, gesture="g" * 9000),
    edit(0, 0, 1, gesture=["g"]),
    edit(0, 0, 1, gesture="\ud800"),
    edit("a", 0, 1),
    edit(None, 0, 1),
    edit(0.5, 0, 1),
    edit(0, 0, True),
    edit(0, 0, 10**400),
    {"kind": "edit", "id": "x", "cells": [[0, 0]], "done": True},
    {"kind": "edit", "id": "x", "cells": 5, "done": True},
    {"kind": "edit", "id": "x", "cells": [[0, 0, 1]]},
    {"kind": "edit", "id": ["x"], "cells": [[0, 0, 1]], "done": True},
    set_to(None),
    set_to("2"),
    set_to(True),
    set_to(10**400),
    set_to([2]),
    set_to(2, "t" * 9000),
    set_to(2, None),
    {"kind": "set", "name": "temperature"},
    {"kind": "reset", "id": "x"},
    {"kind": "fill", "id": "x"},
    {"kind": "fill", "id": "x", "cells": [[0]]},
    {"kind": "format the disk"},
    {"kind": ["undo"]},
    {},
]


@pytest.mark.parametrize("bad", TAMPERED, ids=str)
def test_a_tampered_event_is_ignored_and_the_next_is_not(visitor_session, bad):
    before = visitor_session.visit.parameters
    send(bad, edit(0, 1, 7))
    assert visitor_session.visit.parameters == before
    assert visitor_session.visit.workspace == with_x((0, 1, 7.0))
    assert visitor_session.visit.notices == (events.NOT_AN_EVENT,)


WHOLE = {"instance": "a", "generation": 0, "list": []}


@pytest.mark.parametrize("message", [
    [], "x", {"instance": 1}, {"instance": "a", "generation": 0},
    WHOLE | {"instance": "a" * 9000}, WHOLE | {"instance": "\udfff"}, WHOLE | {"list": [{}] * 2001},
])  # fmt: skip
def test_a_tampered_message_is_ignored(visitor_session, message):
    events.receive(HERE, message or {"list": []})
    assert visitor_session.visit.workspace == Workspace()
    assert visitor_session.visit.notices == (events.NOT_AN_EVENT,)


def test_a_name_that_is_sent_stays_text(visitor_session):
    send(edit(0, 0, 1, name="![a](http://elsewhere/x.png) `b`"))
    (notice,) = visitor_session.visit.notices
    assert "but the edit was of `![a](http://elsewhere/x.…`" in notice
