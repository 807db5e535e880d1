"""Entering a room by its code. A wrong code gives a message; after many wrong codes, a visitor must wait."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from pages.shared.rooms.codes import read_code
from pages.shared.rooms.guessing import WrongCodes
from pages.shared.rooms.limits import RoomError
from pages.shared.rooms.own_room import room_of
from pages.shared.rooms.store import NO_ROOM, Room
from pages.shared.state import session


@dataclass(slots=True)
class Entering:
    """The codes that this visitor has typed: the last correct one, the last wrong one, and how many were wrong."""

    right: str = ""
    wrong: str = ""
    tries: WrongCodes = field(default_factory=WrongCodes)


def room_with_code(text: str) -> Room:
    """Return the room with the code that a visitor has typed or opened by a link.

    Raises: ValueError that says what is wrong with the code, or that the visitor must wait.
    """
    code, entering = read_code(text), session.visitor_object(Entering)
    if code == entering.wrong:
        raise RoomError(NO_ROOM.format(code=code))  # a page is drawn more than once, so this code was counted before
    if code != entering.right:
        entering.tries.check(time.time())
    found = room_of(code)
    if found is None:
        entering.wrong, entering.right = code, ""
        entering.tries.note_wrong(time.time())
        raise RoomError(NO_ROOM.format(code=code))
    entering.right, entering.wrong = code, ""
    entering.tries.note_correct()
    return found
