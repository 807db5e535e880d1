"""Test the links of "Spot the bug": from one exhibit to the next, and to the pages that explain them."""

import pytest

from attention_core.museum import EXHIBITS, exhibit
from exhibits import FIRST, SECOND, message_boxes, page_text, pick, press, shown_exhibit
from pages.shared.lessons.spot_the_bug.exhibit_words import link_parameters
from pages.shared.state.link_text import decode
from pagesutil import KINDS
from simulating import key_now, link_of, notices, open_page, with_edit

# --- from one to another ---


def test_through_the_museum():
    app = open_page("spot_the_bug")
    assert app.button(key="museum.Previous").disabled
    app = with_edit(pick(app, 1), {"kind": "select", "place": ["output_mistake", 0, 0]})
    app = press(app, "Next")
    assert shown_exhibit(app) == (SECOND.name, 0)
    assert app.radio(key=key_now(app, "spot_the_bug.exhibit")).value is None
    assert link_of(app) == {"exhibit": SECOND.name}
    app = press(app, "Previous")
    assert shown_exhibit(app) == (FIRST.name, 1), "the line picked there is still picked"
    app = app.selectbox(key=key_now(app, "museum.list")).set_value(EXHIBITS[-1].name).run()
    assert shown_exhibit(app) == (EXHIBITS[-1].name, 0)
    assert app.button(key="museum.Next").disabled


def test_help_ends_with_the_next_exhibit():
    app = press(open_page("spot_the_bug", aid="answer"), "Next")
    assert link_of(app) == {"exhibit": SECOND.name}
    assert not message_boxes(app)


def test_next_leads_to_the_next_unsolved_exhibit():
    app = open_page("spot_the_bug")
    app = press(pick(app, FIRST.wrong_line), "next")
    app = press(pick(app, SECOND.wrong_line), "next")
    assert shown_exhibit(app) == (EXHIBITS[2].name, 0)
    app = press(pick(press(app, "Previous"), 1), "Previous")
    assert "**2 of 28** found" in page_text(app), "a second look costs nothing"
    assert shown_exhibit(press(app, "next")) == (EXHIBITS[2].name, 0)
    listed = app.selectbox(key=key_now(app, "museum.list")).options
    assert [text.endswith(" ✓") for text in listed[:3]] == [True, True, False]


@pytest.mark.parametrize(
    "text", ["nonsense", f"{FIRST.name}.0", f"{FIRST.name}.6", f"{FIRST.name}.", ".3", "", "x.y.z"]
)
def test_a_link_that_is_wrong(text):
    app = open_page("spot_the_bug", exhibit=text, aid="beside")
    assert not app.exception
    assert shown_exhibit(app) == (FIRST.name, 0)
    assert "`exhibit` must be an exhibit and, if one is picked, its line, as three_shares or three_shares.2" in notices(
        app
    )
    assert link_of(app) == {"aid": "beside"}


# --- and on to the page that explains it ---


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_the_page_that_explains_it_knows_that_state(exhibit):
    _, parameters, notices = decode(
        {name: [text] for name, text in link_parameters(exhibit).items()}, KINDS[exhibit.page]
    )
    assert notices == []
    assert getattr(parameters, "mistake", "") == exhibit.state.get("mistake", "")


@pytest.mark.parametrize("name", ["large_inputs", "a_filler", "decoder_and_encoder", "two_heads"])
def test_the_mistake_is_switched_on_there(name):
    this = exhibit(name)
    app = open_page(this.page, **link_parameters(this))
    assert any("is **not a number**" in text.value or "is off by up to" in text.value for text in app.markdown)
