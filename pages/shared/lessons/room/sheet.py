"""What a student writes into the matrix of a room's question before sending it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pages.shared.state import session
from pages.shared.task_block.answering import MOST_STEPS, entries_with
from pages.shared.task_block.sheets import Entries


@dataclass(slots=True)
class RoomSheet:
    """The texts that a student has written into a matrix in one round of questions, with undo and redo.

    An equation on the page uses this object as its blank matrix.
    """

    round: tuple[str, int] = ("", 0)  # the code of the room and the number of the round
    entries: Entries = ()
    past: list[Entries] = field(default_factory=list)
    future: list[Entries] = field(default_factory=list)

    def begin(self, round: tuple[str, int], entries: Entries) -> None:
        """Begin a round with the entries that the student has sent before, or with empty cells.

        `round` is the code of the room and the number of the round.
        """
        self.round, self.entries, self.past, self.future = round, entries, [], []

    def fill(self, name: str, cells: Sequence[Sequence[object]]) -> str | None:
        """Write texts into cells. Return None, or a text that says what is wrong with them."""
        try:
            written = entries_with(self.entries, cells)
        except ValueError as error:
            return str(error)
        self.past = [*self.past, self.entries][-MOST_STEPS:]
        self.entries, self.future = written, []
        return None

    def undo_or_redo(self, kind: str) -> None:
        """Undo the last entry if `kind` is "undo". Otherwise redo the entry that was undone last."""
        taken, kept = (self.past, self.future) if kind == "undo" else (self.future, self.past)
        if taken:
            kept.append(self.entries)
            self.entries = taken.pop()


def sheet() -> RoomSheet:
    """Return the entries of this visitor."""
    return session.visitor_object(RoomSheet)
