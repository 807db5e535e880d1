"""A visitor's answers to the questions of the path, and the text that a link or the browser stores for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pages.shared.controls.control import Control
from pages.shared.scene_files.screens import SHOWN, Screen, screens

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

    label: str = "Your guesses"

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
    """Return the outcome of the visitor's guess on a screen: "right", "wrong", "shown", or "" if there is no guess.

    It is "shown" if the visitor pressed “Show me” and did not guess.
    """
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
