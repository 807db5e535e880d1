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
from pages.check_my_matrix.numbers import join_names
from pages.shared.notation.numbers import number
from pages.shared.state import widgets
from pages.shared.task_block.answering import read_entry

KINDS = {
    "none": "None", "rotary_pairs": "Rotary, pairs of neighbours", "rotary_halves": "Rotary, pairs of halves",
    "alibi": "ALiBi",
}  # fmt: skip
USUAL_BASE = "10000"
_SIGNS = ("{Q'}", r"\lvert")
_QUERIES_OR_KEYS = re.compile(r"(?<![\\A-Za-z^])[QK]\b")


def fields_of(parameters: Any, asked: str) -> dict[str, Any]:
    """Return the chosen kind of positions and its base or slope, as fields of a `Setting`.

    If the visitor gives scores, no positions are added, because the scores already depend on them. Raises: ValueError
    if the base or the slope is not a number.
    """
    kind = parameters.positions if parameters.source != "scores" else "none"
    fields: dict[str, Any] = {"positions": kind}
    if kind.startswith("rotary"):
        fields["base"] = number_in("base of the rotation", parameters.base)
    elif kind == "alibi" and asked != ALL_HEADS and parameters.slope.strip():
        fields["slope"] = number_in("slope", parameters.slope)
    return fields


def number_in(name: str, text: str) -> float:
    """Return the number that a visitor wrote in the field `name`. Raises: ValueError if `text` is not a number."""
    try:
        return read_entry(text)
    except ValueError:
        got = f"you wrote “{text}”" if text.strip() else "the field is empty"
        raise ValueError(f"The {name} must be a number, but {got}. Write a number such as 0.125 or 1/8.") from None


def draw_positions(parameters: Any, asked: str) -> None:
    """Draw the choice of the kind of positions, and the fields for the numbers of the chosen kind."""
    widgets.draw(parameters, "positions")
    if parameters.positions.startswith("rotary"):
        widgets.draw(parameters, "base")
    elif parameters.positions == "alibi" and asked != ALL_HEADS:
        widgets.draw(parameters, "slope")


def with_positions(latex: str, problem: Problem) -> str:
    """Return the formula `latex`, changed for the positions of the problem.

    Rotated queries and keys get a prime. For ALiBi, the penalty is subtracted from the scores.
    """
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
    return f". {told} {_count(places)}"


def _penalty(places: Places, trace: Trace) -> str:
    several = isinstance(trace, MultiHeadTrace)
    slopes = places.slopes if several else places.slopes[[places.head]]
    named = join_names([f"${number(float(slope), 6)}$" for slope in slopes])
    are = "the slopes $m$ of the heads are" if several else "the slope $m$ is"
    return rf"Here $\lvert i - j \rvert$ is the distance of the two tokens, and {are} {named}."


def _rotation(places: Places, width: int) -> str:
    pairs = [(1, 2), (3, 4)] if places.kind == "rotary_pairs" else [(1, 1 + width // 2), (2, 2 + width // 2)]
    named = ", and ".join(f"columns {first} and {second}" for first, second in pairs[: width // 2])
    are = " are a pair" if width == 2 else ", are the first two pairs"
    return (
        rf"Here $Q'$ and $K'$ are $Q$ and $K$ after a rotation: {named}{are}. For the token at "
        rf"position $pos$, pair $i$ is rotated by the angle $pos / {places.base:g}^{{2i/{width}}}$, with $i$ from 0."
    )


def _count(places: Places) -> str:
    first = int(places.queries[0])
    return "Positions count from 0." if not first else (
        f"The positions of the keys count from 0, those of the queries from {first}."
    )  # fmt: skip


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
    with st.expander(TITLE, expanded=not is_usual(parameters)):
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
    return 1.0 if parameters.scale == NO_FACTOR else number_in("factor of the scores", parameters.factor)
