"""Test rare mistakes of multi-head attention: wrong splits, shares, scales and masks, computed head by head."""

import numpy as np
import pytest
from scipy.special import softmax

from attention_core.mistakes.rare.heads import COUNTS, CUT_FROM, OTHERWISE, SPLITS, wrong_heads
from three_heads import (
    CAUSAL,
    ROOT,
    WIDTH,
    D,
    H,
    N,
    correct_trace,
    heads_of,
    mix_heads,
    output_of_mistake,
    outputs_of_heads,
    usual_output,
)


def heads_in_pieces(m, place):
    """Fill heads with the numbers of the matrix `m` in another order, and return them as a list of matrices.

    Cell (i, d) of head h is number `place(h, i, d)` of the matrix, counted row by row.
    """
    flat = np.ravel(m)
    return [np.array([[flat[place(h, i, d)] for d in range(D)] for i in range(N)]) for h in range(H)]


SPLIT = {
    "by_reshape": lambda m: [np.ravel(m)[h * N * D : (h + 1) * N * D].reshape(N, D) for h in range(H)],
    "taking_turns": lambda m: [m[:, h::H] for h in range(H)],
    "tokens_turned": lambda m: heads_in_pieces(m, lambda h, i, d: (h * D + d) * N + i),
    "features_first": lambda m: heads_in_pieces(m, lambda h, i, d: (d * H + h) * N + i),
    "all_axes_turned": lambda m: heads_in_pieces(m, lambda h, i, d: (d * N + i) * H + h),
    "column_by_column": lambda m: heads_in_pieces(m.T, lambda h, i, d: (d * N + i) * H + h),
    "of_the_first_head": lambda m: [heads_of(m)[0]] * H,
    "of_the_last_head": lambda m: [heads_of(m)[2]] * H,
    "averaged": lambda m: [sum(heads_of(m)) / H] * H,
    "summed": lambda m: [sum(heads_of(m))] * H,
    "of_the_next_head": lambda m: [heads_of(m)[h] for h in (1, 2, 0)],
    "of_the_head_before": lambda m: [heads_of(m)[h] for h in (2, 0, 1)],
    "in_reverse": lambda m: [heads_of(m)[h] for h in (2, 1, 0)],
    "shared_by_two": lambda m: [heads_of(m)[h] for h in (0, 0, 2)],
    "overlapping": lambda m: [m[:, 0:2], m[:, 1:3], m[:, 2:4]],
}


def all_scores(t):
    """Return the unscaled scores of all heads, as an array (head, query, key)."""
    return np.stack([q @ k.T for q, k in zip(heads_of(t.q), heads_of(t.k), strict=True)])


def scaled_scores_and_values(t):
    """Return the scaled scores and the values of each head, as pairs."""
    return zip(all_scores(t) / ROOT, heads_of(t.v), strict=True)


def output_with_softmax_over(axes):
    """Return a function from a trace to an output, in which the softmax runs along other axes.

    `axes` names axes of the array (head, query, key).
    """
    return lambda t: mix_heads(
        t, [w @ v for w, v in zip(softmax(all_scores(t) / ROOT, axis=axes), heads_of(t.v), strict=True)]
    )


def test_each_way_of_cutting():
    t, tried = correct_trace(), 0
    found = {mistake.name: mistake for mistake in wrong_heads()}
    for name, *_ in SPLITS:
        for letters in CUT_FROM:
            if f"{name}_{letters}" in OTHERWISE:
                continue
            q, k, v = ((SPLIT[name] if m in letters else heads_of)(getattr(t, m)) for m in "qkv")
            wrong = mix_heads(t, outputs_of_heads(q, k, v))
            np.testing.assert_allclose(
                output_of_mistake(found[f"{letters}_{name}"], t), wrong, atol=1e-9, err_msg=letters + name
            )
            tried += 1
    assert tried == len(SPLITS) * len(CUT_FROM) - len(OTHERWISE)


WEIGHTS = {
    "weights_averaged": lambda t: usual_output(t, weights=lambda w: [sum(w) / H] * H),
    "weights_summed": lambda t: usual_output(t, weights=lambda w: [sum(w)] * H),
    "weights_of_the_first": lambda t: usual_output(t, weights=lambda w: [w[0]] * H),
    "weights_of_the_last": lambda t: usual_output(t, weights=lambda w: [w[2]] * H),
    "weights_of_the_next": lambda t: usual_output(t, weights=lambda w: [w[1], w[2], w[0]]),
    "weights_in_reverse": lambda t: usual_output(t, weights=lambda w: w[::-1]),
    "softmax_over_everything": output_with_softmax_over((0, 1, 2)),
    "softmax_over_heads_and_queries": output_with_softmax_over((0, 1)),
    "sums_without_keepdims": lambda t: mix_heads(
        t, [np.exp(s) / [sum(row) for row in np.exp(s)] @ v for s, v in scaled_scores_and_values(t)]
    ),
    "sums_from_the_maximum_without_keepdims": lambda t: mix_heads(
        t,
        [
            np.exp([row - max(row) for row in s]) / [sum(np.exp(row - max(row))) for row in s] @ v
            for s, v in scaled_scores_and_values(t)
        ],
    ),
    "scores_averaged": lambda t: usual_output(t, scores=[sum(all_scores(t)) / H] * H),
    "scores_running": lambda t: usual_output(t, scores=[sum(all_scores(t)[: h + 1]) for h in range(H)]),
    "root_n_heads": lambda t: usual_output(t, scale=[3**0.5] * H),
    "by_n_heads": lambda t: usual_output(t, scale=[3] * H),
    "by_full_width": lambda t: usual_output(t, scale=[6] * H),
    "root_d_k_by_heads": lambda t: usual_output(t, scale=[(2 / 3) ** 0.5] * H),
    "whole_d_k_by_heads": lambda t: usual_output(t, scale=[1] * H),
    "root_d_k_and_heads": lambda t: usual_output(t, scale=[3 * 2**0.5] * H),
    "scaled_in_the_first": lambda t: usual_output(t, scale=[ROOT, 1, 1]),
    "scaled_in_the_last": lambda t: usual_output(t, scale=[1, 1, ROOT]),
    "not_scaled_in_the_first": lambda t: usual_output(t, scale=[1, ROOT, ROOT]),
    "not_scaled_in_the_last": lambda t: usual_output(t, scale=[ROOT, ROOT, 1]),
}
FREE = np.ones((N, N), dtype=bool)
MASKED = {
    "in_the_first": [CAUSAL, FREE, FREE],
    "in_the_last": [FREE, FREE, CAUSAL],
    "not_in_the_first": [FREE, CAUSAL, CAUSAL],
    "not_in_the_last": [CAUSAL, CAUSAL, FREE],
}


def test_weights_scores_and_scales():
    t, found = correct_trace(), {mistake.name: mistake for mistake in wrong_heads()}
    for name, wrong in WEIGHTS.items():
        np.testing.assert_allclose(output_of_mistake(found[f"heads_{name}"], t), wrong(t), atol=1e-9, err_msg=name)


@pytest.mark.parametrize("name", MASKED)
def test_a_mask_in_some_heads_only(name):
    (mistake,) = (mistake for mistake in wrong_heads() if mistake.name == f"mask_{name}_head")
    np.testing.assert_allclose(
        mistake.apply(correct_trace(CAUSAL)).output, usual_output(correct_trace(CAUSAL), seen=MASKED[name]), atol=1e-9
    )


def test_a_mask_used_along_the_axis_of_heads():
    """Check a mask that is used along the wrong axis: all queries of head h get row h of the mask.

    The code of this mistake runs only if there are as many heads as tokens.
    """
    t = correct_trace(np.tri(H, dtype=bool), n=H)
    (mistake,) = (mistake for mistake in wrong_heads() if mistake.name == "mask_along_the_heads_head")
    scores = [q @ k.T / ROOT for q, k in zip(heads_of(t.q), heads_of(t.k), strict=True)]
    weights = [softmax(np.where(np.tri(H)[h], s, -np.inf), axis=1) for h, s in enumerate(scores)]
    wrong = mix_heads(t, [w @ v for w, v in zip(weights, heads_of(t.v), strict=True)])
    np.testing.assert_allclose(mistake.apply(t).output, wrong, atol=1e-9)


def test_values_cut_and_merged_by_reshape():
    t = correct_trace()
    (mistake,) = (mistake for mistake in wrong_heads() if mistake.name == "reshaped_and_merged_for_values")
    heads = outputs_of_heads(heads_of(t.q), heads_of(t.k), SPLIT["by_reshape"](t.v))
    np.testing.assert_allclose(
        output_of_mistake(mistake, t), mix_heads(t, [np.ravel(heads).reshape(N, WIDTH)]), atol=1e-9
    )


def test_one_block_for_all_pieces_of_the_input():
    t = correct_trace()
    (mistake,) = (mistake for mistake in wrong_heads() if mistake.name == "input_cut_one_block_for_all")
    learned = [(getattr(t.projections, f"w_{m}")[:D, :D], getattr(t.projections, f"b_{m}")) for m in "qkv"]
    q, k, v = (np.hstack([piece @ w for piece in heads_of(t.x)]) + b for w, b in learned)
    np.testing.assert_allclose(
        output_of_mistake(mistake, t), mix_heads(t, outputs_of_heads(*map(heads_of, (q, k, v)))), atol=1e-9
    )


@pytest.mark.parametrize(
    ("name", "count"), [("number_and_width_swapped", 2), ("twice_as_many", 6), ("half_as_many", 1)]
)
def test_another_number_of_heads(name, count):
    t, found = correct_trace(), {mistake.name: mistake for mistake in wrong_heads()}
    parts = [np.hsplit(m, count) for m in (t.q, t.k, t.v)]
    for ending, width in {"": WIDTH // count, "_scaled_as_asked": D}.items():
        heads = [softmax(q @ k.T / np.sqrt(width), axis=1) @ v for q, k, v in zip(*parts, strict=True)]
        np.testing.assert_allclose(output_of_mistake(found[f"heads_{name}{ending}"], t), mix_heads(t, heads), atol=1e-9)


def test_every_mistake_has_an_expected_result():
    cut = {f"{letters}_{name}" for name, *_ in SPLITS for letters in CUT_FROM}
    masked = {f"mask_{name}_head" for name in (*MASKED, "along_the_heads")}
    counts = {f"heads_{name}{ending}" for name, *_ in COUNTS for ending in ("", "_scaled_as_asked")}
    by_themselves = counts | {"reshaped_and_merged_for_values", "input_cut_one_block_for_all"}
    assert {mistake.name for mistake in wrong_heads()} - cut - masked == {
        f"heads_{name}" for name in WEIGHTS
    } | by_themselves
