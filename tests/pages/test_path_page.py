"""Test the page "The path" as a visitor uses it: guesses, reveals, the next screen, and what the app remembers."""

import numpy as np
import pytest

from attention_core.examples import EXAMPLES, example
from attention_core.experiments.heads import run_rewired
from attention_core.experiments.saturation import two_wants
from pages.multi_head.lesson import why_several_heads
from pages.path.boards import frames_of, lines_of
from pages.path.navigation import go_from
from pages.path.numbers import END, the_story
from pages.shared.equation.model import matrices_of
from pages.shared.frame.pipeline_map import screen_on_the_path
from pages.shared.notation.prose import whom
from pages.shared.scene_files.screens import SHOWN, screen_of_page, screens
from pages.shared.site.page import catalogue
from simulating import (
    drawn_equations,
    equations,
    go,
    link_of,
    matrices,
    open_page,
    page_text,
    visit_of,
    visitor_of,
    with_edit,
)
from visiting import edit, visiting

SCREENS = screens()
SOUR = SCREENS[0].then.removeprefix("x=")


def press(app, label):
    return next(button for button in app.button if label in button.label).click().run()


def turn(app, from_number, to_number):
    """Go from one screen to another, as the buttons below the screen do, and return the app."""
    with visiting(visitor_of(app)):
        go_from(from_number, to_number)
    return app.run()


def type_number(app, number, label):
    """Type a number, press the button whose label contains `label`, and return the app."""
    app.number_input[0].set_value(float(number))
    return press(app, label)


def wrong_guess(screen):
    return "2" if screen.typed else str(next(n for n, o in enumerate(screen.options, 1) if not o.right))


@pytest.mark.lowest
@pytest.mark.parametrize("screen", SCREENS, ids=[screen.name for screen in SCREENS])
def test_a_screen_opens_asks_and_answers(screen):
    before = open_page("path", screen=screen.name)
    assert not before.exception
    assert f"# {screen.question}" in page_text(before)
    assert screen.keep not in page_text(before)
    assert not any(option.tempting in page_text(before) for option in screen.options if option.tempting)
    after = open_page("path", screen=screen.name, guesses=screen.name + wrong_guess(screen))
    assert not after.exception
    assert "Not quite." in page_text(after)
    assert screen.keep in page_text(after)
    shown = open_page("path", screen=screen.name, guesses=screen.name + SHOWN)
    assert "Not quite." not in page_text(shown)
    assert "Right." not in page_text(shown)
    assert screen.keep in page_text(shown)
    assert visit_of(shown).notices == ()


@pytest.mark.lowest
def test_only_whoever_chose_a_wrong_answer_reads_what_makes_it_tempting():
    app = press(open_page("path", screen="2"), "All rows")
    first, second = (option.tempting for option in SCREENS[1].options if option.tempting)
    assert second in page_text(app)
    assert first not in page_text(app)
    assert link_of(app) == {"screen": "table", "guesses": "table3"}


@pytest.mark.lowest
def test_a_right_guess_shows_the_sour_milk_and_the_next_screen_has_the_story_again():
    app = press(open_page("path"), "It moves to")
    assert "Right." in page_text(app)
    assert link_of(app) == {"guesses": "refers3", "x": SOUR}
    app = turn(app, 1, 2)
    assert f"# {SCREENS[1].question}" in page_text(app)
    assert link_of(app) == {"screen": "table", "guesses": "refers3"}
    app = turn(turn(app, 2, 1), 2, 3)  # the second press came from a screen that is gone
    assert link_of(app) == {"guesses": "refers3", "x": SOUR}
    assert "Right." in page_text(app)


@pytest.mark.lowest
def test_the_answer_is_shown_at_any_time_and_asked_again():
    app = press(open_page("path", screen="5"), "Show me")
    assert SCREENS[4].keep in page_text(app)
    app = press(app, "Ask me again")
    assert SCREENS[4].keep not in page_text(app)
    assert link_of(app) == {"screen": "softmax"}


@pytest.mark.lowest
def test_a_number_is_typed_and_its_reason_given():
    number = next(n for n, screen in enumerate(SCREENS, 1) if screen.typed)
    app = open_page("path", screen=str(number))
    app = type_number(app, 2, "That is my guess")
    assert "guesses" not in link_of(app)
    assert "is the value of “cat” alone" in page_text(app)
    assert "Try once more." in page_text(app)
    assert SCREENS[number - 1].keep not in page_text(app)
    app = type_number(app, 3, "That is my guess")
    assert "Not quite.** You said: *3*." in page_text(app)
    assert SCREENS[number - 1].keep in page_text(app)
    app = press(app, "Ask me again")
    assert "Try once more." not in page_text(app)
    assert "Right." in page_text(type_number(app, 1.5, "That is my guess"))


@pytest.mark.lowest
def test_a_chapter_opens_with_a_question_that_can_be_left_open():
    app = open_page("path", screen="3")
    app = type_number(app, 5, "Check it")
    assert "Try once more." in page_text(app)
    app = type_number(app, 1, "Check it")
    assert "Right.** It has one unit" in page_text(app)
    assert link_of(app) == {"screen": "query", "guesses": "unit1"}


@pytest.mark.lowest
def test_what_is_offered_to_try_is_done_by_a_press_and_said_with_its_numbers():
    app = press(open_page("path", screen="3", guesses="query4"), "Set thirsty to 0")
    assert "The query was (3, 1, 0, 1). Now it is (1, 1, 0, 1)." in page_text(app)
    app = press(open_page("path", screen="5", guesses="softmax3"), "Make each column add up to 1")
    assert "the weights for “because” add up to 1, although" in page_text(app)


@pytest.mark.lowest
def test_nothing_can_be_changed_before_the_guess():
    for screen in SCREENS:
        app = open_page("path", screen=screen.name)
        assert not any(matrix["editable"] for matrix in matrices(app).values())


@pytest.mark.lowest
def test_an_edit_by_hand_says_the_same_as_the_button():
    app = with_edit(open_page("path", screen="3", guesses="query4"), edit(4, 4, 0))
    assert "Now it is (1, 1, 0, 1)." in page_text(app)


@pytest.mark.lowest
def test_the_path_takes_the_story_from_whatever_page_one_comes():
    app = open_page("path", example="hand", screen="2")
    assert not app.exception
    assert visit_of(app).workspace.example == "story"
    assert drawn_equations(app)["board"]


@pytest.mark.lowest
def test_a_link_with_a_guess_shows_the_sour_milk_that_its_answer_speaks_of():
    app = open_page("path", guesses=f"refers{SHOWN}")
    assert link_of(app) == {"guesses": f"refers{SHOWN}", "x": SOUR}
    app = with_edit(app, {**edit(4, 4, 1), "cells": [[4, 4, 1], [4, 5, 0]]})
    assert link_of(app) == {"guesses": f"refers{SHOWN}"}  # “thirsty” again, by the visitor's own hand
    other = {"screen": "table", "guesses": f"refers{SHOWN}"}
    assert link_of(open_page("path", **other)) == other


@pytest.mark.lowest
def test_edits_of_another_page_do_not_change_the_story_of_the_path_and_its_own_stay():
    app = with_edit(open_page("home"), edit(0, 0, 9))
    app.query_params.clear()
    app = go(app, "path")
    assert link_of(app) == {}
    app = press(open_page("path", screen="3", guesses="query4"), "Set thirsty to 0")
    tried = link_of(app)
    assert "x" in tried
    for page in ("home", "path"):
        app.query_params.clear()
        app = go(app, page)
    assert link_of(app) == tried


@pytest.mark.lowest
def test_the_last_page_keeps_every_line_and_counts_the_guesses():
    app = open_page("path", screen=END, guesses="refers3_table2_softmaxS")
    assert all(screen.keep in page_text(app) for screen in SCREENS)
    assert f"You guessed 2 of {len(SCREENS)} answers, and 1 of them right" in page_text(app)
    app = press(app, "Begin the path anew")
    assert link_of(app) == {}
    assert f"# {SCREENS[0].question}" in page_text(app)


@pytest.mark.lowest
def test_a_lecture_that_a_link_opens_is_left_since_the_path_has_no_scenes():
    app = open_page("path", screen="2", view="present")
    assert not app.exception
    assert link_of(app) == {"screen": "table"}
    assert not visit_of(app).lecture.present


@pytest.mark.lowest
def test_a_page_says_where_it_stands_in_the_path():
    screen = screen_on_the_path("softmax_axes")
    assert screen is not None
    assert (screen.name, screen.state) == (f"5 of {len(SCREENS)}", {"screen": "softmax"})
    assert screen_on_the_path("your_sentence") is None


@pytest.mark.lowest
def test_the_path_stands_after_home_in_the_menu():
    assert [page.name for page in catalogue()[:2]] == ["home", "path"]


@pytest.mark.lowest
def test_the_menu_follows_the_path():
    places = [place for page in catalogue() if (place := screen_of_page(page.name))]
    assert len(places) > 9
    assert places == sorted(places)


# --- what the browser remembers ---


@pytest.mark.lowest
@pytest.mark.parametrize(
    ("link", "kept", "then"),
    [
        ({}, {"screen": 4, "guesses": "refers3"}, {"screen": "score", "guesses": "refers3"}),
        ({"screen": "2"}, {"screen": 4, "guesses": "refers3"}, {"screen": "table", "guesses": "refers3"}),
        ({"screen": "1"}, {"screen": 4, "guesses": "refers3"}, {"guesses": "refers3", "x": SOUR}),
        ({"guesses": "refers1"}, {"screen": 4, "guesses": "table1"}, {"guesses": "refers1", "x": SOUR}),
        ({}, {"screen": 999, "guesses": "<b>"}, {}),
        ({}, {"screen": "score", "guesses": "refers3"}, {"screen": "score", "guesses": "refers3"}),
        ({}, {"screen": 16, "guesses": ""}, {"screen": "mistake"}),  # an earlier version has stored the number
        ({}, {"screen": END, "guesses": "refers3"}, {"screen": END, "guesses": "refers3"}),
        ({}, {"screen": "nobody", "guesses": 7}, {}),
        ({}, {"screen": True, "guesses": 7}, {}),
        ({}, ["screen", 4], {}),
        ({}, "4", {}),
    ],
)
def test_going_on_where_the_browser_was(link, kept, then):
    from pages.path import navigation
    from simulating import visitor_of

    app = open_page("path", **link)
    with visiting(visitor_of(app)):
        navigation.resume(kept)
    assert link_of(app.run()) == then
    assert not app.exception


@pytest.mark.lowest
def test_the_story_is_what_the_screens_speak_of():
    assert the_story().tokens == ("cat", "drank", "milk", "because", "it")


# --- motion ---


@pytest.mark.lowest
@pytest.mark.parametrize("board", ["score", "softmax", "mixture", "residual"])
def test_a_motion_ends_with_the_numbers_of_the_board(board):
    screen = next(screen for screen in SCREENS if screen.board == board)
    lines = lines_of(screen, the_story(), revealed=True, tries=0)
    values = {matrix.id: matrix.values for matrix in matrices_of(lines)}
    frames = frames_of(board, the_story())
    for (name, row, column), value in frames[-1].shown:
        assert value == pytest.approx(values[name][row, column])
    assert any(frames[0].shown[n][1] != value for n, (_, value) in enumerate(frames[-1].shown))
    assert {cell[0] for frame in frames for cell in frame.lit} <= values.keys()


@pytest.mark.lowest
def test_powers_too_large_for_a_motion_have_none():
    assert frames_of("softmax", the_story().with_matrices({"w_q": the_story().w_q * 1000})) == ()


@pytest.mark.lowest
def test_a_button_that_goes_back_and_forth_says_what_its_next_press_does():
    app = open_page("path", screen="softmax", guesses="softmax3")
    app = press(app, "Make each column add up to 1")
    app = press(app, "Make each row add up to 1")
    assert any("Make each column add up to 1" in button.label for button in app.button)
    assert "/" not in "".join(button.label for button in app.button)


STORY = example("story")
ONE, TWO = run_rewired(STORY, 1).heads.weights[0], run_rewired(STORY, 2).heads.weights


def test_on_the_story_it_is_drank_that_wants_the_cat_and_the_milk():
    wants = two_wants(ONE, TWO)
    assert wants is not None
    assert [STORY.tokens[place] for place in (wants.token, *wants.keys)] == ["drank", "cat", "milk"]
    assert wants.heads == (0, 1)
    np.testing.assert_allclose(wants.alone, 0.465, atol=0.001)
    np.testing.assert_allclose(wants.apart, 0.946, atol=0.001)
    assert wants.gain == min(wants.apart) - max(wants.alone)


def test_by_hand():
    one = [[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]
    heads = [[[0.9, 0.1, 0.0], [1.0, 0.0, 0.0]], [[0.2, 0.8, 0.0], [0.4, 0.6, 0.0]]]
    wants = two_wants(one, heads)
    assert wants is not None
    assert (wants.token, wants.keys, wants.apart, wants.alone) == (0, (0, 1), (0.9, 0.8), (0.5, 0.5))
    assert wants.gain == pytest.approx(0.3)


def test_heads_with_the_same_weights_are_worth_nothing():
    assert two_wants(ONE, np.stack([ONE, ONE])) is None
    assert two_wants(ONE, ONE[None]) is None  # there is only one head
    flat = np.full((2, 2), 0.5)
    assert two_wants(np.eye(2), np.stack([np.eye(2), flat])) is None


def test_heads_of_other_shapes_are_refused():
    with pytest.raises(
        ValueError, match=r"heads must be weights of the shape of single_head; got single_head \(5, 5\)"
    ):
        two_wants(ONE, ONE)


@pytest.mark.parametrize("name", EXAMPLES)
def test_sentences_are_true_on_every_example(name):
    this = example(name)
    one, several = run_rewired(this, 1).heads.weights[0], run_rewired(this, this.n_heads).heads.weights
    wants = two_wants(one, several)
    if wants is None:
        return
    for which, (head, key) in enumerate(zip(wants.heads, wants.keys, strict=True)):
        assert several[head, wants.token].argmax() == key
        assert wants.apart[which] == several[head, wants.token, key] > wants.alone[which] == one[wants.token, key]
    found = [whom(this.tokens, this.key_tokens, wants.token, key) for key in wants.keys]
    says = why_several_heads(this, wants, len(several), 2)
    for head, key in zip(wants.heads, found, strict=True):
        assert f"head {head + 1} " in says
        assert f"to {key} with **" in says


def test_the_page_says_it_with_its_numbers():
    said = "\n".join(text.value for text in open_page("multi_head").markdown)
    assert "“drank” needs two features at once, *living* and *thing*." in said
    assert "0.47 for “cat” and 0.47 for “milk”." in said
    assert "in head 1 it attends to “cat” with **0.95**, in head 2 to “milk” with **0.95**." in said


def test_if_no_token_needs_several_heads_the_story_is_offered():
    app = open_page("multi_head", x="1,0,0,0,0,0;1,0,0,0,0,0;1,0,0,0,0,0;1,0,0,0,0,0;1,0,0,0,0,0")
    (button,) = (button for button in app.button if button.key == "offer.story")
    assert any("In this example no token needs that" in text.value for text in app.markdown)
    app = button.click().run()
    assert any("“drank” needs" in text.value for text in app.markdown)


def ids_of(lines):
    """Return a list of matrix ids for each line of an equation."""
    return [[item["id"] for item in line["items"] if "id" in item] for line in lines]


def test_the_board_leads_from_scores_to_the_output_of_each_of_two_heads():
    shown = equations(open_page("multi_head", look="shares"))
    board, mixed = shown["multi_head.equation.x_ray"], shown["multi_head.equation.view"]
    assert ids_of(board) == [[f"{name}.{h}" for name in ("scores", "weights", "heads")] for h in (0, 1)]
    assert ids_of(mixed) == [["concat", "w_o", "output"]]
    assert [item["text"] for item in board[0]["items"] if "text" in item][:2] == ["Q_1", "·"]


def test_heads_that_share_keys_and_values_say_whose():
    board = equations(open_page("multi_head", sharing="all"))["multi_head.equation.x_ray"]
    texts = [[item["text"] for item in line["items"] if "text" in item] for line in board[:2]]
    assert [(text[0], text[2], text[5]) for text in texts] == [("Q_1", "K_1^T", "·"), ("Q_2", "K_1^T", "·")]
    assert all("V_1" in text for text in texts)


@pytest.mark.parametrize(("name", "in_full", "others"), [("book", 3, 0), ("wide", 2, 6)])
def test_of_many_heads_two_are_drawn_in_full_and_of_the_others_the_outputs(name, in_full, others):
    ids = ids_of(equations(open_page("multi_head", example=name))["multi_head.equation.x_ray"])
    assert [line[0] for line in ids[:in_full]] == [f"scores.{h}" for h in range(in_full)]
    assert ids[in_full:] == ([[f"heads.{h}" for h in range(in_full, in_full + others)]] if others else [])
