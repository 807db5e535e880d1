"""The setting of a problem: mask, scale, heads and positions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import streamlit as st

from attention_core.diagnosis.pasted import ALL_HEADS, POSITIONS, Problem, Setting, read_mask
from attention_core.heads import MultiHeadTrace
from attention_core.masks import Mask
from attention_core.mistakes.engine.named_traces import Trace, inner_of, places_of
from attention_core.rotation import Places, PositionTrace
from pages.check_my_matrix import reading
from pages.check_my_matrix.numbers import TEXTS, join_names
from pages.shared.notation.numbers import number
from pages.shared.state import widgets
from pages.shared.task_block.answering import read_entry

USUAL_BASE = "10000"
_SIGNS = ("{Q'}", r"\lvert")
_QUERIES_OR_KEYS = re.compile(r"(?<![\\A-Za-z^])[QK]\b")


def fields_of(parameters: Any, asked: str) -> dict[str, Any]:
    """Return the chosen kind of positions and its base or slope, as fields of a `Setting`."""
    # Scores that a visitor gives already depend on the positions.
    kind = parameters.positions if parameters.source != "scores" else "none"
    fields: dict[str, Any] = {"positions": kind}
    if kind.startswith("rotary"):
        fields["base"] = _number_in("base_of_the_rotation", parameters.base)
    elif kind == "alibi" and asked != ALL_HEADS and parameters.slope.strip():
        fields["slope"] = _number_in("slope_of_distances", parameters.slope)
    return fields


def _number_in(section: str, text: str) -> float:
    """Return the number that a visitor wrote in a field, whose name a section says."""
    try:
        return read_entry(text)
    except ValueError:
        rule = "must_be_a_number" if text.strip() else "must_not_be_empty"
        raise ValueError(TEXTS.fill(rule, name=TEXTS.fill(section), text=text)) from None


def draw_positions(parameters: Any, asked: str) -> None:
    """Draw the choice of the kind of positions, and the fields for the numbers of the chosen kind."""
    widgets.draw(parameters, "positions")
    if parameters.positions.startswith("rotary"):
        widgets.draw(parameters, "base")
    elif parameters.positions == "alibi" and asked != ALL_HEADS:
        widgets.draw(parameters, "slope")


def with_positions(latex: str, problem: Problem) -> str:
    """Return a formula in which rotated queries and keys have a prime, or the penalty of ALiBi is subtracted."""
    places = places_of(problem.trace)
    if places is None:
        return latex
    if places.kind == "alibi":
        return latex.replace(r"\right)", r" - m \, \lvert i - j \rvert\right)")
    return _QUERIES_OR_KEYS.sub(lambda symbol: f"{{{symbol[0]}'}}", latex)


def positions_text(problem: Problem, formula: str) -> str:
    """Return sentences that explain the symbols of the positions in a formula, or "" if it has none."""
    trace = problem.trace
    places = places_of(trace)
    if places is None or isinstance(trace, PositionTrace) or not any(sign in formula for sign in _SIGNS):
        return ""
    told = _penalty(places, trace) if places.kind == "alibi" else _rotation(places, inner_of(trace).q.shape[-1])
    return f"{told} {_count(places)}"


def _penalty(places: Places, trace: Trace) -> str:
    several = isinstance(trace, MultiHeadTrace)
    slopes = places.slopes if several else places.slopes[[places.head]]
    named = join_names([f"${number(float(slope), 6)}$" for slope in slopes])
    return TEXTS.fill("slopes_are" if several else "slope_is", slopes=named)


def _rotation(places: Places, width: int) -> str:
    a, b, c, d = (1, 2, 3, 4) if places.kind == "rotary_pairs" else (1, 1 + width // 2, 2, 2 + width // 2)
    section = "rotation_of_one_pair" if width == 2 else "rotation_of_pairs"
    return TEXTS.fill(section, a=a, b=b, c=c, d=d, base=places.base, width=width)


def _count(places: Places) -> str:
    first = int(places.queries[0])
    return TEXTS.fill("positions_of_queries_count_from" if first else "positions_count_from_0", first=first)


HEADS = tuple(map(str, range(9)))  # 0: all heads in one
SAYS_MASK = {"causal_at_end": "says_causal_at_end", "window": "says_window"}
USUAL_FACTOR, NO_FACTOR = "usual", "none"


def setting_of(parameters: Any, asked: str, n_heads: int) -> Setting:
    """Return the setting of the task: the mask, the scale, the head and the positions that the visitor has chosen."""
    return Setting(
        mask=parameters.mask,
        hidden_keys=_hidden_keys(parameters.hidden) if parameters.mask == "padding" else (),
        window=parameters.window,
        own_mask=_own_mask(parameters) if parameters.mask == "own" else None,
        scale=_scale(parameters) if parameters.source != "scores" else None,
        head=int(parameters.head) if has_heads(parameters, asked, n_heads) else 0,
        n_kv_heads=kv_heads_of(parameters),
        **fields_of(parameters, asked),
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
    with st.expander(TEXTS.fill("setting_title"), expanded=not is_usual(parameters)):
        widgets.draw(parameters, "mask")
        _draw_mask(parameters)
        if parameters.source != "scores":
            widgets.draw(parameters, "scale")
            if parameters.scale == "own":
                widgets.draw(parameters, "factor")
            draw_positions(parameters, asked)
        if parameters.source == "weights" and n_heads > 1:
            widgets.draw(parameters, "kv_heads")
        if has_heads(parameters, asked, n_heads):
            widgets.draw_choice_of(parameters, "head", parameters.head, _offered_heads(parameters.head, n_heads))


def _offered_heads(chosen: str, n_heads: int) -> Sequence[str]:
    offered = HEADS[: n_heads + 1]
    return offered if chosen in offered else [*offered, chosen]


def _draw_mask(parameters: Any) -> None:
    if parameters.mask == "padding":
        widgets.draw(parameters, "hidden")
    elif parameters.mask == "window":
        widgets.draw(parameters, "window")
    elif parameters.mask == "own":
        reading.draw_area(parameters, "own_mask", width=300)
        widgets.draw(parameters, "ones_hide")
    if section := SAYS_MASK.get(parameters.mask):
        st.caption(TEXTS.fill(section))


def _hidden_keys(text: str) -> tuple[int, ...]:
    parts = [part for part in re.split(r"[\s,;]+", text.strip()) if part]
    odd = [part for part in parts if not re.fullmatch(r"[0-9]{1,4}", part)]
    if odd:
        raise ValueError(TEXTS.fill("hidden_keys_must_be_numbers", odd=odd[0]))
    if not parts:
        raise ValueError(TEXTS.fill("hidden_keys_are_empty"))
    return tuple(map(int, parts))


def _own_mask(parameters: Any) -> Mask:
    found = reading.read(parameters, "own_mask")
    if found is None:
        raise ValueError(TEXTS.fill("mask_is_missing"))
    return read_mask(found.values, ones_hide=parameters.ones_hide)


def _scale(parameters: Any) -> float | None:
    if parameters.scale == USUAL_FACTOR:
        return None
    return 1.0 if parameters.scale == NO_FACTOR else _number_in("factor_of_the_scores", parameters.factor)
