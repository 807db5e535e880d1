"""Why scores are divided, for one token: how its greatest weight changes when a score grows a little."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.nudge import nudge, weight_by_score
from pages.shared.lessons.scaling.divisors import DIVISORS, traces_of
from pages.shared.notation.glossary import define
from pages.shared.notation.numbers import format_as_shown, small
from pages.shared.notation.prose import whom

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
