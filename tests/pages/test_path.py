"""Test the screens of the page "The path": their claims are true, they are short, and no guess is given away."""

import re
from itertools import pairwise

import numpy as np
import pytest

from attention_core.experiments.training import random_scores
from house_rules import check_rule
from pages.home.lesson import introduction_text, minutes_of_path
from pages.path.boards import BOARDS, OTHERS, lines_of
from pages.path.navigation import GuessesInput, decode_guesses, outcome, questions, with_guess
from pages.path.numbers import END, NUMBERED, ScreenInput, names, names_on, screen_numbers, story_with_answer, the_story
from pages.path.story import count_of_cells
from pages.shared.equation.model import matrices_of
from pages.shared.lecture.claims import fill_braces, holds
from pages.shared.notation.expressions import evaluate
from pages.shared.scene_files.screens import SHOWN, chapters, edits_of, screen_of_page, screens
from pages.shared.state.link_text import decode
from pagesutil import KINDS
from serving import ROOT

SCREENS = screens()
every_screen = pytest.mark.parametrize("screen", SCREENS, ids=[screen.name for screen in SCREENS])
BRACES = re.compile(r"(?<!\{)\{([^{}]+)\}(?!\})")
WORDS, WORDS_ASKED, CELLS = 60, 30, 150


def words_of(screen, text):
    """Return how many words a text of a screen has, after its braces were replaced by numbers."""
    said = fill_braces(text, names_on(screen, story_with_answer(screen), 0), 2)
    return sum(bool(re.search(r"\w", word)) for word in said.split())


def texts_of(screen):
    """Return all texts of a screen, each with the example whose numbers replace the braces in the text."""
    asides = [each for each in (screen.warmup, screen.turn, screen.typed) if each]
    said = [text for each in asides for text in (each.ask, each.said, each.otherwise)]
    said += [near.tempting for each in asides for near in each.near] + [screen.before, screen.ask]
    after = [screen.reveal, screen.more, screen.attempt.say, screen.attempt.found]
    tempting = [text for option in screen.options for text in (option.say, option.tempting)]
    return [(text, the_story()) for text in said] + [(text, story_with_answer(screen)) for text in (*after, *tempting)]


@every_screen
def test_the_claims_of_a_screen_are_true(screen):
    names = names_on(screen, story_with_answer(screen), 0)
    for claim in screen.claims:
        assert holds(claim, names), claim


@every_screen
def test_every_number_is_there_and_every_screen_with_numbers_makes_claims(screen):
    named = [expression for text, _ in texts_of(screen) for expression in BRACES.findall(text)]
    for text, example in texts_of(screen):
        assert "NaN" not in fill_braces(text, names_on(screen, example, 0), 2)
    assert screen.claims or not named


@every_screen
def test_decimal_numbers_in_texts_around_an_answer_are_computed(screen):
    """Check that no decimal number is typed in the texts around an answer, so that all of them are computed."""
    for text in (screen.before, screen.reveal, screen.attempt.say, screen.attempt.found, screen.more):
        typed = BRACES.sub("", re.sub(r"\$[^$]*\$", "", text))
        assert not re.search(r"\d\.\d|\d,\d{3}", typed), typed


@every_screen
def test_the_number_of_a_screen_is_computed_and_no_line_to_keep_names_one(screen):
    assert not any(re.search(r"\b[Ss]creens? \d", text) for text, _ in texts_of(screen))
    assert "screen" not in screen.keep


@every_screen
def test_a_screen_is_short(screen):
    assert screen.question.endswith("?")
    assert len(screen.question) <= 60
    assert 0 < words_of(screen, screen.before) <= WORDS
    assert 0 < words_of(screen, screen.reveal) <= WORDS
    assert 0 < words_of(screen, screen.guess_question) <= WORDS_ASKED
    assert len(screen.keep.split()) <= 35


@every_screen
def test_a_board_has_few_numbers(screen):
    if screen.board in OTHERS:
        return
    for revealed in (False, True):
        for tries in (0, 1):
            lines = lines_of(screen, story_with_answer(screen), revealed=revealed, tries=tries)
            assert count_of_cells(lines) <= CELLS


@every_screen
def test_a_guess_has_one_right_answer_and_a_reason_for_every_wrong_one(screen):
    if screen.typed:
        assert screen.typed.low < screen.typed.high
        assert screen.typed.otherwise
        assert all(near.high < screen.typed.low or near.low > screen.typed.high for near in screen.typed.near)
    else:
        assert [option.right for option in screen.options].count(True) == 1
        assert 3 <= len(screen.options) <= 4
        assert all(len(option.say) <= 60 for option in screen.options)


def test_the_right_answer_does_not_keep_its_place():
    places = [[option.right for option in screen.options].index(True) for screen in SCREENS if screen.options]
    assert all(places.count(place) <= len(places) / 2 for place in set(places))
    assert len(set(places)) >= 3
    assert not any(a == b == c for a, b, c in zip(places, places[1:], places[2:], strict=False))


def test_the_right_answer_is_not_always_the_same_and_not_the_longest():
    right = [next(o.say for o in screen.options if o.right) for screen in SCREENS if screen.options]
    assert len(set(right)) == len(right)
    longest = [max((len(o.say), o.right) for o in screen.options)[1] for screen in SCREENS if screen.options]
    assert longest.count(True) <= len(longest) * 0.6


@every_screen
def test_nothing_before_the_guess_can_be_changed_and_the_answer_shows_something_new(screen):
    if screen.board in OTHERS:
        return
    before, after = (
        lines_of(screen, story_with_answer(screen), revealed=revealed, tries=0) for revealed in (False, True)
    )
    assert not any(matrix.editable for matrix in matrices_of(before))
    assert {m.id for m in matrices_of(before)} <= {m.id for m in matrices_of(after)} or screen.board == "mask"
    shown = [{(m.id, m.only_row, m.values.tobytes()) for m in matrices_of(lines)} for lines in (before, after)]
    assert shown[1] - shown[0] or screen.board == "table"  # on "table", only the offered edit changes something


@every_screen
def test_the_answer_is_not_among_the_numbers_before_the_guess(screen):
    """Check that the text before a guess does not contain the answer, if the answer is a number."""
    said = fill_braces(screen.before, names_on(screen, the_story(), 0), 2)
    right = next((o.say for o in screen.options if o.right), "")
    if re.fullmatch(r"-?[\d.]+", right):
        assert not re.search(rf"(?<![\d.]){re.escape(right)}(?![\d.])", said)
    if screen.typed:
        numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", said)]
        assert not any(screen.typed.low <= number <= screen.typed.high for number in numbers)


@every_screen
def test_its_edits_and_links_can_be_opened(screen):
    for state in (screen.then, screen.attempt.state):
        workspace, _, notices = decode(edits_of(state), KINDS["path"])
        assert notices == []
        assert bool(workspace.edits) == bool(state)
    if screen.page:
        query = {name: [text] for name, text in screen.page_state.items()}
        assert decode(query, KINDS[screen.page])[2] == []
    if screen.practice:
        page, difficulty = screen.practice.split()
        assert decode({"task": ["1"], "difficulty": [difficulty]}, KINDS[page])[2] == []


@every_screen
def test_the_offered_edit_changes_the_text_about_it(screen):
    if not screen.attempt.state or not screen.attempt.found:
        return
    edited = decode(edits_of(screen.attempt.state), KINDS["path"])[0].edited_example
    before, after = (
        fill_braces(screen.attempt.found, names_on(screen, each, 0), 2) for each in (story_with_answer(screen), edited)
    )
    assert (before == after) == (screen.board == "table")  # the point of "table" is that nothing changes


def test_sour_gives_milk_the_weight_that_cat_had():
    before, after = (
        names_on(SCREENS[0], each, 0)["weights"][4] for each in (the_story(), story_with_answer(SCREENS[0]))
    )
    assert after[2] == pytest.approx(before[0])
    assert after[2] == max(after)


def test_random_numbers_and_their_scores_have_the_typical_sizes_that_the_text_says():
    (screen,) = (screen for screen in SCREENS if screen.name == "width")
    assert "of typical size 1" in screen.before
    drawn = np.concatenate([random_scores(draw).scores for draw in range(400)])
    assert np.sqrt((drawn**2).mean()) == pytest.approx(8, abs=0.3)


def test_the_lamp_changes_only_its_own_row():
    screen = next(screen for screen in SCREENS if screen.name == "table")
    edited = decode(edits_of(screen.attempt.state), KINDS["path"])[0].edited_example
    assert (edited.x != the_story().x).any(axis=1).tolist() == [True, False, False, False, False]


def test_chapters_hold_all_screens_in_order_and_open_with_a_question_from_the_one_before():
    numbers = [number for chapter in chapters() for number in chapter.screens]
    assert numbers == list(range(1, len(SCREENS) + 1))
    assert all(chapter.screens for chapter in chapters())
    assert all(a.chapter <= b.chapter for a, b in pairwise(SCREENS))
    assert [bool(SCREENS[chapter.screens[0] - 1].warmup) for chapter in chapters()] == [False, True, True, True, True]


def test_every_chapter_with_something_to_compute_ends_with_a_task():
    last = [SCREENS[chapter.screens[-1] - 1] for chapter in chapters()]
    assert [bool(screen.practice) for screen in last] == [False, True, True, True, True]


def test_every_name_is_small_letters_and_its_own():
    assert all(re.fullmatch("[a-z]+", name) for name in questions())
    asides = sum(bool(screen.warmup) + bool(screen.turn) for screen in SCREENS)
    assert len(questions()) == len(SCREENS) + asides


def test_every_board_is_drawn_by_somebody():
    assert {screen.board for screen in SCREENS} == {*BOARDS, *OTHERS}


def test_a_claim_about_the_typed_answer_lies_in_its_range():
    for screen in SCREENS:
        for aside in (screen.warmup, screen.turn, screen.typed):
            if aside:
                assert aside.low <= aside.high
    mix = next(screen for screen in SCREENS if screen.typed)
    value = float(evaluate("output[4,0]", names_on(mix, the_story(), 0)))
    assert mix.is_correct(f"{value:.3f}")


def test_the_readme_and_home_say_how_many_questions_there_are_and_how_long_they_take():
    said = f"{len(SCREENS)} questions, about {minutes_of_path()} minutes"
    assert said in introduction_text()
    assert said in (ROOT / "README.md").read_text("utf-8")


def test_guesses_are_kept_in_the_order_of_the_path():
    guesses = with_guess(with_guess((), "table", "2"), "refers", SHOWN)
    assert GuessesInput().encode(guesses) == f"refers{SHOWN}_table2"
    assert GuessesInput().decode("table2_refersS") == guesses


@pytest.mark.parametrize("text", ["refers", "refers9", "table0", "nobody1", "refers1__table1", "mix1e9", "<b>", "mixx"])
def test_a_text_that_holds_no_guesses_is_refused(text):
    with pytest.raises(ValueError, match="answers to the questions of the path"):
        GuessesInput().decode(text)
    assert decode_guesses(text) == ()


@pytest.mark.parametrize("kept", [None, 5, ["refers1"], {"a": 1}])
def test_a_changed_store_holds_no_guesses(kept):
    assert decode_guesses(kept) == ()


def test_how_a_guess_went():
    refers, mix = SCREENS[0], next(screen for screen in SCREENS if screen.typed)
    assert [outcome(refers, given) for given in ((), (("refers", "3"),), (("refers", "1"),), (("refers", SHOWN),))] == [
        "",
        "right",
        "wrong",
        "shown",
    ]
    assert outcome(mix, ((mix.name, "1.5"),)) == "right"
    assert outcome(mix, ((mix.name, "2"),)) == "wrong"
    assert "alone" in mix.reason("2")
    assert mix.typed
    assert mix.reason("7") == mix.typed.otherwise


def test_a_page_knows_the_screen_that_is_about_it():
    pages = ("home", "softmax_axes", "positional_encoding", "multi_head", "attention")
    places = [screen_of_page(page) or 0 for page in pages]
    assert [SCREENS[place - 1].name for place in places] == ["refers", "softmax", "order", "heads", "mix"]
    assert screen_of_page("your_sentence") is None


def test_a_link_holds_the_name_of_a_screen():
    for number, screen in enumerate(screens(), start=1):
        assert ScreenInput().encode(number) == screen.name
        assert ScreenInput().decode(screen.name) == number
    assert ScreenInput().decode(END) == len(screens()) + 1
    assert END not in {screen.name for screen in screens()}
    assert not any(name.isdecimal() for name in names())


def test_an_earlier_link_opens_the_screen_that_had_this_number():
    opened = [names()[ScreenInput().decode(str(number)) - 1] for number in range(1, 20)]
    assert opened == list(NUMBERED)
    assert opened[12:] == ["mask", "block", "loss", "mistake", "induction", "cause", END]


@pytest.mark.parametrize("text", ["", "0", "20", "01", "-1", "1.0", "nobody", "Refers", "٣"])
def test_a_text_that_names_no_screen_is_refused(text):
    with pytest.raises(ValueError, match="the name of a screen"):
        ScreenInput().decode(text)


def test_screens_are_numbered_in_their_order():
    assert list(screen_numbers().values()) == list(range(1, len(names()) + 1))


STYLES = sorted((ROOT / "pages").rglob("*.css"))
SCRIPTS = sorted((ROOT / "pages").rglob("*.js"))
WHERE_WANTED = re.compile(
    r"@media \(prefers-reduced-motion: no-preference\) \{(?:[^{}]*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})*\s*\}"
)
MOVES = re.compile(r"(?:transition|animation)[\w-]*: (?!none)[^;}]*|scroll-behavior: smooth")
APPEARS = re.compile(r"@keyframes ([\w-]+) \{ (?:\w+ \{ visibility: \w+; \} )+\}")  # moves nothing
MOVES_IN_CODE = re.compile(r"\.animate\(|behavior: \"smooth\"|\.style\.(?:transition|animation)")


def moving_rules(style):
    """Return the parts of a style sheet that move something even if a visitor asked for less motion."""
    still = {f"animation: {name}" for name in APPEARS.findall(style)}
    found = MOVES.findall(WHERE_WANTED.sub("", style))
    return [each for each in found if " ".join(each.split()[:2]) not in still]


def test_styles_and_scripts_move_only_what_may_move():
    found = {path.name: moving_rules(path.read_text("utf-8")) for path in STYLES}
    found |= {path.name: MOVES_IN_CODE.findall(path.read_text("utf-8")) for path in SCRIPTS}
    check_rule(
        found,
        "Nothing moves for a visitor who asked for reduced motion.",
        "put the style inside `@media (prefers-reduced-motion: no-preference)`.",
    )


WANTED = "@media (prefers-reduced-motion: no-preference)"


@pytest.mark.parametrize(
    ("style", "found"),
    [
        ("p { transition: width 0.3s; }", ["transition: width 0.3s"]),
        ("p { transition: none !important; }", []),
        (f"{WANTED} {{ p {{ transition: width 0.3s; }} }}", []),
        (f"{WANTED} {{ p {{ animation: a 1s; }} @keyframes a {{ from {{ top: 0; }} }} }}", []),
        ("@keyframes a { to { visibility: hidden; } } p { animation: a 1s; }", []),
        ("@keyframes a { to { visibility: hidden; top: 0; } } p { animation: a 1s; }", ["animation: a 1s"]),
        ("@keyframes a { to { visibility: hidden; } } p { animation: b 1s; }", ["animation: b 1s"]),
        (f"{WANTED} {{ p {{ top: 0; }} }} p {{ animation: a 1s; }}", ["animation: a 1s"]),
    ],
)
def test_a_motion_is_noticed(style, found):
    assert moving_rules(style) == found
