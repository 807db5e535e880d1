"""Texts about the measurements of thousands of random scores."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import streamlit as st

from attention_core.experiments.draws import N_KEYS, Assumption, Distribution
from attention_core.experiments.score_measurements import ONE_HOT, WIDTHS, Runs, ScoreMeasurements, measure_scores
from attention_core.experiments.spread import Spread
from pages.shared.notation.glossary import WORDS, define
from pages.shared.notation.prose import typeset
from pages.shared.notation.tables import markdown_table

WITHIN_CHANCE = 3.0  # a difference of fewer standard errors may be chance

MEASURES = (
    "We draw rows of ten random scores for every width $d_k$, and measure three things:\n"
    "- the **largest weight** of a row;\n"
    f"- its **entropy**: {WORDS['entropy']}, in {define('nats')}: 0 if one key has all, and "
    f"$\\ln {N_KEYS}$ = {math.log(N_KEYS):.3f} if all are equal;\n"
    f"- how much its weights **change with the scores**: {WORDS['Jacobian']} is a matrix, the Jacobian, and its "
    f"{define('norm')} says how large it is. With a norm near 0, hardly any weight changes, so hardly anything is "
    "learned.\n\n"
)

# The assumptions behind √d_k: each part, and what follows if it does not hold.
PARTS = {
    "mean": (
        "the mean of a feature",
        "Then every product has a mean too, and $d_k$ means add up to $d_k$ times the mean, without a root.",
    ),
    "variance": ("the variance of a feature", "The root of $d_k$ is right only for a variance of 1."),
    "alignment": (
        "how far a feature of a query rises and falls with that of its key",
        "Then the products have a mean, and $d_k$ means add up to $d_k$ times the mean, without a root.",
    ),
    "repetition": (
        "how far two features of one vector rise and fall together",
        "Then the products rise and fall together, so they do not cancel.",
    ),
}


@st.cache_data(max_entries=24, show_spinner=False)
def measure_seed(distribution: Distribution, n: int, d_k: int, seed: int, correlation: float) -> ScoreMeasurements:
    """Return the measurements of the random scores of one seed.

    They are cached, because the page asks for them again after every edit.
    """
    return measure_scores(distribution, n, d_k, np.random.default_rng(seed), correlation=correlation)


def spread_text(spread: Spread, d_k: int) -> str:
    """Return a text that compares the measured spread of the scores with the predicted one.

    The text also says whether chance explains the difference.
    """
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
        f"{'chance alone can explain this' if within else 'chance alone does not explain this'}."
    )


def assumption_text(assumed: Assumption) -> str:
    """Return a text that says which parts of the assumption behind √d_k hold, and what follows if a part does not."""
    parts = {name: getattr(assumed, name) for name in PARTS}
    broken = {name: part for name, part in parts.items() if part.broken}
    whole = [
        f"{PARTS[name][0]} is {_with_error(part.value, part.error)}"
        for name, part in parts.items()
        if name not in broken
    ]
    if not broken:
        return f"**The assumption holds in this measurement:** {', '.join(whole)}."
    told = " ".join(
        f"**{PARTS[name][0].capitalize()} is {_with_error(part.value, part.error)}, not {part.assumed:g}.** "
        f"{PARTS[name][1]}"
        for name, part in broken.items()
    )
    return f"**The assumption does not hold.** {told} These parts hold: {', '.join(whole) or 'none'}."


def positive_numbers_text(runs: Runs, d_k: int) -> str:
    """Return a text about numbers that are drawn from 0 to 1: all are positive, so division by √d_k does not help."""
    return (
        "**No number is negative here.** The numbers of $X$ (10×64), $W^Q$ and $W^K$ are drawn from 0 to 1. So a "
        "feature of a query is a sum of 64 products with mean ¼. With $d_k$ = "
        f"{d_k}, in {_count_noun(runs.n, 'run')}, the mean of the scaled scores is "
        f"**{runs.mean_logit:,.0f}**, and the scores of one row still spread by "
        f"{runs.row_deviation:,.0f}. The largest weight is {runs.largest:.3f} on average. In **{runs.one_hot:.0%}** of "
        f"runs a row attends to one key with more than {ONE_HOT:g}, and in {runs.one_key:.0%} all ten rows attend most "
        "to the same key. The root does not help here, because it assumes a mean of 0."
    )


def saturation_text(lab: ScoreMeasurements, distribution: str) -> str:
    """Return a text that says how the weights change as the keys get wider."""
    last = {name: each.largest[-1] for name, each in lab.saturations.items()}
    parts = (getattr(lab.assumption, name) for name in PARTS)
    if not any(part.broken for part in parts):
        return (
            "Without division, the largest weight goes to 1 and the norm to 0. With the root, all three hardly change. "
            f"With $\\div d_k$ the entropy goes to $\\ln {N_KEYS}$, which means that all weights become equal."
        )
    if distribution == "uniform":
        return (
            f"Here no divisor helps: at $d_k$ = {WIDTHS[-1]} the largest weight is {last['one']:.2f} on average "
            "without "
            f"division, {last['root']:.2f} with the root, and still {last['dk']:.2f} with $\\div d_k$."
        )
    return (
        f"Of the {N_KEYS} keys of a row, the first is correlated with the query. Its score grows with $d_k$, so with "
        "the "
        f"root it still grows with $\\sqrt{{d_k}}$, and at {WIDTHS[-1]:,} the largest weight is {last['root']:.2f} on "
        "average. The root removes the growth of random scores, but not that of a real match."
    )


def table(lab: ScoreMeasurements, labels: Mapping[str, str], d_k: int) -> str:
    """Return a Markdown table with one row for each divisor, for keys of width `d_k`.

    Its columns are the largest weight, the entropy of the weights, and the norm of the Jacobian.
    """
    place = WIDTHS.index(d_k)
    rows = [
        (typeset(labels[name]), f"{s.largest[place]:.3f}", f"{s.entropies[place]:.3f}", f"{s.jacobians[place]:.3f}")
        for name, s in lab.saturations.items()
    ]
    return markdown_table((f"at d_k = {d_k}", "largest weight", "entropy", "norm of the Jacobian"), rows)


def _with_error(value: float, error: float) -> str:
    """Return a measurement and its error as a text. The number of digits depends on the error."""
    if math.isinf(error):
        return f"{value:,.4g}"
    decimals = max(0, 1 - math.floor(math.log10(error))) if error else 2
    return f"{value + 0.0:,.{decimals}f} ± {error:,.{decimals}f}".replace("-", "−")


def _count_noun(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
