"""Three formulas: the paper's beside two misreadings of it, and what each costs."""

from __future__ import annotations

import streamlit as st

from attention_core import compare_formulas, sines_first
from attention_core.experiments.position_similarity import STILL
from pages.shared import charts
from pages.shared.notation.latex import number
from pages.shared.state import widgets

TITLES = {"paper": "The paper", "doubled": "Exponent doubled", "shifted": "Cosine at i + 1"}
FORMULAS = {
    "paper": r"$\frac{pos}{b^{2i/d}}$, $i = 0, 1, 2 …$",
    "doubled": r"$\frac{pos}{b^{2i/d}}$, $i = 0, 2, 4 …$",
    "shifted": r"cosine of $\frac{pos}{b^{2(i+1)/d}}$",
}
COLUMNS = "sines, then cosines"
THREAD = "[{0}#{1}](https://github.com/{0}/issues/{1})"
SEEN_DOUBLED = (("tensorflow/models", 9075),)
SEEN_SHIFTED = (
    ("jadore801120/attention-is-all-you-need-pytorch", 32),
    ("shenweichen/DeepCTR", 379),
    ("SamLynnEvans/Transformer", 25),
)


def formulas(parameters, example) -> None:
    """Draw the three encodings, and what tells them apart in numbers."""
    n, base = parameters.length, float(parameters.base)
    found = compare_formulas(n, parameters.wide, base, between=(parameters.one, parameters.other))
    says = (
        "In the paper $i$ counts **pairs**. Code often counts **columns**, 0, 2, 4 …, and that is $2i$ already: who "
        "doubles it once more has other waves. The difference is small on paper and large in the picture."
    )
    st.markdown(parameters.says(says))
    with st.container(horizontal=True):
        for name, trace in found.items():
            with st.container(width=300):
                st.markdown(f"**{TITLES[name]}** · {FORMULAS[name]}")
                charts.raster(sines_first(trace.table), COLUMNS, "position", key=name, turned=parameters.columns)
                st.markdown(_table(trace, parameters, base))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "wide", "length", "base", "one", "other")
    doubled = found["doubled"].off_base_squared
    st.markdown(
        f"A pair hardly moves if neither of its numbers changes by {STILL}. The doubled exponent *is* the paper’s "
        f"formula with base {base * base:,.0f}: they differ by ${number(doubled)}$, which is rounding. Its sines and "
        "cosines still pair, so only distance counts: not broken, but many pairs are wasted. The third breaks the "
        "pairs, and with them the law of distance."
    )
    st.caption(
        f"Seen in: course notebook 001 (erratum 001-01), {_threads(SEEN_DOUBLED)} (doubled); "
        f"{_threads(SEEN_SHIFTED)} (cosine at i + 1)"
    )


def _threads(seen) -> str:
    return ", ".join(THREAD.format(*thread) for thread in seen)


def _table(trace, parameters, base: float) -> str:
    numbers = {
        f"cosine of positions {parameters.one} and {parameters.other}": f"{trace.similar:.5f}",
        "pairs that hardly move": f"{trace.still:.1%}",
        "spread of similarity at one distance": f"${number(trace.spread)}$",
        "off from the paper by up to": f"${number(trace.off_paper)}$",
        f"off from base {base * base:,.0f}": f"${number(trace.off_base_squared)}$",
    }
    first, *others = (f"| {name} | {value} |" for name, value in numbers.items())
    return "\n".join((first, "|---|---|", *others))
