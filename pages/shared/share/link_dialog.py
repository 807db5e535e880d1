"""The dialog “Share”: the link of a state, its QR code and what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from ipaddress import ip_address
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from attention_core.examples import example
from pages.shared.controls import Parameters, controls_of
from pages.shared.notation.prose import typeset
from pages.shared.notation.symbols import SYMBOLS, symbol_of_id
from pages.shared.share import state_file
from pages.shared.share.state_file import TEXTS
from pages.shared.site.menu import page_in_menu
from pages.shared.site.page import HOME, page_named
from pages.shared.state import address, session
from pages.shared.state.link_text import texts_no_link_can_hold
from pages.shared.state.session import Workspace, matrix_inputs

LONGEST = 2000  # characters; mail programs and chats may cut longer links
SAFE = ",;."  # these characters need not be escaped, and a link is easier to read if they are not


def address_with(query: Mapping[str, str]) -> str:
    """Return the address of the open page, with the parameters `query` in place of the present ones."""
    parameters = urlencode(query, safe=SAFE)
    return f"{(st.context.url or '').split('?')[0]}{'?' if parameters else ''}{parameters}"


def address_of_page(page: str, query: Mapping[str, str]) -> str:
    """Return the address of another page of the app, with parameters. `page` is the name of the page."""
    here = (st.context.url or "").split("?")[0].rstrip("/")
    home = here if session.visit().page == HOME else here.rpartition("/")[0]
    parameters = urlencode(query, safe=SAFE)
    return f"{home}/{page}{'?' if parameters else ''}{parameters}"


def is_local(link: str) -> bool:
    """Return whether an address leads back to the computer that opens it, so that it is useless on another device.

    >>> is_local("http://localhost:8501/attention"), is_local("http://127.0.0.1"), is_local("http://192.168.0.7")
    (True, True, False)
    """
    host = urlsplit(link).hostname or ""
    try:
        number = ip_address(host)
    except ValueError:  # the host is a name
        return host == "localhost" or host.endswith(".localhost")
    return number.is_loopback or number.is_unspecified


def picture_of(link: str) -> str:
    """Return the QR code of a link as a picture: a data URL for HTML.

    The picture is dark on light in both themes, because cameras need this.
    """
    return segno.make_qr(link, error="l").svg_data_uri(scale=4, border=4, dark="black", light="white")


def qr_image(link: str) -> str:
    """Return the QR code of a link as HTML."""
    return f'<img class="qr" alt="{TEXTS.fill("picture")}" src="{picture_of(link)}">'


def state_texts(workspace: Workspace, parameters: Parameters) -> list[str]:
    """Return a list of short Markdown texts that describe a state: its example, its edits, and its changed settings."""
    contents: list[str] = [TEXTS.fill("the_example", title=typeset(example(workspace.example).title))]
    inputs = matrix_inputs(workspace.example, type(parameters))
    edited = [f"${SYMBOLS[symbol_of_id(name) or name][0]}$" for name in workspace.edits if name in inputs]
    if edited:
        contents.append(TEXTS.fill("your_numbers", symbols=", ".join(edited)))
    if workspace.layout:
        contents.append(TEXTS.fill("tokens_as", layout=workspace.layout))
    return contents + list(_settings(parameters))


def _settings(parameters: Parameters) -> Iterator[str]:
    plain = type(parameters)()
    for name, control in controls_of(type(parameters), parameters.columns).items():
        value = getattr(parameters, name)
        if value != getattr(plain, name) and not control.belongs_to_workspace and control.in_link(value):
            yield control.in_words(value)


@st.dialog(TEXTS.fill("share"))
def dialog(parameters: Parameters) -> None:
    """Draw the dialog “Share”: a link to the present state of the page, what the link holds, and a file of the state.

    If the link would be too long, a warning replaces it. A visitor can save the file, and open such a file here.
    """
    link = link_of_this_state()
    if len(link) > LONGEST:
        st.warning(TEXTS.fill("link_is_too_long", most=LONGEST, needs=len(link)), icon=":material/link_off:")
    else:
        _link(link, texts_no_link_can_hold(parameters), parameters)
    lecture = replace(session.visit().lecture, present=False, guess=False)  # the link leaves both out
    contents = [*state_texts(session.visit().workspace, parameters), *lecture.in_words()]
    st.caption(TEXTS.fill("what_the_state_holds", length=len(link), contents="; ".join(contents)))
    _download(parameters)
    _upload()


def _link(link: str, missing: Mapping[str, str], parameters: Parameters) -> None:
    if missing:
        controls = controls_of(type(parameters))
        named = [(controls[name].label, len(text)) for name, text in missing.items()]
        names = ", ".join(TEXTS.fill("name_and_length", label=label, length=length) for label, length in named)
        st.warning(TEXTS.fill("link_leaves_out", names=names), icon=":material/link_off:")
    else:
        st.write(TEXTS.fill("for_the_room" if session.visit().lecture.present else "as_it_is"))
    st.html(qr_image(link))
    st.code(link, language=None, wrap_lines=True)
    if is_local(link):
        st.info(TEXTS.fill("local"), icon=":material/computer:")


def link_of_this_state() -> str:
    """Return the address that opens the page in its present state, without the presenter view."""
    here = address.link_of_the_page()
    return address_with({name: text for name, text in here.items() if name != "view"})


def _download(parameters: Parameters) -> None:
    page, words = session.visit().page, TEXTS.words("download")
    st.download_button(
        words.label,
        state_file.write(state_file.State(page, address.link_of_the_page(), texts_no_link_can_hold(parameters))),
        file_name=f"{page}_{session.visit().workspace.example}.json",
        mime="application/json",
        icon=":material/download:",
        on_click="ignore",
        help=words.help,
    )


def _upload() -> None:
    uploaded = st.file_uploader(TEXTS.fill("open_a_state"), type="json", max_upload_size=1)
    if not uploaded:
        return
    try:
        state = state_file.read(uploaded.getvalue())
        address.open_state(state.page, page_named(state.page).parameters, state.texts)
    except ValueError as error:
        st.error(TEXTS.fill("nothing_was_changed", error=str(error)), icon=":material/error:")
        return
    # A bare address would mean the page as the visitor left it, not the page as it starts.
    as_it_starts = {"example": page_named(state.page).parameters.opens_with}
    st.switch_page(page_in_menu(state.page), query_params=dict(state.query) or as_it_starts)
