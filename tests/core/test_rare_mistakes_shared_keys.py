"""Heads that share keys in a wrong way: computed head by head once more, and named from their own numbers."""

import numpy as np
import pytest
from scipy.special import softmax

from attention_core.diagnosis.pasted import ALL_HEADS, Setting, check, example_of_weights, problem_of
from attention_core.diagnosis.stages import matrix_at
from attention_core.mistakes.rare.shared_keys import wrong_shared_keys
from attention_core.reading.matrix_text import read_matrix, write_matrix
from strategies import drawn

N, H, KV, D = 5, 4, 2, 3
GROUP = H // KV
EXAMPLE = example_of_weights(
    drawn(N, 6, seed=400).round(2),
    *(drawn(6, width, seed=401 + i).round(2) / 2 for i, width in enumerate((12, 6, 6))),
    n_heads=H,
    n_kv_heads=KV,
)
SETTING = Setting(n_kv_heads=KV)


def attended(q, k, v):
    return softmax(q @ k.T / np.sqrt(D), axis=1) @ v


def heads_of(problem):
    """The queries, keys and values of each head."""
    return [np.hsplit(matrix_at(problem.trace, name), n) for name, n in (("q", H), ("k", KV), ("v", KV))]


def each(q_of, k_of, v_of):
    """The outputs of the heads side by side; each function gives a head's matrix from all heads of this kind."""
    return lambda q, k, v: np.hstack([attended(q_of(q, h), k_of(k, h), v_of(v, h)) for h in range(H)])


def own(q, h):
    return q[h]


def shared(k, h):
    return k[h // GROUP]


def in_turn(k, h):
    return k[h % KV]


def of_columns(k, h):
    """Each column of all heads side by side, written as often as a head is shared, and cut into as many heads."""
    return np.array([[row[c // GROUP] for c in range(h * D, (h + 1) * D)] for row in np.hstack(k)])


def mean(k, h):
    return sum(k) / KV


def summed(q, h):
    first = h // GROUP * GROUP
    return sum(q[first : first + GROUP])


WRONG = {
    "tiled_kv": each(own, in_turn, in_turn),
    "tiled_k": each(own, in_turn, shared),
    "tiled_v": each(own, shared, in_turn),
    "columns_repeated": each(own, of_columns, of_columns),
    "keys_averaged": each(own, mean, mean),
    "first_for_all": each(own, lambda k, h: k[0], lambda v, h: v[0]),
    "queries_summed": each(summed, shared, shared),
    "queries_averaged": each(lambda q, h: summed(q, h) / GROUP, shared, shared),
    "queries_summed_to_fewer_heads": lambda q, k, v: np.hstack(
        [attended(summed(q, g * GROUP), k[g], v[g]) for g in range(KV)]
    ),
}


def named_in(problem, matrix):
    found = check(problem, read_matrix(write_matrix(matrix, 5)), {})
    assert not found.answer_is_right
    return {mistake.name for finding in found.findings for mistake in finding.mistakes}


@pytest.mark.parametrize("name", WRONG)
def test_each_is_named_from_its_numbers(name):
    problem = problem_of(EXAMPLE, ALL_HEADS, SETTING)
    wrong = WRONG[name](*heads_of(problem))
    assert named_in(problem, wrong) == {f"shared_{name}"}


def test_each_is_named_beside_a_mask_and_a_rotation():
    """What is tiled are the heads before their rotation, which rotates every head alike."""
    for positions in ("rotary_halves", "alibi"):
        example = example_of_weights(
            EXAMPLE.x, drawn(6, 8, seed=410), drawn(6, 4, seed=411), drawn(6, 6, seed=412), n_heads=4, n_kv_heads=2
        )
        setting = Setting(mask="causal", positions=positions, n_kv_heads=2)
        right = problem_of(example, ALL_HEADS, setting)
        tiled = [np.hstack([m, m]) for m in (example.w_k, example.w_v)]  # as many heads, in turn
        wrong = problem_of(
            example_of_weights(example.x, example.w_q, *tiled, n_heads=4),
            ALL_HEADS,
            Setting(mask="causal", positions=positions),
        )
        assert named_in(right, wrong.right) == {"shared_tiled_kv"}


def test_other_mistakes_are_named_where_heads_share_keys():
    problem = problem_of(EXAMPLE, ALL_HEADS, SETTING)
    q, k, v = heads_of(problem)
    unscaled = [softmax(q[h] @ k[h // GROUP].T, axis=1) @ v[h // GROUP] for h in range(H)]
    assert "not_scaled" in named_in(problem, np.hstack(unscaled))
    reversed_queries = [attended(q[H - 1 - h], k[h // GROUP], v[h // GROUP]) for h in range(H)]
    assert "q_in_reverse" in named_in(problem, np.hstack(reversed_queries))


def test_none_is_forgotten():
    assert {mistake.name for mistake in wrong_shared_keys()} == {f"shared_{name}" for name in WRONG}
