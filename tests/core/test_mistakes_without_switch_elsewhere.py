"""Mistakes of heads and of positions that only the diagnosis names: each once more from its description."""

import numpy as np
import pytest
from scipy.special import softmax

from attention_core import multi_head_attention
from attention_core.mistakes import ONE_HEAD_MISTAKES, WITHOUT_SWITCH
from attention_core.mistakes.engine.mistake import lines_with
from attention_core.mistakes.engine.named_traces import names_of
from attention_core.mistakes.engine.pipelines import HEADS
from attention_core.mistakes.engine.running import run
from attention_core.position_trace import encode, sinusoidal_steps
from house_rules import oracle_of
from random_traces import weights_of
from strategies import drawn

OF_HEADS = [mistake for mistake in WITHOUT_SWITCH if mistake.concept == "multi_head"]
WAVES = [mistake for mistake in WITHOUT_SWITCH if mistake.concept == "positional_encoding"]
N, H, D = 6, 3, 2
ROOT = np.sqrt(D)
X = drawn(N, N, seed=20)


def right():
    return multi_head_attention(X, weights_of(H, d_v=D), H)


def heads_of(m):
    """The columns of each head, one after the other."""
    return [m[:, h * D : (h + 1) * D] for h in range(H)]


def taking_turns(m):
    return [m[:, h::H] for h in range(H)]


def pieces(m):
    """What a reshape without a transpose hands to each head."""
    flat = m.ravel()
    return [flat[h * N * D : (h + 1) * N * D].reshape(N, D) for h in range(H)]


def attended(q, k, v, root=ROOT):
    return softmax(q @ k.T / root, axis=1) @ v


def each(t, split, root=ROOT):
    return [attended(*parts, root) for parts in zip(split(t.q), split(t.k), split(t.v), strict=True)]


def mixed(t, concat):
    return concat @ t.projections.w_o + t.projections.b_o


def side_by_side(heads):
    return np.concatenate(heads, axis=1)


def shared_out(t, axis):
    """The softmax of the scores of all heads, along axes of (head, query, key)."""
    scores = np.stack([q @ k.T / np.sqrt(D) for q, k in zip(heads_of(t.q), heads_of(t.k), strict=True)])
    return mixed(t, side_by_side([w @ v for w, v in zip(softmax(scores, axis=axis), heads_of(t.v), strict=True)]))


def across(t):
    """For each token by itself, its heads attend to each other."""
    rows = [attended(*(m[i].reshape(H, D) for m in (t.q, t.k, t.v))).ravel() for i in range(N)]
    return mixed(t, np.stack(rows))


def cut_tokens(t):
    """Each head has two of the six tokens, with all their features."""
    parts = [slice(first, first + N // H) for first in range(0, N, N // H)]
    rows = [attended(t.q[part], t.k[part], t.v[part], np.sqrt(H * D)) for part in parts]
    return mixed(t, np.concatenate(rows))


def chained(t):
    """Each head mixes the output of the head before it, and the first one mixes its values."""
    made, values = [], t.v[:, :D]
    for q, k in zip(heads_of(t.q), heads_of(t.k), strict=True):
        values = attended(q, k, values)
        made.append(values)
    return made


EXPECTED = {
    "tokens_cut_into_heads": cut_tokens,
    "merged_without_transposing": lambda t: mixed(t, np.stack(each(t, heads_of)).ravel().reshape(N, H * D)),
    "split_without_transposing": lambda t: mixed(t, side_by_side(each(t, pieces))),
    "softmax_over_heads": lambda t: shared_out(t, 0),
    "softmax_over_heads_and_keys": lambda t: shared_out(t, (0, 2)),
    "attention_across_heads": across,
    "heads_summed": lambda t: sum(each(t, heads_of)),
    "heads_averaged_without_w_o": lambda t: sum(each(t, heads_of)) / H,
    "heads_summed_and_repeated": lambda t: mixed(t, side_by_side([sum(each(t, heads_of))] * H)),
    "merged_interleaved": lambda t: mixed(t, np.stack(each(t, heads_of), axis=-1).reshape(N, -1)),
    "split_interleaved": lambda t: mixed(t, side_by_side(each(t, taking_turns))),
    "split_and_merged_interleaved": lambda t: mixed(t, np.stack(each(t, taking_turns), axis=-1).reshape(N, -1)),
    "not_split": lambda t: mixed(t, attended(t.q, t.k, t.v, np.sqrt(H * D))),
    "not_split_but_scaled_by_a_head": lambda t: mixed(t, attended(t.q, t.k, t.v)),
    "one_head_without_w_o": lambda t: attended(t.q, t.k, t.v, np.sqrt(H * D)),
    "input_added_to_all_heads": lambda t: t.output + X,
    "heads_chained": lambda t: mixed(t, side_by_side(chained(t))),
    "heads_in_reverse": lambda t: mixed(t, side_by_side(each(t, heads_of)[::-1])),
}


@pytest.mark.parametrize("mistake", OF_HEADS, ids=lambda mistake: mistake.name)
def test_each_mistake_of_heads_does_what_it_says(mistake):
    trace = right()
    assert mistake.shows(trace)
    found = made(mistake, trace)
    np.testing.assert_allclose(found, oracle_of(mistake.name, EXPECTED, __file__)(trace), atol=1e-12)
    assert found.shape != trace.output.shape or np.abs(found - trace.output).max() > 1e-3
    assert not mistake.shows(multi_head_attention(X, weights_of(1, d_v=D), 1))


def made(mistake, trace):
    """The output of a mistake, whatever its shape."""
    return run(lines_with(HEADS, mistake), names_of(trace))["output"]


def one_head_each(t, wrong):
    """What goes wrong in one head, in every head of several."""
    return mixed(t, side_by_side([wrong(*parts) for parts in zip(*map(heads_of, (t.q, t.k, t.v)), strict=True)]))


IN_EVERY_HEAD = {
    "not_scaled": lambda t: one_head_each(t, lambda q, k, v: attended(q, k, v, 1)),
    "divided_by_root_n": lambda t: one_head_each(t, lambda q, k, v: attended(q, k, v, np.sqrt(N))),
    "keys_times_queries": lambda t: one_head_each(t, lambda q, k, v: attended(k, q, v)),
    "softmax_over_columns": lambda t: one_head_each(t, lambda q, k, v: softmax(q @ k.T / np.sqrt(D), axis=0) @ v),
    "softmax_over_whole_matrix": lambda t: one_head_each(t, lambda q, k, v: softmax(q @ k.T / np.sqrt(D)) @ v),
    "scores_as_weights": lambda t: one_head_each(t, lambda q, k, v: q @ k.T @ v),
    "keys_as_values": lambda t: one_head_each(t, lambda q, k, v: attended(q, k, k)),
    "scaled_after_softmax": lambda t: one_head_each(t, lambda q, k, v: attended(q, k, v, 1) / np.sqrt(D)),
    "biases_forgotten": lambda t: without_biases(t),
}


def without_biases(t):
    q, k, v = (X @ getattr(t.projections, name) for name in ("w_q", "w_k", "w_v"))
    return mixed(t, side_by_side([attended(*parts) for parts in zip(*map(heads_of, (q, k, v)), strict=True)]))


@pytest.mark.parametrize("name", IN_EVERY_HEAD)
def test_what_goes_wrong_in_one_head_goes_wrong_in_every_head(name):
    (mistake,) = (mistake for mistake in ONE_HEAD_MISTAKES if mistake.name == name)
    np.testing.assert_allclose(mistake.apply(right()).output, IN_EVERY_HEAD[name](right()), atol=1e-12)


P, W = np.arange(5.0)[:, None], 6
EXPONENTS = np.array([0, 0, 2, 2, 4, 4]) / W
SINES = np.array([True, False] * 3)
E = drawn(5, W, seed=30)


def waves(angles, first=np.sin, second=np.cos):
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


def test_none_is_forgotten():
    assert {mistake.name for mistake in OF_HEADS} == EXPECTED.keys()
    assert {mistake.name for mistake in WAVES} == ENCODED.keys() | POSITIONED.keys()
