"""Test averages of repeated measurements: means, standard errors and counts by hand, and each cell's arithmetic."""

import numpy as np
import pytest

from attention_core.arithmetic import explain
from attention_core.arithmetic.position_rules import average_rules, averages_of, counts_of
from attention_core.arithmetic.terms import evaluate

# The first column has the mean 2 and the distances −3, −1, 1, 3 from it. The sum of their squares is 20, which is
# divided by 3, and the root is divided by 2 (the root of 4). The second column never changes.
VALUES = np.array([[-1.0, 5], [1, 5], [3, 5], [5, 5]])
ERROR = (20 / 3) ** 0.5 / 2


def test_means_errors_and_counts_by_hand():
    np.testing.assert_allclose(averages_of(VALUES), [[2, ERROR], [5, 0]])
    assert counts_of(VALUES).tolist() == [[1], [0]]


@pytest.mark.parametrize("name", ["averages", "counts"])
def test_each_cell_is_what_its_arithmetic_gives(name):
    worked = average_rules("losses", VALUES)
    matrix, _ = worked.rules[name]
    for place in np.ndindex(matrix.shape):
        cell = explain(worked, name, place)
        assert cell is not None
        assert evaluate(cell.term) == pytest.approx(matrix[place])
