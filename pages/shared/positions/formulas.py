"""Three formulas: the paper's beside two misreadings of it, and what each costs."""

from __future__ import annotations

import streamlit as st

from attention_core import compare_formulas
from attention_core.position_similarity import STILL
from pages.shared import charts, widgets
from pages.shared.notation import number

TITLES = {"paper": "The paper", "doubled": "Exponent doubled", "shifted": "Cosine of the next"}
SINE = {"paper": r"$b^{2i/d},\ i = 0, 1, 2 …$", "doubled": r"$b^{2i/d},\ i = 0, 2, 4 …$"}
COSINE = {"paper": r"$b^{2i/d}$", "doubled": r"$b^{2i/d}$", "shifted": r"$b^{2(i+1)/d}$"}
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
    st.markdown(
        "In the paper $i$ counts **pairs**. Code often counts **columns**, 0, 2, 4 …, and that is $2i$ already: who "
        "doubles it once more has other waves. The difference is small on paper and large in the picture."
    )
    with st.container(horizontal=True):
        for name, trace in found.items():
            with st.container(width=380):
                st.caption(f"**{TITLES[name]}**")
                charts.raster(trace.table, "column", "position", key=f"raster_{name}", turned=parameters.columns)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "wide", "length", "base", "one", "other")
    st.markdown(_table(found, parameters, base))
    doubled = found["doubled"].off_base_squared
    st.markdown(
        f"A pair hardly moves if neither of its numbers changes by {STILL}. The doubled exponent *is* the paper’s "
        f"formula with base {base * base:,.0f}: they differ by ${number(doubled)}$, which is rounding. Its sines and "
        "cosines still pair, so only distance counts: not broken, but many pairs are wasted. The third breaks the "
        "pairs, and with them the law of distance."
    )
    st.caption(
        f"Seen in: course notebook 001 (erratum 001-01), {_threads(SEEN_DOUBLED)} (doubled); "
        f"{_threads(SEEN_SHIFTED)} (cosine of the next)"
    )


def _threads(seen) -> str:
    return ", ".join(THREAD.format(*thread) for thread in seen)


def _table(found, parameters, base: float) -> str:
    positions = f"Cosine of positions {parameters.one} and {parameters.other}"
    rows = {
        "Sine divides by": [SINE.get(name, SINE["doubled"]) for name in found],
        "Cosine divides by": [COSINE[name] for name in found],
        positions: [f"{trace.similar:.5f}" for trace in found.values()],
        f"Pairs that hardly move over {parameters.length} positions": [f"{t.still:.1%}" for t in found.values()],
        "Spread of similarity at equal distance": [f"${number(t.spread)}$" for t in found.values()],
        "Off from the paper by up to": [f"${number(t.off_paper)}$" for t in found.values()],
        f"Off from base {base * base:,.0f}": [f"${number(t.off_base_squared)}$" for t in found.values()],
    }
    head = f"| | {' | '.join(TITLES[name] for name in found)} |\n|---|{'---|' * len(found)}\n"
    return head + "\n".join(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items())
