"""The scores divided by different numbers, measured with random scores and by small changes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import streamlit as st

from attention_core import SelfAttentionTrace, softmax
from attention_core.attention import with_scale
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.saturation import nudge, weight_by_score
from attention_core.experiments.scores import (
    N_KEYS,
    ONE_HOT,
    WIDTHS,
    Assumption,
    Distribution,
    Runs,
    ScoreMeasurements,
    Spread,
    measure_scores,
)
from attention_core.mistakes import naive_softmax
from attention_core.projection import scales
from pages.shared.equation import Matrix
from pages.shared.equation.matrices import attention_matrices
from pages.shared.notation.glossary import WORDS, define
from pages.shared.notation.numbers import format_as_shown, small
from pages.shared.notation.prose import markdown_table, typeset, whom

DIVISORS = {"one": "÷ 1", "root": "÷ √d_k", "dk": "÷ d_k"}  # the name in the core, and how a page writes it
DIVIDED = ("scaled", "masked", "weights", "output")  # the matrices that depend on the divisor
HUGE = 10_000  # softmax overflows for scores that are so many times as large


@cache_recent
def traces_of(example: Example) -> Mapping[str, SelfAttentionTrace]:
    """Return the attention of an example for each divisor, by the name of the divisor: "one", "root" or "dk"."""
    root = example.attention()
    return {name: with_scale(root, scale) for name, scale in scales(example.w_q.shape[-1]).items()}


@cache_recent
def divided_matrices(example: Example) -> Mapping[str, Mapping[str, Matrix]]:
    """Return the scaled scores, the weights and the output for each divisor, by its name.

    The ids of these matrices end in the name of the divisor.
    """
    traces = traces_of(example)
    matrices = attention_matrices(example, traces["root"])
    return {name: _matrices_of(name, matrices, trace) for name, trace in traces.items()}


def _matrices_of(name: str, m: Mapping[str, Matrix], trace: SelfAttentionTrace) -> dict[str, Matrix]:
    scaled, weights, output = (
        m[each].of(trace).with_suffix(f"_{name}", DIVIDED) for each in ("scaled", "weights", "output")
    )
    return {
        "scaled": scaled,
        "weights": weights.with_sums("rows"),
        "output": output,
    }


def label(name: str, example: Example) -> str:
    """Return a label for the divisor `name`, with its value in this example."""
    d_k = example.w_q.shape[-1]
    return {
        "one": "÷ 1, the scores as they are",
        "root": f"÷ √d_k = √{d_k}",
        "dk": f"÷ d_k = {d_k}, without the root",
    }[name]


def order_table(example: Example, traces: Mapping[str, SelfAttentionTrace], token: int) -> str:
    """Return a Markdown table with one row for each key, the key with the greatest score first.

    A row has the score with which `token` attends to the key, and the weight for each divisor.
    """
    scores = traces["one"].scores[token]
    best_first = sorted(range(len(scores)), key=lambda j: -scores[j])
    rows = [
        (example.key_tokens[j], f"{scores[j]:,.6g}", *(f"{trace.weights[token, j]:.4f}" for trace in traces.values()))
        for j in best_first
    ]
    return markdown_table(("key", "score", *DIVISORS.values()), rows)


def overflows(traces: Mapping[str, SelfAttentionTrace], token: int) -> bool:
    """Return whether a plain softmax overflows for scores of `token` that are 10,000 times as large.

    The result is True only if this happens both with undivided scores and with scores divided by √d_k.
    """
    return all(np.isnan(naive_softmax(traces[name].scaled[token] * HUGE)).any() for name in ("one", "root"))


def overflow_table(example: Example, traces: Mapping[str, SelfAttentionTrace], token: int) -> str:
    """Return a Markdown table of the weights that `token` has if its scores are 10,000 times as large.

    The columns are a plain softmax without and with the divisor, and a softmax that subtracts the maximum first.
    """
    huge, divided = (traces[name].scaled[token] * HUGE for name in ("one", "root"))
    columns = (huge, naive_softmax(huge), naive_softmax(divided), softmax(huge))
    rows = [
        (key, f"{score:,.0f}", *(f"{share:.4g}".replace("nan", "NaN") for share in shares))
        for key, score, *shares in zip(example.key_tokens, *columns, strict=True)
    ]
    return markdown_table(("key", "score", "plain softmax, ÷ 1", "plain softmax, ÷ √d_k", "max subtracted, ÷ 1"), rows)


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


BY = 0.1  # how much a score is raised
N_POINTS = 81  # points of each line of the picture


@dataclass(frozen=True, slots=True)
class Nudged:
    """The greatest weight of an example, and how it changes if its score grows by 0.1.

    `weights` has this weight by the name of a divisor of the scores, and `changes` has its change.
    """

    token: int
    key: int
    score: float
    weights: Mapping[str, float]
    changes: Mapping[str, float]


@cache_recent
def nudge_of_example(example: Example) -> Nudged:
    """Return the greatest weight of an example without division, and its change after its score has grown by 0.1."""
    traces = traces_of(example)
    token, key = map(int, np.unravel_index(traces["one"].weights.argmax(), traces["one"].weights.shape))
    scores = traces["one"].scores[token]
    return Nudged(
        token,
        key,
        float(scores[key]),
        {name: float(trace.weights[token, key]) for name, trace in traces.items()},
        {name: nudge(scores, key, trace.scale, BY) for name, trace in traces.items()},
    )


def why_divide(example: Example, decimals: int) -> str:
    """Return a text that says how undivided scores change the weights, and why a model then learns little."""
    found = nudge_of_example(example)
    asks, answers = example.tokens[found.token], whom(example.tokens, example.key_tokens, found.token, found.key)
    one, root = (f"**{small(found.changes[name], 2)}**" for name in ("one", "root"))
    saturated = found.changes["one"] < found.changes["root"]
    sharp = "A weight near 1 hardly changes" if saturated else "Here the scores are small enough"
    return (
        "A score is a sum of $d_k$ products, so wide keys can make large scores. **With large scores, softmax puts "
        f"nearly all weight on one token**: without division, “{asks}” attends to {answers} with "
        f"**{format_as_shown(found.weights['one'], decimals)}**. {sharp}: add {BY} to this score, and its weight grows "
        f"by {one}. Divided by $\\sqrt{{d_k}}$, it grows by {root}. Training makes many such small changes, so a "
        "weight that hardly changes hardly learns."
    )


def why_the_root() -> str:
    """Return a text that says why the divisor is the root of d_k, and under which condition."""
    return (
        f"**Why the root?** Suppose that all features have mean 0 and a {define('variance')} of 1, and that they are "
        "independent. Then the variances of $d_k$ products add up to $d_k$. So the scores have a spread of "
        "$\\sqrt{d_k}$. Divided by $\\sqrt{d_k}$, they have a spread of 1, for keys of any width."
    )


def why_not_more(example: Example, decimals: int) -> str:
    """Return a text that explains the picture of the weights, and says what happens if scores are divided by d_k."""
    found = nudge_of_example(example)
    return (
        f"## How much does the weight of “{example.key_tokens[found.key]}” still change?\n\n"
        f"Each dot is the weight now, with one of the divisors. If the score grows by {BY}, the weight grows by "
        f"{_moves_text(found.changes)}: the **steeper** the line, the more. "
        f"{_divided_by_d_k_text(found, len(example.key_tokens), decimals)}"
    )


def _divided_by_d_k_text(found: Nudged, n: int, decimals: int) -> str:
    """Return a text that says what happens if scores are divided by d_k instead of √d_k. `n` is the number of keys."""
    weight, even = format_as_shown(found.weights["dk"], decimals), format_as_shown(1 / n, decimals)
    if found.changes["dk"] < found.changes["root"]:
        return (
            f"Dividing by $d_k$ itself is too much: the weight falls to {weight} (equal weights would be {even}), and "
            "the change of the score is divided as well."
        )
    return (
        "These scores are larger than $\\sqrt{d_k}$ predicts, because their features do not have mean 0 and variance "
        "1. "
        f"Even divided by $d_k$, the weight is {weight}."
    )


def weight_curves(example: Example) -> tuple[np.ndarray, dict[str, np.ndarray], float, dict[str, float]]:
    """Return the data of the picture in which a weight grows with its score.

    They are the scores, the weights at each score by divisor, the present score, and the present weight by divisor.
    """
    found, traces = nudge_of_example(example), traces_of(example)
    scores = traces["one"].scores[found.token]
    reach = float(np.ptp(scores)) or 1.0
    values = np.linspace(scores.min() - reach / 4, found.score + reach / 2, N_POINTS)
    lines = {DIVISORS[n]: weight_by_score(scores, found.key, values, trace.scale) for n, trace in traces.items()}
    return values, lines, found.score, {DIVISORS[name]: weight for name, weight in found.weights.items()}


def _moves_text(moves: Mapping[str, float]) -> str:
    one, root, dk = (small(moves[name], 2) for name in ("one", "root", "dk"))
    return f"{one} after $\\div 1$, {root} after $\\div\\sqrt{{d_k}}$, {dk} after $\\div d_k$"
