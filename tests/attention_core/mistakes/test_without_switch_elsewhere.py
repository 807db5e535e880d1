"""Test the mistakes of heads and of positions that only the diagnosis names.

Each is computed once more from its description.
"""

import numpy as np
import pytest
from scipy.special import softmax

from attention_core import multi_head_attention
from attention_core.diagnosis.diagnose import diagnose
from attention_core.diagnosis.pasted import ALL_HEADS, example_of_weights, problem_of
from attention_core.mistakes import ONE_HEAD_MISTAKES, WITHOUT_SWITCH
from attention_core.mistakes.engine.code_lines import run
from attention_core.mistakes.engine.mistake import lines_with
from attention_core.mistakes.engine.named_traces import names_of
from attention_core.mistakes.engine.pipelines import HEADS
from attention_core.rotation import encode, sinusoidal_steps
from house_rules import oracle_of
from strategies import random_numbers, random_weights

OF_HEADS = [mistake for mistake in WITHOUT_SWITCH if mistake.concept == "multi_head"]
WAVES = [mistake for mistake in WITHOUT_SWITCH if mistake.concept == "positional_encoding"]
N, H, D = 6, 3, 2
ROOT = np.sqrt(D)
X = random_numbers(N, N, seed=20)


def correct_trace():
    """Return a correct trace (all matrices of the computation) of multi-head attention."""
    return multi_head_attention(X, random_weights(H, d_v=D), H)


def heads_of(m):
    """Return the columns of each head as a list of matrices."""
    return [m[:, h * D : (h + 1) * D] for h in range(H)]


def columns_in_turn(m):
    """Split the matrix `m` into heads wrongly: head h gets columns h, h + H, h + 2H, …. Return a list of matrices."""
    return [m[:, h::H] for h in range(H)]


def reshaped_pieces(m):
    """Split the matrix into heads wrongly, by a reshape without a transpose. Return a list of matrices."""
    flat = m.ravel()
    return [flat[h * N * D : (h + 1) * N * D].reshape(N, D) for h in range(H)]


def attention_of(q, k, v, root=ROOT):
    return softmax(q @ k.T / root, axis=1) @ v


def outputs_of_heads(t, split, root=ROOT):
    """Return the output of attention in each head, as a list."""
    return [attention_of(*parts, root) for parts in zip(split(t.q), split(t.k), split(t.v), strict=True)]


def project_concat(t, concat):
    """Return the output of the trace `t`, computed from `concat`: the concatenated heads times W^O, plus the bias."""
    return concat @ t.projections.w_o + t.projections.b_o


def side_by_side(heads):
    """Return the heads side by side as one matrix."""
    return np.concatenate(heads, axis=1)


def output_with_softmax_along(t, axis):
    """Return the output of multi-head attention, with the softmax along `axis` of the array (head, query, key)."""
    scores = np.stack([q @ k.T / np.sqrt(D) for q, k in zip(heads_of(t.q), heads_of(t.k), strict=True)])
    return project_concat(
        t, side_by_side([w @ v for w, v in zip(softmax(scores, axis=axis), heads_of(t.v), strict=True)])
    )


def output_across_heads(t):
    """Return the wrong output in which the heads of each token attend to each other, instead of the tokens."""
    rows = [attention_of(*(m[i].reshape(H, D) for m in (t.q, t.k, t.v))).ravel() for i in range(N)]
    return project_concat(t, np.stack(rows))


def output_of_cut_tokens(t):
    """Return the wrong output in which each head gets two of the six tokens, with all columns of these tokens."""
    parts = [slice(first, first + N // H) for first in range(0, N, N // H)]
    rows = [attention_of(t.q[part], t.k[part], t.v[part], np.sqrt(H * D)) for part in parts]
    return project_concat(t, np.concatenate(rows))


def chained_heads(t):
    """Return the wrong outputs of all heads if each head takes its values from the output of the previous head."""
    made, values = [], t.v[:, :D]
    for q, k in zip(heads_of(t.q), heads_of(t.k), strict=True):
        values = attention_of(q, k, values)
        made.append(values)
    return made


EXPECTED = {
    "tokens_cut_into_heads": output_of_cut_tokens,
    "merged_without_transposing": lambda t: project_concat(
        t, np.stack(outputs_of_heads(t, heads_of)).ravel().reshape(N, H * D)
    ),
    "split_without_transposing": lambda t: project_concat(t, side_by_side(outputs_of_heads(t, reshaped_pieces))),
    "softmax_over_heads": lambda t: output_with_softmax_along(t, 0),
    "softmax_over_heads_and_keys": lambda t: output_with_softmax_along(t, (0, 2)),
    "attention_across_heads": output_across_heads,
    "heads_summed": lambda t: sum(outputs_of_heads(t, heads_of)),
    "heads_averaged_without_w_o": lambda t: sum(outputs_of_heads(t, heads_of)) / H,
    "heads_summed_and_repeated": lambda t: project_concat(t, side_by_side([sum(outputs_of_heads(t, heads_of))] * H)),
    "merged_interleaved": lambda t: project_concat(t, np.stack(outputs_of_heads(t, heads_of), axis=-1).reshape(N, -1)),
    "split_interleaved": lambda t: project_concat(t, side_by_side(outputs_of_heads(t, columns_in_turn))),
    "split_and_merged_interleaved": lambda t: project_concat(
        t, np.stack(outputs_of_heads(t, columns_in_turn), axis=-1).reshape(N, -1)
    ),
    "not_split": lambda t: project_concat(t, attention_of(t.q, t.k, t.v, np.sqrt(H * D))),
    "not_split_but_scaled_by_a_head": lambda t: project_concat(t, attention_of(t.q, t.k, t.v)),
    "one_head_without_w_o": lambda t: attention_of(t.q, t.k, t.v, np.sqrt(H * D)),
    "input_added_to_all_heads": lambda t: t.output + X,
    "heads_chained": lambda t: project_concat(t, side_by_side(chained_heads(t))),
    "heads_in_reverse": lambda t: project_concat(t, side_by_side(outputs_of_heads(t, heads_of)[::-1])),
}


@pytest.mark.parametrize("mistake", OF_HEADS, ids=lambda mistake: mistake.name)
def test_each_mistake_of_heads_does_what_it_says(mistake):
    trace = correct_trace()
    assert mistake.shows(trace)
    found = output_of(mistake, trace)
    np.testing.assert_allclose(found, oracle_of(mistake.name, EXPECTED, __file__)(trace), atol=1e-12)
    assert found.shape != trace.output.shape or np.abs(found - trace.output).max() > 1e-3
    shows_in_one_head = mistake.shows(multi_head_attention(X, random_weights(1, d_v=D), 1))
    assert shows_in_one_head == (mistake.name == "input_added_to_all_heads")


def output_of(mistake, trace):
    """Return the output of a mistake for a trace. This output may have another shape than the correct output."""
    return run(lines_with(HEADS, mistake), names_of(trace))["output"]


def output_wrong_in_each_head(t, wrong):
    """Return the output of multi-head attention, with `wrong(q, k, v)` in place of attention in every head."""
    return project_concat(
        t, side_by_side([wrong(*parts) for parts in zip(*map(heads_of, (t.q, t.k, t.v)), strict=True)])
    )


IN_EVERY_HEAD = {
    "not_scaled": lambda t: output_wrong_in_each_head(t, lambda q, k, v: attention_of(q, k, v, 1)),
    "divided_by_root_n": lambda t: output_wrong_in_each_head(t, lambda q, k, v: attention_of(q, k, v, np.sqrt(N))),
    "keys_times_queries": lambda t: output_wrong_in_each_head(t, lambda q, k, v: attention_of(k, q, v)),
    "softmax_over_columns": lambda t: output_wrong_in_each_head(
        t, lambda q, k, v: softmax(q @ k.T / np.sqrt(D), axis=0) @ v
    ),
    "softmax_over_whole_matrix": lambda t: output_wrong_in_each_head(
        t, lambda q, k, v: softmax(q @ k.T / np.sqrt(D)) @ v
    ),
    "scores_as_weights": lambda t: output_wrong_in_each_head(t, lambda q, k, v: q @ k.T @ v),
    "keys_as_values": lambda t: output_wrong_in_each_head(t, lambda q, k, v: attention_of(q, k, k)),
    "scaled_after_softmax": lambda t: output_wrong_in_each_head(
        t, lambda q, k, v: attention_of(q, k, v, 1) / np.sqrt(D)
    ),
    "biases_forgotten": lambda t: output_without_biases(t),
}


def output_without_biases(t):
    """Return the output without the biases of queries, keys and values."""
    q, k, v = (X @ getattr(t.projections, name) for name in ("w_q", "w_k", "w_v"))
    return project_concat(
        t, side_by_side([attention_of(*parts) for parts in zip(*map(heads_of, (q, k, v)), strict=True)])
    )


@pytest.mark.parametrize("name", IN_EVERY_HEAD)
def test_what_goes_wrong_in_one_head_goes_wrong_in_every_head(name):
    (mistake,) = (mistake for mistake in ONE_HEAD_MISTAKES if mistake.name == name)
    np.testing.assert_allclose(mistake.apply(correct_trace()).output, IN_EVERY_HEAD[name](correct_trace()), atol=1e-12)


P, W = np.arange(5.0)[:, None], 6
EXPONENTS = np.array([0, 0, 2, 2, 4, 4]) / W
SINES = np.array([True, False] * 3)
E = random_numbers(5, W, seed=30)


def waves(angles, first=np.sin, second=np.cos):
    """Return an encoding from a matrix of angles."""
    return np.where(SINES, first(angles), second(angles))


def angle(exponents=EXPONENTS, positions=P):
    return positions / 10000**exponents


PE = waves(angle())
ENCODED = {
    "exponent_halved": waves(angle(EXPONENTS / 2)),
    "exponent_cut_to_whole_numbers": waves(np.tile(P, W)),
    "positions_from_one": waves(angle(positions=P + 1)),
    "logarithm_to_base_ten": waves(P * np.exp(-EXPONENTS * 4)),
    "exponent_positive": waves(P * 10000**EXPONENTS),
    "whole_turns_for_radians": waves(2 * np.pi * angle()),
    "sine_and_cosine_swapped": waves(angle(), np.cos, np.sin),
    "sines_alone": np.sin(angle()),
}
POSITIONED = {
    "positions_multiplied": E * np.sqrt(W) * PE,
    "positions_multiplied_unscaled": E * PE,
    "root_after_the_sum": (E + PE) * np.sqrt(W),
    "embedding_divided": E / np.sqrt(W) + PE,
    "positions_appended": np.hstack([E * np.sqrt(W), PE]),
}


@pytest.mark.parametrize("mistake", WAVES, ids=lambda mistake: mistake.name)
def test_each_mistake_of_positions_does_what_it_says(mistake):
    wrong = mistake.apply(encode(E, range(5)))
    if mistake.name in ENCODED:
        np.testing.assert_allclose(wrong.encoding, ENCODED[mistake.name], atol=1e-12)
        np.testing.assert_allclose(mistake.apply(sinusoidal_steps(5, W)).encoding, ENCODED[mistake.name], atol=1e-12)
    else:
        np.testing.assert_allclose(wrong.positioned, POSITIONED[mistake.name], atol=1e-12)
        with pytest.raises(ValueError, match="must have a place in the steps; got"):
            mistake.apply(sinusoidal_steps(5, W))


def test_every_mistake_has_an_expected_result():
    assert {mistake.name for mistake in OF_HEADS} == EXPECTED.keys()
    assert {mistake.name for mistake in WAVES} == ENCODED.keys() | POSITIONED.keys()


def test_the_input_can_be_added_after_w_o_with_one_head_as_well():
    x, *w = (random_numbers(4, 4, seed=seed) for seed in range(400, 405))
    problem = problem_of(example_of_weights(x, *w[:3], w_o=w[3]), ALL_HEADS)
    found = diagnose(np.round(problem.correct_result + x, 4), problem.trace, decimals=4)
    assert "input_added_to_all_heads" in [mistake.name for each in found.findings for mistake in each.mistakes]
