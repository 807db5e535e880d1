"""Test the cost of a diagnosis: it is small even for wide matrices, or the diagnosis says what it left out."""

import numpy as np
import pytest

from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.explaining import skipped_searches
from attention_core.diagnosis.pasted import diagnose_pasted, example_of_weights, problem_of
from attention_core.examples import example
from attention_core.reading.matrix_text import MatrixText
from measuring import forward_passes
from strategies import random_numbers

MOST_PASSES = 32_000  # forward passes over 8 tokens: 1 second if a pass takes 31 µs


def random_example(n, width, d_k, n_heads):
    """Return an example with `n` random tokens of `width` numbers, for `n_heads` heads."""
    x, (w_q, w_k, w_v) = random_numbers(n, width), (random_numbers(width, d_k, seed=seed) / 8 for seed in range(3))
    return example_of_weights(x, w_q, w_k, w_v, n_heads=n_heads)


COSTLY = [  # with a wrong row, single changed numbers are searched; with a wrong shape, all else
    (example("heads_512"), "weights", False),
    (example("heads_512"), "mixed", False),
    (random_example(16, 64, 64, 8), "weights", True),
    (random_example(3, 64, 64, 8), "mixed", True),
    (random_example(24, 4, 4, 1), "mixed", True),
]


@pytest.mark.long
@pytest.mark.parametrize(("example", "asked", "of_its_shape"), COSTLY)
def test_a_diagnosis_costs_little_however_wide_the_matrices_are(example, asked, of_its_shape):
    problem = problem_of(example, asked)
    wrong = np.array(problem.correct_result)
    wrong[0] += 0.13
    answer = MatrixText(np.round(wrong if of_its_shape else random_numbers(3, 3), 3), 3)
    diagnose_pasted(problem, answer, {})  # the first diagnosis also makes the plans, which are kept
    assert forward_passes(lambda: diagnose_pasted(problem, answer, {})) < MOST_PASSES


def test_the_diagnosis_says_what_it_left_out():
    def missing(example, asked):
        problem = problem_of(example, asked)
        return skipped_searches(edited_run_of(problem.trace), problem.stage)

    assert missing(example("hand"), "mixed") == missing(example("story"), "output") == []
    assert missing(example("heads_512"), "weights") == ["rare", "pairs", "one_number"]
    assert missing(example("wide"), "output") == ["one_number"]
