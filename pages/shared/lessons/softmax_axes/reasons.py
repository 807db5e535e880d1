"""Explanations of softmax: why each row sums to 1, why there are powers, and why the greatest score is subtracted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.softmax import SoftmaxTrace
from pages.shared.notation.glossary import define
from pages.shared.notation.numbers import format_as_shown, number
from pages.shared.notation.prose import whom

GREATEST = float(np.finfo(float).max)
FAR_BELOW = 800.0  # how far a row is below the greatest score of the matrix


def place_of_greatest(weights: np.ndarray) -> tuple[int, int]:
    """Return the row and the column of the greatest weight."""
    row, column = np.unravel_index(np.nanargmax(weights), weights.shape)
    return int(row), int(column)


def one_unit_text(weights: np.ndarray, tokens: Sequence[str], key_tokens: Sequence[str], decimals: int) -> str:
    """Return a text that says why each row of weights sums to 1, and what would follow if columns did."""
    (i, j), received = place_of_greatest(weights), weights.sum(axis=0)
    least = int(received.argmin())
    return (
        "Each row of scores belongs to **the token that asks**, each column to a token that answers. A token has "
        "**1 unit of attention**, and shares it out among all tokens. So each **row** must add up to 1: "
        f"“{tokens[i]}” attends to {whom(tokens, key_tokens, i, j)} with "
        f"**{format_as_shown(weights[i, j], decimals)}** of its unit.\n\n"
        f"Suppose each column had to add up to 1. Then the tokens together would have to spend a full unit on "
        f"“{key_tokens[least]}”, although it is the token that they attend to least. With rows, it receives only "
        f"{format_as_shown(received[least], decimals)} in total."
    )


def three_axes_text(columns: np.ndarray, whole: np.ndarray, tokens: Sequence[str], decimals: int) -> str:
    """Return a text that compares softmax over rows, over columns and over the whole matrix, by the sums of the rows.

    `columns` and `whole` are the weights if each column sums to 1, and if the whole matrix does.
    """
    of_columns, of_whole = columns.sum(axis=1), whole.sum(axis=1)
    most, least, poorest = int(of_columns.argmax()), int(of_columns.argmin()), int(of_whole.argmin())
    of_most, of_least = (format_as_shown(of_columns[i], decimals) for i in (most, least))
    return (
        "A ✓ marks the sums that are 1.\n"
        "- **Each row**: every token has 1 unit of attention. This is the softmax of attention.\n"
        f"- **Each column**: every token receives 1 unit. Then “{tokens[most]}” can spend {of_most} units, and "
        f"“{tokens[least]}” only {of_least}. Some books store tokens as columns; there, columns are right.\n"
        f"- **The whole matrix**: all tokens together have 1 unit, and “{tokens[poorest]}” can spend "
        f"{_share_text(of_whole[poorest], decimals)} of it. So a sum of 1 alone does not show that the weights are "
        "right: ask which numbers were added."
    )


def _share_text(share: float, decimals: int) -> str:
    """Return a weight as the screen shows it. If the screen would show 0, return it with a power of ten."""
    return format_as_shown(share, decimals) if share >= 10**-decimals else f"${number(float(share))}$"


def why_powers(trace: SoftmaxTrace, key_tokens: Sequence[str], base: str) -> str:
    """Return a text that says what powers do that plain scores cannot, with two scores of one row as an example.

    The row is that of the greatest weight. `base` is the base of the powers, as it is written in a formula.
    """
    i, j = place_of_greatest(trace.weights)
    scores, shares = trace.scores[i], trace.weights[i]
    others = [k for k in np.argsort(-scores, kind="stable") if scores[k] < scores[j] and shares[k] > 0]
    example = _ratio_text(scores, shares, j, int(others[0]), trace.temperature, key_tokens, base) if others else ""
    return (
        f"A power of ${base}$ is **positive**, even for a negative score, so every weight is positive. A higher score "
        "makes a **higher weight**. Equal *differences* of scores give equal *ratios* of weights"
        f"{example}."
    )


def _ratio_text(
    scores: np.ndarray, shares: np.ndarray, best: int, next_: int, temperature: float, names: Sequence[str], base: str
) -> str:
    a, b = number(float(scores[best])), number(float(scores[next_]))
    difference = f"{a} - {b}" if scores[next_] >= 0 else f"{a} - ({b})"
    exponent = difference if temperature == 1 else f"({difference}) / {number(temperature)}"
    times = number(float(shares[best] / shares[next_]))
    return (
        f": the score of “{names[best]}” is ${a}$ and that of “{names[next_]}” is ${b}$, so “{names[best]}” has "
        f"${base}^{{{exponent}}} = {times}$ times the weight"
    )


def constant_changes_nothing(with_it: np.ndarray, without: np.ndarray, constant: int) -> str:
    """Return a text that says that only differences of scores count.

    `with_it` holds the weights after `constant` was added to every score, and `without` holds the weights before.
    """
    rounding = ", except for rounding" * bool((with_it != without).any())
    done = (
        f"{constant} was added to every score, and no weight has changed{rounding}"
        if constant
        else "add the same number to every score, and no weight changes"
    )
    return (
        f"**Only differences count**: {done}. So we can subtract the greatest score of each row first. If only one "
        "column grows, every row attends more to that token. "
        f"{whole_matrix_text()}"
    )


def whole_matrix_text() -> str:
    """Return a text that says what happens to a row of low scores if the greatest score of all rows is subtracted."""
    power = float(np.exp(-FAR_BELOW))
    return (
        "With exact numbers we could also subtract the greatest score of the **whole matrix**. But suppose that all "
        f"scores of one row are {FAR_BELOW:.0f} below it: a computer rounds all powers of this row to {power:g}, and "
        "0 ÷ 0 is not a number."
    )


def why_nan_text(trace: SoftmaxTrace, base: str) -> str:
    """Return a text that says why some weights are NaN and what helps, or "" if all weights are numbers."""
    missing = np.isnan(trace.weights)
    if not missing.any():
        return ""
    greatest = float(trace.scores[missing].max()) / trace.temperature
    power = f"${base}^{{{number(greatest)}}}$"
    if np.isinf(trace.powers[missing]).any():
        why = (
            f"{power} is more than ${number(GREATEST)}$, the greatest number of {define('float64')}. The computer "
            "writes ∞, and ∞ ÷ ∞ is not a number (NaN)."
        )
    else:
        why = f"Even their greatest power, {power}, is so small that {define('float64')} rounds it to 0. 0 ÷ 0 is NaN."
    what = "No weight is left" if missing.all() else "Some weights are missing"
    return f"**{what}.** {why} If you subtract the greatest score first, the greatest power is 1."
