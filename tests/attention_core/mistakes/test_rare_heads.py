"""Test the rare mistakes of several heads: wrongly cut, weighed or put together, each computed head by head."""

import numpy as np
import pytest
from scipy.special import softmax

from attention_core import MultiHeadProjections, multi_head_attention
from attention_core.diagnosis.pasted import ALL_HEADS, Setting, diagnose_pasted, example_of_weights, problem_of
from attention_core.diagnosis.stages import matrix_at
from attention_core.mistakes.rare import rare_mistakes
from attention_core.reading.matrix_text import read_matrix, write_matrix
from by_hand import (
    CAUSAL,
    FUNCTIONS,
    ROOT,
    WIDTH,
    D,
    H,
    N,
    correct_outputs_of_heads,
    correct_trace,
    heads_of,
    mix_heads,
    normalise_rows,
    output_of_mistake,
    outputs_of_heads,
    several_heads,
    usual_output,
)
from strategies import random_numbers, three_heads_trace

MISTAKE = {mistake.name: mistake for mistake in rare_mistakes()}


def concat(t):
    """Return the concatenated heads of the trace `t`."""
    return np.hstack(correct_outputs_of_heads(t))


def with_changed_heads(change):
    """Return a function from a trace to its output, in which the outputs of all heads are changed by `change`."""
    return lambda t: mix_heads(t, change(correct_outputs_of_heads(t)))


def with_cuts(**cuts):
    """Return a function from a trace to its output. `cuts` says how q, k or v are cut into heads."""
    return lambda t: mix_heads(t, outputs_of_heads(*(cuts.get(m, heads_of)(getattr(t, m)) for m in "qkv")))


def pieces_in_order(m):
    """Fill head after head with the numbers of `m`, row by row."""
    return [np.ravel(m)[h * N * D : (h + 1) * N * D].reshape(N, D) for h in range(H)]


def first_heads(m):
    """Return the first head of `m` in the place of each head."""
    return [heads_of(m)[0]] * H


def overlapping(m):
    """Cut `m` into heads that begin one column after each other."""
    return [m[:, 0:2], m[:, 1:3], m[:, 2:4]]


def scores_and_values(t):
    """Return the scaled scores and the values of each head, as pairs."""
    q, k, v = (heads_of(m) for m in (t.q, t.k, t.v))
    return [(a @ b.T / ROOT, c) for a, b, c in zip(q, k, v, strict=True)]


def with_one_block_for_all(t):
    """Cut the input into heads, and multiply each piece by the same block of each weight matrix."""
    learned = [(getattr(t.projections, f"w_{m}")[:D, :D], getattr(t.projections, f"b_{m}")) for m in "qkv"]
    q, k, v = (np.hstack([piece @ w for piece in heads_of(t.x)]) + b for w, b in learned)
    return mix_heads(t, outputs_of_heads(*map(heads_of, (q, k, v))))


def with_twice_as_many(t):
    """Return the output of twice as many heads, which are half as wide."""
    parts = zip(*(np.hsplit(m, WIDTH) for m in (t.q, t.k, t.v)), strict=True)
    return mix_heads(t, [softmax(q @ k.T, axis=1) @ v for q, k, v in parts])


def with_softmax_over_everything(t):
    """Return the output with weights that add up to 1 over all heads, queries and keys."""
    pairs = scores_and_values(t)
    weights = softmax(np.stack([scores for scores, _ in pairs]))
    return mix_heads(t, [w @ v for w, (_, v) in zip(weights, pairs, strict=True)])


def without_keepdims(powers_of):
    """Return a function from a trace to its output, in which column i of the powers is divided by the sum of row i."""

    def output(t):
        powers = [(powers_of(scores), v) for scores, v in scores_and_values(t)]
        return mix_heads(t, [p / [sum(row) for row in p] @ v for p, v in powers])

    return output


def projected_nowhere(t):
    """Return the output of heads that are cut from the input itself, without W^Q, W^K and W^V."""
    return mix_heads(t, outputs_of_heads(*[heads_of(t.x)] * 3))


EXPECTED = {
    "q_by_reshape": with_cuts(q=pieces_in_order),
    "v_by_reshape": with_cuts(v=pieces_in_order),
    "kv_by_reshape": with_cuts(k=pieces_in_order, v=pieces_in_order),
    "k_of_the_first_head": with_cuts(k=first_heads),
    "v_of_the_first_head": with_cuts(v=first_heads),
    "kv_of_the_first_head": with_cuts(k=first_heads, v=first_heads),
    "qkv_overlapping": with_cuts(q=overlapping, k=overlapping, v=overlapping),
    "input_cut_one_block_for_all": with_one_block_for_all,
    "heads_twice_as_many": with_twice_as_many,
    "heads_weights_averaged": lambda t: usual_output(t, weights=lambda w: [sum(w) / H] * H),
    "heads_weights_of_the_first": lambda t: usual_output(t, weights=lambda w: [w[0]] * H),
    "heads_weights_of_the_last": lambda t: usual_output(t, weights=lambda w: [w[2]] * H),
    "heads_softmax_over_everything": with_softmax_over_everything,
    "heads_sums_without_keepdims": without_keepdims(np.exp),
    "heads_sums_from_the_maximum_without_keepdims": without_keepdims(lambda s: np.exp([row - max(row) for row in s])),
    "heads_root_n_heads": lambda t: usual_output(t, scale=[3**0.5] * H),
    "merged_first_alone": with_changed_heads(lambda z: [z[0]] * H),
    "merged_last_alone": with_changed_heads(lambda z: [z[2]] * H),
    "merged_last_left_out": with_changed_heads(lambda z: [z[0], z[1], z[2] * 0]),
    "merged_all_but_the_last_left_out": with_changed_heads(lambda z: [z[0] * 0, z[1] * 0, z[2]]),
    "merged_features_turned": with_changed_heads(lambda z: [np.ravel([m.T for m in z]).reshape(N, WIDTH)]),
    "w_o_first_block": lambda t: sum(correct_outputs_of_heads(t)) @ t.projections.w_o[:D] + t.projections.b_o,
    "w_o_shares_averaged": lambda t: concat(t) @ t.projections.w_o / 3 + t.projections.b_o,
    "w_o_w_v": lambda t: concat(t) @ t.projections.w_v + t.projections.b_o,
    "w_o_before": lambda t: t.projections.w_o @ concat(t) + t.projections.b_o,
    "heads_stacked": lambda t: np.vstack(correct_outputs_of_heads(t)),
    "nothing_projected_in_heads": projected_nowhere,
    "input_added_and_normed_of_heads": lambda t: normalise_rows(t.x + t.output),
    "input_added_normed_down_of_heads": lambda t: normalise_rows((t.x + t.output).T).T,
    "input_added_to_the_heads": lambda t: t.output + t.x @ t.projections.w_o,
}


@pytest.mark.parametrize("name", EXPECTED)
def test_each_does_what_it_says(name):
    t = correct_trace()
    np.testing.assert_allclose(output_of_mistake(MISTAKE[name], t), EXPECTED[name](t), atol=1e-9)


def test_a_mask_in_the_first_head_alone():
    t, free = correct_trace(CAUSAL), np.ones((N, N), dtype=bool)
    made = MISTAKE["mask_in_the_first_head"].apply(t).output
    np.testing.assert_allclose(made, usual_output(t, seen=[CAUSAL, free, free]), atol=1e-9)


# --- functions ---

OF_HEADS = {"relu_on_output_of_heads": "output", "layer_norm_on_output_of_heads": "output",
            "layer_norm_on_concat_of_heads": "concat"}  # fmt: skip
IN_EACH_HEAD = {"scores": "scores", "scaled": "scaled", "weights": "weights", "output": "heads", "q": "q", "v": "v"}
IN_HEADS = [
    mistake.name
    for mistake in rare_mistakes()
    if mistake.name.rpartition("_on_")[0] in FUNCTIONS.keys() - {"turned"}  # a head is not square
    and mistake.name.rpartition("_on_")[2] in IN_EACH_HEAD
]


@pytest.mark.parametrize("name", [*OF_HEADS, *IN_HEADS])
def test_a_function_on_a_matrix_of_each_head_or_of_all(name):
    function, _, matrix = name.rpartition("_on_")
    t, where = three_heads_trace(), OF_HEADS.get(name) or IN_EACH_HEAD[matrix]
    wrong = several_heads(t, **{where: FUNCTIONS[function]})
    np.testing.assert_allclose(MISTAKE[name].apply(t).output, wrong, atol=1e-9)


# --- four heads, and a context ---


def trace_of_four_heads(context=None):
    """Return a trace (all matrices) of four heads. Keys and values come from `context`, or else from the tokens."""
    w = {f"w_{m}": random_numbers(8, 8, seed=320 + i) / 2 for i, m in enumerate("qkvo")}
    return multi_head_attention(random_numbers(3, 8, seed=330), MultiHeadProjections(**w), 4, context=context)


def output_of_four_heads(t, q, k, v):
    """Return the output of multi-head attention from the queries, keys and values of each head."""
    heads = [softmax(a @ b.T / np.sqrt(a.shape[1]), axis=1) @ c for a, b, c in zip(q, k, v, strict=True)]
    return np.hstack(heads) @ t.projections.w_o


def test_heads_of_keys_and_values_repeated_in_turn():
    t, mistake = trace_of_four_heads(), MISTAKE["heads_kv_tiled"]
    q, k, v = (np.hsplit(m, 4) for m in (t.q, t.k, t.v))
    wrong = output_of_four_heads(t, q, [k[0], k[2], k[0], k[2]], [v[0], v[2], v[0], v[2]])
    np.testing.assert_allclose(mistake.apply(t).output, wrong, atol=1e-9)
    assert not mistake.shows(multi_head_attention(t.x, t.projections, 2))


CONTEXT = random_numbers(3, 8, seed=340)
CUT = {
    "heads_of_the_input": lambda t, w: [np.hsplit(m, 4) for m in (t.x, CONTEXT, CONTEXT)],
    "weight_matrices_reshaped_into_heads": lambda t, w: [
        [m @ part for part in matrix.reshape(4, 8, 2)]
        for m, matrix in ((t.x, w.w_q), (CONTEXT, w.w_k), (CONTEXT, w.w_v))
    ],
    "heads_with_roles_swapped": lambda t, w: [np.hsplit(m, 4) for m in (CONTEXT @ w.w_q, t.x @ w.w_k, t.x @ w.w_v)],
}  # fmt: skip


@pytest.mark.parametrize("name", CUT)
def test_heads_that_are_cut_too_early_or_ask_the_wrong_way(name):
    t = trace_of_four_heads(CONTEXT)
    expected = output_of_four_heads(t, *CUT[name](t, t.projections))
    if name == "heads_of_the_input":
        expected = expected @ np.linalg.inv(t.projections.w_o)
    np.testing.assert_allclose(MISTAKE[name].apply(t).output, expected, atol=1e-8)


# --- heads that share keys: the diagnosis must name each mistake from its numbers ---

Q_HEADS, KV_HEADS, D_K = 4, 2, 3
GROUP = Q_HEADS // KV_HEADS
SHARING = example_of_weights(
    random_numbers(5, 6, seed=400).round(2),
    *(random_numbers(6, width, seed=401 + i).round(2) / 2 for i, width in enumerate((12, 6, 6))),
    n_heads=Q_HEADS,
    n_kv_heads=KV_HEADS,
)
SETTING = Setting(n_kv_heads=KV_HEADS)


def attention_of(q, k, v):
    """Return attention without a mask, softmax(q kᵀ / √d_k) v."""
    return softmax(q @ k.T / np.sqrt(D_K), axis=1) @ v


def heads_in(problem):
    """Return three lists for `problem`: the queries, the keys and the values of each head."""
    return [
        np.hsplit(matrix_at(problem.trace, name), n) for name, n in (("q", Q_HEADS), ("k", KV_HEADS), ("v", KV_HEADS))
    ]


def output_of_heads(q_of, k_of, v_of):
    """Return a function of queries, keys and values that gives the outputs of all heads side by side.

    `q_of`, `k_of` and `v_of` choose the queries, keys and values of a head: each takes the matrices of all heads and
    the number of a head.
    """
    return lambda q, k, v: np.hstack([attention_of(q_of(q, h), k_of(k, h), v_of(v, h)) for h in range(Q_HEADS)])


def own_head(q, h):
    """Return the queries of head `h`. `q` holds the queries of all heads."""
    return q[h]


def head_of_group(k, h):
    """Return the keys that head `h` uses, if neighbouring heads share keys as in (0, 0, 1, 1), which is correct.

    `k` holds the matrices of keys.
    """
    return k[h // GROUP]


def head_in_turn(k, h):
    """Return the keys that head `h` uses, if heads share keys as in (0, 1, 0, 1), which is wrong.

    Correct is (0, 0, 1, 1): head 1 uses the same matrix of keys as head 0. `k` holds the matrices of keys.
    """
    return k[h % KV_HEADS]


def head_of_repeated_columns(k, h):
    """Return the keys that head `h` uses, if each single column of keys is repeated, which is wrong.

    Correct is to repeat the whole matrix of keys of a head. `k` holds the matrices of keys.
    """
    return np.array([[row[c // GROUP] for c in range(h * D_K, (h + 1) * D_K)] for row in np.hstack(k)])


def sum_of_group(q, h):
    """Return the sum of the queries of all heads that share keys with head `h`, which is wrong.

    `q` holds the queries of all heads.
    """
    first = h // GROUP * GROUP
    return sum(q[first : first + GROUP])


SHARED = {
    "tiled_kv": output_of_heads(own_head, head_in_turn, head_in_turn),
    "tiled_k": output_of_heads(own_head, head_in_turn, head_of_group),
    "tiled_v": output_of_heads(own_head, head_of_group, head_in_turn),
    "columns_repeated": output_of_heads(own_head, head_of_repeated_columns, head_of_repeated_columns),
    "queries_summed_to_fewer_heads": lambda q, k, v: np.hstack(
        [attention_of(sum_of_group(q, g * GROUP), k[g], v[g]) for g in range(KV_HEADS)]
    ),
}


def named_in(problem, matrix):
    """Return the names of the mistakes that the diagnosis finds in `matrix`, a wrong answer to `problem`."""
    found = diagnose_pasted(problem, read_matrix(write_matrix(matrix, 5)), {})
    assert not found.answer_is_correct
    return {mistake.name for finding in found.findings for mistake in finding.mistakes}


@pytest.mark.many
@pytest.mark.parametrize("name", SHARED)
def test_each_is_named_from_its_numbers(name):
    problem = problem_of(SHARING, ALL_HEADS, SETTING)
    wrong = SHARED[name](*heads_in(problem))
    assert named_in(problem, wrong) == {f"shared_{name}"}


def test_keys_shared_in_turn_are_named_with_a_mask_and_positions():
    """Check that the diagnosis names keys that are shared in turn, if there is a causal mask, and RoPE or ALiBi."""
    for positions in ("rotary_halves", "alibi"):
        example = example_of_weights(
            SHARING.x,
            random_numbers(6, 8, seed=410),
            random_numbers(6, 4, seed=411),
            random_numbers(6, 6, seed=412),
            n_heads=4,
            n_kv_heads=2,
        )
        setting = Setting(mask="causal", positions=positions, n_kv_heads=2)
        right = problem_of(example, ALL_HEADS, setting)
        # the shared heads are repeated in turn, so that there are as many as query heads
        tiled = [np.hstack([m, m]) for m in (example.w_k, example.w_v)]
        wrong = problem_of(
            example_of_weights(example.x, example.w_q, *tiled, n_heads=4),
            ALL_HEADS,
            Setting(mask="causal", positions=positions),
        )
        assert named_in(right, wrong.correct_result) == {"shared_tiled_kv"}


def test_other_mistakes_are_named_where_heads_share_keys():
    problem = problem_of(SHARING, ALL_HEADS, SETTING)
    q, k, v = heads_in(problem)
    unscaled = [softmax(q[h] @ k[h // GROUP].T, axis=1) @ v[h // GROUP] for h in range(Q_HEADS)]
    assert "not_scaled" in named_in(problem, np.hstack(unscaled))
    of_the_first = softmax(q[0] @ k[0].T / np.sqrt(D_K), axis=1)
    first_weights = [of_the_first @ v[h // GROUP] for h in range(Q_HEADS)]
    assert "heads_weights_of_the_first" in named_in(problem, np.hstack(first_weights))


# --- all together ---


def test_every_mistake_has_an_expected_result():
    shared = {f"shared_{name}" for name in SHARED}
    by_themselves = {"mask_in_the_first_head", "heads_kv_tiled"}
    assert {*EXPECTED, *OF_HEADS, *CUT, *shared, *by_themselves} == {
        name for name, mistake in MISTAKE.items() if mistake.concept == "multi_head"
    }
