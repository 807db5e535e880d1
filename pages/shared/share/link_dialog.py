"""The dialog “Share”: the link of this state as text, as a QR code and in words, and a file of it."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from pages.shared.controls import Parameters, controls_of
from pages.shared.share import state_file
from pages.shared.share.summary import in_words
from pages.shared.site.catalogue import page_named
from pages.shared.site.menu import page_in_menu
from pages.shared.state import address, session
from pages.shared.state.link import unlinked

LONGEST = 2000  # characters; beyond that, mail programs and chats begin to cut links
LOCAL = (
    "The app runs on this computer, and this address reaches it from here only: **others cannot open this link or its "
    "code.** Open the page by this computer’s name or number in your network and share again, or send the file below."
)
MISSING = (
    "**This link does not hold {names}**, which is too long for a link, or has characters that a link cannot keep. It "
    "restores the rest. The file below holds all of it."
)
TOO_LONG = (
    "A link may have {most:,} characters; this state needs {needs:,}: download it as a file instead, and send that."
)
AS_IT_IS = "This link restores the page exactly as you see it."
FOR_THE_ROOM = "For the audience: this scene on the page as it is read, with its sentence and all results."
SAFE = ",;."  # in no need of escapes, and easier to read without


@st.dialog("Share")
def dialog(parameters: Parameters) -> None:
    """Show the link of the state and what it holds, or why it has none, and the file of the state."""
    link = link_of_this_state()
    if len(link) > LONGEST:
        st.warning(TOO_LONG.format(most=LONGEST, needs=len(link)), icon=":material/link_off:")
    else:
        _link(link, unlinked(parameters), parameters)
    held = [*in_words(session.visit().workspace, parameters), *session.visit().lecture.in_words()]
    st.caption(f"{len(link):,} characters. They hold: {'; '.join(held)}.")
    _download(parameters)
    _upload()


def _link(link: str, missing: Mapping[str, str], parameters: Parameters) -> None:
    if missing:
        controls = controls_of(type(parameters))
        names = ", ".join(f"“{controls[name].label}” ({len(text):,} characters)" for name, text in missing.items())
        st.warning(MISSING.format(names=names), icon=":material/link_off:")
    else:
        st.write(FOR_THE_ROOM if session.visit().lecture.present else AS_IT_IS)
    st.html(qr_image(link))
    st.code(link, language=None, wrap_lines=True)
    if is_local(link):
        st.info(LOCAL, icon=":material/computer:")


def link_of_this_state() -> str:
    """Return the address of the page as it is; what is presented, as the audience is to read it."""
    here = address.link_of_the_page()
    query = urlencode({name: text for name, text in here.items() if name != "view"}, safe=SAFE)
    return f"{(st.context.url or '').split('?')[0]}{'?' if query else ''}{query}"


def is_local(link: str) -> bool:
    """Say whether an address means the computer on which it is opened.

    >>> is_local("http://localhost:8501/attention"), is_local("http://127.0.0.1"), is_local("http://192.168.0.7")
    (True, True, False)
    """
    host = urlsplit(link).hostname or ""
    try:
        number = ip_address(host)
    except ValueError:  # a name
        return host == "localhost" or host.endswith(".localhost")
    return number.is_loopback or number.is_unspecified


def qr_image(link: str) -> str:
    """Return the QR code of a link as HTML: dark on light in either theme, as cameras expect it."""
    code = segno.make_qr(link, error="l")
    source = code.svg_data_uri(scale=4, border=4, dark="black", light="white")
    return f'<img class="qr" alt="QR code of the link below" src="{source}">'


def _download(parameters: Parameters) -> None:
    page = session.visit().page
    st.download_button(
        "Download this state",
        state_file.write(state_file.State(page, address.link_of_the_page(), unlinked(parameters))),
        file_name=f"{page}_{session.visit().workspace.example}.json",
        mime="application/json",
        icon=":material/download:",
        on_click="ignore",
        help="The file holds all of it, also what a link cannot.",
    )


def _upload() -> None:
    came = st.file_uploader("Open a state that was downloaded", type="json", max_upload_size=1)
    if not came:
        return
    try:
        state = state_file.read(came.getvalue())
        address.open_state(state.page, page_named(state.page).parameters, state.texts)
    except ValueError as error:
        st.error(f"{error} Nothing was changed.", icon=":material/error:")
        return
    # A bare address would stand for the page as it was left, not for the page as it starts.
    as_it_starts = {"example": page_named(state.page).parameters.opens_with}
    st.switch_page(page_in_menu(state.page), query_params=dict(state.query) or as_it_starts)
