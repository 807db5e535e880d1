"""Test the order of tokens: embeddings by hand, shuffled tokens with and without positions, error messages.

Also the similarity of positions.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    compare_formulas,
    cosine_similarities,
    distance_spread,
    embed_positions,
    new_order,
    reversal,
    self_attention,
    shuffle_tokens,
    sinusoidal,
    still_share,
)
from attention_core.examples import EXAMPLES, example
from attention_core.experiments.positions import compare_two
from attention_core.mistakes.wrong_formulas import sinusoidal_doubled_exponent, sinusoidal_shifted_cosine
from strategies import law, random_numbers

every_example = pytest.mark.parametrize("name", EXAMPLES)


def test_an_embedding_by_hand():
    trace = embed_positions([[1, 0, 0, 2], [0, 1, 3, 0]])
    assert trace.factor == 2
    np.testing.assert_array_equal(trace.embedded, [[2, 0, 0, 4], [0, 2, 6, 0]])
    np.testing.assert_allclose(
        trace.positioned, [[2, 1, 0, 5], [np.sin(1), 2 + np.cos(1), 6 + np.sin(0.01), np.cos(0.01)]], rtol=1e-15
    )


def test_without_the_root():
    trace = embed_positions([[1.0, 2.0]], root=False)
    np.testing.assert_array_equal(trace.positioned, [[1, 3]])


def test_an_odd_width_leaves_out_the_last_cosine():
    trace = embed_positions(np.zeros((4, 5)), 100.0)
    np.testing.assert_array_equal(trace.encoding, sinusoidal(4, 6, 100.0)[:, :5])


@law
@given(st.data(), st.integers(2, 6), st.integers(1, 6))
def test_without_positions_outputs_move_with_their_tokens(data, n, d):
    order = data.draw(st.permutations(range(n)))
    x, weights = random_numbers(n, d), [random_numbers(d, 3, seed=s) for s in range(3)]
    plain, shuffled = self_attention(x, *weights).output, self_attention(x[order], *weights).output
    np.testing.assert_allclose(shuffled, plain[order], atol=1e-12)


SMALL = [name for name in EXAMPLES if not example(name).drawn]


def is_certain(name):
    """Return whether every token of the example gives more than 99% of its attention to one key."""
    return (example(name).attention().weights.max(axis=1) > 0.99).all()


@law
@given(st.data(), st.sampled_from(SMALL))
def test_every_shuffle_of_every_example(data, name):
    this = example(name)
    order = data.draw(st.permutations(range(len(this.x))))
    bag = shuffle_tokens(this, order, positions=False)
    assert np.abs(bag.difference).max() < 1e-12
    placed = shuffle_tokens(this, order, positions=True)
    moves = list(order) != sorted(order)
    assert is_certain(name) or (np.abs(placed.difference).max() > 0.001) == moves


@every_example
def test_reversed_with_positions_is_another_sentence(name):
    this = example(name)
    order = new_order("reversed", len(this.x))
    assert np.abs(shuffle_tokens(this, order, positions=False).difference).max() < 1e-12
    assert is_certain(name) or np.abs(shuffle_tokens(this, order, positions=True).difference).max() > 0.1


def test_the_mouse_chased_the_cat():
    cat = example("cat")
    order = new_order("swapped", 5, 1, 4)
    assert [cat.tokens[i] for i in order] == ["The", "mouse", "chased", "the", "cat"]
    bag = shuffle_tokens(cat, order, positions=False, root=False)
    np.testing.assert_allclose(bag.shuffled.output[1], cat.attention().output[4], atol=1e-12)


def test_a_shuffle_keeps_every_part():
    trace = shuffle_tokens(example("hand"), (2, 0, 1), positions=True)
    x = embed_positions(example("hand").x[[2, 0, 1]]).positioned
    np.testing.assert_array_equal(trace.shuffled.x, x)
    np.testing.assert_array_equal(trace.moved, trace.original.output[[2, 0, 1]])
    np.testing.assert_array_equal(trace.difference, trace.shuffled.output - trace.moved)


def test_shuffling_tokens_leaves_the_context_in_order():
    this = example("context")
    trace = shuffle_tokens(this, (1, 0), positions=True)
    np.testing.assert_array_equal(trace.shuffled.context, this.context)


def test_orders_by_hand():
    assert new_order("reversed", 4) == (3, 2, 1, 0)
    assert [new_order("exchanged", n) for n in (2, 3, 5)] == [(1, 0), (2, 1, 0), (2, 1, 0, 3, 4)]
    assert new_order("rotated", 4) == (1, 2, 3, 0)
    assert new_order("swapped", 4, 0, 2) == (2, 1, 0, 3)
    assert new_order("swapped", 2, 1, 1) == (0, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: new_order("sorted", 3),
            r"kind must be one of reversed, rotated, exchanged, swapped; got sorted: choose one",
        ),
        (lambda: new_order("swapped", 3, 0, 3), r"tokens to swap must be two of the 3; got 0 and 3: count from 0"),
        (
            lambda: shuffle_tokens(example("hand"), (0, 1, 1), positions=True),
            r"order must name each of the 3 tokens once; got \[0, 1, 1\]: shuffle 0 to 2",
        ),
        (lambda: embed_positions([1.0, 2.0]), r"x must have at least 2 axes; got shape \(2,\)"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()


evens = st.sampled_from([2, 4, 6, 16, 64])
bases = st.sampled_from([2.0, 100.0, 10000.0])
lengths = st.integers(2, 60)


def test_cosines_by_hand():
    similar = cosine_similarities([[3, 0], [3, 3], [0, -2]])
    root = np.sqrt(0.5)
    np.testing.assert_allclose(similar, [[1, root, 0], [root, 1, -root], [0, -root, 1]], atol=1e-15)


def test_the_notebooks_two_positions():
    found = compare_formulas(11, 512)
    assert found["paper"].similar == pytest.approx(0.72252008, abs=5e-9)
    assert found["doubled"].similar == pytest.approx(0.86000133, abs=5e-9)


def test_positions_beyond_the_sequence_can_be_compared():
    assert compare_formulas(5, 512)["paper"].similar == compare_formulas(50, 512)["paper"].similar
    assert compare_formulas(5, 512)["paper"].table.shape == (5, 512)


@law
@given(lengths, evens, bases)
def test_the_doubled_exponent_is_the_paper_with_base_squared(n, d, base):
    found = compare_formulas(n, d, base)
    assert found["doubled"].off_base_squared < 1e-11
    np.testing.assert_allclose(found["doubled"].table, sinusoidal(n, d, base**2), atol=1e-11)


@law
@given(st.integers(12, 60), st.sampled_from([4, 8, 16, 64]))
def test_only_with_the_shifted_cosine_products_depend_on_more_than_distance(n, d):
    found = compare_formulas(n, d)
    assert found["paper"].spread < 1e-12
    assert found["doubled"].spread < 1e-12
    assert found["shifted"].spread > 0.01


@law
@given(lengths, evens, bases)
def test_similarity_depends_on_distance_only(n, d, base):
    assert distance_spread(cosine_similarities(sinusoidal(n, d, base))) < 1e-12


@law
@given(st.integers(2, 200), st.sampled_from([4, 32, 512]))
def test_pairs_that_hardly_move_turn_by_less_than_a_tenth_radian(n, d):
    angles = (n - 1) * 10000.0 ** (-np.arange(0, d, 2) / d)
    near = np.abs(angles - 0.1) < 0.001  # around 0.1 radian, a sine is slightly less than its angle
    assert still_share(sinusoidal(n, d)) == pytest.approx((angles < 0.1).mean(), abs=near.mean() + 1e-12)


def test_a_pair_moves_when_one_of_its_columns_does():
    assert still_share([[0, 0, 0, 0, 0, 0], [0.2, 0, 0, 0.2, 0.05, -0.05]]) == pytest.approx(1 / 3)


def test_spread_by_hand():
    assert distance_spread([[1, 2], [3, 1]]) == 0
    assert distance_spread([[1, 2, 9], [3, 1, 2.5], [9, 3, 1.25]]) == 0.5
    assert distance_spread(np.ones((2, 5))) == 0


def test_nearer_is_not_always_more_similar():
    similar = cosine_similarities(sinusoidal(8, 4))[0]
    assert reversal(similar) == (1, 6)
    np.testing.assert_allclose(similar[[1, 6]], [0.77, 0.98], atol=0.005)


@law
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=9))
def test_a_reversal_is_the_nearest_with_the_greatest_similarity(similar):
    pairs = [(i, j) for i in range(1, len(similar)) for j in range(i + 1, len(similar)) if similar[j] > similar[i]]
    found = reversal(similar)
    if found is None:
        assert pairs == []
    else:
        assert found in pairs
        assert found[0] == min(near for near, _ in pairs)
        assert similar[found[1]] == max(similar[found[0] + 1 :])


def test_one_or_two_positions_have_no_reversal():
    assert reversal([1.0]) is None
    assert reversal([0.1, 0.5]) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: cosine_similarities([[1, 0], [0, 0]]),
            r"every row must have a direction; got zeros in row 1: give it one",
        ),
        (lambda: still_share(random_numbers(2, 3)), r"columns must come in pairs; got 3: give an even number of them"),
        (lambda: distance_spread([1, 2]), r"pairs must have at least 2 axes; got shape \(2,\)"),
        (lambda: compare_formulas(3, 5), r"d must be even, a sine and a cosine a pair; got 5: use 6 or 4"),
    ],
)
def test_errors_of_position_similarity(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_two_positions_by_the_tables_of_their_formulas():
    tables = {"paper": sinusoidal, "doubled": sinusoidal_doubled_exponent, "shifted": sinusoidal_shifted_cosine}
    for name, similar in compare_two((3, 9), 16, 100.0).items():
        table = tables[name](10, 16, 100.0)
        assert similar == pytest.approx(cosine_similarities(table[[3, 9]])[0, 1], rel=1e-12)
