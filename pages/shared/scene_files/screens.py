"""The screens of the learner’s path, read from `pages/path/screens.toml`. Pure.

Each screen asks a question, lets the learner guess, shows the answer, and ends with a sentence to remember.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

PAGES = Path(__file__).parents[2]
FILE = PAGES / "path" / "screens.toml"
SHOWN = "S"  # in place of an answer: the visitor has asked to see the correct answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One of the answers to choose from. A wrong answer has a sentence that says why it is tempting."""

    say: str
    tempting: str = ""

    @property
    def right(self) -> bool:
        """Whether the option is the correct answer."""
        return not self.tempting


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """A range of wrong numbers that a learner may type. One reason explains all numbers in the range."""

    low: float
    high: float
    tempting: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """A question that is answered by typing a number. The numbers from `low` to `high` are correct."""

    name: str  # as a link says it: small letters
    ask: str
    low: float
    high: float
    said: str = ""  # the text after a correct answer
    otherwise: str = ""  # the text after a wrong answer
    near: tuple[Near, ...] = ()  # wrong answers with reasons of their own

    def is_correct(self, answer: str) -> bool:
        """Return whether a typed number is from `low` to `high` and thus correct. `answer` is its text."""
        return answer != SHOWN and self.low <= float(answer) <= self.high

    def reason(self, answer: str) -> str:
        """Return the text that says why a wrong answer is tempting."""
        found = (each.tempting for each in self.near if each.low <= float(answer) <= each.high)
        return next(found, self.otherwise)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Something for the learner to try on a screen of the path, such as an edit of a matrix."""

    say: str
    button: str = ""  # the label of a button that makes the edits with one press
    state: str = ""  # the edits of the button, as in a link; "": the button shows the next variant of the picture
    found: str = ""  # what the learner then sees; numbers are read from the edited example


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """One screen of the path (the course of small questions that the app begins with)."""

    name: str  # as a link says it: small letters
    chapter: int  # counted from 1
    question: str
    before: str  # Markdown; numbers in braces are computed
    board: str  # the picture, by its name in `pages/path`
    reveal: str
    keep: str
    ask: str = ""
    options: tuple[Option, ...] = ()
    typed: Typed | None = None  # the guess, where it is a number
    warmup: Typed | None = None  # a question about the chapter before, which is asked first
    turn: Typed | None = None  # a number that the visitor computes before the guess
    then: str = ""  # edits that are made with the answer, as in a link
    attempt: Attempt
    more: str = ""  # a text that is shown after a press
    page: str = ""  # the page that shows more about the question
    page_state: Mapping[str, str] = field(default_factory=dict)
    practice: str = ""  # the link to a task at the end of a chapter: a page and its difficulty
    explained: bool = True  # whether the arithmetic of its numbers can be shown
    decimals: int = 0  # the least decimals of the numbers in its texts, if fewer would hide what they show
    claims: tuple[str, ...] = ()  # the claims of its texts, as comparisons of numbers

    @property
    def questions(self) -> dict[str, Callable[[str], bool]]:
        """The questions of the screen in order: by name, a function that says whether it accepts an answer."""
        asides = [aside for aside in (self.warmup, self.turn) if aside]
        return {aside.name: lambda answer: True for aside in asides} | {self.name: self.accepts}

    @property
    def guess_question(self) -> str:
        """The question that asks for a guess."""
        return self.typed.ask if self.typed else self.ask

    def is_correct(self, answer: str) -> bool:
        """Return whether a guess is correct. `answer` is the text in a link."""
        if self.typed:
            return self.typed.is_correct(answer)
        return answer != SHOWN and self.options[int(answer) - 1].right

    def reason(self, answer: str) -> str:
        """Return the text that says why a wrong guess is tempting."""
        return self.typed.reason(answer) if self.typed else self.options[int(answer) - 1].tempting

    def accepts(self, answer: str) -> bool:
        """Return whether an answer can be a guess on this screen. `answer` is the text in a link."""
        return answer == SHOWN or bool(self.typed) or answer in map(str, range(1, len(self.options) + 1))


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of the path, with the numbers of its screens, counted from 1."""

    title: str
    screens: tuple[int, ...]


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@cache
def screens() -> tuple[Screen, ...]:
    """Return the screens of the path in their order.

    Raises: ValueError if a screen lacks a field, or has an unknown one.
    """
    return tuple(_screen(number, given) for number, given in enumerate(_read()["screen"], start=1))


@cache
def chapters() -> tuple[Chapter, ...]:
    """Return the chapters in their order."""
    numbered = list(enumerate(screens(), start=1))
    return tuple(
        Chapter(title, tuple(n for n, screen in numbered if screen.chapter == chapter))
        for chapter, title in enumerate(_read()["chapters"], start=1)
    )


def edits_of(state: str) -> dict[str, list[str]]:
    """Return the edits in a text such as "a=1&b=2" as a mapping, which `link_text.decode` can read."""
    return parse_qs(state, keep_blank_values=True)


def screen_of_page(page: str) -> int | None:
    """Return the number of the screen of the path that belongs to a page, counted from 1, or None if there is none."""
    about = [
        (bool(screen.page_state), number) for number, screen in enumerate(screens(), start=1) if screen.page == page
    ]
    return min(about)[1] if about else None


def _screen(number: int, given: dict[str, Any]) -> Screen:
    try:
        return Screen(**given | _converted_fields(given))
    except (TypeError, KeyError) as error:
        raise ValueError(
            f"a screen has the fields of `Screen`; got {', '.join(given)} in screen {number} ({error}): "
            "write it like the others."
        ) from None


def _converted_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a screen that `Screen` stores in another type than the TOML file, by name and converted."""
    typed = {name: _typed_question(given[name]) for name in ("typed", "warmup", "turn") if name in given}
    return typed | {
        "options": tuple(Option(**option) for option in given.get("options", ())),
        "attempt": Attempt(**given["attempt"]),
        "claims": tuple(given.get("claims", ())),
    }


def _typed_question(given: dict[str, Any]) -> Typed:
    near: dict[str, Any] = {"near": tuple(Near(**each) for each in given.get("near", ()))}
    return Typed(**given | near)
