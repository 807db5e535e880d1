"""Test rare mistakes after the heads, in their concatenation and in W^O, computed number by number."""

import numpy as np

from attention_core import multi_head_attention
from attention_core.mistakes.rare.around_attention import wrong_around_attention
from attention_core.mistakes.rare.heads_merged import heads_wrongly_merged
from replaceable_steps import AROUND, normalise_rows
from three_heads import WIDTH, D, H, N, correct_outputs_of_heads, correct_trace, mix_heads, output_of_mistake


def output_with_changed_heads(change):
    """Return a function from a trace to its output, in which the outputs of all heads are changed by `change`."""
    return lambda t: mix_heads(t, change(correct_outputs_of_heads(t)))


MERGED = {
    "first_alone": output_with_changed_heads(lambda z: [z[0]] * H),
    "last_alone": output_with_changed_heads(lambda z: [z[2]] * H),
    "last_left_out": output_with_changed_heads(lambda z: [z[0], z[1], z[2] * 0]),
    "first_left_out": output_with_changed_heads(lambda z: [z[0] * 0, z[1], z[2]]),
    "all_but_the_last_left_out": output_with_changed_heads(lambda z: [z[0] * 0, z[1] * 0, z[2]]),
    "all_but_the_first_left_out": output_with_changed_heads(lambda z: [z[0], z[1] * 0, z[2] * 0]),
    "one_further": output_with_changed_heads(lambda z: [z[2], z[0], z[1]]),
    "one_back": output_with_changed_heads(lambda z: [z[1], z[2], z[0]]),
    "running": output_with_changed_heads(lambda z: [z[0], z[0] + z[1], z[0] + z[1] + z[2]]),
    "multiplied": output_with_changed_heads(lambda z: [z[0] * z[1] * z[2]] * H),
    "greatest": output_with_changed_heads(lambda z: [np.maximum(np.maximum(z[0], z[1]), z[2])] * H),
    "features_turned": output_with_changed_heads(lambda z: [np.ravel([m.T for m in z]).reshape(N, WIDTH)]),
    "features_and_heads_turned": output_with_changed_heads(
        lambda z: [np.array([z[h][i, d] for d in range(D) for h in range(H) for i in range(N)]).reshape(N, WIDTH)]
    ),
    "all_axes_turned": output_with_changed_heads(
        lambda z: [np.array([z[h][i, d] for d in range(D) for i in range(N) for h in range(H)]).reshape(N, WIDTH)]
    ),
    "stacked": output_with_changed_heads(lambda z: [np.vstack(z).ravel().reshape(WIDTH, N).T]),
    "multiplied_by_heads": output_with_changed_heads(lambda z: [3 * m for m in z]),
}


def block(t, h):
    """Return the rows of W^O that belong to head `h`."""
    return t.projections.w_o[h * D : (h + 1) * D]


def concat(t):
    """Return the concatenated heads of the trace `t`."""
    return np.hstack(correct_outputs_of_heads(t))


def output_with_changed_w_o(change):
    """Return a function from a trace to its output, in which the matrix W^O is changed by `change`."""
    return lambda t: concat(t) @ change(t.projections.w_o) + t.projections.b_o


def zero_between_heads(w):
    """Return the matrix `w` with 0 in every cell whose row and column belong to different heads."""
    return np.array([[c if i // D == j // D else 0 for j, c in enumerate(row)] for i, row in enumerate(w)])


PROJECTED = {
    "first_block": lambda t: sum(correct_outputs_of_heads(t)) @ block(t, 0) + t.projections.b_o,
    "last_block": lambda t: sum(correct_outputs_of_heads(t)) @ block(t, 2) + t.projections.b_o,
    "shares_averaged": output_with_changed_w_o(lambda w: w / 3),
    "bias_of_each_head": lambda t: t.output + 2 * t.projections.b_o,
    "own_columns": output_with_changed_w_o(zero_between_heads),
    "other_columns": output_with_changed_w_o(lambda w: w - zero_between_heads(w)),
    "reversed": output_with_changed_w_o(np.flipud),
    "mirrored": output_with_changed_w_o(np.fliplr),
    "twice": lambda t: t.output @ t.projections.w_o + t.projections.b_o,
    "elementwise": lambda t: np.multiply(concat(t), t.projections.w_o) + t.projections.b_o,
    "column_by_column": output_with_changed_w_o(lambda w: w.ravel(order="F").reshape(w.shape)),
    "taking_turns": output_with_changed_w_o(lambda w: np.array([w[(r % H) * D + r // H] for r in range(WIDTH)])),
    "cut": output_with_changed_w_o(lambda w: w.astype(int)),
    "absolute": output_with_changed_w_o(np.abs),
    "w_q": lambda t: concat(t) @ t.projections.w_q + t.projections.b_o,
    "w_k": lambda t: concat(t) @ t.projections.w_k + t.projections.b_o,
    "w_v": lambda t: concat(t) @ t.projections.w_v + t.projections.b_o,
    "w_q_turned": lambda t: np.einsum("nd,od->no", concat(t), t.projections.w_q) + t.projections.b_o,
    "w_k_turned": lambda t: np.einsum("nd,od->no", concat(t), t.projections.w_k) + t.projections.b_o,
    "w_v_turned": lambda t: np.einsum("nd,od->no", concat(t), t.projections.w_v) + t.projections.b_o,
    "before": lambda t: t.projections.w_o @ concat(t) + t.projections.b_o,
    "of_the_input": lambda t: t.x @ t.projections.w_o + t.projections.b_o,
    "bias_subtracted": lambda t: t.output - 2 * t.projections.b_o,
    "last_row_left_out": lambda t: t.output - np.outer(concat(t)[:, -1], t.projections.w_o[-1]),
    "first_row_left_out": lambda t: t.output - np.outer(concat(t)[:, 0], t.projections.w_o[0]),
    "without_bias": lambda t: t.output - t.projections.b_o,
}


def test_each_does_what_it_says():
    t, found = correct_trace(), {mistake.name: mistake for mistake in heads_wrongly_merged()}
    expected = {f"merged_{name}": wrong for name, wrong in MERGED.items()}
    expected |= {f"w_o_{name}": wrong for name, wrong in PROJECTED.items()}
    assert found.keys() == expected.keys()
    for name, wrong in expected.items():
        np.testing.assert_allclose(output_of_mistake(found[name], t), wrong(t), atol=1e-9, err_msg=name)


def test_what_belongs_around_all_heads():
    t, found = correct_trace(), {mistake.name: mistake for mistake in wrong_around_attention()}
    for name, wrong in AROUND.items():
        np.testing.assert_allclose(
            found[f"{name}_of_heads"].apply(t).output, wrong(t.x, t.output), atol=1e-9, err_msg=name
        )
    block = found["pre_norm_block_of_heads"].apply(t).output
    normal = multi_head_attention(normalise_rows(t.x), t.projections, H)
    np.testing.assert_allclose(block, t.x + normal.output, atol=1e-9)
    both = t.output + concat(t)
    np.testing.assert_allclose(found["heads_added_to_the_output"].apply(t).output, both, atol=1e-9)
    added = t.output + t.x @ t.projections.w_o
    np.testing.assert_allclose(found["input_added_to_the_heads"].apply(t).output, added, atol=1e-9)
