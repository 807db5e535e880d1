"""Wrong shares: another function in place of the softmax, or a softmax with a wrong step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.rare.entry import RareMistakes, entry

NO_SOFTMAX = "A softmax raises e to each score and divides each row by its sum: positive shares that sum to 1."
TWO_SUMS = "What is subtracted above the line must be subtracted below it, too; then it cancels."
WRONG_SUM = "Each row is divided by its own sum, that of its exponentials."
TOO_COARSE = "An exponential below 1 becomes 0 or 1: keep its decimals until the weights are computed."
ORDER = "First the shares, then the mixture of the values."
POWERS = "powers = np.exp(masked)\nweights = powers / "
LEFT = "left = np.where(allowed, scaled, 0)\n"
FROM_MAXIMUM = "np.exp(masked - masked.max(axis=-1, keepdims=True))"
_SUM = ".sum(axis=-1, keepdims=True)"

SHARES: tuple[tuple[str, str, str, str], ...] = (
    ("relu_of_scores", "ReLU in place of softmax", f"{LEFT}weights = np.maximum(left, 0)", NO_SOFTMAX),
    ("relu_shared", "ReLU in place of the exponential",
        f"{LEFT}positive = np.maximum(left, 0)\nweights = positive / positive{_SUM}", NO_SOFTMAX),
    ("relu_by_n", "ReLU, divided by the number of tokens", f"{LEFT}weights = np.maximum(left, 0) / len(k)", NO_SOFTMAX),
    ("absolute_shared", "Absolute values in place of the exponential",
        f"{LEFT}weights = np.abs(left) / np.abs(left){_SUM}", NO_SOFTMAX),
    ("divided_by_absolute_sum", "Divided by the sum of the absolute values",
        f"{LEFT}weights = left / np.abs(left){_SUM}", NO_SOFTMAX),
    ("squares_shared", "Squares in place of the exponential", f"{LEFT}weights = left ** 2 / (left ** 2){_SUM}",
        NO_SOFTMAX),
    ("scores_by_maximum", "Divided by the maximum of the row, no exponential",
        f"{LEFT}weights = left / left.max(axis=-1, keepdims=True)", NO_SOFTMAX),
    ("scores_by_length", "Divided by the length of the row, no exponential",
        f"{LEFT}weights = left / np.linalg.norm(left, axis=-1, keepdims=True)", NO_SOFTMAX),
    ("scores_by_n", "Divided by the number of tokens, no exponential", f"{LEFT}weights = left / len(k)", NO_SOFTMAX),
    ("scores_from_nought_to_one", "Stretched from 0 to 1, no exponential",
        f"{LEFT}least = left.min(axis=-1, keepdims=True)\n"
        "weights = (left - least) / (left.max(axis=-1, keepdims=True) - least)", NO_SOFTMAX),
    ("scores_from_nought_shared", "The minimum subtracted, then divided by the sum, no exponential",
        f"{LEFT}left = left - left.min(axis=-1, keepdims=True)\nweights = left / left{_SUM}", NO_SOFTMAX),
    ("scores_by_all", "Divided by the sum of all, no exponential",
        f"{LEFT}weights = left / left.sum(axis=(-2, -1), keepdims=True)", NO_SOFTMAX),
    ("scores_by_columns", "Columns divided by their sums, no exponential",
        f"{LEFT}weights = left / left.sum(axis=-2, keepdims=True)", NO_SOFTMAX),
    ("tanh_of_scores", "tanh in place of softmax", f"{LEFT}weights = np.tanh(left)", NO_SOFTMAX),
    ("softplus_of_scores", "Softplus in place of softmax", "weights = np.log1p(np.exp(masked))", NO_SOFTMAX),
    ("softplus_shared", "Softplus in place of the exponential",
        f"powers = np.log1p(np.exp(masked))\nweights = powers / powers{_SUM}", NO_SOFTMAX),
    ("sigmoid_shared", "Sigmoid in place of the exponential",
        f"powers = 1 / (1 + np.exp(-masked))\nweights = powers / powers{_SUM}", NO_SOFTMAX),
    ("powers_of_ten", "Powers of 10 in place of e", f"powers = 10.0 ** masked\nweights = powers / powers{_SUM}",
        NO_SOFTMAX),
    ("powers_of_two_point_seven", "e rounded to 2.7", f"powers = 2.7 ** masked\nweights = powers / powers{_SUM}",
        "e is 2.71828…: one decimal is too few."),
    ("powers_rounded", "Exponentials rounded to whole numbers",
        f"powers = np.round(np.exp(masked))\nweights = powers / powers{_SUM}", TOO_COARSE),
    ("powers_cut", "Exponentials cut to whole numbers",
        f"powers = np.floor(np.exp(masked))\nweights = powers / powers{_SUM}", TOO_COARSE),
    ("powers_of_three", "Powers of 3 in place of e", f"powers = 3.0 ** masked\nweights = powers / powers{_SUM}",
        NO_SOFTMAX),
    ("straight_line", "1 + x in place of the exponential",
        f"powers = np.where(allowed, 1 + scaled, 0)\nweights = powers / powers{_SUM}", NO_SOFTMAX),
    ("parabola", "1 + x + x²/2 in place of the exponential",
        f"powers = np.where(allowed, 1 + scaled + scaled ** 2 / 2, 0)\nweights = powers / powers{_SUM}", NO_SOFTMAX),
    ("powers_less_one", "eˣ − 1 in place of the exponential",
        f"powers = np.where(allowed, np.expm1(scaled), 0)\nweights = powers / powers{_SUM}", NO_SOFTMAX),
    ("self_not_in_the_sum", "The power itself not in its sum", f"{POWERS}(powers{_SUM} - powers)", WRONG_SUM),
    ("sum_of_scores", "Exponentials divided by the sum of the scores", f"{LEFT}weights = np.exp(masked) / left{_SUM}",
        WRONG_SUM),
    ("power_of_the_sum", "Exponentials divided by the exponential of the sum",
        f"{LEFT}weights = np.exp(masked) / np.exp(left{_SUM})", WRONG_SUM),
    ("scores_by_powers", "Scores divided by the sum of the exponentials",
        f"{LEFT}weights = left / np.exp(masked){_SUM}", WRONG_SUM),
    ("powers_by_length", "Divided by the length of the row", f"{POWERS}np.linalg.norm(powers, axis=-1, keepdims=True)",
        WRONG_SUM),
    ("powers_by_all_maximum", "Divided by the greatest of all", f"{POWERS}powers.max(axis=(-2, -1), keepdims=True)",
        WRONG_SUM),
    ("powers_by_diagonal", "Divided by the power on the diagonal",
        f"{POWERS}(powers * np.eye(*powers.shape[-2:])){_SUM}", WRONG_SUM),
    ("powers_by_first", "Divided by the first power of the row", f"{POWERS}powers[..., :1]", WRONG_SUM),
    ("running_sums", "Divided by the sum so far", f"{POWERS}np.cumsum(powers, axis=-1)", WRONG_SUM),
    ("last_left_out_of_the_sum", "The last left out of the sum", f"{POWERS}powers[..., :-1]{_SUM}", WRONG_SUM),
    ("first_left_out_of_the_sum", "The first left out of the sum", f"{POWERS}powers[..., 1:]{_SUM}", WRONG_SUM),
    ("maximum_above_alone", "Maximum subtracted above the line only",
        f"weights = {FROM_MAXIMUM} / np.exp(masked){_SUM}", TWO_SUMS),
    ("maximum_below_alone", "Maximum subtracted below the line only",
        f"weights = np.exp(masked) / ({FROM_MAXIMUM}){_SUM}", TWO_SUMS),
    ("maximum_without_keepdims", "Maximum subtracted without keepdims",
        f"powers = np.exp(masked - masked.max(axis=-1))\nweights = powers / powers{_SUM}",
        "The maxima of the rows lie flat, so NumPy takes the maximum of row j from column j."),
    ("maximum_of_columns", "Maximum of the column subtracted",
        f"powers = np.exp(masked - masked.max(axis=-2, keepdims=True))\nweights = powers / powers{_SUM}",
        "What is subtracted is the maximum of the row: it cancels, and that of a column does not."),
    ("maximum_after_the_exponential", "Maximum subtracted after the exponential",
        f"powers = np.exp(masked) - np.exp(masked).max(axis=-1, keepdims=True)\nweights = powers / powers{_SUM}",
        "The maximum is subtracted from the scores, inside the exponential: then it cancels."),
    ("both_without_keepdims", "Maximum and sum without keepdims",
        "powers = np.exp(masked - masked.max(axis=-1))\nweights = powers / powers.sum(axis=-1)",
        "What is taken of the rows lies flat, so NumPy uses it on columns."),
    ("divided_by_maximum_first", "Scores divided by their maximum, not less it",
        f"{LEFT}powers = np.exp(masked / left.max(axis=-1, keepdims=True))\nweights = powers / powers{_SUM}",
        "The maximum is subtracted, so that it cancels; divided by it, scores lose their size."),
    ("least_takes_all", "All weight to the least score",
        "weights = 1.0 * (np.where(allowed, scaled, np.inf) == np.where(allowed, scaled, np.inf).min(axis=-1, "
        "keepdims=True))", "The greatest score has the greatest share, and the others have theirs."),
    ("greatest_alone_kept", "Only the greatest weight kept",
        "weights = weights * (weights == weights.max(axis=-1, keepdims=True))", "The others have their share, too."),
    ("two_greatest_alone", "Only the two greatest scores kept",
        "masked = np.where(masked >= np.sort(masked, axis=-1)[..., -2:-1], masked, -np.inf)",
        "All that may be seen share in the 1."),
    ("greatest_left_out", "The greatest score left out",
        "masked = np.where(masked < masked.max(axis=-1, keepdims=True), masked, -np.inf)",
        "All that may be seen share in the 1, the greatest most."),
    ("what_is_left_of_one", "1 − weight in place of the weight", "weights = 1 - weights",
        "The share is what a token gets, not what the others get."),
    ("both_axes_multiplied", "Softmax along rows times softmax down columns",
        "weights = softmax(masked) * softmax(masked, axis=-2)", "Each row by itself shares out a 1."),
    ("columns_then_rows", "Softmax down the columns, then rows divided by their sums",
        f"down = softmax(masked, axis=-2)\nweights = down / down{_SUM}", "Each row by itself shares out a 1."),
    ("softmax_three_times", "Softmax applied three times", "weights = softmax(softmax(weights))",
        "Shares lie between 0 and 1, so their softmax is nearly even."),
    ("unscaled_sums", "Unscaled powers divided by the scaled sums",
        f"weights = np.exp(np.where(allowed, scores, -np.inf)) / np.exp(masked){_SUM}", WRONG_SUM),
    ("dropout_scale", "Divided by 0.9, as dropout does", "weights = weights / 0.9",
        "Dropout is for training alone. Without it, nothing makes up for what it strikes out."),
)  # fmt: skip
DIVIDED_BY: tuple[tuple[str, str, str, str], ...] = (  # divisors of the powers, with the maximum subtracted or not
    ("columns", "Divided by the sums of the columns", "powers.sum(axis=-2, keepdims=True)", WRONG_SUM),
    ("flat_sums", "Sums without keepdims", "powers.sum(axis=-1)",
        "The sums of the rows lie flat, so NumPy divides column j by the sum of row j. It runs only where there are as "
        "many queries as keys."),
    ("all", "Divided by the sum of all", "powers.sum(axis=(-2, -1), keepdims=True)", WRONG_SUM),
    ("one_more", "1 added to the sum", f"(1 + powers{_SUM})", WRONG_SUM),
    ("a_little_more", "0.1 added to the sum", f"(powers{_SUM} + 0.1)", WRONG_SUM),
    ("n", "Divided by the number of tokens", "len(k)", WRONG_SUM),
    ("first_sum", "Divided by the sum of the first row", f"powers[..., :1, :]{_SUM}", WRONG_SUM),
    ("last_sum", "Divided by the sum of the last row", f"powers[..., -1:, :]{_SUM}", WRONG_SUM),
    ("running_sum", "The sum of powers carried over from row to row", f"np.cumsum(powers{_SUM}, axis=-2)",
        "Each row is divided by its own sum, so that its weights sum to 1. This sum was not set back to 0."),
)  # fmt: skip
BEFORE, AT_THE_END = ("two_greatest_alone", "greatest_left_out"), ("linear_attention",)  # which begin at another stage
NAMED = ("columns", "flat_sums", "all")  # with the powers themselves these have a name already
LAST: tuple[tuple[str, str, str], ...] = (
    ("softmax_last", "Softmax after the values", f"{LEFT}weights = left\noutput = softmax(output)"),
    ("softmax_last_down", "Softmax after the values, down the columns",
        f"{LEFT}weights = left\noutput = softmax(output, axis=-2)"),
    ("softmax_last_unscaled", "Softmax after the values, no scale",
        "weights = np.where(allowed, scores, 0)\noutput = softmax(output)"),
    ("linear_attention", "Softmax of queries and of keys, not of their scores",
        "output = softmax(q) @ (softmax(k, axis=-2).T @ v)"),
)  # fmt: skip


def _other_divisors() -> Iterator[Mistake[Any]]:
    for name, title, code, why in DIVIDED_BY:
        if name not in NAMED:
            yield entry("weights", f"powers_by_{name}", title, f"{POWERS}{code}", why)
        yield entry(
            "weights", f"powers_from_the_maximum_by_{name}", f"{title}, the maximum subtracted before",
            f"powers = {FROM_MAXIMUM}\nweights = powers / {code}", why,
        )  # fmt: skip


def wrong_softmaxes() -> RareMistakes:
    """Return the entries of wrong shares."""
    return (
        *(
            entry("masked" if name in BEFORE else "weights", name, title, code, why)
            for name, title, code, why in SHARES
        ),
        *_other_divisors(),
        *(entry("output" if name in AT_THE_END else "weights", name, title, code, ORDER) for name, title, code in LAST),
    )
