"""Reasons for softmax: why each row sums to 1, why powers, and why the greatest score is subtracted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.softmax import SoftmaxTrace
from pages.shared.notation.glossary import define
from pages.shared.notation.numbers import format_as_shown, number
from pages.shared.notation.prose import whom

GREATEST = float(np.finfo(float).max)
FAR_BELOW = 800.0  # how far a row is below the greatest score of the matrix


def sharpest(weights: np.ndarray) -> tuple[int, int]:
    """Return the place of the greatest share: its row and its column."""
    row, column = np.unravel_index(np.nanargmax(weights), weights.shape)
    return int(row), int(column)


def one_unit(weights: np.ndarray, tokens: Sequence[str], key_tokens: Sequence[str], decimals: int) -> str:
    """Say whose shares a row holds, why they sum to 1, and what would follow if columns did."""
    (i, j), given = sharpest(weights), weights.sum(axis=0)
    least = int(given.argmin())
    return (
        "A score says how well what one token seeks matches what another is: **rows ask, columns are asked**. Each "
        "token has **one unit of attention** to share out, so each row must sum to 1: "
        f"“{tokens[i]}” gives {whom(tokens, key_tokens, i, j)} **{format_as_shown(weights[i, j], decimals)}** of it. "
        "If columns had to sum to 1, the token that is sought least would still be handed a whole unit: "
        f"“{key_tokens[least]}” gets {format_as_shown(given[least], decimals)} in all, and would get 1."
    )


def three_ways(columns: np.ndarray, whole: np.ndarray, tokens: Sequence[str], decimals: int) -> str:
    """Say what would follow for each token if columns summed to 1, or the whole matrix did."""
    of_columns, of_whole = columns.sum(axis=1), whole.sum(axis=1)
    most, least, poorest = int(of_columns.argmax()), int(of_columns.argmin()), int(of_whole.argmin())
    of_most, of_least = (format_as_shown(of_columns[i], decimals) for i in (most, least))
    return (
        "A ✓ marks what sums to 1.\n"
        "- **Rows**: each token has 1 to give. This is attention.\n"
        f"- **Columns**: each token is given 1, sought or not, so “{tokens[most]}” has {of_most} to give and "
        f"“{tokens[least]}” {of_least}. It is right only in a text that stores tokens as columns.\n"
        f"- **The whole matrix**: all tokens share a single 1, and of it “{tokens[poorest]}” has "
        f"{_share_text(of_whole[poorest], decimals)} to give. All numbers do sum to 1: a sum of 1 proves nothing until "
        "you say of what."
    )


def _share_text(share: float, decimals: int) -> str:
    """Write a share as on the screen. If that would be 0, write it with its power of ten."""
    return format_as_shown(share, decimals) if share >= 10**-decimals else f"${number(float(share))}$"


def why_powers(trace: SoftmaxTrace, key_tokens: Sequence[str], base: str) -> str:
    """Say what powers do that plain scores cannot, with two scores of the sharpest row."""
    i, j = sharpest(trace.weights)
    scores, shares = trace.scores[i], trace.weights[i]
    others = [k for k in np.argsort(-scores, kind="stable") if scores[k] < scores[j] and shares[k] > 0]
    example = _ratio(scores, shares, j, int(others[0]), trace.temperature, key_tokens, base) if others else ""
    return (
        f"A power of ${base}$ is **positive** however low the score, so every share is. It **keeps the order**. And "
        f"it turns equal *differences* of scores into equal *ratios* of shares{example}."
    )


def _ratio(
    scores: np.ndarray, shares: np.ndarray, best: int, next_: int, temperature: float, names: Sequence[str], base: str
) -> str:
    a, b = number(float(scores[best])), number(float(scores[next_]))
    difference = f"{a} - {b}" if scores[next_] >= 0 else f"{a} - ({b})"
    exponent = difference if temperature == 1 else f"({difference}) / {number(temperature)}"
    times = number(float(shares[best] / shares[next_]))
    return (
        f": “{names[best]}” scores ${a}$ and “{names[next_]}” ${b}$, so it gets ${base}^{{{exponent}}} = {times}$ "
        "times as much"
    )


def constant_changes_nothing(with_it: np.ndarray, without: np.ndarray, constant: int) -> str:
    """Say that only differences count, and how much the shares change if a constant is added."""
    rounding = " but by rounding" * bool((with_it != without).any())
    done = (
        f"{constant} was added to every score, and no share has changed{rounding}"
        if constant
        else "add the same number to every score, and no share changes"
    )
    return (
        f"**Only differences count**: {done}. So the greatest score of each row can be taken off first. Raise a single "
        f"column, and each row gives that token more. {of_the_whole_matrix()}"
    )


def of_the_whole_matrix() -> str:
    """Say what happens to a low row if the greatest score of the whole matrix is subtracted."""
    power = float(np.exp(-FAR_BELOW))
    return (
        "To take off the greatest score of the **whole matrix** is right on paper as well. But if a row lies "
        f"{FAR_BELOW:.0f} below it, a machine rounds its powers to {power:g}, and 0 ÷ 0 is no number."
    )


def why_no_shares(trace: SoftmaxTrace, base: str) -> str:
    """If shares are missing, say why in a sentence, and what helps."""
    missing = np.isnan(trace.weights)
    if not missing.any():
        return ""
    greatest = float(trace.scores[missing].max()) / trace.temperature
    power = f"${base}^{{{number(greatest)}}}$"
    if np.isinf(trace.powers[missing]).any():
        why = (
            f"{power} is beyond ${number(GREATEST)}$, the greatest of {define('float64')}: the machine says "
            "∞, and ∞ ÷ ∞ is no number (NaN)."
        )
    else:
        why = f"Even {power}, their greatest power, is so small that {define('float64')} rounds it to 0: 0 ÷ 0 is NaN."
    what = "No shares" if missing.all() else "Some shares are missing"
    return f"**{what}.** {why} With the greatest score taken off first, the greatest power is 1."
