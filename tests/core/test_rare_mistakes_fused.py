"""Test a fused projection, one matrix of Q, K and V, that is cut in the wrong order.

Each mistake is computed column by column, and the diagnosis must name it from its numbers.
"""

import numpy as np
import pytest
from scipy.special import softmax

from attention_core.diagnosis.pasted import ALL_HEADS, Setting, diagnose_pasted, example_of_weights, problem_of
from attention_core.mistakes.rare.fused import wrong_fused_projections
from attention_core.reading.matrix_text import read_matrix, write_matrix
from strategies import random_numbers

N, H, D = 4, 2, 3
EXAMPLE = example_of_weights(
    random_numbers(N, 6, seed=500).round(2),
    *(random_numbers(6, H * D, seed=501 + i).round(2) / 2 for i in range(3)),
    n_heads=H,
)


def fused_in_blocks(t):
    """Put Q, K and V of the trace `t` side by side into one matrix, and return it."""
    return np.hstack([t.q, t.k, t.v])


def fused_by_heads(t):
    """Put Q, K and V of the first head side by side, then those of the next head, and so on. Return the matrix."""
    return np.hstack([m[:, h * D : (h + 1) * D] for h in range(H) for m in (t.q, t.k, t.v)])


# A function of m, h and c: which column of the fused matrix becomes column c of head h, in the queries (m = 0), keys (m
# = 1) or values (m = 2).
WRONG = {
    "fused_cut_by_heads": (fused_in_blocks, lambda m, h, c: h * 3 * D + m * D + c),
    "fused_cut_in_three": (fused_by_heads, lambda m, h, c: m * H * D + h * D + c),
}


def wrong_output(t, name):
    """Return the outputs of the heads side by side, for the mistake `name`.

    The mistake puts Q, K and V into one matrix, and takes the columns of the heads from wrong places of this matrix.
    """
    fused, place = WRONG[name]
    outputs = []
    for h in range(H):
        q, k, v = (np.column_stack([fused(t)[:, place(m, h, c)] for c in range(D)]) for m in range(3))
        outputs.append(softmax(q @ k.T / np.sqrt(D), axis=1) @ v)
    return np.hstack(outputs)


@pytest.mark.parametrize("name", WRONG)
def test_each_is_named_from_its_numbers(name):
    problem = problem_of(EXAMPLE, ALL_HEADS)
    found = diagnose_pasted(problem, read_matrix(write_matrix(wrong_output(problem.trace, name), 5)), {})
    assert [{mistake.name for mistake in each.mistakes} for each in found.findings] == [{name}]


def test_mistakes_need_q_k_and_v_of_the_same_width():
    wider = example_of_weights(EXAMPLE.x, EXAMPLE.w_q, EXAMPLE.w_k, random_numbers(6, 4 * H, seed=510), n_heads=H)
    shared = example_of_weights(
        EXAMPLE.x, EXAMPLE.w_q, *(random_numbers(6, D, seed=s) for s in (511, 512)), n_heads=H, n_kv_heads=1
    )
    for trace in (problem_of(wider, ALL_HEADS).trace, problem_of(shared, ALL_HEADS, Setting(n_kv_heads=1)).trace):
        assert not any(mistake.shows(trace) for mistake in wrong_fused_projections())


def test_every_mistake_has_an_expected_result():
    assert {mistake.name for mistake in wrong_fused_projections()} == WRONG.keys()
