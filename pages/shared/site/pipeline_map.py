"""The map of the pipeline: the stations between tokens and the next word, each a link, and which of them is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeGuard

import streamlit as st
import streamlit.components.v2 as components

from attention_core.examples import MATRICES
from pages.shared.controls import Parameters, controls_of
from pages.shared.site.catalogue import page_named
from pages.shared.site.menu import page_in_menu
from pages.shared.state import address, session

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Station:
    """A station of the way: what happens there, and the page that shows it."""

    name: str
    page: str
    state: Mapping[str, str] = field(default_factory=dict)  # the state of the page, as its link says it
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # page: its steps that stand here as well


STATIONS = (
    Station("Tokens", "attention", {"step": "1"}),
    Station("Positions", "positional_encoding"),
    Station("Queries, keys, values", "queries_keys_values", also={"attention": ("2", "3")}),
    Station("Scores", "attention", {"step": "4"}),
    Station("Scale", "scaling"),
    Station("Softmax", "softmax_axes", also={"attention": ("5",)}),
    Station("Mix values", "attention", {"step": "8"}, also={"attention": ("6", "7")}),
    Station("Heads", "multi_head", also={"attention": ("9",)}),
    Station("Output", "multi_head", {"look": "shares"}, also={"attention": ("10",)}),
    Station("Next word", "next_word"),
)

_map = components.component(
    "attention_lab_way",
    html='<nav class="way" aria-label="The way from tokens to the next word"></nav>',
    css=(_HERE / "pipeline_map.css").read_text(encoding="utf-8"),
    js=(_HERE / "pipeline_map.js").read_text(encoding="utf-8"),
)


def draw(page: str, parameters: Parameters) -> None:
    """Draw the map, and go where a click on it asks to.

    It stands outside the lesson, so that an edit does not draw it again. When the address of the page changes, the
    browser itself works out the new mark and the new links.
    """
    data = {
        "stations": [[each.name, each.page, dict(each.state)] for each in STATIONS],
        "follows": ["example", "layout", *MATRICES],  # what a link takes along of what the page's address says
        "here": here(page, parameters),
        "places": _places(page, parameters),
    }
    went = _map(key="way", data=[data], on_went_change=_go).went  # in a mapping, Streamlit would look for tables
    if _is_station(went) and STATIONS[went].page != page:
        st.switch_page(page_in_menu(STATIONS[went].page))


def here(page: str, parameters: Any) -> int | None:
    """Return at which station a page stands in this state, or None where it is about the whole way."""
    step = getattr(parameters, "step", None)
    at = [i for i, each in enumerate(STATIONS) if step in each.also.get(page, ()) or _opens(each, page, parameters)]
    return at[-1] if at else None


def _opens(station: Station, page: str, parameters: Any) -> bool:
    return station.page == page and all(getattr(parameters, name) == text for name, text in station.state.items())


def _places(page: str, parameters: Parameters) -> dict[str, Any] | None:
    """Return the setting by which a page moves from station to station, its default, and where each value stands."""
    name = next((name for each in STATIONS if each.page == page for name in each.state), None)
    if name is None:
        return None
    options = controls_of(type(parameters))[name].options
    at = {option: here(page, replace(parameters, **{name: option})) for option in options}
    return {"name": name, "default": getattr(type(parameters)(), name), "at": at}


def _go() -> None:
    """Set the page of the clicked station to the state of that station; `draw` goes there if it is another page.

    A query of its own would lead there as well, but Streamlit would first write it to the page that is left, where the
    browser's Back would find it.
    """
    address.press()
    went = st.session_state["way"].get("went")
    if not _is_station(went):
        return
    there = STATIONS[went]
    if there.page == session.visit().page:
        session.set_parameters(**_state(there))
    else:
        session.visitor().left[there.page] = _there(there)


def _there(station: Station) -> Parameters:
    """Return the parameters of another page as the visitor has left it, in the state of the station."""
    left = session.visitor().left.get(station.page, page_named(station.page).parameters())
    return replace(left, **_state(station))


def _state(station: Station) -> dict[str, Any]:
    controls = controls_of(page_named(station.page).parameters)
    return {name: controls[name].decode(text) for name, text in station.state.items()}


def _is_station(went: object) -> TypeGuard[int]:
    """Say whether this is what the map sends. A tampered browser may send anything."""
    return type(went) is int and 0 <= went < len(STATIONS)
