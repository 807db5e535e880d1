"""Mistakes that people make with a calculator or a pencil, and mixed-up biases and heads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.engine.named_traces import inner_of
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake
from attention_core.mistakes.rare.heads import mistake_of_heads
from attention_core.mistakes.without_switch.projection import has_bias, has_context

SUM = "Divide by the whole sum of the exponentials. Put this sum in brackets."
OWN_BIAS = "Each projection adds its own bias to the row of every token."
CUT_AFTER = "First multiply the input by W^Q, W^K and W^V. Then split the columns of the products into heads."
ROLES = "Queries come from x, and keys and values come from the context. You swapped x and the context."
ROWS: dict[str, str] = {"q": "x", "k": "context", "v": "context"}
CALLED = {"q": "queries", "k": "keys", "v": "values"}


def _has_a_zero(trace: Any) -> bool:
    """Return whether a score of `trace` is exactly 0 after scaling and masking."""
    return bool((inner_of(trace).masked == 0).any())


def _biases_at_wrong_place() -> Iterator[Mistake[Any]]:
    """Yield mistakes that add a bias to the wrong product.

    A wrong bias only on the keys is left out: it adds the same number to all scores of a row, so softmax ignores it.
    """
    for m, other in (("q", "k"), ("q", "v"), ("v", "q"), ("v", "k")):
        product = f"{m} = {ROWS[m]} @ w_{m} + "
        title = f"The bias of the {CALLED[other]} is added to the {CALLED[m]}"
        more: dict[str, Any] = {"shows": has_bias(f"b_{other}"), "needs": "It takes biases."}
        yield diagnosis_mistake(
            m, f"bias_of_{other}_added_to_{m}", f"{title} as well", f"{product}b_{m} + b_{other}", OWN_BIAS, **more
        )
        yield diagnosis_mistake(
            m, f"bias_of_{other}_for_{m}", f"{title} in place of theirs", f"{product}b_{other}", OWN_BIAS, **more
        )
    first = "(np.reshape(np.arange(len({rows})), (-1, 1)) == 0)"
    each = ", ".join(f"{rows} @ w_{m} + b_{m} * {first.format(rows=rows)}" for m, rows in ROWS.items())
    yield diagnosis_mistake(
        "q", "biases_of_the_first_token_alone", "The biases are added to the first token alone", f"q, k, v = {each}",
            OWN_BIAS,
        shows=lambda trace: any(has_bias(name)(trace) for name in ("b_q", "b_k", "b_v")), needs="It takes biases.",
    )  # fmt: skip


def mistakes_by_hand() -> RareMistakes:
    """Return the mistakes in computing a softmax by hand, in adding biases, and in cutting heads too early."""
    each_head = "((x, w_q), (context, w_k), (context, w_v))"
    return (
        diagnosis_mistake(
            "weights", "brackets_of_the_sum_forgotten", "The brackets around the sum of the exponentials are missing",
            "powers = np.exp(masked)\nrest = powers[..., 1:].sum(axis=-1, keepdims=True)\n"
            "weights = np.where(allowed, powers / powers[..., :1] + rest, 0)", SUM,
        ),
        diagnosis_mistake(
            "weights", "zeroth_power_as_nought", "The power e⁰ is taken for 0",
            "powers = np.where(masked == 0, 0, np.exp(masked))\n"
            "weights = powers / powers.sum(axis=-1, keepdims=True)", "Any number to the power of 0 is 1, and so is e⁰.",
            shows=_has_a_zero, needs="It takes a scaled score of 0.",
        ),
        *_biases_at_wrong_place(),
        mistake_of_heads(
            "q", "heads_of_the_input", "The input is cut into heads, nothing projected",
            "q, k, v = x, context, context\nscaled = scores / np.sqrt(q_heads.shape[-1])\noutput = concat", CUT_AFTER,
        ),
        mistake_of_heads(
            "heads", "weight_matrices_reshaped_into_heads", "W is reshaped into heads, in place of its columns cut",
            f"q_heads, k_heads, v_heads = (m @ w.reshape(n_heads, len(w), -1) for m, w in {each_head})", CUT_AFTER,
        ),
        mistake_of_heads(
            "q", "heads_with_roles_swapped", "The queries of all heads come from the context, keys and values from x",
            "q, k, v = context @ w_q + b_q, x @ w_k + b_k, x @ w_v + b_v\n"
            "concat = heads.swapaxes(0, 1).reshape(len(context), -1)", ROLES,
            shows=has_context, needs="It takes a context.",
        ),
    )  # fmt: skip
