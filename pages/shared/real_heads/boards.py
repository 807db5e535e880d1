"""The equations of a real head: its weights, every step in numbers, and one query and one key at any positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic.attention_rules import one_head_rules
from attention_core.arithmetic.position_rules import rope_rules
from attention_core.attention import AttentionTrace
from attention_core.caching import cache_recent
from attention_core.rotation import RopeTrace
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.computation import Computation
from pages.shared.real_heads.reading import Reading
from pages.shared.real_heads.tour import TEXTS

SHOWN = ("q", "k", "v", "scores", "scaled", "masked", "weights", "output")
OF_PAIRS = ("scores", "scaled", "masked", "weights")  # these have one column for each token
N_NEXTS = 6


@cache_recent
def who_lines(reading: Reading) -> Sequence[Line]:
    """Return two equations: the weights of the head, and the probabilities of the likeliest next tokens."""
    rows = tuple(f"→ {piece}" for piece in reading.text.nexts[:N_NEXTS])
    shares = matrix("guesses", reading.text.probabilities[:N_NEXTS, None], rows, ()).as_given()
    return [
        Line((_weights(reading),), TEXTS.fill("line_of_weights", head=reading.head.name)),
        Line((shares,), TEXTS.fill("line_of_next_tokens")),
    ]


@cache_recent
def number_lines(trace: AttentionTrace, tokens: tuple[str, ...], columns: bool) -> Sequence[Line]:
    """Return the equations of the head, from its queries and keys to its weights."""
    m, arrow = matrices(trace, tokens), Sign(TEXTS.fill("scores_to_weights"), arrow=True)
    return [
        Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"]), TEXTS.fill("line_of_scores")),
        Line((m["scores"], arrow, m["weights"]), TEXTS.fill("line_of_softmax", 2, columns)),
    ]


@cache_recent
def every_position_lines(trace: RopeTrace) -> Sequence[Line]:
    """Return the product of one query and one key, each rotated for every position."""
    places = tuple(map(str, range(len(trace.scores))))
    q, k = (
        matrix(f"{name}_turned", values, places, features(values))
        for name, values in (("q", trace.q_turned), ("k", trace.k_turned))
    )
    scores = matrix("scores_turned", trace.scores, places, places)
    scores = scores.with_computation(Computation(rope_rules(trace)))
    product = (q.as_given(), "·", k.as_given().transpose("K'^T"), "=", scores)
    return [Line(product, TEXTS.fill("line_of_positions"))]


@cache_recent
def matrices(trace: AttentionTrace, tokens: tuple[str, ...]) -> Mapping[str, Matrix]:
    """Return the matrices of a head by their names. The queries, keys and values are given; the rest is computed."""
    values = {name: getattr(trace, name) for name in SHOWN}
    computation = Computation(CellCalculations(one_head_rules(trace)))
    return {
        name: matrix(name, each, tokens, tokens if name in OF_PAIRS else features(each)).with_computation(computation)
        for name, each in values.items()
    }


def matrix(name: str, values: np.ndarray, rows: tuple[str, ...], columns: tuple[str, ...]) -> Matrix:
    """Return a matrix with labels for its rows and columns. `name` is its name in the table of symbols."""
    return Matrix.named(name, values, row_labels=rows, column_labels=columns)


def features(values: np.ndarray) -> tuple[str, ...]:
    """Return labels for the columns of a matrix: "1", "2", …"""
    return tuple(str(i + 1) for i in range(values.shape[-1]))


def _weights(reading: Reading) -> Matrix:
    if reading.trace:
        return matrices(reading.trace, reading.tokens)["weights"]
    return matrix("weights", reading.weights, reading.tokens, reading.tokens).as_given()
