"""The encoding of positions: its waves, its formulas, and words without an order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attention_core import (
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
from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic import explain as explained
from attention_core.arithmetic.position_rules import (
    embedding_rules,
    encoding_rules,
    shift_rules,
    shuffle_rules,
    similarity_rules,
)
from attention_core.caching import cache_recent, cache_up_to
from attention_core.checks import greatest_difference
from attention_core.experiments.positions import STILL, ShuffleTrace, compare_two
from pages.positional_encoding.relative import alibi, numbering, rope
from pages.shared import charts
from pages.shared.equation import LONGEST_SHOWN_SIDE, equation, selected_cell
from pages.shared.equation.position_matrices import (
    encoding_lines,
    outcome_line,
    shift_line,
    similarity_lines,
    sum_lines,
)
from pages.shared.notation.numbers import by_how_much, equal_or_not, format_as_shown
from pages.shared.state import widgets

LABELS = {
    "bag": "Each token’s new output, minus its old one",
    "placed": "The same difference, with positions added",
}


def bag(parameters, example) -> None:
    """Draw two equations: how much the outputs change if the tokens change their order, without and with positions."""
    tokens = example.tokens
    order = new_order(parameters.order, len(tokens), parameters.first, parameters.second)
    shuffled = tuple(tokens[i] for i in order)
    embedding, bag, placed = _shuffle_outcomes(example, order, float(parameters.base), parameters.root)
    worked = {"bag": shuffle_rules(bag), "placed": shuffle_rules(placed)}
    lines = {
        name: outcome_line(worked[name], embedding, name, shuffled, text, example) for name, text in LABELS.items()
    }
    st.markdown(
        f"“{' '.join(tokens)}” and “{' '.join(shuffled)}” are two texts with the same tokens. **Without positions, "
        f"every token has the same output in both**{_exception_text(bag)}. So attention alone does not know the order "
        "of the words."
    )
    equation([lines["bag"]], "shuffle", parameters, tools=True)
    _choose_order(parameters, tokens)
    second = parameters.in_layout(
        "So we **add** a second row to each token’s row: the encoding of its position. Every position has a different "
        "one."
    )
    st.markdown(
        f"## Add the position\n\n{second}{_odd_width_text(example.x.shape[-1])}"
        f"{_root_text(example, embedding, parameters)} Now the outputs differ by {_difference_text(placed)}, "
        "so the order matters."
    )
    equation([*sum_lines(example, embedding), lines["placed"]], "embedding", parameters)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "root", "base")
    of_shuffled = parameters.cell is not None and parameters.cell[0].endswith(("_bag", "_placed"))
    selected_cell.hint_and_arithmetic(shuffled if of_shuffled else tokens, tokens, parameters)


@cache_recent
def _shuffle_outcomes(example, order, base: float, root: bool) -> tuple[CellCalculations, ShuffleTrace, ShuffleTrace]:
    """Return the sum of embeddings and positions, and the effect of a new order of tokens without and with positions.

    The sum has the arithmetic of its cells. If `root`, embeddings are first multiplied by √d_model.
    """
    bag, placed = (
        shuffle_tokens(example, order, positions=positions, base=base, root=root) for positions in (False, True)
    )
    return embedding_rules(embed_positions(example.x, base, root=root)), bag, placed


def _choose_order(parameters, tokens) -> None:
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "order")
        if parameters.order == "swapped":
            widgets.draw_token(parameters, "first", tokens)
            widgets.draw_token(parameters, "second", tokens)


def _odd_width_text(width: int) -> str:
    if width == even_width(width):
        return ""
    return (
        f" The waves come in pairs, but $X$ has {width} columns. So here is the encoding of width {even_width(width)} "
        "without its last cosine."
    )


def _root_text(example, embedding: CellCalculations, parameters) -> str:
    """Return a text that says why the page multiplies rows by √d_model before it adds positions.

    Return "" if the visitor has switched this off.
    """
    if not parameters.root:
        return ""
    row, scaled, place = (
        format_as_shown(float(np.linalg.norm(matrix[0])), parameters.decimals)
        for matrix in (example.x, embedding.rules["embedded"][0], embedding.rules["sinusoidal"][0])
    )
    return (
        f" Before that, each row is multiplied by $\\sqrt{{d_{{\\text{{model}}}}}}$, so that the encoding does not "
        f"outweigh it: the row of “{example.tokens[0]}” has length {row}, then {scaled}. Its encoding has length "
        f"{place}."
    )


def _exception_text(trace: ShuffleTrace) -> str:
    """Return a phrase that says by how much the outputs differ between the two orders, or "" if they do not differ."""
    off = _difference_text(trace)
    return "" if off == "nothing" else " (up to rounding)" if off == "nothing but rounding" else f" except for {off}"


def _difference_text(trace) -> str:
    return by_how_much(greatest_difference(trace.shuffled.output, trace.moved), abs(trace.moved).max())


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


TITLES = {"paper": "The paper", "doubled": "Exponent doubled", "shifted": "Cosine at i + 1"}
FORMULAS = {
    "paper": r"$\frac{pos}{\text{base}^{2i/d_{\text{model}}}}$, $i = 0, 1, 2 …$",
    "doubled": r"$\frac{pos}{\text{base}^{2i/d_{\text{model}}}}$, $i = 0, 2, 4 …$",
    "shifted": r"cosine of $\frac{pos}{\text{base}^{2(i+1)/d_{\text{model}}}}$",
}
MOST_PICTURES = 256  # stored pictures of forty kilobytes each, because all visitors drag the same sliders
NO_TABLE = np.empty((0, 0))  # the numbers of a picture take megabytes, so they are not stored
COLUMNS = "{}: sines, then cosines"
THREAD = "[{0}#{1}](https://github.com/{0}/issues/{1})"
SEEN_DOUBLED = (("tensorflow/models", 9075),)
SEEN_SHIFTED = (
    ("jadore801120/attention-is-all-you-need-pytorch", 32),
    ("shenweichen/DeepCTR", 379),
    ("SamLynnEvans/Transformer", 25),
)


def formulas(parameters, example) -> None:
    """Draw the encodings that the three formulas give, and a table of their differences."""
    n, base = parameters.length, float(parameters.base)
    found, pictures = _compare_formulas(n, parameters.wide, base, parameters.columns)
    says = (
        "In the paper, $i$ counts **pairs**. Code often counts **columns**, 0, 2, 4 …, which is $2i$ already. If you "
        "double it once more, you get different waves. The formulas look almost the same, and the pictures do not."
    )
    st.markdown(parameters.in_layout(says))
    with st.container(horizontal=True):
        for name, picture in pictures.items():
            with st.container(width=300):
                across = COLUMNS.format(TITLES[name])
                charts.draw_picture(picture, across, "position", key=name, transposed=parameters.columns)
    st.markdown(_formulas_table(found, parameters, base))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "wide", "length", "base", "one", "other")
    doubled = equal_or_not(found["doubled"].off_base_squared)
    st.markdown(
        f"A pair hardly moves if neither of its numbers changes by {STILL}. The doubled exponent is the paper’s "
        "formula "
        f"with base {base * base:,.0f}: {doubled}. Each sine still has its cosine, so only the distance counts, but "
        "many pairs are wasted. In the third formula a sine and its cosine have different speeds, so the similarity no "
        f"longer depends on the distance alone.\n\n:small[Seen in: {_thread_links(SEEN_DOUBLED)} (doubled); "
        f"{_thread_links(SEEN_SHIFTED)} (cosine at i + 1)]"
    )


@cache_up_to(MOST_PICTURES)
def _compare_formulas(
    n: int, width: int, base: float, turned: bool
) -> tuple[Mapping[str, FormulaTrace], Mapping[str, Mapping[str, Any]]]:
    """Return the differences between the formulas, and a picture of each formula's encoding. Both are dicts by formula.

    If `turned`, the positions in the pictures go from left to right.
    """
    found = compare_formulas(n, width, base)
    pictures = {name: charts.picture(sines_first(trace.table), turned) for name, trace in found.items()}
    return {name: replace(trace, table=NO_TABLE) for name, trace in found.items()}, pictures


def _thread_links(seen) -> str:
    return ", ".join(THREAD.format(*thread) for thread in seen)


def _formulas_table(found: Mapping[str, FormulaTrace], parameters, base: float) -> str:
    """Return a Markdown table that compares the formulas in `found`, with one column for each formula."""
    titles = (f"**{TITLES[name]}** · {FORMULAS[name]}" for name in found)
    numbers = {
        "pairs that hardly move": lambda t: f"{t.still:.1%}",
        "similarity at one distance differs by": lambda t: by_how_much(t.spread),
        "differs from the paper by": lambda t: by_how_much(t.off_paper),
        f"differs from base {base * base:,.0f} by": lambda t: by_how_much(t.off_base_squared),
    }
    similar = compare_two((parameters.one, parameters.other), parameters.wide, base).values()
    compared = [f"cosine of positions {parameters.one} and {parameters.other}", *(f"{each:.5f}" for each in similar)]
    rows = [compared, *([name, *map(say, found.values())] for name, say in numbers.items())]
    head = [[f"width {parameters.wide}", *titles], ["---"] * (len(found) + 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (*head, *rows))


TITLES_OF_VIEWS = {
    "bag": "Does the order matter?",
    "numbering": "Why not 1, 2, 3 …?",
    "encoding": "The encoding",
    "rotation": "A shift is a rotation",
    "distance": "What distance does",
    "formulas": "Three formulas",
    "rope": "RoPE",
    "alibi": "ALiBi",
}
VIEWS = {
    "bag": bag,
    "numbering": numbering,
    "encoding": encoding,
    "rotation": rotation,
    "distance": distance,
    "formulas": formulas,
    "rope": rope,
    "alibi": alibi,
}
