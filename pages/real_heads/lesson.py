"""What the page “Real heads” says about a head, and the wall: a small map of the weights of each head."""

from __future__ import annotations

import math
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
from pages.shared.charts.png import colours, png_without_colours
from pages.shared.equation import engine
from pages.shared.notation.palette import HUES, css
from pages.shared.notation.prose import escape, literal, markdown_table
from pages.shared.notation.texts import texts_beside
from pages.shared.real_heads import tour
from pages.shared.real_heads.reading import BASE, GAP, SHIFTS, Moved, Reading
from pages.shared.state import session

TEXTS = texts_beside(__file__)

HALF = 0.5  # of the weight of a token
BYTES = 2  # the bytes of a number in half precision


def why(reading: Reading | None) -> str:
    """Return a text that introduces the page."""
    if reading is None:
        return TEXTS.fill("why")
    asks, role = reading.weights[-1], tour.role_of(reading.head)
    return TEXTS.fill(
        "why_with_role" if role else "why_with_head", name=reading.head.name, layer=reading.head.layer,
        head=reading.head.head, role=role, last=literal(reading.tokens[-1]), weight=asks.max(),
        best=literal(reading.tokens[int(asks.argmax())]),
    )  # fmt: skip


def numbers_text(reading: Reading) -> str:
    """Return a text that says how to read the matrices of the shown head."""
    d_k = next(iter(reading.text.q.values())).shape[1]
    return TEXTS.fill("view_of_numbers", head=reading.head.name, d_k=d_k)


# --- the sink ---


def sink_text(reading: Reading) -> str:
    """Return a text that says how much weight the first token gets in this text, and why."""
    text, layer = reading.text, reading.head.layer
    to_first = text.maps[:, :, 1:, 0].mean(axis=2) / STEPS
    value, *other_values = _value_lengths(reading)
    told = TEXTS.fill(
        "view_of_sink_with_shortest_value" if value < min(other_values) else "view_of_sink",
        n_sinks=(to_first > HALF).sum(), n=to_first.size, mean_weight=to_first.mean(), layer=layer,
        first=text.norms[layer, 0], others=text.norms[layer, 1:].mean(),
        value=value, other_values=np.mean(other_values),
    )  # fmt: skip
    return "\n\n".join([told, sink_table(reading), tour.sink_position_text()])


def _value_lengths(reading: Reading) -> np.ndarray:
    text, (layer, head) = reading.text, reading.head
    return text.value_norms[layer, head // (text.maps.shape[1] // text.value_norms.shape[1])]


def sink_table(reading: Reading) -> str:
    """Return a table of each token's norm, the norm of its value, and the mean weight on it."""
    text, (layer, head) = reading.text, reading.head
    given = text.maps[layer, head, 1:].mean(axis=0) / STEPS
    rows = [
        (escape(piece), f"{norm:,.0f}", f"{value:.2f}", f"{share:.2f}")
        for piece, norm, value, share in zip(
            text.pieces, text.norms[layer], _value_lengths(reading), given, strict=True
        )
    ]
    return markdown_table(TEXTS.points("columns_of_sink"), rows)


# --- positions ---


def positions_text(reading: Reading, found: Moved, asks: int, answers: int) -> str:
    """Return a text on how weights change if the text moves, and on the two tokens that are compared everywhere."""
    moves = zip(SHIFTS, found.together, strict=True)
    rows = [(TEXTS.fill("all_move", by=shift), _upper_bound_text(change)) for shift, change in moves]
    rows.append((TEXTS.fill("second_half_moves", by=GAP), f"{found.apart:.2f}"))
    return TEXTS.fill(
        "view_of_positions", base=BASE, table=markdown_table(TEXTS.points("columns_of_moves"), rows),
        asks=literal(reading.tokens[asks]), answers=literal(reading.tokens[answers]),
    )  # fmt: skip


def _upper_bound_text(value: float) -> str:
    """Return a small number as an upper bound: the next greater power of ten.

    >>> _upper_bound_text(4e-16), _upper_bound_text(0.0)
    ('less than $10^{-15}$', '0')
    """
    return TEXTS.fill("less_than", exponent=math.ceil(math.log10(value))) if value else "0"


# --- shared keys and values ---


def shared_keys_text(reading: Reading) -> str:
    """Return a text that says which heads share their keys and values, and how much memory that saves."""
    text, (layer, head) = reading.text, reading.head
    n_layers, n_heads, n, _ = text.maps.shape
    n_kv = text.value_norms.shape[1]
    group, d_k = n_heads // n_kv, next(iter(text.k.values())).shape[1]
    first = head // group * group
    told = TEXTS.fill(
        "view_of_shared_keys", n_heads=n_heads, n_kv=n_kv, group=group, d_k=d_k, n_bytes=BYTES,
        names=", ".join(f"L{layer}H{first + i}" for i in range(group)),
    )  # fmt: skip
    last_token = _last_token_table(reading, range(first, first + group))
    return "\n\n".join([told, last_token, cache_table(n_layers, d_k, n, (n_heads, n_kv, 1))])


def _last_token_table(reading: Reading, heads: range) -> str:
    rows = []
    for head in heads:
        row = reading.text.maps[reading.head.layer, head, -1] / STEPS
        rows.append((f"L{reading.head.layer}H{head}", escape(reading.tokens[int(row.argmax())]), f"{row.max():.2f}"))
    return markdown_table(TEXTS.points("columns_of_last_token"), rows)


def cache_table(n_layers: int, d_k: int, n: int, counts: tuple[int, ...]) -> str:
    """Return a table of the bytes that keys and values of `n` tokens need, for some numbers of sets of them."""
    a_token = [n_layers * count * 2 * d_k * BYTES for count in counts]
    rows = [(str(count), f"{size:,}", f"{size * n:,}") for count, size in zip(counts, a_token, strict=True)]
    return markdown_table((*TEXTS.points("columns_of_cache"), TEXTS.fill("bytes_of_text", n=n)), rows)


# Each module comes after the modules that it imports. The first three also belong to equations.
MODULES = ("elements.js", "component.js", "arrows.js", "wall.js")
_HERE = Path(__file__).parent

_component = components.component(
    "attention_lab_wall",
    html='<div class="wall"></div>',
    css=f".wall {{ --weight: {css(HUES['weight'])}; }}\n" + (_HERE / "wall.css").read_text(encoding="utf-8"),
    js=engine.script_of(_HERE, MODULES),
)


def wall(text: ReadText, chosen: Head, roles: Mapping[Head, str], *, columns: bool = False) -> None:
    """Draw the wall, a picture with a small map of the weights of each head."""
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
    """Show the head whose layer and number the browser has sent."""
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
