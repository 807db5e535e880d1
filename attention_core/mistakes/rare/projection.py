"""Mistakes with operands: a product with the wrong matrices, a bias at the wrong place, a repeated step."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import numpy as np

from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake
from attention_core.mistakes.without_switch.projection import OTHER, UNUSED, has_bias, has_context

OTHER_BIAS = "Each projection has its own bias: b^Q for the queries, b^K for the keys, b^V for the values."
TWICE = "You did one step twice, or began it from the wrong matrix. Do each step once, from the matrix of the formula."
TURNED = "You used weight matrices with their rows and columns swapped. This runs only if they are square."
STOPPED = "These numbers are the result of an earlier step. The steps after it are missing."
ROWS = {"q": "x", "k": "context", "v": "context"}
CALLED = {"q": "queries", "k": "keys", "v": "values"}

# The correct use, "qkv", and wrong uses for which another file has a mistake.
USED = {"kkv", "qqv", "vkv", "qvv", "qkq", "qqq", "kkk", "vvv", "kqv", "vkq", "qvk", "qkk", "qkv"}

BIASES_USED = ("kqv", "vkq", "qvk", "qqq", "kkk", "vvv", "kvq", "vqk")


def has_any_bias(trace: Any) -> bool:
    """Return whether a trace has a bias of queries, keys or values that is not 0."""
    learned = trace.projections if isinstance(trace, MultiHeadTrace) else trace
    return any(bias is not None and bool(np.any(bias)) for bias in (learned.b_q, learned.b_k, learned.b_v))


def _projection_lines(weights: str, biases: str) -> str:
    """Return a line of code that computes q, k and v, perhaps with the wrong weight matrices and biases.

    `weights` and `biases` have one letter for each of q, k and v. For example, the weights "kqv" use W^K for the
    queries, and W^Q for the keys.
    """
    return (
        f"q, k, v = {', '.join(f'{ROWS[m]} @ w_{w} + b_{b}' for m, w, b in zip('qkv', weights, biases, strict=True))}"
    )


def _wrong_weights() -> Iterator[Mistake[Any]]:
    """Yield the mistakes that use W^Q, W^K and W^V, or their biases, for the wrong products."""
    for used in map("".join, product("qkv", repeat=3)):
        said = ", ".join(f"W^{m.upper()}" for m in used)
        title, name = f"{said} are used for queries, keys, values", f"weights_used_as_{'_'.join(used)}"
        if used not in USED:
            yield diagnosis_mistake("q", name, title, _projection_lines(used, used), OTHER)
        if used not in ("qkv", "qqv", "qvv"):  # here only the bias of the keys differs, which changes no output
            yield diagnosis_mistake(
                "q", f"{name}_alone", f"{title}, with the correct biases", _projection_lines(used, "qkv"), OTHER,
                shows=has_any_bias, needs="It takes biases.",
            )  # fmt: skip
        if used in BIASES_USED:
            said = ", ".join(f"b^{m.upper()}" for m in used)
            yield diagnosis_mistake(
                "q", f"biases_used_as_{'_'.join(used)}", f"{said} are added to queries, keys, values",
                _projection_lines("qkv", used), OTHER_BIAS, shows=has_any_bias, needs="It takes biases.",
            )  # fmt: skip


def _wrong_biases() -> Iterator[Mistake[Any]]:
    """Yield the mistakes that add the correct biases in a wrong way."""
    ways = {
        "subtracted": ("{} {be} subtracted", "{r} @ w_{m} - b_{m}"),
        "added_twice": ("{} {be} added twice", "{r} @ w_{m} + 2 * b_{m}"),
        "added_to_the_input": ("{} {be} added before the product", "({r} + b_{m}) @ w_{m}"),
        "multiplied": ("The product is multiplied by {}", "{r} @ w_{m} * b_{m}"),
        "as_columns": ("{} {be} added as columns", "{r} @ w_{m} + np.reshape(b_{m}, (-1, 1))"),
        "first_number_alone": ("Only the first number of {} is added everywhere", "{r} @ w_{m} + np.ravel(b_{m})[0]"),
    }
    why = "A bias is one row of numbers. Add it once to every row of the product."
    for letters in ("qkv", "q", "v"):
        said = "the biases" if len(letters) > 1 else f"the bias of the {CALLED[letters]}"
        for name, (title, code) in ways.items():
            each = ", ".join(code.format(r=ROWS[m], m=m) for m in letters)
            text = title.format(said, be="are" if len(letters) > 1 else "is")
            yield diagnosis_mistake(
                letters[0], f"bias_{name}_in_{letters}", text[0].upper() + text[1:], f"{', '.join(letters)} = {each}",
                why, shows=has_any_bias if len(letters) > 1 else has_bias(f"b_{letters}"), needs="It takes biases.",
            )  # fmt: skip


def _wrongly_projected() -> Iterator[Mistake[Any]]:
    """Yield the mistakes in which one or more projections are left out, transposed, repeated or chained."""
    for letters in ("qv", "kv"):
        said, inputs = " and ".join(CALLED[m] for m in letters), ", ".join(ROWS[m] for m in letters)
        title = f"The input is used as {said}"
        yield diagnosis_mistake(letters[0], f"input_as_{letters}", title, f"{', '.join(letters)} = {inputs}", UNUSED)
    for letters in ("qk", "qv", "kv"):
        title = " and ".join(f"W^{m.upper()}" for m in letters) + " are transposed"
        each = ", ".join(f"{ROWS[m]} @ w_{m}.T + b_{m}" for m in letters)
        yield diagnosis_mistake(letters[0], f"transposed_in_{letters}", title, f"{', '.join(letters)} = {each}", TURNED)
    for letters in ("qkv", "qk", "q", "k", "v"):
        said = "all" if letters == "qkv" else " and ".join(CALLED[m] for m in letters)
        title = f"The projection is done twice: {said}"
        code = "\n".join(f"{m} = {m} @ w_{m} + b_{m}" for m in letters)
        yield diagnosis_mistake(letters[0], f"projected_twice_in_{letters}", title, code, TWICE)
    for one, other in permutations("qkv", 2):
        title = f"The {CALLED[other]} are projected from the {CALLED[one]}"
        if "qkv".index(one) < "qkv".index(other):
            code = f"{other} = {one} @ w_{other} + b_{other}"
            yield diagnosis_mistake(other, f"{other}_projected_from_{one}", title, code, TWICE)
    for m in "qkv":
        title, why = f"W^{m.upper()} stands before the input", "A row of the input is a token, so compute X W, not W X."
        yield diagnosis_mistake(m, f"before_the_input_in_{m}", title, f"{m} = w_{m} @ {ROWS[m]} + b_{m}", why)
        title = f"W^{m.upper()} is multiplied number by number"
        code = f"{m} = {ROWS[m]} * w_{m} + b_{m}"
        why = "In NumPy, * multiplies number by number. The matrix product is @."
        yield diagnosis_mistake(m, f"elementwise_in_{m}", title, code, why)


ENDS = (
    ("weights", "The weights are given in place of the output", "output = weights"),
    ("scores", "The scaled scores are given in place of the output", "output = scaled"),
    ("queries", "The queries are given in place of the output", "output = q"),
    ("keys", "The keys are given in place of the output", "output = k"),
)
MIXED = (
    ("mixed_twice", "The values are mixed twice by the weights", "output = weights @ output", TWICE),
    ("weights_mixed", "The weights are mixed in place of the values", "output = weights @ weights",
        "The output is a weighted sum of the values. Multiply the weights by the values, not by another matrix."),
    ("values_times_weights", "The output is V A, not A V", "output = v @ weights",
        "The weights come first: the output is A V, where each row of A multiplies the rows of V."),
    ("values_turned", "The values are transposed before the weights are applied", "output = weights @ v.T",
        "Each row of the values belongs to a token, and the weights multiply these rows. If you transpose the values, "
        "the weights multiply features."),
    ("weights_times_values_elementwise", "Weights and values are multiplied number by number", "output = weights * v",
        "In NumPy, * multiplies number by number. The matrix product is @."),
    ("values_added", "The values are added to the output", "output = output + v",
        "The output already contains the token’s own value, multiplied by its weight. Do not add it again."),
    ("queries_added", "The queries are added to the output", "output = output + q",
        "The output is the weights times the values, and nothing else."),
    ("summed_over_the_queries", "The sum runs over the queries, not over the keys",
        "output = weights.sum(axis=-2)[..., None] * v",
        "An output is a sum over the keys, for one query. You summed over the queries instead."),
    ("summed_over_the_features", "The sum runs over the features, not over the keys",
        "output = weights * v.sum(axis=-1)[..., None, :]",
        "An output is a sum over the keys, for each feature. You summed over the features instead."),
    ("values_turned_first", "The output is Vᵀ A, not A V", "output = v.T @ weights",
        "The weights come first: the output is A V, where each row of A multiplies the rows of V."),
    ("greatest_term", "The largest of the weighted values is used in place of their sum",
        "output = (weights[..., None] * v[..., None, :, :]).max(axis=-2)",
        "An output is the sum of the weighted values over all keys, and not the largest of them."),
    ("values_summed", "The values are summed without weights", "output = 0 * output + v.sum(axis=-2, keepdims=True)",
        "Multiply each value by its weight before you add the values."),
    ("values_multiplied", "The output is multiplied by the values", "output = output * v",
        "The output is the weights times the values, and nothing else."),
)  # fmt: skip


def wrong_projections() -> RareMistakes:
    """Return the mistakes in which a product has a wrong matrix, a bias is misplaced, or a step is repeated."""
    return (
        *_wrong_weights(), *_wrong_biases(), *_wrongly_projected(),
        *(diagnosis_mistake("output", name, title, code, why) for name, title, code, why in MIXED),
        *(diagnosis_mistake("output", f"stopped_at_the_{name}", title, code, STOPPED) for name, title, code in ENDS),
        diagnosis_mistake(
            "k", "context_and_input_together", "Keys and values come from the context and from x",
            "both = np.concatenate([x, context])\nk, v = both @ w_k + b_k, both @ w_v + b_v",
            "Keys and values come only from the context.", shows=has_context,
            needs="It takes a context.",
        ),
    )  # fmt: skip
