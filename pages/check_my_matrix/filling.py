"""A pasted text with several named matrices: the field for each matrix, and a button that fills the fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from attention_core.caching import cache_recent
from attention_core.diagnosis.pasted import ALL_HEADS
from attention_core.reading.matrix_text import (
    MOST_CHARACTERS,
    NamedMatrix,
    Setting,
    named_matrices,
    settings_in,
    write_matrix,
)
from pages.check_my_matrix.numbers import TEXTS
from pages.shared.controls import Parameters, controls_of
from pages.shared.notation.prose import literal
from pages.shared.state import session

STAGES = ("q", "k", "v", "scores", "scaled", "weights", "output")  # in the order in which they are computed
# What a problem may start from, and the matrices that it then holds. The first that fits is offered first.
STARTS: Mapping[str, tuple[str, ...]] = {
    "weights": ("x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "w_o"),
    "queries": ("q", "k", "v"),
    "scores": (),  # the first matrix of READY that the text has
    "example": (),
}
NEEDED: Mapping[str, frozenset[str]] = {
    "weights": frozenset({"x", "w_q"}),
    "queries": frozenset({"q", "k"}),
    "scores": frozenset(),  # one matrix of READY
    "example": frozenset(),
}
READY = ("masked", "scaled", "scores")  # what softmax may receive, the latest first: a problem from scores starts there


@dataclass(frozen=True, slots=True)
class Filling:
    """The texts that one button writes into the fields of the page, and the field for each matrix."""

    source: str
    values: dict[str, Any]
    field_of_role: dict[str, str]  # the field, by the role of a matrix


def fillings_of(parameters: Parameters, found: Sequence[NamedMatrix], settings: Mapping[str, Setting]) -> list[Filling]:
    """Return the ways to put the named matrices of a pasted text into the fields: one, or one more from the example."""
    many = Counter(each.role for each in found)
    texts = {each.role: _field_text(parameters, each) for each in found if many[each.role] == 1}
    starts = [start for start in STARTS if _can_start(start, texts) and start in _options(parameters, "source")]
    fillings = [_filling(parameters, start, texts, settings) for start in starts[:1] + starts[1:][-1:]]
    return [each for each in fillings if len(each.field_of_role) > 1]


def draw(parameters: Parameters, name: str, text: str) -> bool:
    """If a text has several named matrices, draw the ways to put them into the fields as buttons, and return True."""
    if len(text) > MOST_CHARACTERS:
        return False
    found, settings = _found(text), settings_in(text)
    fillings = fillings_of(parameters, found, settings)
    if not fillings:
        return False
    st.info(TEXTS.fill("named_matrices", n=len(found)), icon=":material/move_down:")
    st.markdown(_table(parameters, found, fillings[0], settings))
    starts = TEXTS.words("starts").options
    with st.container(horizontal=True, gap="small", key=f"filling.{name}"):
        for filling in fillings:
            st.button(
                TEXTS.fill("fill_all_fields", start=starts[filling.source]),
                icon=":material/done_all:",
                key=f"fill.{name}.{filling.source}",
                on_click=_fill,
                args=(name, filling),
            )
    return True


@cache_recent
def _found(text: str) -> tuple[NamedMatrix, ...]:
    return tuple(each for each in named_matrices(text) if each.role)


def _fill(name: str, filling: Filling) -> None:
    session.clear_seen_notices()
    session.set_parameters(**{name: ""} | filling.values)


def _filling(parameters: Parameters, source: str, texts: Mapping[str, str], settings: Mapping[str, Setting]) -> Filling:
    own = {role: f"own_{role}" for role in (*STARTS[source], "mask") if role in texts}
    own |= {next(role for role in READY if role in texts): "own_scores"} if source == "scores" else {}
    later = [stage for stage in STAGES if stage in texts and stage not in own and _comes_after(stage, source)]
    result = [stage for stage in later if stage in _options(parameters, "asked")][-1:]
    steps = {stage: f"given_{stage}" for stage in later if stage not in result}
    goes_to = own | steps | dict.fromkeys(result, "answer")
    values: dict[str, Any] = {field: texts[role] for role, field in goes_to.items()}
    values |= (
        {"source": source}
        | _parameters_from_settings(parameters, settings)
        | ({"mask": "own"} if "mask" in own else {})
    )
    values |= {"asked": _matrix_to_check(result[0], texts, settings, parameters)} if result else {}
    return Filling(source, values | ({"steps": True} if steps else {}), goes_to)


def _matrix_to_check(
    result: str, texts: Mapping[str, str], settings: Mapping[str, Setting], parameters: Parameters
) -> str:
    # An output with several heads means that of all heads, unless the text also has a matrix of one head.
    of_one = texts.keys() & {"scores", "scaled", "weights"}
    n_heads = settings.get("n_heads", int(getattr(parameters, "heads", "0")))
    several = isinstance(n_heads, int) and n_heads > 1
    return ALL_HEADS if result == "output" and "x" in texts and several and not of_one else result


def _can_start(start: str, texts: Mapping[str, str]) -> bool:
    return NEEDED[start] <= texts.keys() and (start != "scores" or any(role in texts for role in READY))


def _comes_after(stage: str, source: str) -> bool:
    return stage == "weights" if source == "scores" else stage not in STARTS[source]


def _parameters_from_settings(parameters: Parameters, settings: Mapping[str, Setting]) -> dict[str, str]:
    """Return the parameters of the page that the settings in a text decide: mask, heads, positions and scale."""
    mask = "causal" if settings.get("causal") is True else str(settings.get("mask", "")).lower()
    wanted = {
        "mask": mask, "heads": str(settings.get("n_heads", "")), "kv_heads": str(settings.get("n_kv_heads", "")),
        "positions": str(settings.get("positions", "")).lower(),
    }  # fmt: skip
    chosen = {name: value for name, value in wanted.items() if value in _options(parameters, name)}
    scale = settings.get("scale")
    factor = {"scale": "own", "factor": repr(scale)} if isinstance(scale, int | float) and scale is not True else {}
    base = {"base": repr(settings["base"])} if isinstance(settings.get("base"), int | float) else {}
    return chosen | factor | base


def _options(parameters: Parameters, name: str) -> Mapping[str, str]:
    return getattr(controls_of(type(parameters)).get(name), "options", {})


def _field_text(parameters: Parameters, found: NamedMatrix) -> str:
    if not found.is_transposed or parameters.columns:
        return found.text
    return write_matrix(found.matrix.values, found.matrix.decimals or 0)


def _table(
    parameters: Parameters, found: Sequence[NamedMatrix], filling: Filling, settings: Mapping[str, Setting]
) -> str:
    fields = controls_of(type(parameters))
    rows = []
    for each in found:
        field = filling.field_of_role.get(each.role, "")
        where = getattr(fields[field], "label", "") if field else TEXTS.fill("goes_nowhere")
        if each.is_transposed:
            where = TEXTS.fill("goes_transposed", field=where)
        size = "×".join(map(str, each.matrix.values.shape))
        rows.append(f"| {_cell(each.name)} | {each.line} | {size} | {where} |")
    taken = _parameters_from_settings(parameters, settings)
    for name, value in settings.items():
        done = TEXTS.fill("setting_is_set" if _is_taken(name, taken) else "set_it_yourself")
        rows.append(f"| {_cell(f'{name} = {value}')} | | | {done} |")
    return TEXTS.fill("table_of_matrices", lines="\n".join(rows))


def _is_taken(name: str, taken: Mapping[str, str]) -> bool:
    return {"n_heads": "heads", "n_kv_heads": "kv_heads", "causal": "mask"}.get(name, name) in taken


def _cell(text: str) -> str:
    return literal(text.replace("|", "/"))
