"""An outcome: what an answer tells of the person's understanding. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from attention_core.mistakes import BORROWED, Mistake, mistakes_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an answer: that it is right, or the mistake that explains it."""

    name: str  # a few words of Markdown
    right: bool | None = False  # None: the question does not say which answer is right
    why: str = ""  # why it is wrong, as Markdown
    page: str = ""  # the page that has a switch of this mistake, and the name of the switch
    mistake: str = ""


RIGHT = Outcome("Right", right=True)
UNKNOWN = Outcome("No usual mistake", why="No usual mistake gives this answer, nor do two together.")


def page_with_switch(mistake: Mistake) -> str:
    """Return the page that has a switch for a mistake, or "" if no page has one."""
    concept = getattr(mistake, "concept", "")
    return concept if concept not in BORROWED and mistake in mistakes_of(concept) else ""
