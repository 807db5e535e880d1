"""Test lines of code that do something else than they seem to do, each computed once more from its description."""

import numpy as np
from scipy.special import softmax

from attention_core import multi_head_attention, self_attention
from attention_core.mistakes.engine.mistake import lines_with
from attention_core.mistakes.engine.named_traces import names_of
from attention_core.mistakes.engine.pipelines import ATTENTION, HEADS
from attention_core.mistakes.engine.running import run
from attention_core.mistakes.rare.misleading_lines import misleading_lines
from random_traces import random_weights
from strategies import random_numbers

N, ROOT = 4, 2.0
SWAPPED = [1, 0, 2, 3]
CAUSAL = np.tri(N, dtype=bool)
IN_HEADS = ("heads_stacked", "nothing_projected_in_heads")


def correct_trace(mask=None):
    """Return a correct trace (all matrices of the computation) of self-attention on random numbers."""
    x, *w = (random_numbers(N, N, seed=seed) for seed in (350, 351, 352, 353))
    return self_attention(x, *w, mask=mask, **{f"b_{m}": random_numbers(N, seed=354 + i) for i, m in enumerate("qkv")})


def attention_of(q, k, v):
    """Return attention without a mask, softmax(q kᵀ / √d_k) v."""
    return softmax(q @ k.T / ROOT, axis=1) @ v


def output_with_weights(t, **new):
    """Return the output of attention with some weight matrices replaced, as in `output_with_weights(t, w_q=…)`."""
    projected = {m: t.x @ new.get(f"w_{m}", getattr(t, f"w_{m}")) + getattr(t, f"b_{m}") for m in "qkv"}
    return attention_of(projected["q"], projected["k"], projected["v"])


def output_with_bias_down_the_rows(t, m):
    """Return the output if the bias of `m` ("q", "k" or "v") is added wrongly: number i to every cell of row i.

    Correct is to add number j to every cell of column j.
    """
    projected = t.x @ getattr(t, f"w_{m}") + getattr(t, f"b_{m}").reshape(N, 1)
    return attention_of(*(projected if each == m else getattr(t, each) for each in "qkv"))


def output_of_columns_in_turn(t):
    """Return the output if the joined matrix of Q, K and V is split wrongly.

    Columns 1, 4, 7, … become Q, columns 2, 5, 8, … become K, and columns 3, 6, 9, … become V.
    """
    rows = [[*q, *k, *v] for q, k, v in zip(t.q, t.k, t.v, strict=True)]
    return attention_of(*(np.array([row[first::3] for row in rows]) for first in range(3)))


EXPECTED = {
    "projections_taken_in_turn": output_of_columns_in_turn,
    "features_attend": lambda t: t.v @ softmax(t.q.T @ t.k / ROOT, axis=1),
    "transposed_features_attend": lambda t: attention_of(t.q.T, t.k.T, t.v.T).T,  # N = d_k, so the root is the same
    "weights_sorted": lambda t: np.array([sorted(row, reverse=True) for row in t.weights]) @ t.v,
    "scaled_at_the_output": lambda t: softmax(t.q @ t.k.T, axis=1) @ t.v * ROOT,
    "output_reshaped": lambda t: t.output,  # there are as many tokens as features, so this reshape changes nothing
    **{
        name: expected
        for m in "qkv"
        for name, expected in {
            f"rows_of_w_{m}_swapped": lambda t, w=f"w_{m}": output_with_weights(t, **{w: getattr(t, w)[SWAPPED]}),
            f"columns_of_w_{m}_swapped": lambda t, w=f"w_{m}": output_with_weights(t, **{w: getattr(t, w)[:, SWAPPED]}),
            f"bias_of_{m}_down_the_rows": lambda t, m=m: output_with_bias_down_the_rows(t, m),
        }.items()
    },
}


def output_of(mistake, trace, pipeline=ATTENTION):
    """Return the output of `trace` after a mistake was made in the code of `pipeline`."""
    return run(lines_with(pipeline, mistake), names_of(trace))["output"]


def test_each_does_what_it_says():
    trace, mistakes = correct_trace(), {mistake.name: mistake for mistake in misleading_lines()}
    assert mistakes.keys() - {*IN_HEADS, "zeros_hidden_with_a_billion"} == EXPECTED.keys()
    for name, expected in EXPECTED.items():
        np.testing.assert_allclose(output_of(mistakes[name], trace), expected(trace), atol=1e-12, err_msg=name)


def test_a_reshape_is_no_transpose():
    (mistake,) = (each for each in misleading_lines() if each.name == "output_reshaped")
    x, *w = random_numbers(3, 2, seed=1), *(random_numbers(2, 2, seed=seed) for seed in (2, 3, 4))
    trace = self_attention(x, *w)
    (a, b), (c, d), (e, f) = trace.output
    np.testing.assert_allclose(output_of(mistake, trace), [[a, b, c], [d, e, f]])


def test_a_score_of_0_is_hidden_too():
    (mistake,) = (each for each in misleading_lines() if each.name == "zeros_hidden_with_a_billion")
    eye, causal = np.eye(2), np.tri(2, dtype=bool)
    trace = self_attention([[1.0, 0.0], [0.0, 3.0]], eye, eye, eye, mask=causal)
    assert not mistake.shows(trace)  # −10⁹ gives the same weights as −∞
    # the second row has the score 0 for key 1, so the code hides key 1
    np.testing.assert_allclose(output_of(mistake, trace), [[1, 0], [0, 3]])
    trace = self_attention([[0.0, 0.0], [2.0, 3.0]], eye, eye, eye, mask=causal)
    assert mistake.shows(trace)
    # all keys of row 1 are hidden, so its weights are equal
    np.testing.assert_allclose(output_of(mistake, trace)[0], [1, 1.5])


def test_in_heads():
    by_name = {mistake.name: mistake for mistake in misleading_lines()}
    trace = multi_head_attention(random_numbers(6, 6, seed=20), random_weights(3, d_v=2), 3)
    stacked = np.concatenate([*trace.heads.output])
    np.testing.assert_allclose(output_of(by_name["heads_stacked"], trace, HEADS), stacked)
    x, w = trace.x, trace.projections
    heads = [softmax(x[:, b] @ x[:, b].T / np.sqrt(2), axis=1) @ x[:, b] for b in map(slice, (0, 2, 4), (2, 4, 6))]
    expected = np.hstack(heads) @ w.w_o + np.asarray(w.b_o)
    np.testing.assert_allclose(output_of(by_name["nothing_projected_in_heads"], trace, HEADS), expected)
    columns = [[m[:, b].T for m in (trace.q, trace.k, trace.v)] for b in map(slice, (0, 2, 4), (2, 4, 6))]
    heads = [(softmax(q @ k.T / np.sqrt(2), axis=1) @ v).T for q, k, v in columns]
    expected = np.hstack(heads) @ w.w_o + np.asarray(w.b_o)
    np.testing.assert_allclose(output_of(by_name["transposed_features_attend"], trace, HEADS), expected)
