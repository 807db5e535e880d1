"""Test the notices about refused input: all are shown, each once, until the visitor changes something."""

import pytest

from pages.shared.state import session
from pagesutil import DECLARED
from simulating import go, link_of, open_page, undo, visit_of, with_edit
from visiting import edit, send

pytestmark = pytest.mark.lowest
BAD = edit(0, 0, 1e9)


@pytest.mark.parametrize("name", DECLARED)
def test_what_a_link_gets_wrong_is_said_until_something_changes(name):
    app = open_page(name, nonsense="1").run().run()
    (notice,) = visit_of(app).notices
    assert "`nonsense`" in notice
    assert visit_of(with_edit(app, {"kind": "select", "place": ["x", 0, 0]})).notices == (notice,)
    assert visit_of(undo(app)).notices == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda app: app.selectbox(key="example").select("book"),
        lambda app: app.button_group(key="attention.mask").set_value("causal"),
        lambda app: next(button for button in app.button if button.label == "Next step").click(),
    ],
)
def test_any_change_clears_what_was_said(change):
    app = open_page("attention", step="4", nonsense="1")
    assert len(visit_of(app).notices) == 1
    assert visit_of(change(app).run()).notices == ()


def test_a_good_edit_clears_what_was_said_of_a_refused_one():
    app = with_edit(open_page("attention"), BAD)
    assert len(visit_of(app).notices) == 1
    assert visit_of(with_edit(app, edit(0, 0, 5))).notices == ()


def test_another_page_clears_what_was_said():
    assert visit_of(go(with_edit(open_page("attention"), BAD), "scaling")).notices == ()


def test_an_edit_and_a_text_that_are_refused_in_one_run_are_both_named():
    app = open_page("your_sentence", text="one two")
    app.text_input(key="your_sentence.text").set_value("one\ttwo")
    with_edit(app, BAD)
    assert len(visit_of(app).notices) == 2
    assert link_of(app) == {"source": "typed", "text": "one two"}


def test_each_thing_is_said_once_and_what_the_page_has_not_shown_stays(visitor_session):
    send(BAD, edit(9, 0, 1), BAD, edit(0, 0, 5))
    assert len(visitor_session.visit.notices) == 2
    send(edit(0, 0, 6), first=5)
    assert session.show_notices() == visitor_session.visit.notices
    assert len(visitor_session.visit.notices) == 2
    send(edit(0, 0, 7), first=6)
    assert visitor_session.visit.notices == ()


def test_what_is_refused_again_is_said_again(visitor_session):
    send(BAD)
    said = session.show_notices()
    send(BAD, first=2)
    assert session.show_notices() == said != ()


def test_of_very_many_notices_the_first_are_shown():
    app = open_page("attention", **{f"nonsense{number}": "1" for number in range(1000)})
    said = visit_of(app).notices
    assert len(said) == session.MOST_NOTICES + 1
    assert said[-1] == session.MORE
