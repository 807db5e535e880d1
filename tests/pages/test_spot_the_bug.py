"""Test the page "Spot the bug": picking lines, asking for help, the score, and the way to other exhibits and pages."""

import math

import pytest

from attention_core.museum import EXHIBITS, exhibit
from pages.shared.notation.numbers import number, significant
from pages.shared.state.link_text import decode
from pages.spot_the_bug.lesson import link_parameters
from pagesutil import KINDS
from simulating import captions, clear, key_now, link_of, matrices, notices, open_page, visit_of, with_edit

FIRST, SECOND = EXHIBITS[:2]


def pick(app, line):
    """Pick a line of the shown exhibit, and return the page after that."""
    lines = app.radio(key=key_now(app, "spot_the_bug.exhibit"))
    return lines.set_value((visit_of(app).parameters.exhibit[0], line)).run()


def press(app, key):
    """Press the button with this name, such as "Next", and return the page after that."""
    return app.button(key=f"museum.{key}").click().run()


def page_text(app):
    """Return all texts of the page, with its messages."""
    return "\n".join(element.value for kind in ("markdown", "success", "error", "info") for element in app.get(kind))


def message_boxes(app):
    """Return the texts of the message boxes on the page, by their kind: "success", "error" or "info"."""
    return {kind: [box.value for box in app.get(kind)] for kind in ("success", "error", "info") if app.get(kind)}


def shown_exhibit(app):
    """Return the name of the shown exhibit and its picked line."""
    return visit_of(app).parameters.exhibit


pytestmark = pytest.mark.lowest


def open_exhibit(name, line=0, **link):
    """Open an exhibit on the page, with this line picked, and return the app. Line 0 means that no line is picked."""
    return open_page("spot_the_bug", exhibit=f"{name}.{line}" if line else name, **link)


# --- an exhibit ---


def test_at_first_there_is_a_cell_and_what_it_gives_and_no_answer():
    app = open_page("spot_the_bug")
    assert shown_exhibit(app) == (FIRST.name, 0)
    assert app.radio(key=key_now(app, "spot_the_bug.exhibit")).value is None
    options = app.radio(key=key_now(app, "spot_the_bug.exhibit")).options
    assert [text.strip("`") for text in options] == [f"{i}  {line}" for i, line in enumerate(FIRST.lines, start=1)]
    assert not message_boxes(app)
    assert not app.code
    assert not any(item["right"] for item in matrices(app).values())
    assert "0 of 28" in page_text(app)
    assert FIRST.why not in page_text(app)


@pytest.mark.many
@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_its_wrong_line_is_right_and_any_other_is_not(exhibit):
    app = open_exhibit(exhibit.name)
    other = 1 if exhibit.wrong_line > 1 else 2
    app = pick(app, other)
    assert link_of(app) == {"exhibit": f"{exhibit.name}.{other}"}
    (error,) = message_boxes(app)["error"]
    assert f"**No: line {other} is right.**" in error
    assert "0 of 28" in page_text(app)
    app = pick(app, exhibit.wrong_line)
    assert not app.exception
    (success,) = message_boxes(app)["success"]
    assert f"**Right: line {exhibit.wrong_line} is wrong.**" in success
    assert "1 of 28" in page_text(app)
    assert exhibit.correct_line.strip() in app.code[0].value
    assert exhibit.lines[exhibit.wrong_line - 1].strip() in app.code[0].value


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_its_link_restores_the_answer_in_the_other_layout_too(exhibit):
    app = open_exhibit(exhibit.name, exhibit.wrong_line, layout="columns")
    assert not app.exception
    assert link_of(app) == {"layout": "columns", "exhibit": f"{exhibit.name}.{exhibit.wrong_line}"}
    assert "The matrices below have them as columns" in page_text(app)
    off = (
        "another shape"
        if math.isinf(exhibit.greatest_error)
        else "not a number"
        if math.isnan(exhibit.greatest_error)
        else significant(exhibit.greatest_error, 4)
    )
    assert off in message_boxes(app)["success"][0]


def test_beside_the_right_one_differences_are_marked_and_the_line_is_not_told():
    app = open_exhibit("two_loops", aid="beside")
    shown = matrices(app)
    assert shown["output_mistake"]["right"] == shown["output_right"]["values"]
    assert not message_boxes(app)
    assert f"The result is off by up to {significant(exhibit('two_loops').greatest_error, 4)}." in page_text(app)
    assert exhibit("two_loops").why not in page_text(app)
    assert "These checks find no error, but the result is wrong." in page_text(app)


def test_a_shown_answer_does_not_count_as_found():
    app = open_exhibit("two_loops", aid="answer")
    assert message_boxes(app)["info"] == [
        f"**Line 5 is wrong.** The result is off by up to {significant(exhibit('two_loops').greatest_error, 4)}."
    ]
    assert "**0 of 28** found, 1 shown to you" in page_text(app)
    app = clear(app, "spot_the_bug.aid")
    assert not message_boxes(app)
    app = pick(app, 5)
    assert "success" in message_boxes(app)
    assert "**0 of 28** found, 1 shown to you" in page_text(app)


def test_a_link_with_the_right_line_and_the_answer_says_it_once():
    assert message_boxes(open_exhibit("two_loops", 5, aid="answer")).keys() == {"success"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("three_shares", "✗ The rows of the weights sum to **0.14, 2.44, 0.42**."),
        ("three_projections", "✗ $Z$ is **3×4**, but should be 3×2. ✓ Every row of the weights sums to 1."),
        ("columns_of_the_book", "✗ $S$ is **3×3×4×4**, but should be 3×3."),
        ("large_inputs", "✗ Some of the results are **not numbers**."),
        ("sine_and_cosine", "✓ Every shape is right. These checks find no error"),
    ],
)
def test_checks_without_the_right_result_are_shown(name, words):
    assert words in page_text(open_exhibit(name))


def test_checks_turn_with_the_matrices():
    words = page_text(open_exhibit("three_projections", layout="columns"))
    assert "✗ $Z$ is **4×3**, but should be 2×3. ✓ Every column of the weights sums to 1." in words


# --- numbers ---


def test_a_number_is_worked_out_beside_what_the_cell_gives():
    app = open_exhibit("two_loops")
    assert "Press a number, or Enter on it" in captions(app)
    app = with_edit(app, {"kind": "select", "place": ["output_mistake", 0, 1]})
    outcome = exhibit("two_loops").outcome()
    assert f"The mistake gives ${number(outcome.wrong['output'][0, 1])}$." in page_text(app)
    assert f"= {number(outcome.correct['output'][0, 1])}\n$$" in page_text(app)


def test_a_number_that_should_not_be_there():
    app = open_exhibit("three_projections", cell="output_mistake.2.3")
    assert "The right result has another shape" in page_text(app)


@pytest.mark.parametrize("cell", ["output_mistake.9.9", "q.0.0", "weights_mistake.0.0.0"])
def test_a_cell_that_is_not_there(cell):
    app = open_exhibit("two_loops", cell=cell)
    assert not app.exception
    assert "Press a number, or Enter on it" in captions(app)


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
