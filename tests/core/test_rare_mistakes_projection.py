"""Test rare mistakes with wrong matrices, sums that leave something out, and steps that do not belong in attention."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax

from attention_core import self_attention
from attention_core.mistakes import blind_spots
from attention_core.mistakes.engine.mistake import lines_with
from attention_core.mistakes.engine.named_traces import names_of
from attention_core.mistakes.engine.pipelines import ATTENTION
from attention_core.mistakes.engine.running import run
from attention_core.mistakes.rare.around_attention import wrong_around_attention
from attention_core.mistakes.rare.left_out import terms_left_out
from attention_core.mistakes.rare.projection import wrong_projections
from attention_core.mistakes.rare.scores import wrong_scores
from replaceable_steps import AROUND, normalise_rows, one_head
from square_example import N, attention_output, by_score, check_outputs, square_trace
from strategies import random_numbers


def project_with(t, weights: Sequence[str] = "qkv", biases: Sequence[str] = "qkv"):
    """Return queries, keys and values of the trace `t`, computed with other weight matrices or biases.

    The three letters of `weights` name the weight matrices of Q, K and V, and those of `biases` name the biases. For
    instance, `weights="kkv"` makes the queries with W^K instead of W^Q.
    """
    rows = (t.x, t.context, t.context)
    pairs = zip(rows, weights, biases, strict=True)
    return [m @ getattr(t, f"w_{w}") + getattr(t, f"b_{b}") for m, w, b in pairs]


BIASED = {
    "subtracted": lambda x, w, b: x @ w - b,
    "added_twice": lambda x, w, b: x @ w + b + b,
    "added_to_the_input": lambda x, w, b: (x + b) @ w,
    "multiplied": lambda x, w, b: x @ w * b,
    "as_columns": lambda x, w, b: (w.T @ x.T + b).T,
    "first_number_alone": lambda x, w, b: x @ w + b[0],
}


def project_with_function(t, function, letters):
    """Return the queries, keys and values of the trace `t`. The function `function` makes the matrices in `letters`.

    `letters` names some of "q", "k" and "v". `function` takes the tokens, the weight matrix and the bias. The matrices
    that `letters` does not name are the correct ones of the trace.
    """
    return [
        function(m, getattr(t, f"w_{a}"), getattr(t, f"b_{a}")) if a in letters else getattr(t, a)
        for a, m in (("q", t.x), ("k", t.context), ("v", t.context))
    ]


OPERANDS = {
    "scores_of_x_and_q": lambda t: attention_output(t.x, t.q, t.v),
    "scores_of_k_and_x": lambda t: attention_output(t.k, t.x, t.v),
    "scores_of_x_and_v": lambda t: attention_output(t.x, t.v, t.v),
    "scores_of_v_and_x": lambda t: attention_output(t.v, t.x, t.v),
    "input_as_qv": lambda t: attention_output(t.x, t.k, t.x),
    "input_as_kv": lambda t: attention_output(t.q, t.x, t.x),
    "transposed_in_qk": lambda t: attention_output(t.x @ t.w_q.T + t.b_q, t.x @ t.w_k.T + t.b_k, t.v),
    "transposed_in_qv": lambda t: attention_output(t.x @ t.w_q.T + t.b_q, t.k, t.x @ t.w_v.T + t.b_v),
    "transposed_in_kv": lambda t: attention_output(t.q, t.x @ t.w_k.T + t.b_k, t.x @ t.w_v.T + t.b_v),
    "projected_twice_in_qkv": lambda t: attention_output(
        project_again(t, "q"), project_again(t, "k"), project_again(t, "v")
    ),
    "projected_twice_in_qk": lambda t: attention_output(project_again(t, "q"), project_again(t, "k"), t.v),
    "projected_twice_in_q": lambda t: attention_output(project_again(t, "q"), t.k, t.v),
    "projected_twice_in_k": lambda t: attention_output(t.q, project_again(t, "k"), t.v),
    "projected_twice_in_v": lambda t: attention_output(t.q, t.k, project_again(t, "v")),
    "k_projected_from_q": lambda t: attention_output(t.q, t.q @ t.w_k + t.b_k, t.v),
    "v_projected_from_q": lambda t: attention_output(t.q, t.k, t.q @ t.w_v + t.b_v),
    "v_projected_from_k": lambda t: attention_output(t.q, t.k, t.k @ t.w_v + t.b_v),
    "elementwise_in_q": lambda t: attention_output(t.x * t.w_q + t.b_q, t.k, t.v),
    "elementwise_in_k": lambda t: attention_output(t.q, t.x * t.w_k + t.b_k, t.v),
    "elementwise_in_v": lambda t: attention_output(t.q, t.k, t.x * t.w_v + t.b_v),
    "likeness_summed": by_score(lambda q, k: sum(q) + sum(k)),
    "likeness_products_of_sums": by_score(lambda q, k: sum(q) * sum(k)),
    "likeness_distances": by_score(lambda q, k: -math.dist(q, k)),
    "likeness_squared_distances": by_score(lambda q, k: -(math.dist(q, k) ** 2)),
    "likeness_positive_distances": by_score(math.dist),
    "likeness_symmetric": lambda t: softmax((t.scores + t.scores.T) / 2 / math.sqrt(N), axis=1) @ t.v,
    "likeness_absolute_differences": by_score(lambda q, k: -sum(abs(q - k))),
    "likeness_sums_through_tanh": by_score(lambda q, k: sum(np.tanh(q + k))),
    "likeness_of_features": lambda t: softmax(np.einsum("nc,nd->cd", t.q, t.k) / math.sqrt(N), axis=1) @ t.v,
    "likeness_of_features_turned": lambda t: softmax(np.einsum("nd,nc->cd", t.q, t.k) / math.sqrt(N), axis=1) @ t.v,
    "likeness_differences_of_sums": by_score(lambda q, k: sum(q) - sum(k)),
    "cosine_not_scaled": by_score(lambda q, k: math.sqrt(N) * q @ k / math.hypot(*q) / math.hypot(*k)),
    "mixed_twice": lambda t: t.weights @ t.weights @ t.v,
    "weights_mixed": lambda t: np.linalg.matrix_power(t.weights, 2),
    "values_times_weights": lambda t: t.v @ t.weights,
    "values_turned": lambda t: np.einsum("ij,dj->id", t.weights, t.v),
    "weights_times_values_elementwise": lambda t: np.multiply(t.weights, t.v),
    "values_added": lambda t: t.output + t.v,
    "queries_added": lambda t: t.output + t.q,
    "summed_over_the_queries": lambda t: np.einsum("ij,jd->jd", t.weights, t.v),
    "summed_over_the_features": lambda t: np.einsum("ij,jd->ij", t.weights, t.v),
    "values_turned_first": lambda t: np.einsum("jd,ji->di", t.v, t.weights),
    "before_the_input_in_q": lambda t: attention_output(t.w_q @ t.x + t.b_q, t.k, t.v),
    "before_the_input_in_k": lambda t: attention_output(t.q, t.w_k @ t.x + t.b_k, t.v),
    "before_the_input_in_v": lambda t: attention_output(t.q, t.k, t.w_v @ t.x + t.b_v),
    "greatest_term": lambda t: np.array([[max(w * t.v[:, d]) for d in range(N)] for w in t.weights]),
    "values_summed": lambda t: np.tile(sum(t.v), (N, 1)),
    "values_multiplied": lambda t: t.output * t.v,
    "stopped_at_the_weights": lambda t: t.weights,
    "stopped_at_the_scores": lambda t: t.scaled,
    "stopped_at_the_queries": lambda t: t.q,
    "stopped_at_the_keys": lambda t: t.k,
}


def project_again(t, m):
    """Return the matrix `m` ("q", "k" or "v") of the trace `t`, projected a second time: m W + b."""
    return getattr(t, m) @ getattr(t, f"w_{m}") + getattr(t, f"b_{m}")


def test_operands():
    check_outputs((*wrong_projections(), *wrong_scores()), OPERANDS, square_trace())


@pytest.mark.parametrize("context", [None, random_numbers(N, N, seed=120)], ids=["itself", "context"])
def test_weights_and_biases_mixed_up(context):
    t, expected = square_trace(context=context), {}
    for mistake in wrong_projections():
        kind, _, letters = mistake.name.partition("_used_as_")
        used = letters.removesuffix("_alone").split("_")
        if kind == "biases":
            expected[mistake.name] = attention_output(*project_with(t, biases=used))
        elif kind == "weights":
            expected[mistake.name] = attention_output(
                *project_with(t, used, "qkv" if letters.endswith("_alone") else used)
            )
        elif mistake.name.startswith("bias_"):
            way, _, letters = mistake.name.removeprefix("bias_").rpartition("_in_")
            expected[mistake.name] = attention_output(*project_with_function(t, BIASED[way], letters))
    for mistake in wrong_projections():
        if mistake.name in expected:
            np.testing.assert_allclose(mistake.apply(t).output, expected[mistake.name], atol=1e-9, err_msg=mistake.name)
    assert expected.keys() | OPERANDS.keys() | {"context_and_input_together"} == {
        mistake.name for mistake in (*wrong_projections(), *wrong_scores())
    }


def test_context_and_input_together():
    t = square_trace(context=random_numbers(3, N, seed=121))
    (mistake,) = (mistake for mistake in wrong_projections() if mistake.name == "context_and_input_together")
    both = np.vstack([t.x, t.context])
    from_both = self_attention(t.x, t.w_q, t.w_k, t.w_v, context=both, b_q=t.b_q, b_k=t.b_k, b_v=t.b_v)
    # the mistake changes the number of keys, which a trace does not allow
    made = run(lines_with(ATTENTION, mistake), names_of(t))["output"]
    np.testing.assert_allclose(made, from_both.output, atol=1e-12)


def test_a_mistake_that_changes_only_the_shape_of_keys_is_no_blind_spot():
    """Check that a mistake is not called invisible if it changes the keys, even if the output stays the same.

    The mistake makes keys and values from x and from the context. Here x and the context are the same tokens. So each
    key and each value comes twice, and the output stays the same.
    """
    t = square_trace()
    (mistake,) = (mistake for mistake in wrong_projections() if mistake.name == "context_and_input_together")
    made = run(lines_with(ATTENTION, mistake), names_of(t))
    np.testing.assert_allclose(made["output"], t.output, atol=1e-12)
    assert made["k"].shape != t.k.shape
    assert blind_spots(t, (replace(mistake, shows=lambda _: True),)) == ()


# --- left out, and around ---


def slice_without(part):
    """Return the slice that remains without a part: for "last", everything but the last item."""
    return {"last": slice(None, -1), "first": slice(1, None), "all_but_last": slice(-1, None)}.get(part, slice(1))


def test_what_is_left_out():
    t = square_trace()
    for mistake in terms_left_out():
        part, _, where = mistake.name.replace("_token", "_feature").partition("_feature_out_")
        some = np.zeros(N)
        some[slice_without(part)] = 1  # the part of the sum that remains
        if where == "of_scores":
            wrong = attention_output(t.q * some, t.k, t.v)
        elif where == "of_output":
            wrong = t.weights * some @ t.v
        else:
            letters = where.removeprefix("in_")
            wrong = attention_output(*project_with_function(t, lambda x, w, b, some=some: (x * some) @ w + b, letters))
        np.testing.assert_allclose(mistake.apply(t).output, wrong, atol=1e-9, err_msg=mistake.name)


def test_what_belongs_around_attention():
    t = square_trace()
    expected = {name: lambda t, wrong=wrong: wrong(t.x, t.output) for name, wrong in AROUND.items()}
    expected |= {"pre_norm_block": lambda t: t.x + one_head(t, x=normalise_rows)}
    check_outputs(wrong_around_attention(), expected, t)
    assert expected.keys() == {mistake.name for mistake in wrong_around_attention() if mistake.concept != "multi_head"}
