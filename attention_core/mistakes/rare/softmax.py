"""Mistakes in the weights: another function in place of the softmax, or a softmax with a wrong step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake

NO_SOFTMAX = (
    "A softmax raises e to the power of each score, and divides each row by its sum. So all weights are positive, "
    "and each row adds up to 1."
)
TWO_SUMS = "Subtract the maximum in the numerator and in the denominator. Then it does not change the weights."
WRONG_SUM = "Divide the exponentials of each row by the sum of the exponentials of that row."
TOO_COARSE = "Many exponentials are small numbers, so their decimals matter. Round only the final result."
ORDER = "Compute the softmax of the scores first. Then multiply the weights by the values."
POWERS = "powers = np.exp(masked)\nweights = powers / "
LEFT = "left = np.where(allowed, scaled, 0)\n"
FROM_MAXIMUM = "np.exp(masked - masked.max(axis=-1, keepdims=True))"
_SUM = ".sum(axis=-1, keepdims=True)"

SHARES: tuple[tuple[str, str, str, str], ...] = (
    ("relu_of_scores", "A ReLU is used in place of the softmax", f"{LEFT}weights = np.maximum(left, 0)", NO_SOFTMAX),
    ("relu_shared", "A ReLU is used in place of the exponential",
        f"{LEFT}positive = np.maximum(left, 0)\nweights = positive / positive{_SUM}", NO_SOFTMAX),
    ("relu_by_n", "A ReLU is used, and divided by the number of tokens",
        f"{LEFT}weights = np.maximum(left, 0) / len(k)", NO_SOFTMAX),
    ("absolute_shared", "Absolute values are used in place of the exponential",
        f"{LEFT}weights = np.abs(left) / np.abs(left){_SUM}", NO_SOFTMAX),
    ("divided_by_absolute_sum", "The scores are divided by the sum of the absolute values",
        f"{LEFT}weights = left / np.abs(left){_SUM}", NO_SOFTMAX),
    ("squares_shared", "Squares are used in place of the exponential", f"{LEFT}weights = left ** 2 / (left ** 2){_SUM}",
        NO_SOFTMAX),
    ("scores_by_maximum", "The scores are divided by the maximum of the row, no exponential",
        f"{LEFT}weights = left / left.max(axis=-1, keepdims=True)", NO_SOFTMAX),
    ("scores_by_length", "The scores are divided by the length of the row, no exponential",
        f"{LEFT}weights = left / np.linalg.norm(left, axis=-1, keepdims=True)", NO_SOFTMAX),
    ("scores_by_n", "The scores are divided by the number of tokens, no exponential",
        f"{LEFT}weights = left / len(k)", NO_SOFTMAX),
    ("scores_from_nought_to_one", "The scores are stretched from 0 to 1, without the exponential",
        f"{LEFT}least = left.min(axis=-1, keepdims=True)\n"
        "weights = (left - least) / (left.max(axis=-1, keepdims=True) - least)", NO_SOFTMAX),
    ("scores_from_nought_shared", "The minimum is subtracted, then divided by the sum, no exponential",
        f"{LEFT}left = left - left.min(axis=-1, keepdims=True)\nweights = left / left{_SUM}", NO_SOFTMAX),
    ("scores_by_all", "The scores are divided by the sum of all, no exponential",
        f"{LEFT}weights = left / left.sum(axis=(-2, -1), keepdims=True)", NO_SOFTMAX),
    ("scores_by_columns", "Columns are divided by their sums, no exponential",
        f"{LEFT}weights = left / left.sum(axis=-2, keepdims=True)", NO_SOFTMAX),
    ("tanh_of_scores", "A tanh is used in place of the softmax", f"{LEFT}weights = np.tanh(left)", NO_SOFTMAX),
    ("softplus_of_scores", "A softplus is used in place of the softmax", "weights = np.log1p(np.exp(masked))",
        NO_SOFTMAX),
    ("softplus_shared", "A softplus is used in place of the exponential",
        f"powers = np.log1p(np.exp(masked))\nweights = powers / powers{_SUM}", NO_SOFTMAX),
    ("sigmoid_shared", "A sigmoid is used in place of the exponential",
        f"powers = 1 / (1 + np.exp(-masked))\nweights = powers / powers{_SUM}", NO_SOFTMAX),
    ("powers_of_ten", "The softmax uses powers of 10, not of e",
        f"powers = 10.0 ** masked\nweights = powers / powers{_SUM}",
        NO_SOFTMAX),
    ("powers_of_two_point_seven", "e is rounded to 2.7", f"powers = 2.7 ** masked\nweights = powers / powers{_SUM}",
        "e is 2.71828…, and one decimal is not enough."),
    ("powers_rounded", "The exponentials are rounded to whole numbers",
        f"powers = np.round(np.exp(masked))\nweights = powers / powers{_SUM}", TOO_COARSE),
    ("powers_cut", "The exponentials are cut to whole numbers",
        f"powers = np.floor(np.exp(masked))\nweights = powers / powers{_SUM}", TOO_COARSE),
    ("powers_of_three", "The softmax uses powers of 3, not of e",
        f"powers = 3.0 ** masked\nweights = powers / powers{_SUM}",
        NO_SOFTMAX),
    ("straight_line", "1 + x is used in place of the exponential",
        f"powers = np.where(allowed, 1 + scaled, 0)\nweights = powers / powers{_SUM}", NO_SOFTMAX),
    ("parabola", "1 + x + x²/2 is used in place of the exponential",
        f"powers = np.where(allowed, 1 + scaled + scaled ** 2 / 2, 0)\nweights = powers / powers{_SUM}", NO_SOFTMAX),
    ("powers_less_one", "eˣ − 1 is used in place of the exponential",
        f"powers = np.where(allowed, np.expm1(scaled), 0)\nweights = powers / powers{_SUM}", NO_SOFTMAX),
    ("self_not_in_the_sum", "The power itself is not in its sum", f"{POWERS}(powers{_SUM} - powers)", WRONG_SUM),
    ("sum_of_scores", "The exponentials are divided by the sum of the scores",
        f"{LEFT}weights = np.exp(masked) / left{_SUM}",
        WRONG_SUM),
    ("power_of_the_sum", "The exponentials are divided by the exponential of the sum",
        f"{LEFT}weights = np.exp(masked) / np.exp(left{_SUM})", WRONG_SUM),
    ("scores_by_powers", "The scores are divided by the sum of the exponentials",
        f"{LEFT}weights = left / np.exp(masked){_SUM}", WRONG_SUM),
    ("powers_by_length", "The exponentials are divided by the length of the row",
        f"{POWERS}np.linalg.norm(powers, axis=-1, keepdims=True)",
        WRONG_SUM),
    ("powers_by_all_maximum", "The exponentials are divided by the largest "
                              "exponential of all", f"{POWERS}powers.max(axis=(-2, -1), keepdims=True)",
        WRONG_SUM),
    ("powers_by_diagonal", "The exponentials are divided by the power on the diagonal",
        f"{POWERS}(powers * np.eye(*powers.shape[-2:])){_SUM}", WRONG_SUM),
    ("powers_by_first", "The exponentials are divided by the first power of the row", f"{POWERS}powers[..., :1]",
        WRONG_SUM),
    ("running_sums", "Each exponential is divided by the sum so far", f"{POWERS}np.cumsum(powers, axis=-1)", WRONG_SUM),
    ("last_left_out_of_the_sum", "The last exponential is left out of the sum", f"{POWERS}powers[..., :-1]{_SUM}",
        WRONG_SUM),
    ("first_left_out_of_the_sum", "The first exponential is left out of the sum", f"{POWERS}powers[..., 1:]{_SUM}",
        WRONG_SUM),
    ("maximum_above_alone", "The maximum is subtracted only above the line of the fraction",
        f"weights = {FROM_MAXIMUM} / np.exp(masked){_SUM}", TWO_SUMS),
    ("maximum_below_alone", "The maximum is subtracted only below the line of the fraction",
        f"weights = np.exp(masked) / ({FROM_MAXIMUM}){_SUM}", TWO_SUMS),
    ("maximum_without_keepdims", "The maximum is subtracted without keepdims",
        f"powers = np.exp(masked - masked.max(axis=-1))\nweights = powers / powers{_SUM}",
        "Without keepdims, the maxima of the rows are a flat list, so NumPy subtracts the maximum of row j from "
        "column j."),
    ("maximum_of_columns", "The maximum of the column is subtracted",
        f"powers = np.exp(masked - masked.max(axis=-2, keepdims=True))\nweights = powers / powers{_SUM}",
        "Subtract the maximum of the row: it does not change the weights. The maximum of a column does."),
    ("maximum_after_the_exponential", "The maximum is subtracted after the exponential",
        f"powers = np.exp(masked) - np.exp(masked).max(axis=-1, keepdims=True)\nweights = powers / powers{_SUM}",
        "Subtract the maximum from the scores, before the exponential. Then it does not change the weights."),
    ("both_without_keepdims", "The maximum and the sum are computed without keepdims",
        "powers = np.exp(masked - masked.max(axis=-1))\nweights = powers / powers.sum(axis=-1)",
        "Without keepdims, the maxima and the sums of the rows are flat lists, so NumPy uses them for the columns."),
    ("divided_by_maximum_first", "The scores are divided by their maximum, which should be subtracted",
        f"{LEFT}powers = np.exp(masked / left.max(axis=-1, keepdims=True))\nweights = powers / powers{_SUM}",
        "Subtract the maximum from the scores. If you divide by it, the weights change."),
    ("least_takes_all", "All weight is on the smallest score",
        "weights = 1.0 * (np.where(allowed, scaled, np.inf) == np.where(allowed, scaled, np.inf).min(axis=-1, "
        "keepdims=True))", "The largest score has the largest weight, and the other scores also have some weight."),
    ("greatest_alone_kept", "Only the largest weight is kept",
        "weights = weights * (weights == weights.max(axis=-1, keepdims=True))", "The other weights are not 0."),
    ("two_greatest_alone", "Only the two largest scores are kept",
        "masked = np.where(masked >= np.sort(masked, axis=-1)[..., -2:-1], masked, -np.inf)",
        "Every token that the mask allows has some weight."),
    ("greatest_left_out", "The largest score is left out",
        "masked = np.where(masked < masked.max(axis=-1, keepdims=True), masked, -np.inf)",
        "Every token that the mask allows has some weight, and the largest score has the largest weight."),
    ("what_is_left_of_one", "1 − weight is used in place of the weight", "weights = 1 - weights",
        "A weight is the exponential divided by the sum. Do not subtract it from 1."),
    ("both_axes_multiplied", "The weights are a softmax along rows times a softmax down columns",
        "weights = softmax(masked) * softmax(masked, axis=-2)", "Each row adds up to 1 by itself. The columns have no "
                                                                "part in the softmax."),
    ("columns_then_rows", "The softmax runs down the columns, and then rows are divided by their sums",
        f"down = softmax(masked, axis=-2)\nweights = down / down{_SUM}", "Each row adds up to 1 by itself. The "
                                                                         "columns have no part in the softmax."),
    ("softmax_three_times", "The softmax is applied three times", "weights = softmax(softmax(weights))",
        "Weights are between 0 and 1, so a softmax of weights is nearly even. Use the softmax once."),
    ("unscaled_sums", "Unscaled exponentials are divided by the scaled sums",
        f"weights = np.exp(np.where(allowed, scores, -np.inf)) / np.exp(masked){_SUM}", WRONG_SUM),
    ("dropout_scale", "The weights are divided by 0.9, as dropout does", "weights = weights / 0.9",
        "The division by 0.9 belongs to dropout, which is used only in training."),
)  # fmt: skip
DIVIDED_BY: tuple[tuple[str, str, str, str], ...] = (  # wrong divisors of the exponentials
    ("columns", "Divided by the sums of the columns", "powers.sum(axis=-2, keepdims=True)", WRONG_SUM),
    ("flat_sums", "The sums are computed without keepdims", "powers.sum(axis=-1)",
        "Without keepdims, the sums of the rows are a flat list, so NumPy divides column j by the sum of row j. This "
        "runs only if there are as many queries as keys."),
    ("all", "Divided by the sum of all", "powers.sum(axis=(-2, -1), keepdims=True)", WRONG_SUM),
    ("one_more", "1 is added to the sum", f"(1 + powers{_SUM})", WRONG_SUM),
    ("a_little_more", "0.1 is added to the sum", f"(powers{_SUM} + 0.1)", WRONG_SUM),
    ("n", "The exponentials are divided by the number of tokens", "len(k)", WRONG_SUM),
    ("first_sum", "The exponentials are divided by the sum of the first row", f"powers[..., :1, :]{_SUM}", WRONG_SUM),
    ("last_sum", "The exponentials are divided by the sum of the last row", f"powers[..., -1:, :]{_SUM}", WRONG_SUM),
    ("running_sum", "The sum of the exponentials is carried over from row to row", f"np.cumsum(powers{_SUM}, axis=-2)",
        "Divide each row by its own sum. Your sum was not set to 0 before each row."),
)  # fmt: skip
BEFORE, AT_THE_END = ("two_greatest_alone", "greatest_left_out"), ("linear_attention",)  # not at "weights"
NAMED = ("columns", "flat_sums", "all")  # without the maximum subtracted, other files have these mistakes
LAST: tuple[tuple[str, str, str], ...] = (
    ("softmax_last", "The softmax comes after the values", f"{LEFT}weights = left\noutput = softmax(output)"),
    ("softmax_last_down", "The softmax comes after the values, down the columns",
        f"{LEFT}weights = left\noutput = softmax(output, axis=-2)"),
    ("softmax_last_unscaled", "The softmax comes after the values, without scaling",
        "weights = np.where(allowed, scores, 0)\noutput = softmax(output)"),
    ("linear_attention", "The softmax is applied to queries and keys, not to their scores",
        "output = softmax(q) @ (softmax(k, axis=-2).T @ v)"),
)  # fmt: skip


def _other_divisors() -> Iterator[Mistake[Any]]:
    """Yield the mistakes that divide the powers by a wrong number, with and without the maximum subtracted."""
    for name, title, code, why in DIVIDED_BY:
        if name not in NAMED:
            yield diagnosis_mistake("weights", f"powers_by_{name}", title, f"{POWERS}{code}", why)
        yield diagnosis_mistake(
            "weights",
            f"powers_from_the_maximum_by_{name}",
            f"{title}, after the maximum is subtracted",
            f"powers = {FROM_MAXIMUM}\nweights = powers / {code}",
            why,
        )


def wrong_softmaxes() -> RareMistakes:
    """Return the mistakes that compute the weights from the scores in a wrong way."""
    return (
        *(
            diagnosis_mistake("masked" if name in BEFORE else "weights", name, title, code, why)
            for name, title, code, why in SHARES
        ),
        *_other_divisors(),
        *(
            diagnosis_mistake("output" if name in AT_THE_END else "weights", name, title, code, ORDER)
            for name, title, code in LAST
        ),
    )
