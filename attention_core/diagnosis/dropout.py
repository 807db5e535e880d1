"""Dropout that was left on: some weights are 0, and all others are correct but multiplied by one factor."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from attention_core.checks import Array
from attention_core.diagnosis.answer import SMALLEST_SPREAD, Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import Finding

SHARES = (0.1, 0.2, 0.25, 0.3, 0.4, 0.5)  # of the weights that are dropped
MOST_KEYS = 8  # with more keys, the output is not searched for dropout
MOST_WEIGHTS = 12  # of one row in all heads: every choice of dropped weights is tried
BY_CHANCE = 1e-3  # with a greater probability of a coincidence, dropped weights prove nothing


def dropped_weights(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a finding if an answer fits dropout; otherwise [].

    With dropout, some weights are 0, and all others are multiplied by the same factor.
    """
    if not answer.is_finite or answer.rows:
        return []
    return _in_weights(computation, answer) if stage == "weights" else _in_an_output(computation, answer)


def _in_weights(computation: EditedRun, answer: Answer) -> list[Finding]:
    right, values = computation.expected("weights"), answer.values
    left = (values != 0) & (right > answer.tolerance)
    if left.sum() < 3 or not ((values == 0) & (right > 2 * answer.tolerance)).any():
        return []
    factor = float(np.median(values[left] / right[left]))
    kept = 1 / factor if factor else 0.0
    exact = round(20 * kept) / 20  # usual shares of what is dropped are 0.05, 0.1, 0.2, 0.5
    if not 0.3 < exact < 1 or abs(kept - exact) > 0.01:
        return []
    agrees = np.abs(values - right / exact)[left] <= answer.tolerance / exact + answer.tolerance
    if not agrees.all():
        return []
    place = np.argwhere((values == 0) & (right > 2 * answer.tolerance))[0]
    return [Finding("dropped_out", factor=1 / exact, dropped=tuple(int(i) for i in place))]


def _in_an_output(computation: EditedRun, answer: Answer) -> list[Finding]:
    """Return a finding if dropped weights explain every row of an output; otherwise [].

    The same share of dropped weights must explain all rows, because the share determines the factor of other weights.
    """
    wanted = computation.expected("output")
    if wanted.shape != answer.values.shape or np.shape(computation.names["weights"])[-1] > MOST_KEYS:
        return []
    shares = _weighted_values(computation)
    if shares.shape[1] > MOST_WEIGHTS:
        return []
    kept = np.array([*product((True, False), repeat=shares.shape[1])])
    spread = max(float(np.ptp(wanted)), SMALLEST_SPREAD)
    by_chance = len(kept) * len(SHARES) * min(2 * answer.tolerance / spread, 1.0) ** wanted.shape[1]
    has_right_row = (answer.agrees(wanted).all(axis=1) & wanted.any(axis=1)).any()  # kept weights grow
    if has_right_row or by_chance ** len(wanted) > BY_CHANCE or by_chance >= 1:
        return []
    sums, bias = kept @ shares, computation.names.get("b_o", 0.0)  # for each row, one output for each choice
    for share in SHARES:
        made = sums / (1 - share) + bias
        fits = np.all(np.abs(made - answer.values[:, None, :]) <= answer.tolerance, axis=2)
        if np.any(fits, axis=1).all() and not np.all(fits[:, 0]):
            return [Finding("dropped_out", factor=1 / (1 - share), dropped=_certain_place(computation, kept, fits))]
    return []


def _certain_place(computation: EditedRun, kept: NDArray[np.bool_], fits: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the place of a weight that was certainly dropped, or () if there is none.

    The place is (row, key), or (head, row, key) with several heads. Often several choices of dropped weights explain a
    row of the output. A weight was certainly dropped if all these choices drop the weight.

    `kept[choice, weight]` says whether a choice keeps a weight. `fits[row, choice]` says whether a choice explains a
    row.
    """
    n_keys = np.shape(computation.names["weights"])[-1]
    for row, choices in enumerate(fits):
        dropped = np.flatnonzero(~kept[choices].any(axis=0))
        if len(dropped):
            head, key = divmod(int(dropped[0]), n_keys)
            return (head, row, key) if computation.has_several_heads else (row, key)
    return ()


def _weighted_values(computation: EditedRun) -> Array:
    """Return weight times value for each row of the output and each key: (rows, keys, width of the output).

    With several heads, the keys of all heads follow each other on the second axis.
    """
    weights = computation.expected("weights")
    if not computation.has_several_heads:
        return weights[:, :, None] * computation.expected("v")
    values = np.asarray(computation.names["v_heads"])
    mixing = np.reshape(computation.names["w_o"], (len(values), values.shape[-1], -1))  # the rows of W^O of each head
    return np.concatenate([w[:, :, None] * (v @ m) for w, v, m in zip(weights, values, mixing, strict=True)], axis=1)
