"""An outcome: what an answer to a question shows. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from attention_core.mistakes import BORROWED, Mistake, mistakes_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an answer shows: whether it is right, or the mistake that gives it."""

    name: str  # a few words of Markdown
    right: bool | None = False  # None: the question does not say which answer is right
    why: str = ""  # why it is wrong, as Markdown
    page: str = ""  # the page that has a switch of this mistake, and the name of the switch
    mistake: str = ""


RIGHT = Outcome("Right", right=True)
UNKNOWN = Outcome("No usual mistake", why="No usual mistake gives this answer, nor do two together.")


def page_with_switch(mistake: Mistake) -> str:
    """Return the page on which a mistake has its switch, or "" where none has."""
    concept = getattr(mistake, "concept", "")
    return concept if concept not in BORROWED and mistake in mistakes_of(concept) else ""
