"""The dialog “Share”: the link of a state with its QR code, and the file of a state."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from attention_core.examples import example
from attention_core.reading.source_text import is_nested_deeper
from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.example_kinds import LONGEST as LONGEST_AREA
from pages.shared.controls.example_kinds import TextArea
from pages.shared.notation.prose import short, typeset
from pages.shared.notation.symbols import SYMBOLS, symbol_of_id
from pages.shared.notation.texts import texts_beside
from pages.shared.site.menu import page_in_menu
from pages.shared.site.page import HOME, catalogue, page_named
from pages.shared.state import address, session
from pages.shared.state.link_text import texts_no_link_can_hold
from pages.shared.state.session import Workspace, matrix_inputs

TEXTS = texts_beside(__file__)

DEEPEST = 8  # the most lists and objects that may be inside each other
NAMED_IN_JSON = {"list": "a_list", "str": "a_text", "bool": "true_or_false", "NoneType": "null"}


def read_json(content: bytes, format: str, version: int, remedy: str) -> dict[str, Any]:
    """Return the contents of a JSON file of this app, which must have this format and this version.

    Each error message ends in `remedy`, which says what to do.

    Raises: ValueError if the file is not JSON, contains half of a two-part character, or has another format or version.
    """
    try:
        contents = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # not a text, not JSON, or nested too deep
        raise ValueError(TEXTS.fill("json_rule", beginning=_begins(content), remedy=remedy)) from None
    _check_whole(contents, remedy)
    if not isinstance(contents, dict) or contents.get("format") != format:
        value = value_text(contents, "format")
        raise ValueError(TEXTS.fill("format_rule", format=format, value=value, remedy=remedy))
    if contents.get("version") != version or isinstance(contents["version"], bool):
        raise ValueError(TEXTS.fill("version_rule", version=version, value=value_text(contents, "version")))
    return contents


def _check_whole(contents: Any, remedy: str) -> None:
    """Raise a ValueError if lists are nested too deeply, or if a text contains only half of a two-part character."""
    if is_nested_deeper(contents, DEEPEST):
        raise ValueError(TEXTS.fill("depth_rule", deepest=DEEPEST, remedy=remedy))
    try:
        json.dumps(contents, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError(TEXTS.fill("whole_characters_rule", remedy=remedy)) from None


def write_json(format: str, version: int, **held: Any) -> str:
    """Return the text of a JSON file with this format, this version, and the fields in `held`."""
    return json.dumps({"format": format, "version": version} | held, ensure_ascii=False, indent=2)


def value_text(contents: Any, name: str) -> str:
    """Return a few words for an error message: the value that `contents` has under `name`, or "missing"."""
    if not isinstance(contents, dict):
        return TEXTS.fill(NAMED_IN_JSON.get(type(contents).__name__, "a_number"))
    return short(str(contents[name])) if name in contents else TEXTS.fill("missing")


def _begins(content: bytes) -> str:
    text = content[:100].decode("utf-8", errors="replace")
    return short(text) if text.strip() else TEXTS.fill("nothing_to_read")


LONGEST = {"state": 100_000, "texts": 1_000_000}  # characters
STREAMLITS_OWN = {"embed", "embed_options"}  # parameters that no page can set
FORMAT, VERSION = "attention lab state", 1


@dataclass(frozen=True, slots=True)
class State:
    """The state of a page, as a file stores it."""

    page: str
    query: Mapping[str, str]  # the parameters of a link of the page
    texts: Mapping[str, str] = field(default_factory=dict)  # the texts that no link can hold, by parameter


def write(state: State) -> str:
    """Return the text of a file with this state.

    >>> print(write(State("attention", {"step": "5"})))
    {
      "format": "attention lab state",
      "version": 1,
      "page": "attention",
      "state": {
        "step": "5"
      },
      "texts": {}
    }
    """
    return write_json(FORMAT, VERSION, page=state.page, state=dict(state.query), texts=dict(state.texts))


def read(content: bytes) -> State:
    """Return the state of a page from a file. Its values are checked only when somebody opens the state.

    Raises: ValueError if the content is not a file of a state.
    """
    return state_in(read_json(content, FORMAT, VERSION, TEXTS.fill("remedy_of_state")))


def state_in(contents: Mapping[str, Any]) -> State:
    """Return the state that `contents` describes: a file of a state, or one scene in a file of a course.

    Raises: ValueError if a field of the state is missing or wrong.
    """
    pages = [page.name for page in catalogue()]
    if contents.get("page") not in pages:
        raise ValueError(TEXTS.fill("page_rule", pages=", ".join(pages), value=value_text(contents, "page")))
    texts = _texts(contents, "texts", contents.get("texts", {}))
    _check_areas(contents["page"], texts)
    return State(contents["page"], _query(contents), texts)


def _check_areas(page: str, texts: Mapping[str, str]) -> None:
    """Raise a ValueError if a long text in a file is too long, or belongs to no text area of the page."""
    controls = controls_of(page_named(page).parameters)
    for name, text in texts.items():
        if not isinstance(controls.get(name), TextArea):
            raise ValueError(TEXTS.fill("areas_rule", page=page, name=short(name)))
        if len(text) > LONGEST_AREA:
            raise ValueError(TEXTS.fill("long_area_rule", most=LONGEST_AREA, name=name, length=len(text)))


def _query(contents: Mapping[str, Any]) -> dict[str, str]:
    """Return the link parameters in the contents of a file."""
    query = _texts(contents, "state", contents.get("state"))
    odd = [name for name in query if name.lower() in STREAMLITS_OWN]
    if odd:
        raise ValueError(TEXTS.fill("state_rule", name=short(odd[0])))
    return query


def _texts(contents: Mapping[str, Any], name: str, texts: Any) -> dict[str, str]:
    """Return `texts` if it is a dict of texts that are not too long together. Otherwise raise a ValueError.

    `name` is the field of the file that has the texts, and `contents` are all fields.
    """
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise ValueError(TEXTS.fill("texts_rule", name=name, value=value_text(contents, name)))
    if sum(len(each) + len(text) for each, text in texts.items()) > LONGEST[name]:
        raise ValueError(TEXTS.fill("length_rule", name=name, most=LONGEST[name]))
    return texts


LONGEST_LINK = 2000  # characters; mail programs and chats may cut longer links
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
    if len(link) > LONGEST_LINK:
        st.warning(TEXTS.fill("link_is_too_long", most=LONGEST_LINK, needs=len(link)), icon=":material/link_off:")
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
        write(State(page, address.link_of_the_page(), texts_no_link_can_hold(parameters))),
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
        state = read(uploaded.getvalue())
        address.open_state(state.page, page_named(state.page).parameters, state.texts)
    except ValueError as error:
        st.error(TEXTS.fill("nothing_was_changed", error=str(error)), icon=":material/error:")
        return
    # A bare address would mean the page as the visitor left it, not the page as it starts.
    as_it_starts = {"example": page_named(state.page).parameters.opens_with}
    st.switch_page(page_in_menu(state.page), query_params=dict(state.query) or as_it_starts)
