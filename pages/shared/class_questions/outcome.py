"""The outcome of an answer: that it is correct, or which mistake gives it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from attention_core.mistakes import BORROWED, Mistake, mistakes_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """One result into which answers are counted: correct, a certain mistake, or one option of a question with a choice.

    Each outcome has one bar when the results are drawn.
    """

    name: str  # a few words of Markdown
    right: bool | None = False  # whether it is correct, or None if the question does not say which answer is
    why: str = ""  # why the answer is wrong, as Markdown
    page: str = ""  # the page that has a switch for this mistake, and below it the name of the switch
    mistake: str = ""


RIGHT = Outcome("Right", right=True)
UNKNOWN = Outcome("No usual mistake", why="No usual mistake gives this answer, and no two of them together.")


def page_with_switch(mistake: Mistake) -> str:
    """Return the name of the page that has a switch for a mistake, or "" if no page has one."""
    concept = getattr(mistake, "concept", "")
    return concept if concept not in BORROWED and mistake in mistakes_of(concept) else ""
