"""Test the mistakes of the sinusoidal encoding: each does what its name says, and the diagnosis names it."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import sinusoidal, sinusoidal_of_any_width
from attention_core.arithmetic import evaluate, explain
from attention_core.arithmetic.position_rules import position_step_rules
from attention_core.diagnosis.diagnose import diagnose
from attention_core.mistakes import (
    POSITION_MISTAKES,
    blind_spots,
    mistakes_of,
    sinusoidal_doubled_exponent,
    sinusoidal_shifted_cosine,
)
from attention_core.rotation import PositionTrace, encode, sinusoidal_steps
from house_rules import oracle_of
from notebooks import notebook_values as notebook_matrix
from strategies import law, random_numbers

BY_NAME = {mistake.name: mistake for mistake in POSITION_MISTAKES}
OF_THE_ENCODING = [mistake for mistake in POSITION_MISTAKES if mistake.stage != "positioned"]
POSITIONS = np.arange(6)[:, None]


def correct_trace(n=6, d=8, base=10000.0) -> PositionTrace:
    """Return the correct trace (all matrices) of the sinusoidal encoding with `n` positions and `d` columns."""
    return sinusoidal_steps(n, d, base)


def encoding_of(sine, cosine):
    """Return a positional encoding with 6 rows and 4 pairs of columns: sine, cosine, sine, cosine, …."""
    return np.stack([np.sin(POSITIONS * sine), np.cos(POSITIONS * cosine)], axis=-1).reshape(6, 8)


EVEN = np.arange(0, 8, 2)
# The encoding of each mistake, computed once more from the description of the mistake.
EXPECTED = {
    "exponent_doubled": sinusoidal_doubled_exponent(6, 8),
    "cosine_shifted": sinusoidal_shifted_cosine(6, 8),
    "exponent_of_each_column": encoding_of(10000.0 ** (-EVEN / 8), 10000.0 ** (-(EVEN + 1) / 8)),
    "base_misses_a_zero": sinusoidal(6, 8, 1000.0),
    "degrees_for_radians": encoding_of(*2 * [np.pi / 180 * 10000.0 ** (-EVEN / 8)]),
    "sines_then_cosines": sinusoidal(6, 8)[:, [0, 2, 4, 6, 1, 3, 5, 7]],
}


@law
@given(st.integers(1, 9), st.integers(1, 12), st.sampled_from([10.0, 10000.0]))
def test_the_trace_is_the_encoding(n, d, base):
    trace = correct_trace(n, d, base)
    np.testing.assert_allclose(trace.encoding, sinusoidal_of_any_width(n, d, base), atol=1e-12)
    assert trace.output is trace.encoding
    assert trace.angles.shape == (n, d)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((0, 4, 10.0), r"n_positions must be a whole number of at least 1; got 0"),
        ((3, 0, 10.0), r"d_model must be a whole number of at least 1; got 0"),
        ((3, 4, 0.0), r"base must be finite and greater than 0; got 0"),
    ],
)
def test_errors(sizes, message):
    with pytest.raises(ValueError, match=message):
        sinusoidal_steps(*sizes)


@pytest.mark.parametrize("mistake", OF_THE_ENCODING, ids=lambda mistake: mistake.name)
def test_each_mistake_does_what_it_says(mistake):
    before = correct_trace().encoding.copy()
    trace = correct_trace()
    np.testing.assert_allclose(mistake.apply(trace).encoding, oracle_of(mistake.name, EXPECTED, __file__), atol=1e-12)
    np.testing.assert_array_equal(trace.encoding, before)
    assert mistake.shows(trace)


def test_the_concept_has_them_all():
    assert mistakes_of("positional_encoding") == POSITION_MISTAKES
    assert blind_spots(correct_trace(), POSITION_MISTAKES) == ()
    assert "exponent_doubled" in {mistake.name for mistake in blind_spots(correct_trace(6, 2), POSITION_MISTAKES)}
    assert not BY_NAME["base_misses_a_zero"].shows(correct_trace(base=1000.0))
    assert BY_NAME["base_misses_a_zero"].apply(correct_trace()).base == 1000


def names_in(found):
    """Return the names of the mistakes in each finding of a diagnosis, as a list of tuples."""
    return [tuple(mistake.name for mistake in finding.mistakes) for finding in found.findings]


@pytest.mark.parametrize("width", [4, 5, 8, 64, 512])
@pytest.mark.parametrize("mistake", OF_THE_ENCODING, ids=lambda mistake: mistake.name)
def test_each_is_named_from_two_decimals(mistake, width):
    trace = correct_trace(5, width)
    wrong = np.round(mistake.apply(trace).encoding, 2)
    assert (wrong != np.round(trace.encoding, 2)).any()
    assert (mistake.name,) in names_in(diagnose(wrong, trace, "encoding", decimals=2))


def test_pairs_are_named_from_four_decimals():
    trace, unique, pairs = correct_trace(), 0, 0
    for first, second in combinations(OF_THE_ENCODING, 2):
        if first.stage == second.stage:
            continue
        wrong = np.round(second.apply(first.apply(trace)).encoding, 4)
        found = names_in(diagnose(wrong, trace, "encoding", decimals=4))
        assert (first.name, second.name) in found
        pairs, unique = pairs + 1, unique + (len(found) == 1)
    assert unique == pairs > 0


@law
@given(st.integers(1, 9), st.integers(1, 12), st.integers(2, 6))
def test_no_right_answer_is_called_wrong(n, d, decimals):
    trace = correct_trace(n, d)
    assert diagnose(np.round(trace.encoding, decimals), trace, "encoding", decimals=decimals).all_correct


@law
@given(st.integers(0, 10_000))
def test_no_random_table_is_given_a_diagnosis(seed):
    found = diagnose(np.round(random_numbers(4, 6, seed=seed), 3), correct_trace(4, 6), "encoding")
    assert found.findings == ()
    assert found.first_wrong_cell is not None


def test_a_wrong_angle_is_found_before_the_encoding():
    trace = correct_trace()
    wrong = BY_NAME["degrees_for_radians"].apply(trace)
    found = diagnose(wrong.encoding, trace, "encoding", given={"exponents": trace.exponents, "angles": wrong.angles})
    assert names_in(found) == [("degrees_for_radians",)]
    assert found.first_wrong_cell == ("angles", 1, 0)


def test_the_notebooks_rows_are_its_mistake():
    rows = np.stack([notebook_matrix(f"1/positional_encoding/pos{position}_wrong") for position in (0, 1, 2)])
    trace = sinusoidal_steps(11, 512)
    (found,) = diagnose(np.round(rows, 8), trace, "encoding", decimals=8).findings
    assert ([mistake.name for mistake in found.mistakes], found.rows) == (["exponent_doubled"], (0, 1, 2))


def test_other_stages_than_those_of_positions_are_refused():
    with pytest.raises(ValueError, match=r"stage must be one of exponents, angles, encoding; got output"):
        diagnose([[1.0]], correct_trace(), "output")


def test_a_missing_root_of_the_embedding_is_found():
    trace = encode(np.ones((2, 4)), [3, 0], 100.0)
    mistake = BY_NAME["embedding_not_scaled"]
    assert mistake.shows(trace)
    assert not mistake.shows(correct_trace())
    wrong = mistake.apply(trace)
    np.testing.assert_allclose(wrong.output, 1 + trace.encoding)
    assert names_in(diagnose(np.round(wrong.output, 2), trace, "positioned", decimals=2)) == [("embedding_not_scaled",)]
    with pytest.raises(ValueError, match=r"must have a place in the steps; got embedding_not_scaled"):
        mistake.apply(correct_trace())


@law
@given(st.integers(1, 9))
def test_every_cell_is_its_arithmetic_at_odd_widths_as_well(d_model):
    trace = encode(np.ones((2, d_model)), [3, 1], 100.0)
    worked = position_step_rules(trace)
    for i, j in np.ndindex(2, d_model):
        assert evaluate(explain(worked, "sinusoidal", (i, j)).term) == pytest.approx(trace.encoding[i, j])
        assert evaluate(explain(worked, "positioned", (i, j)).term) == pytest.approx(trace.output[i, j])
