"""The lesson of the page “Scaling”: the scores with three divisors, random scores, and what its texts say of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import streamlit as st

from attention_core import SelfAttentionTrace, softmax
from attention_core.arithmetic.attention_rules import random_score_rules
from attention_core.attention import with_scale
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.saturation import nudge, saturation, swapped_pairs, weight_by_score
from attention_core.experiments.scores import (
    N_KEYS,
    ONE_HOT,
    WIDTHS,
    Assumption,
    Distribution,
    Runs,
    ScoreMeasurements,
    Spread,
    growing_scores,
    measure_scores,
)
from attention_core.mistakes import naive_softmax
from attention_core.projection import scales
from attention_core.turns import in_turn
from pages.shared.equation import Line, Matrix, Sign, matrices_of
from pages.shared.equation.computation import Computation
from pages.shared.equation.matrices import attention_matrices
from pages.shared.notation.glossary import WORDS
from pages.shared.notation.numbers import significant
from pages.shared.notation.prose import typeset, whom
from pages.shared.notation.texts import texts_beside

TEXTS = texts_beside(__file__)

DIVISORS = {"one": "÷ 1", "root": "÷ √d_k", "dk": "÷ d_k"}  # the name in the core, and how a page writes it
LABELS = {"one": "divided_by_1", "root": "divided_by_root", "dk": "divided_by_d_k"}
SOFTMAX = Sign("softmax", arrow=True)
DIVIDED = ("scaled", "masked", "weights", "output")  # the matrices that depend on the divisor


# --- the example with each divisor ---


@cache_recent
def traces_of(example: Example) -> Mapping[str, SelfAttentionTrace]:
    """Return the attention of an example for each divisor, by the name of the divisor: "one", "root" or "dk"."""
    root = example.attention()
    return {name: with_scale(root, scale) for name, scale in scales(example.w_q.shape[-1]).items()}


@cache_recent
def divided_matrices(example: Example) -> Mapping[str, Mapping[str, Matrix]]:
    """Return the scaled scores, the weights and the output by divisor, whose name ends the ids of these matrices."""
    traces = traces_of(example)
    matrices = attention_matrices(example, traces["root"])
    return {name: _matrices_of(name, matrices, trace) for name, trace in traces.items()}


def _matrices_of(name: str, m: Mapping[str, Matrix], trace: SelfAttentionTrace) -> dict[str, Matrix]:
    scaled, weights, output = (
        m[each].of(trace).with_suffix(f"_{name}", DIVIDED) for each in ("scaled", "weights", "output")
    )
    return {"scaled": scaled, "weights": weights.with_sums("rows"), "output": output}


def label(parameters: Any, example: Example, name: str) -> str:
    """Return a label for the divisor `name`, with its value in this example."""
    return parameters.say(TEXTS, LABELS[name], d_k=example.w_q.shape[-1])


def how_sharp_text(parameters: Any, example: Example) -> str:
    """Return a text that compares the largest weights of the rows for each divisor."""
    traces = traces_of(example)
    largest = {name: saturation(trace.scores, trace.scale).largest for name, trace in traces.items()}
    return parameters.say(TEXTS, "how_sharp", even=saturation(traces["one"].scores, 0).largest, **largest)


# --- one score that grows a little ---

BY = 0.1  # how much a score is raised
N_POINTS = 81  # points of each line of the picture


@dataclass(frozen=True, slots=True)
class Nudged:
    """The greatest weight of an example, and how it changes if its score grows by 0.1."""

    token: int
    key: int
    score: float
    weights: Mapping[str, float]  # this weight, by the name of the divisor
    changes: Mapping[str, float]  # its change, by the name of the divisor


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


def reason_text(parameters: Any, example: Example) -> str:
    """Return a text that says how undivided scores change the weights, and why a model then learns little."""
    found = nudge_of_example(example)
    is_saturated = found.changes["one"] < found.changes["root"]
    return parameters.say(
        TEXTS,
        "reason_with_large_scores" if is_saturated else "reason_with_small_scores",
        asks=example.tokens[found.token],
        whom=whom(example.tokens, example.key_tokens, found.token, found.key),
        weight=found.weights["one"],
        **_growth(found),
    )


def why_the_root_text(parameters: Any, example: Example) -> str:
    """Return a text that says why the divisor is the root of d_k, and what happens if it is d_k itself."""
    found = nudge_of_example(example)
    is_too_much = found.changes["dk"] < found.changes["root"]
    return parameters.say(
        TEXTS,
        "d_k_is_too_much" if is_too_much else "scores_are_larger_than_predicted",
        answers=example.key_tokens[found.key],
        weight=found.weights["dk"],
        n_keys=len(example.key_tokens),
        **_growth(found),
    )


def _growth(found: Nudged) -> dict[str, Any]:
    return {"by": BY} | {name: significant(change, 2) for name, change in found.changes.items()}


def weight_curves(example: Example) -> tuple[np.ndarray, dict[str, np.ndarray], float, dict[str, float]]:
    """Return scores and the weights at each score by divisor, and the present score and its weights by divisor."""
    found, traces = nudge_of_example(example), traces_of(example)
    scores = traces["one"].scores[found.token]
    reach = float(np.ptp(scores)) or 1.0
    values = np.linspace(scores.min() - reach / 4, found.score + reach / 2, N_POINTS)
    lines = {DIVISORS[n]: weight_by_score(scores, found.key, values, trace.scale) for n, trace in traces.items()}
    return values, lines, found.score, {DIVISORS[name]: weight for name, weight in found.weights.items()}


# --- one row of random scores ---

N_DRAWN = 4  # keys
DRAWN = "_drawn"  # the end of the ids of its matrices, before the name of the divisor


def random_row_lines(parameters: Any) -> dict[str, Line]:
    """Return the weights of one row of random scores with each divisor, by the name of the divisor."""
    rules = random_score_rules(_scores_by_width(parameters), WIDTHS, WIDTHS.index(parameters.d_k))
    found = {}
    for name, worked in rules.items():
        scores, weights = (
            Matrix.named(id, worked.rules[id][0], column_labels=drawn_keys())
            .with_computation(Computation(worked))
            .with_suffix(f"{DRAWN}_{name}", DIVIDED)
            for id in ("drawn" if name == "one" else "scaled", "weights")
        )
        symbol = "r" if name == "one" else "s'"
        line = (scores.row(0, symbol), SOFTMAX, weights.row(0, "a").with_sums("rows"))
        found[name] = Line(line, DIVISORS[name])
    return found


def drawn_keys() -> tuple[str, ...]:
    """Return names for the random keys."""
    return tuple(TEXTS.fill("random_key", number=n + 1) for n in range(N_DRAWN))


def random_scores(parameters: Any) -> np.ndarray:
    """Return the row of random scores at the width that the visitor has chosen."""
    return _scores_by_width(parameters)[[WIDTHS.index(parameters.d_k)]]


def _scores_by_width(parameters: Any) -> np.ndarray:
    p = parameters
    return _drawn_scores(p.distribution, p.seed, p.correlation if p.distribution == "correlated" else 0.0)


@cache_recent
def _drawn_scores(distribution: Distribution, seed: int, correlation: float) -> np.ndarray:
    return growing_scores(distribution, N_DRAWN, WIDTHS, np.random.default_rng(seed), correlation=correlation)


def random_row_text(parameters: Any, lines: Mapping[str, Line]) -> str:
    """Return a text with the largest weight of a row of random scores for each divisor."""
    largest = {name: float(matrices_of([line])[-1].values.max()) for name, line in lines.items()}
    return parameters.say(TEXTS, "random_row", d_k=parameters.d_k, n_keys=N_DRAWN, **largest)


# --- many random scores ---

MOST_AT_ONCE = 10_000  # draws; visitors who ask for more wait for each other
WITHIN_CHANCE = 3.0  # a difference of fewer standard errors may be chance
# The parts of the assumption behind √d_k, each with the texts for a part that holds, and for one that does not.
PARTS = {
    "mean": ("mean_holds", "mean_fails"),
    "variance": ("variance_holds", "variance_fails"),
    "alignment": ("alignment_holds", "alignment_fails"),
    "repetition": ("repetition_holds", "repetition_fails"),
}


def laboratory(parameters: Any) -> ScoreMeasurements:
    """Return the measurements of random scores, with the settings of the page."""
    p = parameters
    return _measure_seed(
        p.distribution, p.draws, p.d_k, p.seed, p.correlation if p.distribution == "correlated" else 0.0
    )


@st.cache_data(max_entries=24, show_spinner=False)
def _measure_seed(distribution: Distribution, n: int, d_k: int, seed: int, correlation: float) -> ScoreMeasurements:
    measure = measure_scores if n <= MOST_AT_ONCE else in_turn(measure_scores)
    return measure(distribution, n, d_k, np.random.default_rng(seed), correlation=correlation)


def measurements_text(parameters: Any, lab: ScoreMeasurements) -> str:
    """Return a text that compares the measured scores with the predicted ones, and says why they differ."""
    texts = [spread_text(parameters, lab.spread), _assumption_text(parameters, lab.assumption)]
    if lab.runs:
        texts.append(_positive_numbers_text(parameters, lab.runs))
    return "\n\n".join(texts)


def spread_text(parameters: Any, spread: Spread) -> str:
    """Return a text that compares the measured spread with the predicted one, and says if chance explains it."""
    if math.isinf(spread.deviation_error):
        section = "spread_of_one_run"
    else:
        section = "spread_by_chance" if spread.errors_apart < WITHIN_CHANCE else "spread_not_by_chance"
    return parameters.say(
        TEXTS,
        section,
        d_k=parameters.d_k,
        predicted=spread.predicted,
        measured=_with_error(spread.deviation, spread.deviation_error),
        mean=_with_error(spread.mean, spread.mean_error),
        errors_apart=spread.errors_apart,
    )


def _assumption_text(parameters: Any, assumed: Assumption) -> str:
    """Return a text that says which parts of the assumption behind √d_k hold, and what follows if a part does not."""
    said: tuple[list[str], list[str]] = [], []
    for name, sections in PARTS.items():
        part = getattr(assumed, name)
        fails = int(part.broken)
        measured = _with_error(part.value, part.error)
        said[fails].append(parameters.say(TEXTS, sections[fails], measured=measured, assumed=part.assumed))
    whole, broken = said
    if not broken:
        return parameters.say(TEXTS, "assumption_holds", whole=", ".join(whole))
    listed = ", ".join(whole or [parameters.say(TEXTS, "no_part")])
    return parameters.say(TEXTS, "assumption_fails", broken=" ".join(broken), whole=listed)


def _positive_numbers_text(parameters: Any, runs: Runs) -> str:
    how_many = parameters.say(TEXTS, "one_run" if runs.n == 1 else "many_runs", n=runs.n)
    return parameters.say(
        TEXTS, "positive_numbers", d_k=parameters.d_k, how_many=how_many, nearly_all=ONE_HOT, **asdict(runs)
    )


def learning_text(parameters: Any, lab: ScoreMeasurements) -> str:
    """Return a text that says how the weights change as the keys get wider."""
    if not any(getattr(lab.assumption, name).broken for name in PARTS):
        section = "learning_if_the_assumption_holds"
    else:
        is_positive = parameters.distribution == "uniform"
        section = "learning_from_positive_numbers" if is_positive else "learning_from_a_match"
    return parameters.say(
        TEXTS,
        section,
        n_keys=N_KEYS,
        widest=WIDTHS[-1],
        entropy=WORDS["entropy"],
        jacobian=WORDS["Jacobian"],
        **{name: each.largest[-1] for name, each in lab.saturations.items()},
    )


def learning_table(parameters: Any, lab: ScoreMeasurements) -> str:
    """Return a table of what was measured with each divisor, for keys of the chosen width."""
    place = WIDTHS.index(parameters.d_k)
    rows = [
        (typeset(DIVISORS[name]), *(f"{each[place]:.3f}" for each in (s.largest, s.entropies, s.jacobians)))
        for name, s in lab.saturations.items()
    ]
    return parameters.say(TEXTS, "measured_at_one_width", d_k=parameters.d_k, measured=_table_rows(rows))


def _table_rows(rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _with_error(value: float, error: float) -> str:
    if math.isinf(error):
        return f"{value:,.4g}"
    decimals = max(0, 1 - math.floor(math.log10(error))) if error else 2
    return f"{value + 0.0:,.{decimals}f}\u00a0±\u00a0{error:,.{decimals}f}".replace("-", "−")


# --- two wrong beliefs ---

HUGE = 10_000  # softmax overflows for scores that are so many times as large


def beliefs_text(parameters: Any, example: Example) -> str:
    """Return a text that refutes two wrong beliefs with the weights of the token that has the greatest score."""
    traces = traces_of(example)
    scores = traces["one"].scores
    token = int(scores.max(axis=1).argmax())
    overflow = "huge_scores_overflow" if _overflows(traces, token) else "huge_scores_do_not_overflow"
    return parameters.say(
        TEXTS,
        "beliefs",
        asks=example.tokens[token],
        swapped=sum(swapped_pairs(scores, trace.weights) for trace in traces.values()),
        weights=_rows_by_divisor(example, traces, token),
        huge=HUGE,
        overflow=parameters.say(TEXTS, overflow),
        weights_of_huge=_rows_of_huge_scores(example, traces, token),
    )


def _rows_by_divisor(example: Example, traces: Mapping[str, SelfAttentionTrace], token: int) -> str:
    """Return a row for each key, with its score and with its weight for each divisor, the greatest score first."""
    scores = traces["one"].scores[token]
    best_first = sorted(range(len(scores)), key=lambda j: -scores[j])
    return _table_rows(
        (example.key_tokens[j], f"{scores[j]:,.6g}", *(f"{trace.weights[token, j]:.4f}" for trace in traces.values()))
        for j in best_first
    )


def _overflows(traces: Mapping[str, SelfAttentionTrace], token: int) -> bool:
    return all(np.isnan(naive_softmax(traces[name].scaled[token] * HUGE)).any() for name in ("one", "root"))


def _rows_of_huge_scores(example: Example, traces: Mapping[str, SelfAttentionTrace], token: int) -> str:
    """Return a row for each key, with its huge score, and with its weights by a plain and by the usual softmax."""
    huge, divided = (traces[name].scaled[token] * HUGE for name in ("one", "root"))
    columns = (huge, naive_softmax(huge), naive_softmax(divided), softmax(huge))
    return _table_rows(
        (key, f"{score:,.0f}", *(f"{share:.4g}".replace("nan", "NaN") for share in shares))
        for key, score, *shares in zip(example.key_tokens, *columns, strict=True)
    )
