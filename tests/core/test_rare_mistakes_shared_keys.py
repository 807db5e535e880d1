"""Test heads that share keys in a wrong way (grouped queries).

Each mistake is computed head by head, and the diagnosis must name it from its numbers.
"""

import numpy as np
import pytest
from scipy.special import softmax

from attention_core.diagnosis.pasted import ALL_HEADS, Setting, diagnose_pasted, example_of_weights, problem_of
from attention_core.diagnosis.stages import matrix_at
from attention_core.mistakes.rare.shared_keys import wrong_shared_keys
from attention_core.reading.matrix_text import read_matrix, write_matrix
from strategies import random_numbers

N, H, KV, D = 5, 4, 2, 3
GROUP = H // KV
EXAMPLE = example_of_weights(
    random_numbers(N, 6, seed=400).round(2),
    *(random_numbers(6, width, seed=401 + i).round(2) / 2 for i, width in enumerate((12, 6, 6))),
    n_heads=H,
    n_kv_heads=KV,
)
SETTING = Setting(n_kv_heads=KV)


def attention_of(q, k, v):
    """Return attention without a mask, softmax(q kᵀ / √d_k) v."""
    return softmax(q @ k.T / np.sqrt(D), axis=1) @ v


def heads_of(problem):
    """Return three lists for `problem`: the queries, the keys and the values of each head."""
    return [np.hsplit(matrix_at(problem.trace, name), n) for name, n in (("q", H), ("k", KV), ("v", KV))]


def output_of_heads(q_of, k_of, v_of):
    """Return a function of queries, keys and values that gives the outputs of all heads side by side.

    `q_of`, `k_of` and `v_of` choose the queries, keys and values of a head: each takes the matrices of all heads and
    the number of a head.
    """
    return lambda q, k, v: np.hstack([attention_of(q_of(q, h), k_of(k, h), v_of(v, h)) for h in range(H)])


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
    return k[h % KV]


def head_of_repeated_columns(k, h):
    """Return the keys that head `h` uses, if each single column of keys is repeated, which is wrong.

    Correct is to repeat the whole matrix of keys of a head. `k` holds the matrices of keys.
    """
    return np.array([[row[c // GROUP] for c in range(h * D, (h + 1) * D)] for row in np.hstack(k)])


def mean_head(k, h):
    """Return the mean of all matrices of keys in `k`. Every head `h` uses this mean, which is wrong."""
    return sum(k) / KV


def sum_of_group(q, h):
    """Return the sum of the queries of all heads that share keys with head `h`, which is wrong.

    `q` holds the queries of all heads.
    """
    first = h // GROUP * GROUP
    return sum(q[first : first + GROUP])


WRONG = {
    "tiled_kv": output_of_heads(own_head, head_in_turn, head_in_turn),
    "tiled_k": output_of_heads(own_head, head_in_turn, head_of_group),
    "tiled_v": output_of_heads(own_head, head_of_group, head_in_turn),
    "columns_repeated": output_of_heads(own_head, head_of_repeated_columns, head_of_repeated_columns),
    "keys_averaged": output_of_heads(own_head, mean_head, mean_head),
    "first_for_all": output_of_heads(own_head, lambda k, h: k[0], lambda v, h: v[0]),
    "queries_summed": output_of_heads(sum_of_group, head_of_group, head_of_group),
    "queries_averaged": output_of_heads(lambda q, h: sum_of_group(q, h) / GROUP, head_of_group, head_of_group),
    "queries_summed_to_fewer_heads": lambda q, k, v: np.hstack(
        [attention_of(sum_of_group(q, g * GROUP), k[g], v[g]) for g in range(KV)]
    ),
}


def named_in(problem, matrix):
    """Return the names of the mistakes that the diagnosis finds in `matrix`, a wrong answer to `problem`."""
    found = diagnose_pasted(problem, read_matrix(write_matrix(matrix, 5)), {})
    assert not found.answer_is_correct
    return {mistake.name for finding in found.findings for mistake in finding.mistakes}


@pytest.mark.many
@pytest.mark.parametrize("name", WRONG)
def test_each_is_named_from_its_numbers(name):
    problem = problem_of(EXAMPLE, ALL_HEADS, SETTING)
    wrong = WRONG[name](*heads_of(problem))
    assert named_in(problem, wrong) == {f"shared_{name}"}


def test_keys_shared_in_turn_are_named_with_a_mask_and_positions():
    """Check that the diagnosis names keys that are shared in turn, if there is a causal mask, and RoPE or ALiBi."""
    for positions in ("rotary_halves", "alibi"):
        example = example_of_weights(
            EXAMPLE.x,
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
    problem = problem_of(EXAMPLE, ALL_HEADS, SETTING)
    q, k, v = heads_of(problem)
    unscaled = [softmax(q[h] @ k[h // GROUP].T, axis=1) @ v[h // GROUP] for h in range(H)]
    assert "not_scaled" in named_in(problem, np.hstack(unscaled))
    reversed_queries = [attention_of(q[H - 1 - h], k[h // GROUP], v[h // GROUP]) for h in range(H)]
    assert "q_in_reverse" in named_in(problem, np.hstack(reversed_queries))


def test_none_is_forgotten():
    assert {mistake.name for mistake in wrong_shared_keys()} == {f"shared_{name}" for name in WRONG}
