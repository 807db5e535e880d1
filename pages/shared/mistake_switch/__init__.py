"""The switch of each mistake, and what the mistake does to the numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import streamlit as st

from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic.mistake_rules import mistake_rules
from attention_core.arithmetic.position_rules import position_step_rules
from attention_core.caching import cache_recent
from attention_core.checks import greatest_difference
from attention_core.examples import Example
from attention_core.heads import MultiHeadTrace
from attention_core.language_model.causes import UNDAMAGED, damages
from attention_core.mistakes import WITH_SWITCH, Mistake, blind_spots, mistakes_of, visible_mistakes
from attention_core.mistakes.engine.named_traces import Trace
from attention_core.rotation import PositionTrace
from pages.shared import panel
from pages.shared.controls import Parameters, controls_of, of_kind
from pages.shared.controls.kinds import Choice
from pages.shared.equation import Line, Matrix, equation, matrices_of, selected_cell
from pages.shared.equation.computation import Computation, is_given
from pages.shared.equation.engine import equations_on_page
from pages.shared.equation.matrices import attention_matrices, head_matrices
from pages.shared.equation.position_matrices import position_matrix
from pages.shared.notation.prose import typeset
from pages.shared.notation.symbols import matrix_id_of_stage
from pages.shared.notation.texts import texts_beside
from pages.shared.site import menu
from pages.shared.state import address, session
from pages.shared.state.widgets import reserve_container

TEXTS = texts_beside(__file__)

REAL_MODEL = "real_model"  # the page that shows every mistake in a real model
ROUNDING = 1e-9  # numbers that differ by less count as equal
# The link to a public thread: the text, the repository, the number.
THREAD = "[{0}](https://github.com/{1}/issues/{2})"


def switches_of(page: str) -> Any:
    """Return a parameter of a page: the mistake that is switched on. Its options are the mistakes of `page`."""
    titles = {mistake.name: mistake.title for mistake in mistakes_of(page)}
    return of_kind(Choice(TEXTS.fill("switch"), titles, optional=True), "")


def show(parameters: Parameters, example: Example, trace: Trace) -> None:
    """Draw the switches of the page's mistakes, and the effect of the mistake that is switched on."""
    mistakes = _mistakes_of(parameters)
    chosen = next((mistake for mistake in mistakes if mistake.name == parameters.mistake), None)  # type: ignore[attr-defined]
    label = TEXTS.fill("usual_mistakes", n=len(mistakes))
    st.session_state.setdefault(_fold(), chosen is not None)
    fold = st.expander(label, icon=":material/report:", key=_fold(), on_change="rerun")
    if fold.open:
        with fold:
            _switches(parameters, mistakes, trace)
    with reserve_container("mistake"):
        if chosen:
            _explain(parameters, chosen, example, trace)


def depends_on_the_numbers(parameters: Parameters) -> bool:
    """Return whether what is shown of mistakes changes with the numbers above: if one is on, or can be chosen now."""
    return bool(getattr(parameters, "mistake", "")) or bool(st.session_state.get(_fold()))


def _fold() -> str:
    return f"{session.visit().page}.mistakes"


def _switches(parameters: Parameters, mistakes: tuple[Mistake[Any], ...], trace: Trace) -> None:
    """Draw one switch for each of the `mistakes` that changes a number of this computation."""
    on = parameters.mistake  # type: ignore[attr-defined]
    visible = {mistake.name for mistake in _visible_mistakes(trace, mistakes)}
    offered = [mistake.name for mistake in mistakes if mistake.name in visible or mistake.name == on]
    others = [mistake.name for mistake in mistakes if mistake.name not in offered]
    panel.draw(parameters, "mistakes", panel.some_of(parameters, "mistake", on, offered))
    if others:
        label = TEXTS.fill("hidden_mistakes", n=len(others))
        more = st.popover(label, type="tertiary", key=f"{_fold()}.others", on_change="rerun")
        if more.open:
            with more:
                st.markdown(_why_not_here(parameters, trace))
                panel.draw(parameters, "other_mistakes", panel.some_of(parameters, "mistake", "", others))


def _explain(parameters: Parameters, chosen: Mistake[Any], example: Example, trace: Trace) -> None:
    text = f"**{chosen.title}.** {typeset(chosen.why)}"
    st.markdown(f"{parameters.in_layout(text)}\n\n{parameters.display(chosen.formula)}")
    _damage(parameters, chosen, example, trace)
    st.caption(TEXTS.fill("seen_in", sources=", ".join(dict.fromkeys(map(source_of, chosen.sources)))))
    _in_a_real_model(chosen)


def _in_a_real_model(mistake: Mistake[Any]) -> None:
    if mistake.name in damages():
        right, wrong = (damages()[name].loss for name in (UNDAMAGED, mistake.name))
        section = "nothing_is_left_in_a_real_model" if np.isnan(wrong) else "loss_in_a_real_model"
        label = TEXTS.fill(section, right=right, wrong=wrong)
        menu.link(REAL_MODEL, label, {"mistake": mistake.name}, icon="science")


def _damage(parameters: Parameters, mistake: Mistake[Any], example: Example, trace: Trace) -> None:
    try:
        wrong = mistake.apply(trace)
    except ValueError as error:
        st.warning(TEXTS.fill("cannot_be_computed", error=str(error)), icon=":material/block:")
        _offer_where_it_shows(mistake)
        return
    if not mistake.shows(trace):
        st.info(TEXTS.fill("nothing_to_see", needs=typeset(mistake.needs)), icon=":material/visibility_off:")
        _offer_where_it_shows(mistake)
        return
    mistaken, right = _wrong_and_correct_equation(mistake, example, trace, wrong)
    label = TEXTS.fill("with_the_mistake", example=example.title)
    equation([Line(mistaken, label), Line(right, TEXTS.fill("right"))], "mistake", parameters)
    selected_cell.arithmetic_of_a_mistake(example.tokens, example.key_tokens, parameters)
    result = "encoding" if isinstance(trace, PositionTrace) else "output"
    st.markdown(verdict(greatest_difference(trace.output, wrong.output), TEXTS.fill(result)))


def _offer_where_it_shows(mistake: Mistake[Any]) -> None:
    label, icon = TEXTS.fill("show_it"), ":material/visibility:"
    if mistake.state and st.button(label, icon=icon, key="show_the_mistake"):
        address.change_parameters(dict(parse_qsl(mistake.state)))
        st.rerun()  # a run of the whole page, because the chooser of examples changes too


Product = tuple[Matrix | str, ...]
ENCODINGS = ("sinusoidal", "positioned")


def _wrong_and_correct_equation(
    mistake: Mistake[Any], example: Example, trace: Trace, wrong: Trace
) -> tuple[Product, Product]:
    """Return two equations of the last step that a mistake changes: first the wrong one, then the correct one."""
    worked = _mistake_rules(mistake, trace)
    if isinstance(trace, PositionTrace):
        return _encodings("positioned" if mistake.stage == "positioned" else "encoding", trace, wrong, worked)
    if isinstance(trace, MultiHeadTrace):
        right, with_mistake = head_matrices(example, trace), head_matrices(example, wrong, right=trace)  # type: ignore[arg-type]
        return _products(example, right, with_mistake, worked, ("concat", "w_o"))
    right, with_mistake = attention_matrices(example, trace), attention_matrices(example, wrong, right=trace)  # type: ignore[arg-type]
    return _products(example, right, with_mistake, worked, ("weights", "v"))


def _encodings(stage: str, trace: PositionTrace, wrong: Trace, worked: CellCalculations) -> tuple[Product, Product]:
    mistaken, right = getattr(wrong, stage), getattr(trace, stage)
    name, computation = matrix_id_of_stage(stage), Computation(position_step_rules(trace))
    with_mistake = position_matrix(name, mistaken, computation, right=right)
    as_meant = position_matrix(name, right, computation).with_suffix(selected_cell.RIGHT_SUFFIX, ENCODINGS)
    return (_computed_by(worked, with_mistake, ()).paired_with(as_meant),), (as_meant,)


def _products(
    example: Example,
    right: Mapping[str, Matrix],
    with_mistake: Mapping[str, Matrix],
    worked: CellCalculations,
    factors: tuple[str, str],
) -> tuple[Product, Product]:
    """Return the equation of two `factors` and their product, the output, twice: with the mistake, and correct."""
    apart = {*factors, "output"} | _not_on_the_page(right, example.matrices())
    first, factor, output = (
        right[name].with_suffix(selected_cell.RIGHT_SUFFIX, apart) for name in (*factors, "output")
    )
    mistaken, off = (_computed_by(worked, with_mistake[name], apart) for name in (factors[0], "output"))
    product = off.with_reads(f"{mistaken.id}[i,:]", f"{factor.id}[:,j]")
    off = product if _is_product(mistaken, factor, off) else off.paired_with(output)
    return (mistaken.paired_with(first), "·", factor, "=", off), (first, "·", factor, "=", output)


def _computed_by(worked: CellCalculations, matrix: Matrix, apart: Collection[str]) -> Matrix:
    """Return a matrix that is computed with a mistake. The inputs in `apart` have other numbers than on the page."""

    def own(id: str) -> str:
        name, dot, part = id.partition(".")
        given = is_given(name, worked.rules[name][1])
        suffix = selected_cell.RIGHT_SUFFIX * (name in apart) if given else selected_cell.MISTAKE_SUFFIX
        return f"{name}{suffix}{dot}{part}"

    computation = matrix.computation and matrix.computation.with_mistake(worked, own)
    return replace(matrix, id=own(matrix.id), computation=computation, editable=False)


def _is_product(first: Matrix, factor: Matrix, output: Matrix) -> bool:
    if (len(first.values), *factor.values.shape) != (len(output.values), first.values.shape[1], output.values.shape[1]):
        return False
    return np.allclose(first.values @ factor.values, output.values, equal_nan=True)


def _not_on_the_page(m: Mapping[str, Matrix], given: Mapping[str, np.ndarray]) -> set[str]:
    """Return the names of the matrices that the page shows with other numbers, or computes without showing them."""
    shown = {matrix.id: matrix.values for lines in equations_on_page().values() for matrix in matrices_of(lines)}
    shown = {**given, **shown}
    return {name for name, matrix in m.items() if not np.array_equal(shown.get(name, ()), matrix.values)}


def verdict(difference: float, result_name: str) -> str:
    """Return a sentence that says how wrong a result is. `result_name` is the name of the result in this sentence."""
    if difference < ROUNDING:
        return TEXTS.fill("changes_nothing")
    section = "has_another_shape" if difference == np.inf else "is_no_number" if np.isnan(difference) else "is_off"
    return TEXTS.fill(section, result=result_name, difference=difference)


def _mistakes_of(parameters: Parameters) -> tuple[Mistake[Any], ...]:
    here = controls_of(type(parameters))["mistake"].options
    return tuple(mistake for mistake in WITH_SWITCH if mistake.name in here)


_mistake_rules = cache_recent(mistake_rules)
_blind_spots = cache_recent(blind_spots)
_visible_mistakes = cache_recent(visible_mistakes)


def _why_not_here(parameters: Parameters, trace: Trace) -> str:
    hidden = [typeset(mistake.title) for mistake in _blind_spots(trace, _mistakes_of(parameters))]
    section = "numbers_that_hide_mistakes" if hidden else "other_mistakes"
    return TEXTS.fill(section, titles=parameters.in_layout(", ".join(hidden)))


def source_of(source: str) -> str:
    """Return the place in which a mistake was found, as Markdown: a course notebook, or a link to a public thread."""
    if "#" not in source:
        return TEXTS.fill("course_notebook", number=source.split("-")[0])
    repository, issue = source.split("#")
    return THREAD.format(source, repository, issue)


__all__ = [
    "show",
    "source_of",
    "switches_of",
    "verdict",
]
