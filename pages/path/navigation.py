"""How a visitor goes along the path: guesses, keys, buttons."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import streamlit as st

from attention_core.examples import Example
from pages.path.numbers import ScreenInput
from pages.shared.controls.kinds import Control
from pages.shared.scene_files.scene import Lecture
from pages.shared.scene_files.screens import SHOWN, Screen, Typed, edits_of, screens
from pages.shared.state import address, history, session
from pages.shared.state.link_text import decode
from pages.shared.state.session import Workspace

Guesses = tuple[tuple[str, str], ...]  # the name of a question and the answer to it, in the order of the path
_ONE = re.compile(rf"([a-z]+)({SHOWN}|-?[0-9]{{1,4}}(?:\.[0-9]{{1,4}})?)")
BETWEEN = "_"


@cache
def questions() -> Mapping[str, Callable[[str], bool]]:
    """Return the name of each question, in order, with a function that says whether it accepts an answer."""
    return {name: accepts for screen in screens() for name, accepts in screen.questions.items()}


@dataclass(frozen=True, slots=True)
class GuessesInput(Control):
    """The parameter with the answers that a visitor has given on the path. It has no widget, because buttons set it."""

    label: str = ""

    def encode(self, value: Guesses) -> str:
        return BETWEEN.join(f"{name}{answer}" for name, answer in value)

    def decode(self, text: str) -> Guesses:
        if not text:
            return ()
        rule = f"answers to the questions of the path, as refers2{BETWEEN}table1"
        found = [_ONE.fullmatch(each) for each in text[:1000].split(BETWEEN)]
        given = {match[1]: match[2] for match in found if match}
        if len(given) < len(found) or not all(n in questions() and questions()[n](a) for n, a in given.items()):
            raise ValueError(rule)
        return in_order(given)

    def in_words(self, value: Guesses) -> str:
        return f"{self.label}: {len(value)}"


def in_order(given: Mapping[str, str]) -> Guesses:
    """Return the answers to questions, sorted in the order in which the path asks the questions."""
    return tuple((name, given[name]) for name in questions() if name in given)


def with_guess(guesses: Guesses, name: str, answer: str) -> Guesses:
    """Return `guesses` with the answer to the question `name` added or replaced."""
    return in_order(dict(guesses) | {name: answer})


def guess_at(guesses: Guesses, name: str) -> str:
    """Return the visitor's answer to the question `name`, or "" if there is none yet."""
    return dict(guesses).get(name, "")


def outcome(screen: Screen, guesses: Guesses) -> str:
    """Return the outcome of a guess: "right", "wrong", "shown" after “Show me”, or "" if there is no guess."""
    answer = guess_at(guesses, screen.name)
    if not answer:
        return ""
    return "shown" if answer == SHOWN else "right" if screen.is_correct(answer) else "wrong"


def decode_guesses(text: Any) -> Guesses:
    """Return the answers that a browser has stored, or () if they are not valid, because visitors can change them."""
    try:
        return GuessesInput().decode(text) if isinstance(text, str) else ()
    except ValueError:
        return ()


EXAMPLE = "story"  # all screens are about its numbers


def last() -> int:
    """Return the number of the last page of the path, which follows the screens."""
    return len(screens()) + 1


def screen_at(number: int) -> Screen | None:
    """Return the screen with this number, or None for the last page, whose number comes after those of all screens."""
    return screens()[number - 1] if number <= len(screens()) else None


@dataclass(slots=True)
class ScreenChange:
    """Whether a button in the lesson has just opened another screen."""

    has_just_happened: bool = False


def has_just_changed_screen() -> bool:
    """Return whether a button in the lesson has just opened another screen."""
    kept = session.visitor_object(ScreenChange)
    turned, kept.has_just_happened = kept.has_just_happened, False
    return turned


def go_to(number: int) -> None:
    """Go to the screen `number` after a press in the lesson."""
    open_screen(number)
    # After such a press, Streamlit redraws only the lesson. This tells the page to redraw its question too.
    session.visitor_object(ScreenChange).has_just_happened = True


def go_from(from_number: int, to_number: int) -> None:
    """Go from one screen to another."""
    if present_parameters().screen == from_number:
        go_to(to_number)


def open_screen(number: int) -> None:
    """Go to the screen `number` if there is one, and edit the path's example as this screen shows it."""
    if not 1 <= number <= last():
        return
    session.set_parameters(screen=number, tries=0, word=-1, cell=None)
    _show_without_undo(_edits_of_the_screen())
    address.note_press()


def store_guess(screen: Screen, answer: str) -> None:
    """Store the visitor's guess on a screen, and edit the path's example as the screen shows it after the guess."""
    answer_question(screen.name, answer)
    if screen.then:
        _show_without_undo(screen.then)


@dataclass(slots=True)
class FirstTries:
    """The first wrong number that the visitor has typed for each question, until the session ends."""

    answers: dict[str, str] = field(default_factory=dict)


def first_try(name: str) -> str:
    """Return the first wrong number that the visitor has typed for the question `name`, or "" if there is none."""
    return session.visitor_object(FirstTries).answers.get(name, "")


def store_if_final(typed: Typed, answer: str, store: Callable[[str], None]) -> None:
    """Call `store` with a typed number if it is correct or the second try; otherwise store it as the first try."""
    if typed.is_correct(answer) or first_try(typed.name):
        store(answer)
    else:
        session.visitor_object(FirstTries).answers[typed.name] = answer


def answer_question(name: str, answer: str) -> None:
    """Store the visitor's answer to the question `name`."""
    session.clear_seen_notices()
    session.set_parameters(guesses=with_guess(present_parameters().guesses, name, answer))


def ask_again(screen: Screen) -> None:
    """Forget the visitor's answers on a screen, and show the screen as it was before the guess."""
    left = tuple((name, answer) for name, answer in present_parameters().guesses if name not in screen.questions)
    for name in screen.questions:
        session.visitor_object(FirstTries).answers.pop(name, None)
    session.set_parameters(guesses=left, tries=0)
    _show_without_undo("")


def try_it(screen: Screen) -> None:
    """Do what the button of “Try it” says: edit the example, or show the next variant of the screen's picture."""
    if screen.attempt.state:
        _show_with_undo(screen.attempt.state)
    else:
        session.set_parameters(tries=present_parameters().tries % MOST_TRIES + 1)


MOST_TRIES = 50


def story() -> Example:
    """Return “story”, the example of the path, with the visitor's edits."""
    return session.visit().example


def leave_the_lecture() -> bool:
    """End a lecture that a link has opened, because the path cannot show it."""
    there = session.visit().lecture != Lecture()
    session.update(lecture=Lecture())
    return there


@dataclass(slots=True)
class ShownBefore:
    """The state that the path has shown last, and the state with which the visitor arrived at the page."""

    arrival: Any = None
    workspace: Workspace | None = None
    link_named_screen: bool = False  # the link with which the visitor came first


def show_story_on_arrival() -> None:
    """Show the example of the path if the visitor comes from another page with other numbers."""
    before, arrival = session.visitor_object(ShownBefore), address.bar().arrival
    workspace = session.visit().workspace
    if before.arrival is None:
        before.link_named_screen = "screen" in st.query_params
    brought = workspace == arrival[0] != before.workspace
    arrives = before.arrival is not arrival and (brought or not workspace.edits)
    if workspace.example != EXAMPLE or arrives:
        _show_without_undo(_edits_of_the_screen())
    before.arrival, before.workspace = arrival, session.visit().workspace


def _edits_of_the_screen() -> str:
    screen = screen_at(present_parameters().screen)
    return screen.then if screen and guess_at(present_parameters().guesses, screen.name) else ""


def resume(stored: Any) -> None:
    """Continue at the screen that the browser has stored (it may hold anything), unless the link says where to go."""
    if not isinstance(stored, dict) or present_parameters().guesses:
        return
    session.set_parameters(guesses=decode_guesses(stored.get("guesses")))
    number = _stored_screen(stored.get("screen"))
    if number and present_parameters().screen == 1 and not session.visitor_object(ShownBefore).link_named_screen:
        go_to(number)
    elif not session.visit().workspace.edits:
        _show_without_undo(_edits_of_the_screen())
    address.note_press()


def _stored_screen(name: Any) -> int | None:
    try:
        return ScreenInput().decode(str(name)) if type(name) in (str, int) else None
    except ValueError:
        return None


def begin_anew() -> None:
    """Forget all guesses, and go to the first screen."""
    session.visitor_object(FirstTries).answers.clear()
    session.set_parameters(guesses=())
    go_to(1)


def _show_without_undo(edits: str) -> None:
    history.show_workspace(_story_with(edits), undoable=False)


def _show_with_undo(edits: str) -> None:
    workspace = _story_with(edits)
    if workspace != session.visit().workspace:
        history.show_workspace(workspace)


def _story_with(edits: str) -> Workspace:
    visit = session.visit()
    return decode({"example": [EXAMPLE], **edits_of(edits)}, type(visit.parameters))[0].with_layout(
        visit.workspace.layout
    )


def present_parameters() -> Any:
    """Return the present parameters of the path page, such as the number of the screen and the guesses."""
    return session.visit().parameters
