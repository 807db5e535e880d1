"""Tasks on paper: solved in plain Python that rounds every number, and by learners who make one number wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from attention_core.diagnosis.diagnose import matrix_at
from attention_core.examples import EXAMPLES, example


def dot(row, column, write):
    """Return the dot product of a row and a column. `write` rounds each product, and then the sum."""
    return write(sum(write(a * b) for a, b in zip(row, column, strict=True)))


def product(a, b, write):
    """Return the product of two matrices. `write` rounds each number that a person would write down."""
    return [[dot(row, column, write) for column in zip(*b, strict=True)] for row in a]


def transpose_of(a):
    """Return the transpose of a matrix."""
    return [list(column) for column in zip(*a, strict=True)]


def softmax_of_row(row, write, power=math.exp, less_the_greatest=False):
    """Return the softmax of a row. `write` rounds each number that a person would write down.

    `power` replaces the exponential. If `less_the_greatest` is true, the greatest number of the row is subtracted
    first.
    """
    greatest = max(row) if less_the_greatest else 0
    powers = [write(power(number - greatest)) for number in row]
    total = write(sum(powers))
    return [write(one / total) for one in powers]


def scaled_scores(scores, d_k, write, times_inverse=False):
    """Return scores divided by √d_k. `write` rounds each number that a person would write down.

    If `times_inverse` is true, the scores are multiplied by 1/√d_k, which rounds differently.
    """
    root = write(math.sqrt(d_k))
    inverse = write(1 / root)
    return [[write(s * inverse if times_inverse else s / root) for s in row] for row in scores]


def causal_softmax(rows, write, **how):
    """Return the softmax of each row under a causal mask. `write` rounds each number that is written down.

    `how` holds options of `softmax_of_row`.
    """
    return [softmax_of_row(row[: i + 1], write, **how) + [0] * (len(row) - i - 1) for i, row in enumerate(rows)]


def wave(position, column, d_model, base, write):
    """Return one number of the positional encoding. `write` rounds each number that a person would write down."""
    power = write(base ** write((column - column % 2) / d_model))
    return write((math.cos if column % 2 else math.sin)(write(position / power)))


def waves(positions, d_model, base, write):
    """Return the encoding of `positions`, one row for each position.

    `write` rounds each number that is written down.
    """
    return [[wave(position, column, d_model, base, write) for column in range(d_model)] for position in positions]


def sum_of(a, b, write):
    """Return the sum of two matrices. `write` rounds each number of the result."""
    return [[write(x + y) for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]


def probabilities_of_likeliest(logits, n, write, **how):
    """Return the probability of each word if only the `n` likeliest words are kept. The other words have probability 0.

    `write` rounds each number that is written down. `how` holds options of `softmax_of_row`.
    """
    kept = sorted(sorted(range(len(logits)), key=lambda word: -logits[word])[:n])
    given = dict(zip(kept, softmax_of_row([logits[word] for word in kept], write, **how), strict=True))
    return [given.get(word, 0) for word in range(len(logits))]


def answer(task, write, *, less_the_greatest=False, times_inverse=False):
    """Return the answer to a task. `write` rounds each number that a person would write down.

    If `less_the_greatest` is true, the softmax subtracts the greatest score first. If `times_inverse` is true, scores
    are multiplied by 1/√d_k instead of divided by √d_k.
    """
    m = {name: task.matrix(name).tolist() for name in task.given}
    how = {"less_the_greatest": less_the_greatest}
    across = lambda: [softmax_of_row(row, write, **how) for row in scaled_scores(m["scores"], 4, write, times_inverse)]  # noqa: E731
    match task.concept, task.difficulty:
        case "softmax_axes", 1:
            return [softmax_of_row(row, write, lambda number: 2**number, **how) for row in m["scores"]]
        case "softmax_axes", _:
            return [softmax_of_row(row, write, **how) for row in m["scores"]]
        case "queries_keys_values", 1:
            return product(m["x"], m["w_q"], write)
        case "queries_keys_values", 2:
            return product(m["q"], transpose_of(m["k"]), write)
        case "scaling", 1 | 2:
            return scaled_scores(m["scores"], task.trace.k.shape[1], write, times_inverse)
        case "scaling", 3:
            return across()
        case ("queries_keys_values", 3) | ("attention", 1) | ("cross_attention", 1):
            return product(m["weights"], m["v"], write)
        case "attention", 2:
            return causal_softmax(m["scaled"], write, **how)
        case "attention", 3:
            return product(causal_softmax(m["scaled"], write, **how), m["v"], write)
        case "multi_head", 1 | 2:
            both = [one + other for one, other in zip(m["heads.0"], m["heads.1"], strict=True)]
            return product(both, m["w_o"], write)
        case "multi_head", 3:
            left, right = ([row[:2] for row in m["v"]], [row[2:] for row in m["v"]])
            one, other = product(m["weights.0"], left, write), product(m["weights.1"], right, write)
            return [a + b for a, b in zip(one, other, strict=True)]
        case "positional_encoding", 1 | 2:
            return waves(m["positions"][0], task.correct_answer.shape[1], task.base, write)
        case "positional_encoding", 3:
            embedded = [[write(write(math.sqrt(4)) * number) for number in row] for row in m["x"]]
            return sum_of(embedded, waves(m["positions"][0], 4, task.base, write), write)
        case "cross_attention", 2:
            return across()
        case "cross_attention", 3:
            return product(across(), m["v"], write)
        case "training_step", 1:
            (weights,), (asked,) = m["weights"], m["grad_weights"]
            average = dot(weights, asked, write)
            return [[write(a * write(d - average)) for a, d in zip(weights, asked, strict=True)]]
        case "training_step", 2:
            return product(transpose_of(scaled_scores(m["grad_scaled"], 4, write, times_inverse)), m["q"], write)
        case "training_step", 3:
            values = product(transpose_of(m["weights"]), m["grad_output"], write)
            gradient = product(transpose_of(m["x"]), values, write)
            return sum_of(m["w_v"], [[write(-0.5 * number) for number in row] for row in gradient], write)
        case "next_word", 1:
            return product(m["summed"], transpose_of(m["vocabulary"]), write)
        case "next_word", _:
            rows = product(m["summed"], transpose_of(m["vocabulary"]), write)
            return [probabilities_of_likeliest([write(logit / 2) for logit in row], 3, write, **how) for row in rows]
    raise AssertionError((task.concept, task.difficulty))


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
