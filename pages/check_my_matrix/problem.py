"""The problem whose result is checked: its setting (mask, scale, heads, positions), and its task as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from attention_core.diagnosis.pasted import (
    ALL_HEADS,
    POSITIONS,
    Problem,
    Setting,
    example_of_embeddings,
    example_of_weights,
    problem_of,
    problem_of_queries,
    problem_of_scores,
    read_mask,
)
from attention_core.diagnosis.stages import matrix_at
from attention_core.examples import Example
from attention_core.heads import MultiHeadTrace
from attention_core.masks import Mask
from attention_core.mistakes.engine.named_traces import Trace, inner_of, places_of
from attention_core.reading.matrix_text import MatrixText
from attention_core.rotation import Places, PositionTrace
from pages.check_my_matrix import reading
from pages.check_my_matrix.numbers import TEXTS, join_names, matrix_name, shape_text
from pages.check_my_matrix.reading import read
from pages.shared import panel
from pages.shared.controls import Parameters, controls_of
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import short
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
    try:
        return read_entry(text)
    except ValueError:
        rule = "must_be_a_number" if text.strip() else "must_not_be_empty"
        raise ValueError(TEXTS.fill(rule, name=TEXTS.fill(section), text=short(text))) from None


def draw_positions(parameters: Any, asked: str) -> None:
    """Draw the choice of the kind of positions, and the fields for the numbers of the chosen kind."""
    panel.draw(parameters, "positions", "positions")
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
    is_open = not is_usual(parameters)
    key = f"setting.{is_open}"  # a setting that something else on the page chooses opens the fold
    fold = st.expander(TEXTS.fill("setting_title"), expanded=is_open, key=key, on_change="rerun")
    if not fold.open:
        return
    with fold:
        panel.draw(parameters, "mask", "mask")
        _draw_mask(parameters)
        if parameters.source != "scores":
            panel.draw(parameters, "scale", "scale")
            if parameters.scale == "own":
                widgets.draw(parameters, "factor")
            draw_positions(parameters, asked)
        if parameters.source == "weights" and n_heads > 1:
            panel.draw(parameters, "kv_heads", "kv_heads")
        if has_heads(parameters, asked, n_heads):
            offered = _offered_heads(parameters.head, n_heads)
            panel.draw(parameters, "head", panel.some_of(parameters, "head", parameters.head, offered))


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
        raise ValueError(TEXTS.fill("hidden_keys_must_be_numbers", odd=short(odd[0])))
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


ATTENTION = ("q", "k", "v", "scores", "scaled", "weights", "output")
# The matrices that can be asked for, by the kind of numbers that are given.
ASKED: Mapping[str, tuple[str, ...]] = {
    "example": (*ATTENTION, ALL_HEADS, POSITIONS),
    "weights": (*ATTENTION, ALL_HEADS, POSITIONS),
    "queries": ("scores", "scaled", "weights", "output"),
    "scores": ("weights",),
    "embeddings": (POSITIONS,),
}
# The texts that are needed, and those that may be added.
_NEEDED = {
    "example": (),
    "weights": ("own_x", "own_w_q", "own_w_k", "own_w_v"),
    "queries": ("own_q", "own_k", "own_v"),
    "scores": ("own_scores",),
    "embeddings": ("own_x",),
}
ADDED = ("own_b_q", "own_b_k", "own_b_v", "own_w_o")


def needed_texts(parameters: Any) -> tuple[str, ...]:
    """Return the names of the text areas that the visitor has to fill."""
    texts = _NEEDED[parameters.source]
    return texts[:1] if asked_stage(parameters) == POSITIONS else texts  # positions need only X


def asked_stage(parameters: Any) -> str:
    """Return the name of the matrix that the visitor has chosen to check, or of one that can be computed."""
    possible = ASKED[parameters.source]
    return parameters.asked if parameters.asked in possible else possible[-1]


def problem_or_question(parameters: Any, example: Example) -> Problem | str:
    """Return the visitor's task, or a sentence that says which matrix is missing or does not fit."""
    texts = controls_of(type(parameters))
    missing = [texts[name].label for name in needed_texts(parameters) if read(parameters, name) is None]
    if missing:
        return TEXTS.fill("still_missing", labels="; ".join(missing))
    try:
        return _problem(parameters, example)
    except ValueError as error:
        return TEXTS.fill("not_computed_yet", error=str(error))


def _problem(parameters: Any, example: Example) -> Problem:
    own = {name.removeprefix("own_"): _values(read(parameters, name)) for name in needed_texts(parameters)}
    asked, n_heads = asked_stage(parameters), heads_of(parameters, example)
    setting = setting_of(parameters, asked, n_heads)
    if parameters.source == "scores":
        return problem_of_scores(own["scores"], setting)
    if parameters.source == "queries":
        return problem_of_queries(**own, stage=asked, setting=setting)
    return problem_of(_example(parameters, example, own), asked, setting)


def heads_of(parameters: Any, example: Example) -> int:
    """Return how many heads the problem has."""
    return {"example": example.n_heads, "weights": int(parameters.heads)}.get(parameters.source, 1)


def pasted_steps(parameters: Any, task: Problem) -> dict[str, MatrixText]:
    """Return the intermediate matrices that the visitor has pasted for the task `task`, by name."""
    found = {stage: read(parameters, f"given_{stage}") for stage in task.earlier_stages} if parameters.steps else {}
    return {stage: matrix for stage, matrix in found.items() if matrix is not None}


def _example(parameters: Any, example: Example, own: dict[str, Any]) -> Example:
    if parameters.source == "example":
        return example
    if asked_stage(parameters) == POSITIONS:
        return example_of_embeddings(**own)
    more: dict[str, Any] = {
        name.removeprefix("own_"): found for name in ADDED if (found := read(parameters, name)) is not None
    }
    return example_of_weights(
        **own,
        n_heads=int(parameters.heads),
        n_kv_heads=kv_heads_of(parameters),
        **{name: found.values for name, found in more.items()},
    )


def _values(found: MatrixText | None) -> Any:
    return None if found is None else found.values


# With tokens as rows. A masked formula has the mask’s symbol in it.
_SCALED = r"\frac{Q K^\top}{\sqrt{d_k}}"
_OF_ONE: Mapping[str, str] = {
    "scores": r"S = Q K^\top",
    "scaled": r"S' = SCALED",
    "weights": r"A = \operatorname{softmax}\!\left(SCALED\right)",
    "output": r"Z = \operatorname{softmax}\!\left(SCALED\right) \, V",
}
# The sections that say what each mask hides.
_HIDDEN: Mapping[str, str] = {
    "causal": "mask_hides_later_keys",
    "causal_at_end": "mask_hides_keys_after_last",
    "padding": "mask_hides_keys",
    "window": "mask_hides_all_but_window",
    "own": "mask_hides_what_it_forbids",
}
_OF_SCORES = r"A = \operatorname{softmax}(S)"
_PROJECTED = {"q": ("Q", "X", "W^Q", "b^Q"), "k": ("K", "C", "W^K", "b^K"), "v": ("V", "C", "W^V", "b^V")}
_NEEDS = {"q": "q", "k": "k", "v": "v", "scores": "qk", "scaled": "qk", "weights": "qk", "output": "qkv"}
_POSITIONS = r"PE_{pos,\,2i} = \sin\frac{pos}{10000^{2i/d}}, \quad PE_{pos,\,2i+1} = \cos\frac{pos}{10000^{2i/d}}"


def task_text(parameters: Parameters, problem: Problem) -> str:
    """Return a text that says what to compute from which numbers, and what to paste."""
    wanted = problem.correct_result if not parameters.columns else problem.correct_result.T
    formula, name = _formula(parameters, problem), matrix_name(problem.stage)
    section = "compute_it" if name in map(matrix_name, ("output", POSITIONS)) else "compute_them"
    said = TEXTS.fill(section, name=name, shape=shape_text(wanted), formula=formula)
    return " ".join(filter(None, (said, _mask_text(problem), positions_text(problem, formula))))


def _formula(parameters: Parameters, problem: Problem) -> str:
    trace = problem.trace
    if isinstance(trace, PositionTrace):
        width = problem.example.x.shape[1]
        section = "formula_of_odd_positions" if width % 2 else "formula_of_positions"
        return TEXTS.fill(section, formula=_POSITIONS, width=width)
    if problem.gives_scores:
        return TEXTS.fill("formula_of_scores", formula=parameters.formula(_OF_SCORES))
    if isinstance(trace, MultiHeadTrace):
        return _formula_of_heads(parameters, problem, trace)
    told = [_formula_of_stage(parameters, problem, problem.stage)] if problem.stage in _OF_ONE else []
    told += [] if problem.known else [_projection(parameters, problem, name) for name in _NEEDS[problem.stage]]
    first, *others = (f"${each}$" for each in told)
    formula = first
    if problem.setting.head:
        formula = TEXTS.fill("formula_of_head", formula=formula, number=problem.setting.head)
    if others:
        formula = TEXTS.fill("formula_with_others", formula=formula, others=join_names(others))
    if "d_k" in first:
        formula = TEXTS.fill("formula_with_d_k", formula=formula, d_k=np.shape(trace.q)[1])
    return formula


def _formula_of_stage(parameters: Parameters, problem: Problem, stage: str) -> str:
    scale = problem.setting.scale
    factor = "" if scale == 1 else rf"{number(scale)} \cdot " if scale is not None else ""
    formula = _OF_ONE[stage].replace("SCALED", _SCALED if scale is None else rf"{factor}Q K^\top")
    return with_positions(parameters.formula(formula), problem)


def _formula_of_heads(parameters: Parameters, problem: Problem, trace: MultiHeadTrace) -> str:
    """Return the formula of all heads, and words that say which columns of the projections each head has."""
    n_heads, section = problem.example.n_heads, "formula_of_heads"
    if trace.shares_keys:
        section = "formula_of_sharing_heads" if trace.n_kv_heads == 1 else "formula_of_groups_of_heads"
    return TEXTS.fill(
        section,
        formula=parameters.formula(r"Y = \operatorname{Concat}(Z_1, \dots, Z_h) \, W^O"),
        of_one=_formula_of_stage(parameters, problem, "output").partition(" = ")[2],
        n_heads=n_heads,
        d_k=problem.example.w_q.shape[1] // n_heads,
        n_sharing=trace.n_heads // trace.n_kv_heads,
    )


def _projection(parameters: Parameters, problem: Problem, name: str) -> str:
    result, tokens, weights, bias = _PROJECTED[name]
    tokens = "X" if problem.example.context is None else tokens
    added = f" + {bias}" if getattr(problem.example, f"b_{name}") is not None else ""
    return parameters.formula(f"{result} = {tokens} {weights}") + added


def _mask_text(problem: Problem) -> str:
    """Return a sentence that says what the mask hides, or "" if it changes nothing in the matrix that is asked for."""
    setting = problem.setting
    if problem.stage not in ("weights", "output") or not np.isneginf(matrix_at(problem.trace, "masked")).any():
        return ""
    if setting.mask == "padding" and len(setting.hidden_keys) == 1:
        return TEXTS.fill("mask_hides_key", keys=str(setting.hidden_keys[0]))
    if setting.mask not in _HIDDEN:
        return ""
    keys = join_names(list(map(str, setting.hidden_keys))) if setting.hidden_keys else ""
    return TEXTS.fill(_HIDDEN[setting.mask], keys=keys, n=setting.window)
