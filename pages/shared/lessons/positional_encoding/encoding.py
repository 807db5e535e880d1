"""Three views of the encoding of positions: its numbers and waves, a shift as a rotation, the effect of distance."""

from __future__ import annotations

import streamlit as st

from attention_core import distance_spread, reversal, shift_pair
from attention_core.arithmetic import explain as explained
from attention_core.arithmetic.position_rules import encoding_rules, shift_rules, similarity_rules
from attention_core.checks import greatest_difference
from pages.shared import charts
from pages.shared.equation import LONGEST_SHOWN_SIDE, equation, selected_cell
from pages.shared.equation.position_matrices import encoding_lines, shift_line, similarity_lines
from pages.shared.notation.differences import equal_or_not
from pages.shared.state import widgets

SIZES = ("width", "positions", "base")
FOUR = 8, 4  # positions and width, for which a nearer position is sometimes less similar
FORMULA = r"""
$$
\begin{aligned}
PE_{pos,\,2i} &= \sin \frac{pos}{\text{base}^{2i/d_{\text{model}}}} \\
PE_{pos,\,2i+1} &= \cos \frac{pos}{\text{base}^{2i/d_{\text{model}}}}
\end{aligned}
$$"""


def encoding(parameters, example) -> None:
    """Draw the encoding of positions as an equation, or as a picture if it is large, and then as waves."""
    n, width, base = _sizes(parameters)
    worked = encoding_rules(n, width, base)
    lengths = worked.rules["wavelengths"][0][0]
    says = (
        "Each position has a row. Each pair of columns is a sine and a cosine with the same speed: the first pair "
        f"repeats after {lengths[0]:.2f} positions, the last after {lengths[-1]:,.2f}. The fast waves distinguish "
        "neighbours, and the slow waves distinguish positions that are far apart. In the formula, $pos$ is the "
        "position, and $i$ counts the pairs from 0."
    )
    st.markdown(parameters.in_layout(says) + FORMULA)
    cell = None
    if max(n, width) <= LONGEST_SHOWN_SIDE:
        equation(encoding_lines(worked), "encoding", parameters, tools=True)
        _draw_controls(parameters, *SIZES)
    else:
        place = ("sinusoidal", min(parameters.position, n - 1), min(parameters.column, width) - 1)
        charts.raster(worked.rules["sinusoidal"][0], "wave", "position", key="raster", transposed=parameters.columns)
        _draw_controls(parameters, *SIZES, "position", "column")
        _draw_beyond_note(parameters, place, n, width)
        cell = explained(worked, place[0], place[1:])
    selected_cell.hint_and_arithmetic(_places(n), (), parameters, note=_count_text(parameters), cell=cell)
    st.markdown(f"## The {f'first {charts.MOST_POSITIONS}' if n > charts.MOST_POSITIONS else 'same'} as waves")
    charts.waves(n, width, base, key="waves")


def rotation(parameters, example) -> None:
    """Draw the equation and the picture in which a shift to a later position rotates one pair of waves."""
    _, width, base = _sizes(parameters)
    pair, position, shift = min(parameters.pair, width // 2), parameters.position, parameters.shift
    trace = shift_pair(position, shift, pair - 1, width, base, n_positions=position + shift + 1)
    worked = shift_rules(trace)
    st.markdown(
        f"From one position to the position {shift} later, each pair turns by {shift} times its own angle. **The "
        "matrix of this rotation does not depend on where you start.** So a model can learn “three positions back” "
        "once, for all positions."
    )
    equation([shift_line(worked, position, shift)], "rotation", parameters, tools=True)
    _draw_controls(parameters, "position", "shift", "pair", "width", "base")
    beyond = f"Width {width} has {width // 2} pairs, so pair {parameters.pair} became the last. "
    st.caption(
        beyond
        * (parameters.pair > pair)
        + f"Compare this product with the pair at position {position + shift}, computed by the formula: "
        f"{equal_or_not(greatest_difference(trace.direct, trace.after))}."
    )
    selected_cell.hint_and_arithmetic(_places(position + 1), (), parameters)
    st.markdown(f"## Pair {pair} turns on a circle")
    charts.circle(trace, key="circle")


def distance(parameters, example) -> None:
    """Draw how similar the encodings of two positions are, and show that this depends only on their distance."""
    n, width, base = _sizes(parameters)
    worked, at_four = similarity_rules(n, width, base), similarity_rules(*FOUR)
    similar, four = (each.rules["similarity"][0] for each in (worked, at_four))
    spread = equal_or_not(distance_spread(similar))
    says = (
        "How similar are the encodings of two positions? We take the cosine of the angle between their rows. **Only "
        "their distance counts**"
    )
    st.markdown(f"{parameters.in_layout(says)}: along any diagonal, {spread}.")
    if max(n, width) <= LONGEST_SHOWN_SIDE:
        equation(similarity_lines(worked, at_four), "similarity", parameters, tools=True)
    else:
        charts.raster(similar, "position", "position", key="raster")
    _draw_controls(parameters, *SIZES)
    places = _places(max(n, FOUR[0]))
    selected_cell.hint_and_arithmetic(places, places, parameters, note=_count_text(parameters))
    same = (n, width, base) == (*FOUR, 10000.0)
    here = "" if same else f" {_reversed_text(similar[0], width)}"
    st.markdown(f"## Nearer is not always more similar\n\n{_reversed_text(four[0], FOUR[1])}{here}")
    charts.distances({f"width {width}": similar[0], "width 4, base 10,000": four[0]}, key="distances")


def _sizes(parameters) -> tuple[int, int, float]:
    return parameters.positions, parameters.width, float(parameters.base)


def _draw_controls(parameters, *names: str) -> None:
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, *names)


def _draw_beyond_note(parameters, place: tuple[str, int, int], n: int, width: int) -> None:
    if place[1:] != (parameters.position, parameters.column - 1):
        st.caption(
            f"There are {n} positions, counted from 0, and {width} waves. You chose more than that, so the page shows "
            f"position {place[1]} and wave {place[2] + 1}."
        )


def _reversed_text(similar, width: int) -> str:
    found = reversal(similar)
    if found is None:
        return f"At width {width}, nearer is always more similar among these {len(similar)} positions."
    near, far = found
    digits = next(d for d in range(2, 18) if d == 17 or f"{similar[near]:.{d}f}" != f"{similar[far]:.{d}f}")
    return (
        f"At width {width}, positions at distance **{far}** are more similar ({similar[far]:.{digits}f}) than at "
        f"distance **{near}** ({similar[near]:.{digits}f})."
    )


def _count_text(parameters) -> str:
    return parameters.in_layout("Positions are counted from 0, rows from 1.")


def _places(n: int) -> tuple[str, ...]:
    return tuple(f"position {place}" for place in range(n))
