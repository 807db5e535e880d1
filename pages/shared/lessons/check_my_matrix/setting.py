"""The setting of a task that a visitor has chosen: the mask, the scale, the positions, and one head."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import streamlit as st

from attention_core.diagnosis.pasted import ALL_HEADS, POSITIONS, Setting, read_mask
from attention_core.masks import Mask
from pages.shared.lessons.check_my_matrix import position_setting, reading
from pages.shared.state import widgets

MASKS = {
    "none": "None", "causal": "Causal", "causal_at_end": "Causal, ending with the last key",
    "padding": "Some keys hidden", "window": "A window", "own": "My own",
}  # fmt: skip
SCALES = {"usual": "1/√d_k", "none": "None", "own": "A number"}
HEADS = {"0": "All in one", **{str(head): str(head) for head in range(1, 9)}}
KV_HEADS = {"0": "As many as of queries", "1": "1", "2": "2", "4": "4"}
SAYS_MASK = {
    "causal_at_end": "The last query attends to all keys, as when earlier keys come from a cache.",
    "window": "Each token attends to itself and to the tokens just before it.",
}
TITLE = "Mask, scale, positions and heads"
USUAL_FACTOR, NO_FACTOR = "usual", "none"


def setting_of(parameters: Any, asked: str, n_heads: int) -> Setting:
    """Return the setting of the task: the mask, the scale, the head and the positions that the visitor has chosen.

    Raises: ValueError if the mask, a hidden key or the factor cannot be read.
    """
    return Setting(
        mask=parameters.mask,
        hidden_keys=_hidden_keys(parameters.hidden) if parameters.mask == "padding" else (),
        window=parameters.window,
        own_mask=_own_mask(parameters) if parameters.mask == "own" else None,
        scale=_scale(parameters) if parameters.source != "scores" else None,
        head=int(parameters.head) if has_heads(parameters, asked, n_heads) else 0,
        n_kv_heads=kv_heads_of(parameters),
        **position_setting.fields_of(parameters, asked),
    )


def kv_heads_of(parameters: Any) -> int:
    """Return how many heads of keys and values the visitor has chosen; 0 means one for each head of queries."""
    shares = parameters.source == "weights" and int(parameters.heads) > 1
    return int(parameters.kv_heads) if shares else 0


def has_heads(parameters: Any, asked: str, n_heads: int) -> bool:
    """Return whether the visitor can choose one of several heads."""
    return n_heads > 1 and parameters.source in ("example", "weights") and asked not in (ALL_HEADS, POSITIONS)


def is_usual(parameters: Any) -> bool:
    """Return whether the visitor has chosen none of these: a mask, a scale, positions, shared keys, one head."""
    chosen = parameters.mask, parameters.scale, parameters.positions, parameters.kv_heads, parameters.head
    return chosen == ("none", USUAL_FACTOR, "none", "0", "0")


def draw(parameters: Any, asked: str, n_heads: int) -> None:
    """Draw the fields for the setting in an expander, which is open if the visitor has chosen anything there."""
    if asked == POSITIONS:
        return
    with st.expander(TITLE, expanded=not is_usual(parameters)):
        widgets.draw(parameters, "mask")
        _draw_mask(parameters)
        if parameters.source != "scores":
            widgets.draw(parameters, "scale")
            if parameters.scale == "own":
                widgets.draw(parameters, "factor")
            position_setting.draw(parameters, asked)
        if parameters.source == "weights" and n_heads > 1:
            widgets.draw(parameters, "kv_heads")
        if has_heads(parameters, asked, n_heads):
            widgets.draw_choice_of(parameters, "head", parameters.head, _offered_heads(parameters.head, n_heads))


def _offered_heads(chosen: str, n_heads: int) -> Sequence[str]:
    offered = list(HEADS)[: n_heads + 1]
    return offered if chosen in offered else [*offered, chosen]


def _draw_mask(parameters: Any) -> None:
    if parameters.mask == "padding":
        widgets.draw(parameters, "hidden")
    elif parameters.mask == "window":
        widgets.draw(parameters, "window")
    elif parameters.mask == "own":
        reading.draw_area(parameters, "own_mask", width=300)
        widgets.draw(parameters, "ones_hide")
    if said := SAYS_MASK.get(parameters.mask):
        st.caption(said)


def _hidden_keys(text: str) -> tuple[int, ...]:
    parts = [part for part in re.split(r"[\s,;]+", text.strip()) if part]
    odd = [part for part in parts if not re.fullmatch(r"[0-9]{1,4}", part)]
    if odd or not parts:
        raise ValueError(
            "The hidden keys must be whole numbers counted from 1, but "
            f"{f'you wrote “{odd[0]}”' if odd else 'the field is empty'}. Write numbers such as 4, 5."
        )
    return tuple(map(int, parts))


def _own_mask(parameters: Any) -> Mask:
    found = reading.read(parameters, "own_mask")
    if found is None:
        raise ValueError("The mask is still missing. Paste it, with a row for each query and a column for each key.")
    return read_mask(found.values, ones_hide=parameters.ones_hide)


def _scale(parameters: Any) -> float | None:
    if parameters.scale == USUAL_FACTOR:
        return None
    return (
        1.0 if parameters.scale == NO_FACTOR else position_setting.number_in("factor of the scores", parameters.factor)
    )
