"""The room that a browser leads, and how a room is opened."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st
import streamlit.components.v2 as components

from pages.shared.rooms import limits
from pages.shared.rooms.codes import RoomError, RoomsUnavailableError, is_secret, read_code
from pages.shared.rooms.database import has_rooms, store
from pages.shared.rooms.schema import Versions
from pages.shared.rooms.store import Room
from pages.shared.site.menu import page_in_menu
from pages.shared.state import session

_FORM = re.compile(r"(task|number|scene):([a-z_]{1,40})(?:\.([1-9][0-9]{0,3}))?(?:\.([1-3]))?")


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of a question: its kind ("task", "number" or "scene"), its page, its number there, and its difficulty.

    >>> str(Reference("task", "attention", 17, 2)), str(Reference("scene", "scaling", 3))
    ('task:attention.17.2', 'scene:scaling.3')
    """

    kind: str
    name: str
    number: int = 0
    difficulty: int = 0

    def __str__(self) -> str:
        numbers = [number for number in (self.number, self.difficulty) if number]
        return ".".join([f"{self.kind}:{self.name}", *map(str, numbers)])


def read_reference(text: str) -> Reference:
    """Return a text such as "task:attention.17.2" as a `Reference`. Raises: ValueError if the text has another form.

    >>> read_reference("task:attention.17.2")
    Reference(kind='task', name='attention', number=17, difficulty=2)
    """
    found = _FORM.fullmatch(text)
    if not found:
        raise ValueError(
            f"A question has a name such as scene:scaling.6, but this one is named {text[:60]}. Open the room anew."
        )
    kind, name, number, difficulty = found.groups()
    return Reference(kind, name, int(number or 0), int(difficulty or 0))


ROOM_PAGE = "room"
_versions = Versions(lambda code: store().version(code, time.time()) if has_rooms() else 0)


@dataclass(slots=True)
class OwnRoom:
    """The code and the key of the room that this visitor leads. Both are "" if the visitor leads no room."""

    code: str = ""
    key: str = ""
    is_known: bool = False

    def lead(self, code: str, key: str) -> None:
        """Store the code and the key of the room that this visitor leads."""
        self.code, self.key, self.is_known = code, key, True

    def lead_again(self, code: str, key: str) -> None:
        """Store the room that the browser has sent after a reload, if `key` is the key of the room `code`.

        Otherwise the visitor leads no room. If the database does not answer, this is not known yet.
        """
        try:
            is_right = bool(code) and has_rooms() and store().is_lecturer(read_code(code), key)
        except RoomsUnavailableError:
            return
        except ValueError:  # no room has such a code
            is_right = False
        if is_right:
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
    """Return the version of the room `code`, at most a second old, or 0 if there is no such room."""
    return _versions.at(code, time.monotonic())


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
        with limits.counted_opening():
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


_KEY = "room_browser"

_component = components.component(
    "attention_lab_browser",
    html="<span></span>",
    js=(Path(__file__).parent / "browser.js").read_text(encoding="utf-8"),
)


@dataclass(slots=True)
class Browser:
    """What the server knows about a visitor's browser."""

    id: str = ""
    joined: set[str] = field(default_factory=set)


def browser() -> Browser:
    """Return the `Browser` of the present visitor."""
    return session.visitor_object(Browser)


def exchange_with_the_browser(*, needs_id: bool, at: str = "") -> None:
    """Exchange data about rooms with the browser.

    The browser gets the code and the key of the room that this visitor leads, and stores them in its tab. After a
    reload, it sends them back. In this way the key is not in the address, which a projector would show. If `needs_id`,
    the browser also sends its id. `at` distinguishes several such exchanges on one page.
    """
    own, key = own_room(), f"{_KEY}{at}"
    _component(
        key=key,
        data=[not needs_id or bool(browser().id), own.is_known, own.code, own.key],  # a mapping could hold tables
        on_told_change=lambda: _take(st.session_state.get(key, {}).get("told")),  # missing if a run was ended early
    )


def _take(message: object) -> None:
    """Store what the browser has sent: its id, and the code and key of the room that this visitor leads."""
    if not isinstance(message, list) or len(message) != 3 or not all(isinstance(text, str) for text in message):
        return
    browser_id, code, key = message
    if is_secret(browser_id) and not browser().id:  # a connection has one id, and so one vote
        browser().id = browser_id
    if not own_room().is_known:
        own_room().lead_again(code, key)


HELP = "Students answer on their phones, and you see which mistakes they make. The app keeps nothing about a person."


def offer_to_ask(label: str, question: Reference) -> str:
    """Draw the button `label`. A press asks the class `question` in a room, and opens the page of this room.

    Return a sentence that says why the question could not be asked, and otherwise "". After a reload, the server does
    not know whether the visitor leads a room. So it first asks the browser, in order not to open a second room.
    """
    if has_rooms() and not own_room().is_known:
        exchange_with_the_browser(needs_id=False, at=question.kind)
    if not st.button(label, icon=":material/groups:", type="tertiary", key=f"ask.{question.kind}", help=HELP):
        return ""
    try:
        own = ask_the_class(question)
    except (RoomError, RoomsUnavailableError) as error:
        return str(error)
    st.switch_page(page_in_menu(ROOM_PAGE), query_params={"code": own.code})
    return ""
