"""The way: one map of what happens between tokens and output, each station a link, with “you are here”."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st
import streamlit.components.v2 as components

from pages.shared.controls import Parameters
from pages.shared.site.navigation import page_in_menu
from pages.shared.state import session
from pages.shared.state.link import query_to

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Station:
    """A station of the way: what happens there, and the page that shows it."""

    name: str
    page: str
    state: Mapping[str, str] = field(default_factory=dict)  # of the page, as its link says it
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
    Station("Output", "multi_head", {"look": "attentions"}, also={"attention": ("10",)}),
)

_map = components.component(
    "attention_lab_way",
    html='<nav class="way" aria-label="The way from tokens to output"></nav>',
    css=(_HERE / "way.css").read_text(encoding="utf-8"),
    js=(_HERE / "way.js").read_text(encoding="utf-8"),
)


def draw(page: str, parameters: Parameters) -> None:
    """Draw the map, and go where a click on it asks to.

    Where it leads is decided then: the address that a link shows would be that of the last run.
    """
    workspace = session.visit().workspace
    stations = [[each.name, f"{each.page}?{urlencode(query_to(each.state, workspace))}"] for each in STATIONS]
    went = _map(key="way", data=[stations, here(page, parameters)], on_went_change=lambda: None).went
    if isinstance(went, int) and 0 <= went < len(STATIONS):
        station = STATIONS[went]
        query = query_to(station.state, workspace) if station.state else None
        st.switch_page(page_in_menu(station.page), query_params=query)


def here(page: str, parameters: Any) -> int | None:
    """Return at which station a page stands in this state, or None where it is about the whole way."""
    step = getattr(parameters, "step", None)
    at = [i for i, each in enumerate(STATIONS) if step in each.also.get(page, ()) or _opens(each, page, parameters)]
    return at[-1] if at else None


def _opens(station: Station, page: str, parameters: Any) -> bool:
    return station.page == page and all(getattr(parameters, name) == text for name, text in station.state.items())
