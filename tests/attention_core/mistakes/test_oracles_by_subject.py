"""Test the mistakes with queries, keys and values: each does what its name says, if the shapes allow it.

Also the mistakes with several heads and with positions.
"""

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import attend, multi_head_attention, self_attention, sinusoidal, sinusoidal_of_any_width
from attention_core.arithmetic import evaluate, explain
from attention_core.arithmetic.position_rules import position_step_rules
from attention_core.attention import with_scale
from attention_core.checks import greatest_difference
from attention_core.diagnosis.diagnose import diagnose
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import (
    HEAD_MISTAKES,
    POSITION_MISTAKES,
    blind_spots,
    mistakes_of,
    sinusoidal_doubled_exponent,
    sinusoidal_shifted_cosine,
)
from attention_core.rotation import PositionTrace, encode, sinusoidal_steps
from house_rules import oracle_of
from notebooks import notebook_values
from notebooks import notebook_values as notebook_matrix
from strategies import law, random_numbers, random_weights

MISTAKES = mistakes_of("queries_keys_values")
BY_NAME = {mistake.name: mistake for mistake in MISTAKES}


def correct_trace():
    """Return a correct trace (all matrices) of self-attention in which every mistake can be made.

    All of its matrices are 4 × 4.
    """
    x, w_q, w_k, w_v, *b = (
        random_numbers(4, 4),
        *(random_numbers(4, 4, seed=s) for s in (1, 2, 3)),
        *(random_numbers(4, seed=s) for s in (4, 5, 6)),
    )
    return self_attention(x, w_q, w_k, w_v, b_q=b[0], b_k=b[1], b_v=b[2])


def weights_of(scores):
    """Return the attention weights for these scores, which are already scaled."""
    return attend(scores * 2, np.eye(4), np.eye(4)).weights  # `attend` divides by √4 = 2


def wrong_output_of_token(t, i):
    """Return the wrong output for token `i` that a notebook computes from outer products."""
    products = [np.outer(t.q[i], k) / 2 for k in t.k]
    powers = np.exp(products)
    return sum(share @ t.v[i] for share in powers / powers.sum())


EXPECTED = {
    "biases_forgotten": lambda t: attend(t.x @ t.w_q, t.x @ t.w_k, t.x @ t.w_v).output,
    "weights_transposed": lambda t: attend(t.x @ t.w_q.T + t.b_q, t.x @ t.w_k.T + t.b_k, t.x @ t.w_v.T + t.b_v).output,
    "weights_times_input": lambda t: attend(t.w_q @ t.x + t.b_q, t.w_k @ t.x + t.b_k, t.w_v @ t.x + t.b_v).output,
    "outer_products": lambda t: np.stack([wrong_output_of_token(t, i) for i in range(4)]),
    "q_times_k": lambda t: weights_of(t.q @ t.k / 2) @ t.v,
    "elementwise_scores": lambda t: weights_of(t.q * t.k / 2) @ t.v,
    "keys_as_values": lambda t: t.weights @ t.k,
    "queries_as_values": lambda t: t.weights @ t.q,
    "keys_times_queries": lambda t: weights_of(t.k @ t.q.T / 2) @ t.v,
    "one_value_for_every_key": lambda t: t.v,
    "features_weighted": lambda t: np.array([sum(row * t.v) for row in t.weights]),
}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_each_mistake_does_what_it_says(mistake):
    trace = correct_trace()
    wrong = mistake.apply(trace).output
    np.testing.assert_allclose(wrong, oracle_of(mistake.name, EXPECTED, __file__)(trace), atol=1e-12)
    assert np.abs(wrong - trace.output).max() > 1e-3
    np.testing.assert_array_equal(trace.output, correct_trace().output)


def test_biases_must_be_there_to_be_forgotten():
    assert BY_NAME["biases_forgotten"].shows(example("columns").attention())
    assert not BY_NAME["biases_forgotten"].shows(example("hand").attention())


@pytest.mark.parametrize(
    ("name", "where", "message"),
    [
        (
            "weights_transposed",
            "hand",
            r"context @ w_k\.T .* needs matrices that fit .*, but the shapes are .*w_q \(5, 4\).*Correct",
        ),
        (
            "weights_times_input",
            "hand",
            r"w_q @ x \+ .* that fit each other, but .*w_q \(5, 4\).* x \(3, 5\)\. Correct",
        ),
        (
            "outer_products",
            "hand",
            r"`output = .*zip\(q, v\).*` needs .*, but the shapes are q \(3, 4\), v \(3, 2\)\. Correct",
        ),
        (
            "q_times_k",
            "hand",
            r"`scores = q @ k` needs .*, but the shapes are k \(3, 4\), q \(3, 4\)\. Correct this step\.",
        ),
        (
            "elementwise_scores",
            "hand",
            r"`output = weights @ v` needs .*, but the shapes are v \(3, 2\), weights \(3, 4\)",
        ),
        ("elementwise_scores", "context", r"`scores = q \* k` needs .*, but the shapes are k \(4, 4\), q \(2, 4\)"),
        (
            "queries_as_values",
            "context",
            r"`output = weights @ v` needs .*, but the shapes are v \(2, 4\), weights \(2, 4\)",
        ),
    ],
)
def test_where_shapes_forbid_the_mistake(name, where, message):
    with pytest.raises(ValueError, match=message):
        BY_NAME[name].apply(example(where).attention())


def test_the_notebooks_outer_products_are_two_mistakes():
    right = example("columns").attention()
    wrong = BY_NAME["outer_products"].apply(with_scale(right, 1.0)).output
    np.testing.assert_allclose(wrong, notebook_values("2/wrong_notebook/x_prime").T, rtol=1e-7)


def test_outer_products_of_many_tokens_are_not_written_out():
    assert BY_NAME["outer_products"].shows(correct_trace())
    assert not BY_NAME["outer_products"].shows(example("heads_512").attention())


BY_NAME_MISTAKES_HEADS = {mistake.name: mistake for mistake in HEAD_MISTAKES}
X = random_numbers(6, 6, seed=20)  # there are as many tokens as features, so that every mistake can be made


def correct_trace_of_mistakes_heads():
    """Return the correct trace (all matrices of the computation) of multi-head attention with 3 heads."""
    return multi_head_attention(X, random_weights(3, d_v=2), 3)


def project_concat(t, concat):
    """Return the output of the trace `t`, computed from `concat`: the concatenated heads times W^O, plus the bias."""
    return concat @ t.projections.w_o + t.projections.b_o


def output_by_reshape(t):
    """Return the wrong output for heads that are split and merged by reshaping, without transposing."""
    heads = [attend(*(m.reshape(3, 6, 2)[h] for m in (t.q, t.k, t.v))).output for h in range(3)]
    return project_concat(t, np.stack(heads).reshape(6, 6))


def output_by_slices(t):
    """Return the wrong output of multi-head attention in which each head sees only a slice of the input columns."""
    w, heads = t.projections, []
    for h in range(3):
        b = slice(2 * h, 2 * h + 2)
        columns = zip((w.w_q, w.w_k, w.w_v), (w.b_q, w.b_k, w.b_v), strict=True)
        heads.append(attend(*(t.x[:, b] @ m[b, b] + bias[b] for m, bias in columns)).output)
    return project_concat(t, np.hstack(heads))


EXPECTED_MISTAKES_HEADS = {
    "heads_by_reshape": output_by_reshape,
    "heads_averaged": lambda t: project_concat(t, np.tile(t.heads.output.mean(axis=0), 3)),
    "heads_slice_the_input": output_by_slices,
    "heads_scaled_by_full_width": lambda t: multi_head_attention(X, t.projections, 3, scale=6**-0.5).output,
    "w_i_with_n_rows": lambda t: t.output,  # this is correct here, because n equals d_model
    "w_o_forgotten": lambda t: t.concat,
    "w_o_transposed": lambda t: t.concat @ t.projections.w_o.T + t.projections.b_o,
}


@pytest.mark.parametrize("mistake", HEAD_MISTAKES, ids=lambda mistake: mistake.name)
def test_each_mistake_does_what_it_says_of_mistakes_heads(mistake):
    trace = correct_trace_of_mistakes_heads()
    wrong = mistake.apply(trace)
    np.testing.assert_allclose(
        wrong.output, oracle_of(mistake.name, EXPECTED_MISTAKES_HEADS, __file__)(trace), atol=1e-12
    )
    assert wrong.output.shape == wrong.concat.shape == (6, 6)
    np.testing.assert_array_equal(trace.output, correct_trace_of_mistakes_heads().output)


def test_the_concept_has_them_all():
    assert mistakes_of("multi_head") == HEAD_MISTAKES
    assert BY_NAME_MISTAKES_HEADS.keys() == EXPECTED_MISTAKES_HEADS.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_on_every_example_each_is_computed_or_says_why_not(name):
    trace = example(name).multi_head()
    for mistake in HEAD_MISTAKES:
        try:
            assert greatest_difference(trace.output, mistake.apply(trace).output) >= 0
        except ValueError as error:
            assert re.search("; got |, but ", str(error))  # noqa: PT017


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "heads_slice_the_input",
            r"`q, k, v = sliced.*` needs matrices that fit .*, but the shapes are .*x \(3, 5\)\. Correct",
        ),
        ("w_i_with_n_rows", r"`q = x @ w_q.reshape.*` needs .*, but the shapes are w_q \(5, 4\), x \(3, 5\)\. Correct"),
        ("w_o_transposed", r"`output = concat @ w_o\.T .*` needs .*, but the shapes are concat \(3, 2\), w_o \(2, 5\)"),
    ],
)
def test_what_cannot_be_computed_says_so(name, message):
    with pytest.raises(ValueError, match=message):
        BY_NAME_MISTAKES_HEADS[name].apply(example("hand").multi_head())


BY_NAME_MISTAKES_POSITIONS = {mistake.name: mistake for mistake in POSITION_MISTAKES}
OF_THE_ENCODING = [mistake for mistake in POSITION_MISTAKES if mistake.stage != "positioned"]
POSITIONS = np.arange(6)[:, None]


def correct_trace_of_mistakes_positions(n=6, d=8, base=10000.0) -> PositionTrace:
    """Return the correct trace (all matrices) of the sinusoidal encoding with `n` positions and `d` columns."""
    return sinusoidal_steps(n, d, base)


def encoding_of(sine, cosine):
    """Return a positional encoding with 6 rows and 4 pairs of columns: sine, cosine, sine, cosine, …."""
    return np.stack([np.sin(POSITIONS * sine), np.cos(POSITIONS * cosine)], axis=-1).reshape(6, 8)


EVEN = np.arange(0, 8, 2)
# The encoding of each mistake, computed once more from the description of the mistake.
EXPECTED_MISTAKES_POSITIONS = {
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
    trace = correct_trace_of_mistakes_positions(n, d, base)
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
def test_each_mistake_does_what_it_says_of_mistakes_positions(mistake):
    before = correct_trace_of_mistakes_positions().encoding.copy()
    trace = correct_trace_of_mistakes_positions()
    np.testing.assert_allclose(
        mistake.apply(trace).encoding, oracle_of(mistake.name, EXPECTED_MISTAKES_POSITIONS, __file__), atol=1e-12
    )
    np.testing.assert_array_equal(trace.encoding, before)
    assert mistake.shows(trace)


def test_the_concept_has_them_all_of_mistakes_positions():
    assert mistakes_of("positional_encoding") == POSITION_MISTAKES
    assert blind_spots(correct_trace_of_mistakes_positions(), POSITION_MISTAKES) == ()
    assert "exponent_doubled" in {
        mistake.name for mistake in blind_spots(correct_trace_of_mistakes_positions(6, 2), POSITION_MISTAKES)
    }
    assert not BY_NAME_MISTAKES_POSITIONS["base_misses_a_zero"].shows(correct_trace_of_mistakes_positions(base=1000.0))
    assert BY_NAME_MISTAKES_POSITIONS["base_misses_a_zero"].apply(correct_trace_of_mistakes_positions()).base == 1000


def names_in(found):
    """Return the names of the mistakes in each finding of a diagnosis, as a list of tuples."""
    return [tuple(mistake.name for mistake in finding.mistakes) for finding in found.findings]


@pytest.mark.parametrize("width", [4, 5, 8, 64, 512])
@pytest.mark.parametrize("mistake", OF_THE_ENCODING, ids=lambda mistake: mistake.name)
def test_each_is_named_from_two_decimals(mistake, width):
    trace = correct_trace_of_mistakes_positions(5, width)
    wrong = np.round(mistake.apply(trace).encoding, 2)
    assert (wrong != np.round(trace.encoding, 2)).any()
    assert (mistake.name,) in names_in(diagnose(wrong, trace, "encoding", decimals=2))


def test_pairs_are_named_from_four_decimals():
    trace, unique, pairs = correct_trace_of_mistakes_positions(), 0, 0
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
    trace = correct_trace_of_mistakes_positions(n, d)
    assert diagnose(np.round(trace.encoding, decimals), trace, "encoding", decimals=decimals).all_correct


@law
@given(st.integers(0, 10_000))
def test_no_random_table_is_given_a_diagnosis(seed):
    found = diagnose(
        np.round(random_numbers(4, 6, seed=seed), 3), correct_trace_of_mistakes_positions(4, 6), "encoding"
    )
    assert found.findings == ()
    assert found.first_wrong_cell is not None


def test_a_wrong_angle_is_found_before_the_encoding():
    trace = correct_trace_of_mistakes_positions()
    wrong = BY_NAME_MISTAKES_POSITIONS["degrees_for_radians"].apply(trace)
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
        diagnose([[1.0]], correct_trace_of_mistakes_positions(), "output")


def test_a_missing_root_of_the_embedding_is_found():
    trace = encode(np.ones((2, 4)), [3, 0], 100.0)
    mistake = BY_NAME_MISTAKES_POSITIONS["embedding_not_scaled"]
    assert mistake.shows(trace)
    assert not mistake.shows(correct_trace_of_mistakes_positions())
    wrong = mistake.apply(trace)
    np.testing.assert_allclose(wrong.output, 1 + trace.encoding)
    assert names_in(diagnose(np.round(wrong.output, 2), trace, "positioned", decimals=2)) == [("embedding_not_scaled",)]
    with pytest.raises(ValueError, match=r"must have a place in the steps; got embedding_not_scaled"):
        mistake.apply(correct_trace_of_mistakes_positions())


@law
@given(st.integers(1, 9))
def test_every_cell_is_its_arithmetic_at_odd_widths_as_well(d_model):
    trace = encode(np.ones((2, d_model)), [3, 1], 100.0)
    worked = position_step_rules(trace)
    for i, j in np.ndindex(2, d_model):
        assert evaluate(explain(worked, "sinusoidal", (i, j)).term) == pytest.approx(trace.encoding[i, j])
        assert evaluate(explain(worked, "positioned", (i, j)).term) == pytest.approx(trace.output[i, j])
