"""The view with three formulas of the encoding: the formula of the paper and two misreadings, and what they change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attention_core import FormulaTrace, compare_formulas, sines_first
from attention_core.caching import cache_up_to
from attention_core.experiments.position_similarity import STILL, compare_two
from pages.shared import charts
from pages.shared.notation.differences import by_how_much, equal_or_not
from pages.shared.state import widgets

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
