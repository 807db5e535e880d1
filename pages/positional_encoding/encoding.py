"""The encoding of positions: its waves, its formulas, and words without an order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attention_core import (
    EmbeddingTrace,
    FormulaTrace,
    compare_formulas,
    distance_spread,
    embed_positions,
    even_width,
    new_order,
    reversal,
    shift_pair,
    shuffle_tokens,
    sines_first,
)
from attention_core.arithmetic import explain as explained
from attention_core.arithmetic.position_rules import (
    embedding_rules,
    encoding_rules,
    shift_rules,
    similarity_rules,
)
from attention_core.caching import cache_recent, cache_up_to
from attention_core.checks import greatest_difference
from attention_core.experiments.positions import STILL, ShuffleTrace, compare_two
from pages.shared import charts, panel
from pages.shared.equation import LONGEST_SHOWN_SIDE, Line, equation, selected_cell
from pages.shared.equation.position_matrices import (
    encoding_lines,
    outcome_line,
    shift_line,
    similarity_lines,
    sum_lines,
)
from pages.shared.notation.numbers import ROUNDING, by_how_much, equal_or_not
from pages.shared.notation.texts import texts_beside

TEXTS = texts_beside(__file__)


# --- does the order matter? ---


def bag(parameters, example) -> None:
    """Draw two equations: how much the outputs change if the tokens change their order, without and with positions."""
    tokens = example.tokens
    order = new_order(parameters.order, len(tokens), parameters.first, parameters.second)
    shuffled = tuple(tokens[i] for i in order)
    embedding, bag, placed = _shuffle_outcomes(example, order, float(parameters.base), parameters.root)

    def outcome(name: str, trace: ShuffleTrace, section: str) -> Line:
        label = parameters.say(TEXTS, section)
        return outcome_line(trace, embedding, name, shuffled, label, example)

    st.markdown(_same_outputs_text(parameters, tokens, shuffled, bag))
    equation([outcome("bag", bag, "line_without_positions")], "shuffle", parameters, tools=True, place="view")
    _choose_order(parameters, tokens)
    st.markdown(_add_the_position_text(parameters, example, embedding, placed))
    lines = [*sum_lines(example, embedding_rules(embedding)), outcome("placed", placed, "line_with_positions")]
    equation(lines, "embedding", parameters)
    panel.draw(parameters, "embedding", "root", "base")
    of_shuffled = parameters.cell is not None and parameters.cell[0].endswith(("_bag", "_placed"))
    selected_cell.hint_and_arithmetic(shuffled if of_shuffled else tokens, tokens, parameters)


@cache_recent
def _shuffle_outcomes(example, order, base: float, root: bool) -> tuple[EmbeddingTrace, ShuffleTrace, ShuffleTrace]:
    """Return the sum of embeddings and positions, and the effect of a new order without and with positions."""
    bag, placed = (
        shuffle_tokens(example, order, positions=positions, base=base, root=root) for positions in (False, True)
    )
    return embed_positions(example.x, base, root=root), bag, placed


def _choose_order(parameters, tokens) -> None:
    swapped = [panel.token(parameters, name, tokens) for name in ("first", "second")]
    panel.draw(parameters, "order", "order", *swapped * (parameters.order == "swapped"))


def _same_outputs_text(parameters, tokens, shuffled, bag: ShuffleTrace) -> str:
    difference, size = _difference_of_outputs(bag)
    is_rounding = difference < ROUNDING * max(size, 1.0)
    section = "same_outputs_up_to_rounding" if is_rounding else "same_outputs_except"
    return parameters.say(
        TEXTS,
        section if difference else "same_outputs",
        old=" ".join(tokens),
        new=" ".join(shuffled),
        difference=by_how_much(difference, size),
    )


def _add_the_position_text(parameters, example, embedding: EmbeddingTrace, placed: ShuffleTrace) -> str:
    texts, width = [parameters.say(TEXTS, "add_the_position")], example.x.shape[-1]
    if width != even_width(width):
        texts.append(parameters.say(TEXTS, "odd_width", width=width, even_width=even_width(width)))
    if parameters.root:
        texts.append(_row_times_root_text(parameters, example, embedding))
    difference = by_how_much(*_difference_of_outputs(placed))
    return " ".join([*texts, parameters.say(TEXTS, "order_matters", difference=difference)])


def _row_times_root_text(parameters, example, embedding: EmbeddingTrace) -> str:
    row, scaled, place = (np.linalg.norm(matrix[0]) for matrix in (example.x, embedding.embedded, embedding.encoding))
    return parameters.say(
        TEXTS, "row_times_root", token=example.tokens[0], row_length=row, scaled_length=scaled, encoding_length=place
    )


def _difference_of_outputs(trace: ShuffleTrace) -> tuple[float, float]:
    """Return the greatest difference of the outputs in the two orders, and the greatest of their numbers."""
    return greatest_difference(trace.shuffled.output, trace.moved), abs(trace.moved).max()


# --- the encoding ---

SIZES = ("width", "positions", "base")
FOUR = 8, 4  # positions and width, for which a nearer position is sometimes less similar
FORMULA = r"""
$$
\begin{aligned}
PE_{pos,\,2i} &= \sin \frac{pos}{\text{base}^{2i/d_{\text{model}}}} \\[1.2em]
PE_{pos,\,2i+1} &= \cos \frac{pos}{\text{base}^{2i/d_{\text{model}}}}
\end{aligned}
$$"""


def encoding(parameters, example) -> None:
    """Draw the encoding of positions as an equation, or as a picture if it is large, and then as waves."""
    n, width, base = _sizes(parameters)
    worked = encoding_rules(n, width, base)
    lengths = worked.rules["wavelengths"][0][0]
    text = parameters.say(TEXTS, "encoding_of_positions", shortest=lengths[0], longest=lengths[-1])
    st.markdown(f"{text}{FORMULA}")
    cell = None
    if max(n, width) <= LONGEST_SHOWN_SIDE:
        equation(encoding_lines(worked), "encoding", parameters, tools=True, place="view")
        panel.draw(parameters, "sizes", *SIZES)
    else:
        place = ("sinusoidal", min(parameters.position, n - 1), min(parameters.column, width) - 1)
        across, down = (parameters.say(TEXTS, axis) for axis in ("axis_of_waves", "axis_of_positions"))
        charts.raster(worked.rules["sinusoidal"][0], across, down, key="raster", transposed=parameters.columns)
        panel.draw(parameters, "sizes", *SIZES, "position", "column")
        _draw_beyond_note(parameters, place, n, width)
        cell = explained(worked, place[0], place[1:])
    note = parameters.say(TEXTS, "counted_from_0")
    selected_cell.hint_and_arithmetic(places(parameters, n), (), parameters, note=note, cell=cell)
    section = "first_as_waves" if n > charts.MOST_POSITIONS else "same_as_waves"
    st.markdown(parameters.say(TEXTS, section, most=charts.MOST_POSITIONS))
    charts.waves(n, width, base, key="waves")


def rotation(parameters, example) -> None:
    """Draw the equation and the picture in which a shift to a later position rotates one pair of waves."""
    _, width, base = _sizes(parameters)
    pair, position, shift = min(parameters.pair, width // 2), parameters.position, parameters.shift
    trace = shift_pair(position, shift, pair - 1, width, base, n_positions=position + shift + 1)
    worked = shift_rules(trace)
    st.markdown(parameters.say(TEXTS, "shift_is_a_rotation", shift=shift))
    equation([shift_line(worked, position, shift)], "rotation", parameters, tools=True, place="view")
    panel.draw(parameters, "sizes", "position", "shift", "pair", "width", "base")
    caption = parameters.say(
        TEXTS,
        "last_pair_and_the_formula" if parameters.pair > pair else "compare_with_the_formula",
        width=width,
        n_pairs=width // 2,
        chosen=parameters.pair,
        position=position + shift,
        equal_or_not=equal_or_not(greatest_difference(trace.direct, trace.after)),
    )
    st.caption(caption)
    selected_cell.hint_and_arithmetic(places(parameters, position + 1), (), parameters)
    st.markdown(parameters.say(TEXTS, "pair_on_a_circle", pair=pair))
    charts.circle(trace, key="circle")


def distance(parameters, example) -> None:
    """Draw how similar the encodings of two positions are, and show that this depends only on their distance."""
    n, width, base = _sizes(parameters)
    worked, worked_four = similarity_rules(n, width, base), similarity_rules(*FOUR)
    similar, four = (each.rules["similarity"][0] for each in (worked, worked_four))
    st.markdown(parameters.say(TEXTS, "only_distance_counts", equal_or_not=equal_or_not(distance_spread(similar))))
    if max(n, width) <= LONGEST_SHOWN_SIDE:
        equation(similarity_lines(worked, worked_four), "similarity", parameters, tools=True, place="view")
    else:
        axis = parameters.say(TEXTS, "axis_of_positions")
        charts.raster(similar, axis, axis, key="raster")
    panel.draw(parameters, "sizes", *SIZES)
    named, note = places(parameters, max(n, FOUR[0])), parameters.say(TEXTS, "counted_from_0")
    selected_cell.hint_and_arithmetic(named, named, parameters, note=note)
    texts = [_reversed_text(parameters, four[0], FOUR[1])]
    if (n, width, base) != (*FOUR, 10000.0):
        texts.append(_reversed_text(parameters, similar[0], width))
    st.markdown(f"{parameters.say(TEXTS, 'nearer_is_not_always_more_similar')}\n\n{' '.join(texts)}")
    here, at_four = parameters.say(TEXTS, "line_at_width", width=width), parameters.say(TEXTS, "line_at_width_4")
    charts.distances({here: similar[0], at_four: four[0]}, key="distances")


def _sizes(parameters) -> tuple[int, int, float]:
    return parameters.positions, parameters.width, float(parameters.base)


def _draw_beyond_note(parameters, place: tuple[str, int, int], n: int, width: int) -> None:
    _, position, wave = place
    if (position, wave) != (parameters.position, parameters.column - 1):
        note = parameters.say(TEXTS, "beyond_the_encoding", n=n, width=width, position=position, wave=wave + 1)
        st.caption(note)


def _reversed_text(parameters, similar: np.ndarray, width: int) -> str:
    found = reversal(similar)
    if found is None:
        return parameters.say(TEXTS, "nearer_is_more_similar", width=width, n=len(similar))
    near, far = found
    digits = next(d for d in range(2, 18) if d == 17 or f"{similar[near]:.{d}f}" != f"{similar[far]:.{d}f}")
    similar_near, similar_far = (f"{similar[place]:.{digits}f}" for place in found)
    return parameters.say(
        TEXTS, "farther_is_more_similar", width=width, near=near, far=far, similar_near=similar_near,
        similar_far=similar_far,
    )  # fmt: skip


def places(parameters, n: int) -> tuple[str, ...]:
    """Return the names of the first positions: “position 0”, “position 1” and so on."""
    return tuple(parameters.say(TEXTS, "position_name", position=position) for position in range(n))


# --- three formulas ---

ANGLE = r"$\frac{pos}{\text{base}^{2i/d_{\text{model}}}}$"
NEXT_ANGLE = r"$\frac{pos}{\text{base}^{2(i+1)/d_{\text{model}}}}$"
MOST_PICTURES = 256  # stored pictures of forty kilobytes each, because all visitors drag the same sliders
NO_TABLE = np.empty((0, 0))  # the numbers of a picture take megabytes, so they are not stored


def formulas(parameters, example) -> None:
    """Draw the encodings that the three formulas give, and a table of their differences."""
    n, base = parameters.length, float(parameters.base)
    found, pictures = _compare_formulas(n, parameters.wide, base, parameters.columns)
    st.markdown(parameters.say(TEXTS, "three_formulas"))
    with st.container(horizontal=True):
        for name, picture in pictures.items():
            with st.container(width=300):
                across = parameters.say(TEXTS, "axis_of_formula", name=parameters.say(TEXTS, name))
                down = parameters.say(TEXTS, "axis_of_positions")
                charts.draw_picture(picture, across, down, key=name, transposed=parameters.columns)
    st.markdown(_formulas_table(parameters, found, base))
    panel.draw(parameters, "formulas", "wide", "length", "base", "one", "other")
    doubled = equal_or_not(found["doubled"].off_base_squared)
    text = parameters.say(TEXTS, "what_the_formulas_do", still=STILL, base_squared=base * base, equal_or_not=doubled)
    st.markdown(text)


@cache_up_to(MOST_PICTURES)
def _compare_formulas(
    n: int, width: int, base: float, turned: bool
) -> tuple[Mapping[str, FormulaTrace], Mapping[str, Mapping[str, Any]]]:
    """Return the differences between the formulas, and a picture of each encoding, turned or not, by formula."""
    found = compare_formulas(n, width, base)
    pictures = {name: charts.picture(sines_first(trace.table), turned) for name, trace in found.items()}
    return {name: replace(trace, table=NO_TABLE) for name, trace in found.items()}, pictures


def _formulas_table(parameters, found: Mapping[str, FormulaTrace], base: float) -> str:
    """Return a table that compares the formulas in `found`, with one column for each formula."""
    one, other, width = parameters.one, parameters.other, parameters.wide
    differences = {
        name: " | ".join(by_how_much(getattr(trace, name)) for trace in found.values())
        for name in ("spread", "off_paper", "off_base_squared")
    }
    return parameters.say(
        TEXTS,
        "table_of_formulas",
        angle=ANGLE,
        next_angle=NEXT_ANGLE,
        width=width,
        one=one,
        other=other,
        similar=" | ".join(f"{each:.5f}" for each in compare_two((one, other), width, base).values()),
        still=" | ".join(f"{trace.still:.1%}" for trace in found.values()),
        base_squared=base * base,
        **differences,
    )
