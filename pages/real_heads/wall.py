"""The wall: one picture with a small map of the weights of each head. A press on a map chooses its head."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
import streamlit.components.v2 as components

from attention_core.caching import cache_recent
from attention_core.language_model.model import Head
from attention_core.language_model.shipped import STEPS, ReadText
from pages.real_heads.lesson import TEXTS
from pages.shared.charts.png import colours, png_without_colours
from pages.shared.equation import engine
from pages.shared.notation.palette import WEIGHT
from pages.shared.state import session

# Each module comes after the modules that it imports. The first three also belong to equations.
MODULES = ("elements.js", "component.js", "arrows.js", "wall.js")
_HERE = Path(__file__).parent

_component = components.component(
    "attention_lab_wall",
    html='<div class="wall"></div>',
    css=f".wall {{ --weight: var(--st-{WEIGHT}-color); }}\n" + (_HERE / "wall.css").read_text(encoding="utf-8"),
    js=engine.script_of(_HERE, MODULES),
)


def wall(text: ReadText, chosen: Head, roles: Mapping[Head, str], *, columns: bool = False) -> None:
    """Draw the wall, a picture with a small map of the weights of each head. The chosen head is marked."""
    name = f"{session.visit().page}.wall"
    n_layers, n_heads, n, _ = text.maps.shape
    data = {
        "picture": picture(text, columns),
        "layers": n_layers,
        "heads": n_heads,
        "side": n,
        "chosen": list(chosen),
        "label": TEXTS.fill("wall_for_screen_readers", layers=n_layers, heads=n_heads, layer=chosen[0], head=chosen[1]),
        "wide": TEXTS.fill("wide_wall", last_layer=n_layers - 1, last_head=n_heads - 1),
        "narrow": TEXTS.fill("narrow_wall", last_layer=n_layers - 1, last_head=n_heads - 1),
        "said": [[_head_text(Head(i, j), chosen, roles) for j in range(n_heads)] for i in range(n_layers)],
    }
    _component(key=name, data=[data], on_chosen_change=lambda: choose(st.session_state[name].get("chosen"), text))


def _head_text(head: Head, chosen: Head, roles: Mapping[Head, str]) -> str:
    section = "head_with_role_in_wall" if head in roles else "head_in_wall"
    said = TEXTS.fill(section, layer=head.layer, head=head.head, name=head.name, role=roles.get(head, ""))
    return TEXTS.fill("chosen_head_in_wall", said=said) if head == chosen else said


def choose(place: Any, text: ReadText) -> None:
    """Show the head whose layer and number the browser has sent. If the model has no such head, change nothing."""
    if _is_place(place, text.maps.shape[:2]):
        session.set_parameters(head=Head(*place))


def _is_place(place: Any, shape: Sequence[int]) -> bool:
    return (
        isinstance(place, list | tuple)
        and len(place) == len(shape)
        and all(type(i) is int and 0 <= i < most for i, most in zip(place, shape, strict=True))
    )


@cache_recent
def picture(text: ReadText, columns: bool) -> str:
    """Return the maps of all heads as one PNG in base64: each column of maps is a layer, more ink a greater weight."""
    n_layers, n_heads, n, _ = text.maps.shape
    maps = text.maps.swapaxes(2, 3) if columns else text.maps
    tiled = maps.transpose(1, 2, 0, 3).reshape(n_heads * n, n_layers * n)
    before, after = png_without_colours(tiled / np.float32(STEPS))
    # The browser gives the pixels the colour of the theme.
    return b64encode(before + colours("light") + after).decode()
