"""Explain an answer by other keys than the mask allows, by dropout, or by another scale of the scores."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from attention_core.checks import Array
from attention_core.diagnosis.answer import SMALLEST_SPREAD, Answer, Finding, HiddenKeys, middle_changes
from attention_core.diagnosis.edited_run import EditedRun, excludes_chance
from attention_core.diagnosis.stages import name_of
from attention_core.mistakes.engine.code_lines import run, softmax
from attention_core.mistakes.engine.edits import edited_lines

MOST_KEYS = 8  # with more keys, only sets of neighbouring keys are tried
EVEN, NONE = "even", "none"  # the weights of a row that used no key: all equal; all 0 or NaN
BY_CHANCE = 1e-2  # with a greater probability of a coincidence, other keys prove nothing
Used = tuple[int, ...]  # the keys that a row used
Mask = NDArray[np.bool_]


def other_keys(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a list with one finding if a wrong mask or dropout explains an answer; otherwise [].

    The answer is the matrix `stage`, the weights or the output. With a wrong mask, some rows use other keys than the
    correct mask allows. With dropout, some weights were set to 0. With several heads, only usual masks are tried, and
    the same mask in every head.
    """
    if stage not in ("weights", "output") or computation.changed & {"weights", "v"}:
        return []
    if stage == "output" and "weights" in computation.settled:
        return dropped_weights(computation, answer, stage)  # dropout may come after the given weights
    if computation.has_several_heads:
        dropped = dropped_weights(computation, answer, stage) if stage == "output" and not computation.changed else []
        return dropped or _find_mask_of_all_heads(computation, answer, stage)
    if answer.rows or answer.values.shape != computation.expected(stage).shape:
        return []
    return dropped_weights(computation, answer, stage) or _find_hidden_keys(_Rows(computation, answer, stage))


def _find_mask_of_all_heads(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    n_q, n_k = np.shape(computation.names["scores"])[-2:]
    allowed = np.broadcast_to(computation.names["allowed"], (n_q, n_k))
    masks = [*_named_masks(n_q, n_k, allowed)]
    if (
        computation.changed
        or not computation.can_afford(len(masks))
        or not excludes_chance(computation, answer, stage, len(masks))
    ):
        return []
    lines = edited_lines(computation.pipeline.lines, changed=("allowed",))
    for said, mask in masks:
        made = run(lines, computation.names | {"allowed": mask})[name_of(stage)]
        if mask.any(axis=1).all() and answer.matches(np.asarray(made)) and not np.array_equal(mask, allowed):
            rows = tuple(tuple(map(int, np.flatnonzero(seen))) for seen in mask)
            return [Finding("hidden_keys", keys=HiddenKeys(rows, said))]
    return []


class _Rows:
    """The rows of an answer, and for each row the keys that it may have used."""

    def __init__(self, computation: EditedRun, answer: Answer, stage: str) -> None:
        """Find the keys that each row may have used."""
        self.answer, self.right = answer, computation.expected(stage)
        self.scaled, self.values = computation.unmasked, computation.expected("v")
        self.allowed: Mask = np.broadcast_to(computation.names["allowed"], self.scaled.shape)
        self.is_output = stage == "output"
        self.n_q, self.n_k = len(self.scaled), len(self.scaled.T)
        self.tried = [*_candidate_key_sets(self.n_k)]
        seen = np.zeros((len(self.tried), self.n_k), dtype=bool)
        for row, used in enumerate(self.tried):
            seen[row, list(used)] = True
        self.seen = seen
        self.found = [self._keys_of(row) for row in range(self.n_q)]

    def _keys_of(self, row: int) -> list[Used | str]:
        one = self.answer.values[row]
        if not np.isfinite(one).all():
            return [NONE] if np.isnan(one).all() else []
        weights = softmax(np.where(self.seen, self.scaled[row], -np.inf))
        made = weights @ self.values if self.is_output else weights
        fits = (np.abs(made - one) <= self.answer.tolerance).all(axis=1)
        found: list[Used | str] = [self.tried[i] for i in np.flatnonzero(fits)]
        even = self.values.mean(axis=0) if self.is_output else np.full(self.n_k, 1 / self.n_k)
        if (np.abs(even - one) <= self.answer.tolerance).all():
            found.append(EVEN)
        return [*found, NONE] if not one.any() else found

    def is_correct(self, row: int) -> bool:
        """Return whether all numbers in a row of the answer are correct."""
        one = Answer(self.answer.values[row], self.answer.decimals, self.answer.scale)
        return bool(one.agrees(self.right[row]).all())

    @property
    def wrong_rows(self) -> list[int]:
        """The rows that have a wrong number."""
        return [row for row in range(self.n_q) if not self.is_correct(row)]

    def chance(self, n_tried: int) -> float:
        """Return the probability that the tried keys explain all wrong rows by chance.

        `n_tried` is how many sets of keys were tried for each wrong row.
        """
        spread = max(float(np.ptp(self.right)), SMALLEST_SPREAD)
        one = min(2 * self.answer.tolerance / spread, 1.0)
        width = self.right.shape[1] - (not self.is_output)  # weights sum to 1
        return prod(n_tried * one**width for _ in self.wrong_rows)


def _candidate_key_sets(n_k: int) -> Iterator[Used]:
    if n_k <= MOST_KEYS:
        for n in range(1, n_k + 1):
            yield from combinations(range(n_k), n)
    else:
        yield from (tuple(range(first, last)) for first in range(n_k) for last in range(first + 1, n_k + 1))


def _find_hidden_keys(rows: _Rows) -> list[Finding]:
    if not rows.wrong_rows or not all(rows.found[row] for row in rows.wrong_rows):
        return []
    if int((~rows.answer.agrees(rows.right)).sum()) == 1:
        return []  # hiding a key changes the other weights of the row as well
    if not np.isfinite(rows.answer.values).any():
        return []  # without a finite number, nothing proves a cause
    for said, mask in _named_masks(rows.n_q, rows.n_k, rows.allowed):
        chosen = [_explain_row(rows, row, mask[row]) for row in range(rows.n_q)]
        if None not in chosen and rows.chance(1) * len(rows.tried) < BY_CHANCE:
            return [Finding("hidden_keys", keys=_keys(rows, [each for each in chosen if each is not None], said))]
    if rows.is_output and len(rows.wrong_rows) < 2:
        return []  # a single wrong row may also come from one large score
    alone = [rows.found[row][0] if len(rows.found[row]) == 1 else None for row in rows.wrong_rows]
    if None in alone or max(rows.chance(len(rows.tried)), 0.0) >= BY_CHANCE:
        return []
    if _is_one_great_score(alone, rows):
        return []
    own = dict(zip(rows.wrong_rows, alone, strict=True))
    chosen = [own.get(row) or tuple(map(int, np.flatnonzero(rows.allowed[row]))) for row in range(rows.n_q)]
    return [Finding("hidden_keys", keys=_keys(rows, chosen, ""))]


def _is_one_great_score(keys_of_wrong_rows: list[Used | str | None], rows: _Rows) -> bool:
    """Return whether one very large score may be the cause, because all wrong rows of an output used only one key.

    `keys_of_wrong_rows` holds the keys that each wrong row used.
    """
    keys = {used[0] for used in keys_of_wrong_rows if isinstance(used, tuple) and len(used) == 1}
    return (
        rows.is_output
        and len(keys) == 1
        and len(keys_of_wrong_rows) == sum(len(used or ()) == 1 for used in keys_of_wrong_rows)
    )


def _explain_row(rows: _Rows, row: int, allowed_keys: Mask) -> Used | str | None:
    used = tuple(map(int, np.flatnonzero(allowed_keys)))
    if used:
        return used if used in rows.found[row] else None
    return next((each for each in (NONE, EVEN) if each in rows.found[row]), None)


def _keys(rows: _Rows, chosen: list[Used | str], said: str) -> HiddenKeys:
    empty = tuple(row for row, used in enumerate(chosen) if isinstance(used, str))
    return HiddenKeys(tuple(() if isinstance(used, str) else used for used in chosen), said, empty)


def _named_masks(n_q: int, n_k: int, allowed: Mask) -> Iterator[tuple[str, Mask]]:
    """Yield pairs: a clause, such as “each token attends to all keys”, and the mask that the clause describes."""
    back: NDArray[np.int_] = np.subtract.outer(
        np.arange(n_q), np.arange(n_k)
    )  # how far before the query each key stands
    for width in range(1, n_k):
        attended = "only to itself" if width == 1 else f"only to itself and the {_tokens(width - 1)} before it"
        yield f"each token attends {attended}", (back >= 0) & (back < width)
        if width > 1:
            attended = f"only to itself and {_tokens(width - 1)} on each side"
            yield f"each token attends {attended}", allowed & (np.abs(back) < width)
    yield "each token attends to itself and what comes before it", back >= 0
    yield "each token attends only to what comes before it", back > 0
    yield "each token attends only to itself and what comes after it", back <= 0
    yield "each token attends to what comes before it, to itself, and to the next token", back >= -1
    yield "each token attends to all keys", np.ones_like(allowed)
    if n_q != n_k:
        yield "the last query stands beside the last key", back >= n_q - n_k
    for n in range(1, n_k):
        yield f"no token attends to the last {_keys_of(n)}", allowed & (np.arange(n_k) < n_k - n)
        yield f"no token attends to the first {_keys_of(n)}", allowed & (np.arange(n_k) >= n)
    for key in range(1, n_k - 1):
        yield f"no token attends to key {key + 1}", allowed & (np.arange(n_k) != key)
    for n in range(1, n_q):  # padding on the axis of the queries
        yield f"the last {_rows(n)} to no key", allowed & (np.arange(n_q) < n_q - n)[:, None]
        yield f"the first {_rows(n)} to no key", allowed & (np.arange(n_q) >= n)[:, None]


def _keys_of(n: int) -> str:
    return "key" if n == 1 else f"{n} keys"


def _rows(n: int) -> str:
    return "row attends" if n == 1 else f"{n} rows attend"


def _tokens(n: int) -> str:
    return "token" if n == 1 else f"{n} tokens"


def rows_with_other_keys(keys: HiddenKeys, correct_mask: Array) -> tuple[int, ...]:
    """Return the indices of the rows in `keys` that used other keys than `correct_mask` allows."""
    return tuple(row for row, used in enumerate(keys.rows) if {*used} != {*map(int, np.flatnonzero(correct_mask[row]))})


# --- dropout that was left on ---

SHARES = (0.1, 0.2, 0.25, 0.3, 0.4, 0.5)  # of the weights that are dropped
MOST_KEYS_WITH_DROPOUT = 8  # with more keys, the output is not searched for dropout
MOST_WEIGHTS = 12  # of one row in all heads: every choice of dropped weights is tried
DROPOUT_BY_CHANCE = 1e-3  # with a greater probability of a coincidence, dropped weights prove nothing


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
    if wanted.shape != answer.values.shape or np.shape(computation.names["weights"])[-1] > MOST_KEYS_WITH_DROPOUT:
        return []
    shares = _weighted_values(computation)
    if shares.shape[1] > MOST_WEIGHTS:
        return []
    kept = np.array([*product((True, False), repeat=shares.shape[1])])
    spread = max(float(np.ptp(wanted)), SMALLEST_SPREAD)
    by_chance = len(kept) * len(SHARES) * min(2 * answer.tolerance / spread, 1.0) ** wanted.shape[1]
    has_right_row = (answer.agrees(wanted).all(axis=1) & wanted.any(axis=1)).any()  # kept weights grow
    if has_right_row or by_chance ** len(wanted) > DROPOUT_BY_CHANCE or by_chance >= 1:
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


# --- another scale of all scores ---

CLOSE = 0.02  # a factor this near to 1 is the correct scale, rounded
STARTS = np.log([0.03, 0.1, 0.3, 0.7, 1.5, 3.0, 8.0, 20.0])  # logarithms of the scales from which the search begins
ROUNDS, SMALL, LONGEST_STEP = 25, 1e-6, 0.7
MOST_SCORES = 4096  # with more scores, solving for the scale takes long
SCALE_BY_CHANCE = 1e-3  # with a greater probability of a coincidence, a scale proves nothing


def other_scale(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a list with one finding if the scaled scores times one wrong factor give the answer; otherwise [].

    The answer may be weights, or the output of one head.
    """
    expected = computation.expected(stage)
    if (
        stage not in ("weights", "output")
        or computation.changed
        or computation.has_several_heads
        or not answer.is_finite
    ):
        return []
    if answer.values.shape != expected.shape or computation.n_scores > MOST_SCORES:
        return []
    n_off = int((~answer.agrees(expected)).sum())
    by_chance = min(2 * answer.tolerance / max(float(np.ptp(expected)), SMALLEST_SPREAD), 1.0)
    if len(STARTS) * by_chance ** (n_off - 1 - (stage == "weights") * len(expected)) > SCALE_BY_CHANCE:
        return []
    factors = _improve_scales(computation, answer, stage)
    off = np.abs(_stage_of_scales(computation, stage, factors) - answer.values).max(axis=(1, 2))
    best = _middle_scale(computation, answer, stage, factors[int(np.argmin(off))])
    off_best = np.abs(_stage_of_scales(computation, stage, best) - answer.values).max()
    if off_best > answer.tolerance or abs(float(best[0]) - 1) < CLOSE:
        return []
    return [Finding("other_scale", factor=float(best[0]))]


def _improve_scales(computation: EditedRun, answer: Answer, stage: str) -> Array:
    """Return one scale for each start in `STARTS`: the scale near this start that comes closest to the answer.

    Gauss–Newton steps improve the logarithms of the scales.
    """
    logs = STARTS.copy()
    for _ in range(ROUNDS):
        misses = (_stage_of_scales(computation, stage, np.exp(logs)) - answer.values).reshape(len(logs), -1)
        moved = (_stage_of_scales(computation, stage, np.exp(logs + SMALL)) - answer.values).reshape(len(logs), -1)
        slopes = (moved - misses) / SMALL
        steep = (slopes**2).sum(axis=1)
        step = (misses * slopes).sum(axis=1) / np.where(steep > 0, steep, 1.0)
        logs = np.clip(logs - np.clip(step, -LONGEST_STEP, LONGEST_STEP), STARTS[0] - 2, STARTS[-1] + 2)
    return np.exp(logs)


def _middle_scale(computation: EditedRun, answer: Answer, stage: str, factor: float) -> Array:
    made = _stage_of_scales(computation, stage, np.array([factor, factor + SMALL]))
    misses, slopes = (made[0] - answer.values).reshape(1, -1), ((made[1] - made[0]) / SMALL).reshape(1, -1)
    return factor + middle_changes(misses, slopes, answer.tolerance)


def _stage_of_scales(computation: EditedRun, stage: str, factors: Array) -> Array:
    scaled = factors[:, None, None] * computation.expected("scaled") + computation.names.get("bias", 0.0)
    weights = softmax(np.where(np.isfinite(computation.expected("masked")), scaled, -np.inf))
    return weights if stage == "weights" else weights @ computation.expected("v")
