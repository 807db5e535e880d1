"""Learners: attention computed by hand, step by step, with honest rounding and perhaps one wrong number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from attention_core.diagnosis.diagnose import matrix_at
from attention_core.examples import EXAMPLES, example

NAMES = [name for name in EXAMPLES if not example(name).drawn]
LEAST = 0.05  # the least change of a number by an error
WRITTEN = (lambda x: -x if x else x + 1, lambda x: x + 1, lambda x: x - 1, lambda x: x + 0.5, lambda x: 10 * x + 2)
STEPS = ("q", "k", "v", "scores", "scaled", "weights", "output")


class Error(NamedTuple):
    """One wrong number in a computation by hand. All later numbers are computed from the wrong number.

    `stage` is the matrix, and `place` is the cell. `written` turns the correct number into the wrong number.
    """

    stage: str
    place: tuple[int, ...]
    written: Callable[[float], float]


class Learner(NamedTuple):
    """How somebody computes by hand: how they round, and which error they make."""

    decimals: int | None = 2  # every step is rounded to these; None: no rounding
    subtracts: bool = False  # whether the maximum is subtracted before the exponentials
    rounds_more: bool = False  # whether the root and the powers are rounded too
    error: Error | None = None


def written_steps(example: Any, mask: Any, how: Learner) -> dict[str, Any]:
    """Return every matrix of attention as a learner writes it down, by name.

    `how` says how the learner rounds and which error the learner makes.
    """
    found: dict[str, Any] = {}

    def rounded(numbers):
        return numbers if how.decimals is None else np.round(numbers, how.decimals)

    def write(name, matrix):
        found[name] = np.array(rounded(matrix), dtype=float)
        if how.error and how.error.stage == name:
            found[name][how.error.place] = how.error.written(found[name][how.error.place])
        return found[name]

    context = example.x if example.context is None else example.context
    q, k, v = (
        write(name, rows @ getattr(example, f"w_{name}") + (0 if bias is None else bias))
        for name, rows, bias in (
            ("q", example.x, example.b_q),
            ("k", context, example.b_k),
            ("v", context, example.b_v),
        )
    )
    root = np.sqrt(q.shape[1])
    scaled = write("scaled", write("scores", q @ k.T) / (rounded(root) if how.rounds_more else root))
    seen = scaled if mask is None else np.where(mask, scaled, -np.inf)
    powers = np.exp(seen - seen.max(axis=1, keepdims=True)) if how.subtracts else np.exp(seen)
    powers = rounded(powers) if how.rounds_more else powers
    with np.errstate(invalid="ignore"):  # if all powers of a row are rounded to 0, 0/0 is NaN
        write("output", write("weights", powers / powers.sum(axis=1, keepdims=True)) @ v)
    return found


def draw_error(rng: np.random.Generator, example: Any, mask: Any, right: Any) -> Error:
    """Draw one wrong number in a computation by hand.

    The number is not hidden by the mask, and the error changes it by 0.05 or more. `right` is the correct computation.
    """
    while True:
        stage = STEPS[rng.integers(len(STEPS))]
        place = tuple(int(i) for i in rng.integers(matrix_at(right, stage).shape))
        counts = mask is None or stage in ("q", "k", "v", "output") or np.broadcast_to(mask, right.scores.shape)[place]
        error = Error(stage, place, (lambda x: x + 0.1) if stage == "weights" else WRITTEN[rng.integers(len(WRITTEN))])
        before = written_steps(example, mask, Learner())[stage][place]
        if counts and abs(error.written(before) - before) >= LEAST:
            return error
