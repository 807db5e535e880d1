"""Mistakes in the scale: scores divided or multiplied by another number than √d_k, or scaled at another step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake
from attention_core.mistakes.without_switch.projection import has_bias, has_context

ROOT = "A score is a sum of d_k products. Divide it by the square root of d_k, once, and by nothing else."
NORM = f"This norm is the square root of the sum of the squares of all its numbers. {ROOT}"
LATER = "A row of weights already adds up to 1. Scale the scores before the softmax, not the weights."

DIVISORS: tuple[tuple[str, str, str], ...] = (
    ("two", "a fixed 2, whatever d_k is", "2"),
    ("root_two", "a fixed √2, whatever d_k is", "np.sqrt(2)"),
    ("three", "a fixed 3, whatever d_k is", "3"),
    ("four", "a fixed 4, whatever d_k is", "4"),
    ("eight", "a fixed 8, the root of the paper’s 64", "8"),
    ("ten", "a fixed 10, whatever d_k is", "10"),
    ("sixty_four", "a fixed 64, the paper’s d_k", "64"),
    ("root_of_the_papers_width", "a fixed √512, the root of the paper’s d_model", "np.sqrt(512)"),
    ("hundred", "a fixed 100, whatever d_k is", "100"),
    ("thousand", "a fixed 1000, whatever d_k is", "1000"),
    ("root_of_twice", "√(2 d_k)", "np.sqrt(2 * d_k)"),
    ("root_of_half", "√(d_k / 2)", "np.sqrt(d_k / 2)"),
    ("half", "d_k / 2", "(d_k / 2)"),
    ("root_of_one_less", "√(d_k − 1)", "np.sqrt(d_k - 1)"),
    ("root_of_one_more", "√(d_k + 1)", "np.sqrt(d_k + 1)"),
    ("one_more_than_root", "√d_k + 1", "(np.sqrt(d_k) + 1)"),
    ("root_rounded_up", "√d_k rounded up", "np.ceil(np.sqrt(d_k))"),
    ("root_to_one_decimal", "√d_k rounded to one decimal", "np.round(np.sqrt(d_k), 1)"),
    ("fourth_root", "the fourth root of d_k", "d_k ** 0.25"),
    ("cube_root", "the cube root of d_k", "d_k ** (1 / 3)"),
    ("power_three_halves", "d_k √d_k", "d_k ** 1.5"),
    ("logarithm", "ln d_k", "np.log(d_k)"),
    ("binary_logarithm", "log₂ d_k", "np.log2(d_k)"),
    ("root_n_d_k", "√(n d_k)", "np.sqrt(len(k) * d_k)"),
    ("n_root_d_k", "n √d_k", "(len(k) * np.sqrt(d_k))"),
    ("n_d_k", "n d_k", "(len(k) * d_k)"),
    ("all_scores", "the number of scores", "(scores.shape[-2] * scores.shape[-1])"),
    ("d_v", "d_v", "v.shape[-1]"),
    ("d_model_squared", "d_model squared", "x.shape[-1] ** 2"),
    ("fourth_root_d_model", "the fourth root of d_model", "x.shape[-1] ** 0.25"),
    ("root_d_model_and_root_d_k", "√d_model and √d_k", "(np.sqrt(x.shape[-1]) * np.sqrt(d_k))"),
    ("standard_deviation", "the standard deviation of all scores", "scores.std(axis=(-2, -1), keepdims=True)"),
    ("standard_deviation_of_rows", "the standard deviation of its row", "scores.std(axis=-1, keepdims=True)"),
    ("length_of_query", "the norm of the query", "np.linalg.norm(q, axis=-1, keepdims=True)"),
    ("length_of_key", "the norm of the key", "np.linalg.norm(k, axis=-1, keepdims=True).T"),
    ("length_of_all_keys", "the norm of the whole key matrix", "np.linalg.norm(k, axis=(-2, -1), keepdims=True)"),
)
OF_QUERIES: tuple[tuple[str, str, str], ...] = (
    ("root_n_queries", "the root of the number of queries", "np.sqrt(len(q))"),
    ("n_queries", "the number of queries", "len(q)"),
)
FACTORS: tuple[tuple[str, str, str], ...] = (
    ("root_n", "√n", "np.sqrt(len(k))"),
    ("n", "n", "len(k)"),
    ("root_d_model", "√d_model", "np.sqrt(x.shape[-1])"),
    ("d_model", "d_model", "x.shape[-1]"),
    ("root_d_v", "√d_v", "np.sqrt(v.shape[-1])"),
    ("d_k_squared", "d_k squared", "d_k ** 2"),
    ("logarithm_of_n", "ln n", "np.log(len(k))"),
    ("two", "2", "2"),
    ("ten", "10", "10"),
)
AFTER: tuple[tuple[str, str, str], ...] = (
    ("root_d_k", "√d_k", "np.sqrt(d_k)"),
    ("d_k", "d_k", "d_k"),
    ("root_n", "√n", "np.sqrt(len(k))"),
    ("root_d_model", "√d_model", "np.sqrt(x.shape[-1])"),
    ("d_model", "d_model", "x.shape[-1]"),
    ("root_d_v", "√d_v", "np.sqrt(v.shape[-1])"),
)
ELSEWHERE: tuple[tuple[str, str, str, str, str], ...] = (
    ("q", "inputs_multiplied_by_root_d_model", "The input is multiplied by √d_model first",
        "q, k, v = (np.sqrt(x.shape[-1]) * x @ w_q + b_q, np.sqrt(x.shape[-1]) * context @ w_k + b_k, "
        "np.sqrt(x.shape[-1]) * context @ w_v + b_v)",
        "This factor belongs to the embedding, before the positions are added. Here, the input already contains it."),
    ("scaled", "root_subtracted", "√d_k is subtracted from the scores", "scaled = scores - np.sqrt(d_k)", ROOT),
    ("scaled", "whole_quotient", "The scores are divided with // and not with /", "scaled = scores // np.sqrt(d_k)",
        "// rounds the quotient down to a whole number. Use / instead."),
    ("scaled", "root_of_the_quotient", "The root of the whole quotient is taken",
        "scaled = np.sqrt(np.maximum(scores / d_k, 0))", "Take the square root of d_k only."),
    ("scaled", "root_of_the_scores", "The root of the scores is taken",
        "scaled = np.sign(scores) * np.sqrt(np.abs(scores))", "Take the square root of d_k only."),
    ("scaled", "raised_to_one_over_root", "The scores are raised to the power 1/√d_k",
        "scaled = np.sign(scores) * np.abs(scores) ** (1 / np.sqrt(d_k))", ROOT),
    ("scaled", "d_k_after_softmax", "The weights are divided by d_k, and the scores by nothing",
        "scaled = scores\nweights = weights / d_k", LATER),
    ("scaled", "n_after_softmax", "The weights are divided by n, and the scores by nothing",
        "scaled = scores\nweights = weights / len(k)", LATER),
    ("scaled", "power_divided", "The exponentials are divided by √d_k, not the scores",
        "scaled = scores\nweights = np.exp(masked) / np.sqrt(d_k)",
        "Scale the scores before the exponential. Then divide each row by its sum."),
)  # fmt: skip


def _other_divisors() -> Iterator[Mistake[Any]]:
    """Yield the mistakes that divide or multiply the scores by a wrong number."""
    for name, title, code in DIVISORS:
        yield diagnosis_mistake(
            "scaled", f"divided_by_{name}", f"The scores are divided by {title}", f"scaled = scores / {code}",
            NORM if "norm" in code else ROOT,
        )  # fmt: skip
    for name, title, code in OF_QUERIES:
        yield diagnosis_mistake(
            "scaled", f"divided_by_{name}", f"The scores are divided by {title}", f"scaled = scores / {code}", ROOT,
            shows=has_context, needs="It takes a context.",
        )  # fmt: skip
    for name, title, code in FACTORS:
        yield diagnosis_mistake(
            "scaled",
            f"multiplied_by_{name}",
            f"The scores are multiplied by {title}",
            f"scaled = scores * {code}",
            ROOT,
        )


def _after_softmax() -> Iterator[Mistake[Any]]:
    """Yield the mistakes that divide or multiply the weights, after the softmax."""
    for name, title, code in AFTER:
        divided, multiplied = f"The weights are also divided by {title}", f"The weights are multiplied by {title}"
        yield diagnosis_mistake("weights", f"divided_by_{name}_after", divided, f"weights = weights / {code}", LATER)
        yield diagnosis_mistake(
            "weights", f"multiplied_by_{name}_after", multiplied, f"weights = weights * {code}", LATER
        )
    code = "weights = weights * len(k)"
    yield diagnosis_mistake("weights", "multiplied_by_n_after", "The weights are multiplied by n", code, LATER)


def wrong_scaling() -> RareMistakes:
    """Return the mistakes that divide the scores by another number than √d_k, or scale at another step."""
    elsewhere = (diagnosis_mistake(stage, *rest) for stage, *rest in ELSEWHERE)
    before_bias = diagnosis_mistake(
        "q",
        "query_scaled_before_bias",
        "The queries are divided by √d_k before their bias is added",
        "q = x @ w_q / np.sqrt(d_k) + b_q\nscaled = scores",
        "Divide the whole score by √d_k, also the part that comes from the bias.",
        shows=has_bias("b_q"),
        needs="It takes biases.",
    )
    return (*_other_divisors(), *_after_softmax(), *elsewhere, before_bias)
