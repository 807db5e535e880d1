"""The map of the pipeline, and the mark of the path on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeGuard

import streamlit as st

from attention_core.examples import MATRICES
from pages.shared.controls import Parameters, controls_of
from pages.shared.equation import engine
from pages.shared.frame.errors import TEXTS
from pages.shared.scene_files.screens import screen_of_page, screens
from pages.shared.site.menu import page_in_menu
from pages.shared.site.page import HOME, page_named
from pages.shared.state import address, session

PATH = "path"
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Station:
    """A station of the pipeline map (a step such as the softmax), and the page that shows this step."""

    name: str
    page: str
    state: Mapping[str, str] = field(default_factory=dict)  # the state of the page, as in its link
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by page: further steps of this station


STATIONS = (
    Station("Tokens", "attention", {"step": "1"}),
    Station("Positions", "positional_encoding"),
    Station(TEXTS.fill("projections"), "queries_keys_values", also={"attention": ("2", "3")}),
    Station("Scores", "attention", {"step": "4"}),
    Station("Scale", "scaling"),
    Station("Softmax", "softmax_axes", also={"attention": ("5",)}),
    Station("Mix values", "attention", {"step": "8"}, also={"attention": ("6", "7")}),
    Station("Heads", "multi_head", also={"attention": ("9",)}),
    Station("Output", "multi_head", {"look": "shares"}, also={"attention": ("10",)}),
    Station("Next word", "next_word"),
)

STYLE = (_HERE / "pipeline_map.css").read_text(encoding="utf-8")
MAP = engine.component_kind(
    "way",
    STYLE,
    engine.own_scope(engine.script_of(_HERE, ["pipeline_map.js"])),
)


def draw(page: str, parameters: Parameters) -> None:
    """Draw the map of the pipeline, with a mark at the station that the page shows. A click opens a station."""
    data = map_of(page, parameters)
    # in a list, because Streamlit would search a mapping for tables
    went = MAP.component(key="way", data=[data], on_went_change=_open_station).went
    if _is_place(went) and (place := _place(went, page)) and place.page != page:
        st.switch_page(page_in_menu(place.page))


def map_of(page: str, parameters: Parameters) -> dict[str, Any]:
    """Return what the browser needs to draw the map of a page."""
    screen = screen_on_the_path(page)
    return {
        "stations": [[each.name, each.page, dict(each.state)] for each in STATIONS],
        "follows": ["example", "layout", *MATRICES],  # the parameters of the address that a link takes along
        "here": station_at(page, parameters),
        "places": _stations_by_value(page, parameters),
        "screen": screen and [screen.name, screen.page, dict(screen.state)],
    }


def screen_on_the_path(page: str) -> Station | None:
    """Return the screen of the path (a guided course) about a page as a place to go to, or None if there is none."""
    number = screen_of_page(page)
    if not number or page == HOME:  # the path begins at home
        return None
    return Station(f"{number} of {len(screens())}", PATH, {"screen": screens()[number - 1].name})


def _place(went: int, page: str) -> Station | None:
    return STATIONS[went] if went < len(STATIONS) else screen_on_the_path(page)


def station_at(page: str, parameters: Any) -> int | None:
    """Return the index of the station of the pipeline map that a page shows with these parameters.

    Return None if the page does not belong to a single station.
    """
    step = getattr(parameters, "step", None)
    at = [i for i, each in enumerate(STATIONS) if step in each.also.get(page, ()) or _opens(each, page, parameters)]
    return at[-1] if at else None


def _opens(station: Station, page: str, parameters: Any) -> bool:
    return station.page == page and all(getattr(parameters, name) == text for name, text in station.state.items())


def _stations_by_value(page: str, parameters: Parameters) -> dict[str, Any] | None:
    """Return which station the page `page` shows for each value of one of its parameters."""
    name = next((name for each in STATIONS if each.page == page for name in each.state), None)
    if name is None:
        return None
    options = controls_of(type(parameters))[name].options
    at = {option: station_at(page, replace(parameters, **{name: option})) for option in options}
    return {"name": name, "default": getattr(type(parameters)(), name), "at": at}


def _open_station() -> None:
    """Set the parameters of the clicked station's page to the values for this station. `draw` then opens the page.

    A link with parameters would do the same. But Streamlit would first write these parameters into the address of the
    old page, and the browser's Back button would later lead to that address.
    """
    address.note_press()
    went, page = st.session_state["way"].get("went"), session.visit().page
    if not _is_place(went) or not (place := _place(went, page)):
        return
    if place.page == page:
        session.set_parameters(**_state(place))
    else:
        session.visitor().left[place.page] = _parameters_at(place)


def _parameters_at(station: Station) -> Parameters:
    left = session.visitor().left.get(station.page, page_named(station.page).parameters())
    return replace(left, **_state(station))


def _state(station: Station) -> dict[str, Any]:
    controls = controls_of(page_named(station.page).parameters)
    return {name: controls[name].decode(text) for name, text in station.state.items()}


def _is_place(went: object) -> TypeGuard[int]:
    return type(went) is int and 0 <= went <= len(STATIONS)
