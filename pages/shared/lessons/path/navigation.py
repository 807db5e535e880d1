"""Navigation on the path: go to another screen, store a guess, or begin again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from attention_core.examples import Example
from pages.shared.lessons.path.guesses import decode_guesses, guess_at, with_guess
from pages.shared.lessons.path.places import ScreenInput
from pages.shared.scene_files.lecture import Lecture
from pages.shared.scene_files.screens import Screen, Typed, edits_of, screens
from pages.shared.state import address, history, session
from pages.shared.state.link_text import decode
from pages.shared.state.workspace import Workspace

EXAMPLE = "story"  # all screens are about its numbers


def last() -> int:
    """Return the number of the last page of the path, which follows the screens."""
    return len(screens()) + 1


def screen_at(number: int) -> Screen | None:
    """Return a screen by its number, or None on the last page."""
    return screens()[number - 1] if number <= len(screens()) else None


@dataclass(slots=True)
class Turned:
    """The note that a button in the lesson has just taken the visitor to another screen."""

    turned: bool = False


def has_turned() -> bool:
    """Say whether a button in the lesson has just taken the visitor to another screen, and delete the note of it."""
    kept = session.visitor_object(Turned)
    turned, kept.turned = kept.turned, False
    return turned


def go_to(number: int) -> None:
    """Go to the screen `number` after a button in the lesson was pressed, and note this for `has_turned`.

    Such a press redraws only a part of the page. With the note, the whole page is drawn again, also the question above
    the lesson.
    """
    turn_to(number)
    session.visitor_object(Turned).turned = True


def turn(left: int, opened: int) -> None:
    """Go from the screen `left` to the screen `opened`.

    Do nothing if an earlier press has already left the screen `left`.
    """
    if here().screen == left:
        go_to(opened)


def turn_to(number: int) -> None:
    """Go to the screen `number`, and show the story as this screen opens. Do nothing if there is no such screen.

    The story is the example of the path.
    """
    if not 1 <= number <= last():
        return
    session.set_parameters(screen=number, tries=0, word=-1, cell=None)
    _open(_edits_of_the_screen())
    address.press()


def commit(screen: Screen, answer: str) -> None:
    """Store the visitor's guess on a screen, and show the story with the edits that belong to the answer."""
    answer_question(screen.name, answer)
    if screen.then:
        _open(screen.then)


@dataclass(slots=True)
class FirstTries:
    """The first wrong number that a visitor has typed for each question, by the name of the question.

    They are forgotten when the session ends.
    """

    answers: dict[str, str] = field(default_factory=dict)


def first_try(name: str) -> str:
    """Return the wrong number that was typed first as an answer to a question, or "" if there is none."""
    return session.visitor_object(FirstTries).answers.get(name, "")


def commit_number(typed: Typed, answer: str, commit: Callable[[str], None]) -> None:
    """Call `commit` with a typed number if it is right, or if it is the second try.

    The first wrong number is only noted.
    """
    if typed.is_right(answer) or first_try(typed.name):
        commit(answer)
    else:
        session.visitor_object(FirstTries).answers[typed.name] = answer


def answer_question(name: str, answer: str) -> None:
    """Store the visitor's answer to the question `name`."""
    session.clear_seen_notices()
    session.set_parameters(guesses=with_guess(here().guesses, name, answer))


def ask_again(screen: Screen) -> None:
    """Forget the visitor's answers on a screen, and show the screen as it was before them."""
    left = tuple((name, answer) for name, answer in here().guesses if name not in screen.questions)
    for name in screen.questions:
        session.visitor_object(FirstTries).answers.pop(name, None)
    session.set_parameters(guesses=left, tries=0)
    _open("")


def try_it(screen: Screen) -> None:
    """Show what the button of “Try it” offers: edits of the story, or the next variant of the screen's picture."""
    if screen.attempt.state:
        _show(screen.attempt.state)
    else:
        session.set_parameters(tries=here().tries % MOST_TRIES + 1)


MOST_TRIES = 50


def story() -> Example:
    """Return the story, the example of the path, with the visitor's edits."""
    return session.visit().example


def leave_the_lecture() -> bool:
    """Leave a lecture that a link has opened, because the path cannot show it. Return whether there was a lecture."""
    there = session.visit().lecture != Lecture()
    session.update(lecture=Lecture())
    return there


@dataclass(slots=True)
class ShownBefore:
    """The state that the path has shown last, and the state with which the visitor arrived at the page."""

    arrival: Any = None
    workspace: Workspace | None = None
    link_named_screen: bool = False  # the link with which the visitor came first


def take_the_story() -> None:
    """Show the story with the edits of the screen if the visitor comes from elsewhere with other numbers.

    Edits that the visitor has made on the path stay. Edits that were made on another page do not, because the texts of
    the path speak of the story.
    """
    before, arrival = session.visitor_object(ShownBefore), address.bar().arrival
    workspace = session.visit().workspace
    if before.arrival is None:
        before.link_named_screen = "screen" in st.query_params
    brought = workspace == arrival[0] != before.workspace
    arrives = before.arrival is not arrival and (brought or not workspace.edits)
    if workspace.example != EXAMPLE or arrives:
        _open(_edits_of_the_screen())
    before.arrival, before.workspace = arrival, session.visit().workspace


def _edits_of_the_screen() -> str:
    """Return the edits with which the present screen opens.

    These are the edits of its answer if the visitor has guessed. Before the guess there are none, and "" is returned.
    """
    screen = screen_at(here().screen)
    return screen.then if screen and guess_at(here().guesses, screen.name) else ""


def resume(kept: Any) -> None:
    """Continue at the screen that the browser remembers, unless the link has guesses or names a screen.

    A changed store may hold anything. An earlier store holds a number, as an earlier link does.
    """
    if not isinstance(kept, dict) or here().guesses:
        return
    session.set_parameters(guesses=decode_guesses(kept.get("guesses")))
    number = _kept_screen(kept.get("screen"))
    if number and here().screen == 1 and not session.visitor_object(ShownBefore).link_named_screen:
        go_to(number)
    elif not session.visit().workspace.edits:
        _open(_edits_of_the_screen())
    address.press()


def _kept_screen(name: Any) -> int | None:
    """Return the number of the screen that the browser has stored, or None if there is no such screen."""
    try:
        return ScreenInput().decode(str(name)) if type(name) in (str, int) else None
    except ValueError:
        return None


def begin_anew() -> None:
    """Forget all guesses, and go to the first screen."""
    session.visitor_object(FirstTries).answers.clear()
    session.set_parameters(guesses=())
    go_to(1)


def _open(edits: str) -> None:
    """Show the story with these edits as the first state of the page, so that the visitor cannot undo them."""
    history.step(_story_with(edits), undoable=False)


def _show(edits: str) -> None:
    """Show the story with these edits. The visitor can undo them."""
    workspace = _story_with(edits)
    if workspace != session.visit().workspace:
        history.step(workspace)


def _story_with(edits: str) -> Workspace:
    visit = session.visit()
    return decode({"example": [EXAMPLE], **edits_of(edits)}, type(visit.parameters))[0].laid_out(visit.workspace.layout)


def here() -> Any:
    """Return the present parameters of the path, such as the number of the screen and the guesses."""
    return session.visit().parameters
