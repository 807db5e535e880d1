"""The button that asks the class a question, in the visitor's room or in a new room."""

from __future__ import annotations

import streamlit as st

from pages.shared.rooms.browser import exchange_with_the_browser
from pages.shared.rooms.database import has_rooms
from pages.shared.rooms.limits import RoomError, RoomsUnavailableError
from pages.shared.rooms.own_room import ROOM_PAGE, ask_the_class, own_room
from pages.shared.rooms.references import Reference
from pages.shared.site.menu import page_in_menu

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
