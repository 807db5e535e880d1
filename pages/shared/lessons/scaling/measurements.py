"""The measurements of thousands of random scores, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import streamlit as st

from attention_core.experiments.draws import N_KEYS, Assumption, Distribution
from attention_core.experiments.laboratory import ONE_HOT, WIDTHS, Laboratory, Runs, laboratory
from attention_core.experiments.spread import Spread
from pages.shared.notation.glossary import WORDS, define
from pages.shared.notation.prose import typeset
from pages.shared.notation.tables import markdown_table

WITHIN_CHANCE = 3.0  # a difference of fewer standard errors may be chance

MEASURES = (
    "Rows of ten such scores, at every $d_k$, in three measures:\n"
    "- the **largest weight** of a row;\n"
    f"- its **entropy**: {WORDS['entropy']}, in {define('nats')}, from 0 where one has all to "
    f"$\\ln {N_KEYS}$ = {math.log(N_KEYS):.3f} where all are alike;\n"
    f"- how much its weights $a$ **answer to nudges**: {WORDS['Jacobian']} is a matrix, the Jacobian "
    f"$\\operatorname{{diag}}(a) - a a^\\top$, and its {define('norm')} says how large it is. "
    "Near 0 nothing moves, so nothing is learned.\n\n"
)

# The assumptions behind √d_k: each part, and what follows if it does not hold.
PARTS = {
    "mean": ("the mean of a feature", "Every product then has a mean as well, and $d_k$ of them add up: no root."),
    "variance": ("the variance of a feature", "The root of $d_k$ counts on 1."),
    "alignment": (
        "how far a query’s feature rises and falls with its key’s",
        "Every product then leans to one side, and $d_k$ of them add up: no root.",
    ),
    "repetition": (
        "how far two features of one vector rise and fall together",
        "The products then rise and fall together, and cannot cancel.",
    ),
}


@st.cache_data(max_entries=24, show_spinner=False)
def measure_seed(distribution: Distribution, n: int, d_k: int, seed: int, correlation: float) -> Laboratory:
    """Return the measurements of one seed. They are cached, because every edit of the page asks for them again."""
    return laboratory(distribution, n, d_k, np.random.default_rng(seed), correlation=correlation)


def verdict(spread: Spread, d_k: int) -> str:
    """Say how much the measured spread differs from the predicted one, and whether chance explains it."""
    predicted = f"**Predicted spread** $\\sqrt{{{d_k}}}$ = {spread.predicted:.4g}, around 0."
    measured = (
        f"**Measured spread** {_with_error(spread.deviation, spread.deviation_error)}, "
        f"around {_with_error(spread.mean, spread.mean_error)}."
    )
    if math.isinf(spread.deviation_error):
        return f"{predicted} {measured} All of it is one run: draw more to learn how far chance goes."
    within = spread.errors_apart < WITHIN_CHANCE
    return (
        f"{predicted} {measured} The spreads are {spread.errors_apart:,.1f} {define('standard errors')} apart: "
        f"{'chance explains that' if within else 'that is no accident'}."
    )


def assumption(assumed: Assumption) -> str:
    """Say which parts of the assumption hold, and what follows from those that do not."""
    parts = {name: getattr(assumed, name) for name in PARTS}
    broken = {name: part for name, part in parts.items() if part.broken}
    whole = [
        f"{PARTS[name][0]} is {_with_error(part.value, part.error)}"
        for name, part in parts.items()
        if name not in broken
    ]
    if not broken:
        return f"**The assumption holds**, as measured: {', '.join(whole)}."
    told = " ".join(
        f"**{PARTS[name][0].capitalize()} is {_with_error(part.value, part.error)}, not {part.assumed:g}.** "
        f"{PARTS[name][1]}"
        for name, part in broken.items()
    )
    return f"**What broke.** {told} What held: {', '.join(whole) or 'nothing'}."


def uniform(runs: Runs, d_k: int) -> str:
    """Say what follows if all numbers are positive, as in notebook 004."""
    return (
        "**No number is negative.** $X$ (10×64), $W^Q$ and $W^K$ are drawn from 0 to 1, so a feature of a query adds "
        f"up 64 products that average ¼. With $d_k$ = {d_k}, over {_count_noun(runs.n, 'run')}: the scaled scores "
        f"average **{runs.mean_logit:,.0f}**, and those of one row still spread by {runs.row_deviation:,.0f}. The "
        f"largest weight averages {runs.largest:.3f}. In **{runs.one_hot:.0%}** of runs a row gives one key more than "
        f"{ONE_HOT:g}, and in {runs.one_key:.0%} all ten rows pick the same key. Dividing by the root cannot mend "
        "that: it is made for a mean of 0."
    )


def saturation_text(lab: Laboratory, distribution: str) -> str:
    """Say how the weights change as keys get wider."""
    last = {name: each.largest[-1] for name, each in lab.saturations.items()}
    parts = (getattr(lab.assumption, name) for name in PARTS)
    if not any(part.broken for part in parts):
        return (
            "Undivided, the largest weight runs to 1 and the norm to 0. After the root, all three hardly move. "
            f"After $\\div d_k$ the entropy runs to $\\ln {N_KEYS}$: all keys count alike."
        )
    if distribution == "uniform":
        return (
            f"Here no divisor helps: at $d_k$ = {WIDTHS[-1]} the largest weight averages {last['one']:.2f} undivided, "
            f"{last['root']:.2f} after the root, and still {last['dk']:.2f} after $\\div d_k$."
        )
    return (
        f"Of the {N_KEYS} keys of a row, the first is drawn with the query. Its score grows with $d_k$, so after the "
        f"root it still grows with $\\sqrt{{d_k}}$, and at {WIDTHS[-1]:,} the largest weight averages "
        f"{last['root']:.2f}: the root levels what is chance, not what is meant."
    )


def table(lab: Laboratory, labels: Mapping[str, str], d_k: int) -> str:
    """Return the saturation at one d_k as a table, with a row for each divisor."""
    place = WIDTHS.index(d_k)
    rows = [
        (typeset(labels[name]), f"{s.largest[place]:.3f}", f"{s.entropies[place]:.3f}", f"{s.jacobians[place]:.3f}")
        for name, s in lab.saturations.items()
    ]
    return markdown_table((f"at d_k = {d_k}", "largest weight", "entropy", "norm of the Jacobian"), rows)


def _with_error(value: float, error: float) -> str:
    """Write a measurement with as many digits as its error justifies."""
    if math.isinf(error):
        return f"{value:,.4g}"
    decimals = max(0, 1 - math.floor(math.log10(error))) if error else 2
    return f"{value + 0.0:,.{decimals}f} ± {error:,.{decimals}f}".replace("-", "−")


def _count_noun(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
