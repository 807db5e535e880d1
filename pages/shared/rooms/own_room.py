"""The room that a visitor leads as a lecturer, and what can be done in it: ask, reveal, delete."""

from __future__ import annotations

import time
from dataclasses import dataclass

from pages.shared.rooms.database import has_rooms, store
from pages.shared.rooms.references import Reference
from pages.shared.rooms.store import Room
from pages.shared.rooms.versions import Versions
from pages.shared.state import session

ROOM_PAGE = "room"
_versions = Versions(lambda code, now: store().version(code, now) if has_rooms() else 0)


@dataclass(slots=True)
class OwnRoom:
    """The code and the key of the room that this visitor leads. Both are "" if the visitor leads no room.

    After a reload, only the browser knows them. `is_known` is false until the browser has sent them.
    """

    code: str = ""
    key: str = ""
    is_known: bool = False

    def lead(self, code: str, key: str) -> None:
        """Store the code and the key of the room that this visitor leads."""
        self.code, self.key, self.is_known = code, key, True

    def lead_again(self, code: str, key: str) -> None:
        """Store the room that the browser has sent after a reload, if `key` is the key of the room `code`.

        Otherwise the visitor leads no room.
        """
        if code and has_rooms() and store().is_lecturer(code, key):
            self.lead(code, key)
        else:
            self.leave()

    def leave(self) -> None:
        """Forget the room that this visitor leads."""
        self.lead("", "")


def own_room() -> OwnRoom:
    """Return the `OwnRoom` of the present visitor."""
    return session.visitor_object(OwnRoom)


def version_of(code: str) -> int:
    """Return the version of the room `code`, at most a second old, or 0 if there is no such room.

    The version is a number that grows whenever a question is asked or its answers are revealed.
    """
    return _versions.at(code, time.time())


def room_of(code: str) -> Room | None:
    """Return a room as it is now, or None if there is no such room."""
    return store().room(code, time.time()) if has_rooms() else None


def ask_the_class(question: Reference) -> OwnRoom:
    """Ask a question in the visitor's own room, and return the room. If the visitor has no room, open one.

    Raises: RoomError or RoomsUnavailableError with a text that says why the question could not be asked.
    """
    own = own_room()
    if own.code and store().is_lecturer(own.code, own.key):
        store().ask(own.code, own.key, str(question), time.time())
        _versions.forget(own.code)
    else:
        own.lead(*store().open_room(str(question), time.time()))
    return own


def reveal_to_the_class() -> None:
    """Reveal the answers to the open question of the visitor's own room."""
    own = own_room()
    store().reveal(own.code, own.key, time.time())
    _versions.forget(own.code)


def delete_own_room() -> None:
    """Delete the visitor's own room."""
    own = own_room()
    store().delete(own.code, own.key, time.time())
    _versions.forget(own.code)
    own.leave()
