"""Test the cross-entropy: numbers by hand, ignored rows, its range, types, and error messages.

Also drawing a word, and what leads to it.
"""

import numpy as np
import pytest
import scipy.special
from hypothesis import assume, given
from hypothesis import strategies as st

from attention_core import (
    add_and_norm,
    count_draws,
    cross_entropy,
    feed_forward,
    gelu,
    residual,
    sample,
    swiglu,
    unembed,
)
from strategies import law, matrices, numbers, random_numbers, read_only


def test_by_hand():
    trace = cross_entropy(np.log([[2, 1, 1], [1, 1, 6]]), [0, 1])
    np.testing.assert_allclose(trace.probabilities, [[1 / 2, 1 / 4, 1 / 4], [1 / 8, 1 / 8, 3 / 4]])
    np.testing.assert_allclose(trace.losses, np.log([2, 8]))
    np.testing.assert_allclose(trace.loss, np.log(4))


def test_one_row_is_enough():
    np.testing.assert_allclose(cross_entropy([0, 0, 0, 0], 2).loss, np.log(4))


@law
@given(matrices(limit=50.0), st.integers(0, 99), numbers())
def test_equals_the_formula_and_does_not_change_with_a_shift(logits, seed, shift):
    targets = np.random.default_rng(seed).integers(0, logits.shape[1], len(logits))
    trace = cross_entropy(logits, targets)
    logs = scipy.special.log_softmax(logits, axis=1)
    np.testing.assert_allclose(trace.log_probabilities, logs, atol=1e-12)
    np.testing.assert_allclose(trace.loss, -logs[np.arange(len(logits)), targets].mean(), atol=1e-12)
    np.testing.assert_allclose(cross_entropy(logits + shift, targets).loss, trace.loss, atol=1e-11)
    assert trace.loss >= 0


def test_great_logits_do_not_overflow():
    np.testing.assert_allclose(cross_entropy([[1000, 0], [0, 1000]], [1, 1]).losses, [1000, 0])


def test_batches_equal_the_loop():
    logits, targets = random_numbers(2, 3, 5), np.array([[0, 4, 2], [1, 1, 3]])
    batch = cross_entropy(logits, targets)
    ones = [cross_entropy(logits[b], targets[b]).loss for b in range(2)]
    np.testing.assert_allclose(batch.loss, np.mean(ones), rtol=1e-14)


def test_ignored_rows_are_left_out_of_the_mean():
    logits = random_numbers(3, 4)
    some = cross_entropy(logits, [0, 1, 2], [True, False, True])
    np.testing.assert_allclose(some.loss, cross_entropy(logits[[0, 2]], [0, 2]).loss, rtol=1e-14)
    np.testing.assert_array_equal(some.losses, cross_entropy(logits, [0, 1, 2]).losses)


@pytest.mark.parametrize(("dtype", "expected"), [(np.int64, np.float64), (np.float32, np.float32)])
def test_types(dtype, expected):
    trace = cross_entropy(read_only(np.array([[1, 2], [3, 5]], dtype)), read_only([0, 1]))
    for part in (trace.probabilities, trace.log_probabilities, trace.losses, trace.loss):
        assert part.dtype == expected
    assert trace.loss.shape == ()


@pytest.mark.parametrize(
    ("targets", "counted", "message"),
    [
        ([0, 3], None, r"targets must be whole numbers from 0 to n_classes − 1 = 2; got \[0, 3\]: give the number"),
        ([-1, 0], None, r"targets must be whole numbers from 0 to n_classes − 1 = 2; got \[-1, 0\]"),
        ([0.0, 1.0], None, r"targets must be whole numbers from 0 to .*; got \[0.0, 1.0\]"),
        ([0], None, r"targets must have one entry a row of logits; got targets \(1,\), logits \(2, 3\): .* \(2,\)"),
        ([0, 1], [True], r"counted must have one entry a row of logits; got counted \(1,\), logits \(2, 3\)"),
        ([0, 1], [1, 0], r"counted must be boolean and true somewhere; got \[1, 0\]: write True for each row"),
        ([0, 1], [False, False], r"counted must be boolean and true somewhere; got \[False, False\]"),
    ],
)
def test_errors(targets, counted, message):
    with pytest.raises(ValueError, match=message):
        cross_entropy([[1, 2, 3], [4, 5, 6]], targets, counted)


def test_logits_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match=r"logits must be finite; got nan at \(0, 1\)"):
        cross_entropy([[1, np.nan]], [0])


LOG = np.log([0.5, 0.25, 0.125, 0.125])


def probabilities_by_counting(logits, temperature, top_k, top_p):
    """Return the probability of each word after top-k and then top-p, computed word by word in plain Python.

    If `top_k` or `top_p` is 0 or None, it leaves out no word.
    """
    powers = [np.exp((each - max(logits)) / temperature) for each in logits]
    order = sorted(range(len(logits)), key=lambda word: (-logits[word], word))
    among = order[: top_k or len(order)]
    total = sum(powers[word] for word in among)
    kept, reached = [], 0.0
    for word in among:
        kept.append(word)
        reached += powers[word] / total
        if reached >= (top_p or 2):
            break
    share = sum(powers[word] for word in kept)
    return [powers[word] / share if word in kept else 0.0 for word in range(len(logits))]


rows = st.lists(numbers(6.0), min_size=1, max_size=9)


@law
@given(rows, st.floats(0.2, 4), st.none() | st.integers(1, 10), st.none() | st.floats(0.05, 1))
def test_probabilities_agree_with_counting_word_by_word(logits, temperature, top_k, top_p):
    reached = np.cumsum(sorted(probabilities_by_counting(logits, temperature, top_k, None), reverse=True))
    assume(np.abs(reached - (top_p or 2)).min() > 1e-6)  # otherwise rounding decides whether the sum reaches p
    trace = sample(logits, temperature=temperature, top_k=top_k, top_p=top_p)
    np.testing.assert_allclose(
        trace.probabilities, probabilities_by_counting(logits, temperature, top_k, top_p), atol=1e-12
    )
    assert trace.probabilities.sum() == pytest.approx(1)
    assert trace.kept[int(trace.drawn)]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [0.5, 0.25, 0.125, 0.125]),
        # each probability is squared, and divided by the sum of the squares
        ({"temperature": 0.5}, np.array([16, 4, 1, 1]) / 22),
        ({"top_k": 2}, [2 / 3, 1 / 3, 0, 0]),
        ({"top_k": 3}, np.array([4, 2, 1, 0]) / 7),  # of two equally likely words, the first one is kept
        ({"top_p": 0.6}, [2 / 3, 1 / 3, 0, 0]),  # the word with which the sum reaches p is kept as well
        ({"top_p": 0.4}, [1, 0, 0, 0]),
        # of the two words that are left, the first has a probability of 2/3, which is more than p
        ({"top_k": 2, "top_p": 0.6}, [1, 0, 0, 0]),
    ],
)
def test_by_hand_of_sampling(settings, expected):
    np.testing.assert_allclose(sample(LOG, **settings).probabilities, expected, rtol=1e-12)


def test_the_likeliest_is_always_kept():
    assert sample([[3.0, 0.0], [0.0, 0.0]], top_p=1e-9).kept.tolist() == [[True, False], [True, False]]


def test_greedy_always_takes_the_greatest():
    assert {int(sample(LOG, top_k=1, seed=seed).drawn) for seed in range(50)} == {0}


def test_a_word_that_may_never_come_is_never_drawn():
    assert count_draws(sample([-np.inf, 0.0, 0.0]).probabilities, 400)[0] == 0


def test_words_come_as_often_as_their_probabilities_say():
    n = 20_000
    counts = count_draws(sample(LOG).probabilities, n, seed=3)
    assert counts.sum() == n
    np.testing.assert_allclose(counts / n, [0.5, 0.25, 0.125, 0.125], atol=4 * np.sqrt(0.25 / n))


def test_a_seed_draws_the_same_and_another_seed_something_else():
    logits = random_numbers(30, 20)
    same = [sample(logits, seed=(7, 1)).drawn.tolist() for _ in range(2)]
    assert same[0] == same[1] != sample(logits, seed=(7, 2)).drawn.tolist()


def test_rows_are_drawn_by_themselves_and_types_stay():
    logits = read_only(random_numbers(2, 3, 5, dtype=np.float32))
    trace = sample(logits, temperature=0.7, top_k=3, top_p=0.9)
    assert trace.probabilities.dtype == np.float32
    assert trace.drawn.shape == (2, 3)
    one = sample(logits[1, 2], temperature=0.7, top_k=3, top_p=0.9)
    np.testing.assert_array_equal(trace.probabilities[1, 2], one.probabilities)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": 0}, "temperature must be finite and greater than 0; got 0"),
        ({"top_k": 0}, "top_k must be a whole number of at least 1; got 0"),
        ({"top_k": 1.5}, "top_k must be a whole number of at least 1; got 1.5"),
        ({"top_p": 0}, "top_p must be above 0 and at most 1; got 0: give 1"),
        ({"top_p": 1.2}, "top_p must be above 0 and at most 1; got 1.2"),
        ({"top_p": float("nan")}, "top_p must be above 0 and at most 1; got nan"),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    with pytest.raises(ValueError, match=message):
        sample(LOG, **settings)


def test_rows_without_a_possible_word_are_refused():
    with pytest.raises(ValueError, match="a row of logits must have a finite number; got only −∞"):
        sample([[0.0, 1.0], [-np.inf, -np.inf]])
    with pytest.raises(ValueError, match=r"probabilities must be one row .* got a sum of 2: take the softmax"):
        count_draws([1.0, 1.0], 3)


def test_the_residual_is_the_sum_of_both_inputs():
    assert residual([[1, 0], [2, 5]], [[0, 3], [1, -5]]).tolist() == [[1, 3], [3, 0]]
    x, found = random_numbers(3, 4), random_numbers(3, 4, seed=1)
    np.testing.assert_array_equal(add_and_norm(x, found).summed, residual(x, found))
    with pytest.raises(ValueError, match=r"x and found must have one shape; got x \(1, 2\), found \(1, 3\)"):
        residual([[1, 2]], [[1, 2, 3]])


def test_the_feed_forward_network_by_hand():
    trace = feed_forward([[1, 2]], [[1, -1], [1, -1]], [[2, 0], [5, 5]], b_up=[-1, 1], b_down=[0, 7])
    assert trace.hidden.x.tolist() == [[2, -2]]
    assert trace.hidden.output.tolist() == [[2, 0]]
    assert trace.output.tolist() == [[4, 7]]


def test_other_bends_and_batches():
    x, w_up, w_down = random_numbers(2, 3, 4), random_numbers(4, 6), random_numbers(6, 4)
    found = feed_forward(x, w_up, w_down, activation="gelu")
    np.testing.assert_allclose(found.output, gelu(x @ w_up) @ w_down, rtol=1e-12)
    gated = swiglu(x, w_up, np.zeros((4, 6)), w_down).output
    assert not gated.any()  # the gated function differs: it gives 0 here


def test_without_a_relu_two_matrices_are_one():
    """Check that a network without its ReLU is a single matrix product, W_up times W_down."""
    x, w_up, w_down = np.abs(random_numbers(3, 4)), np.abs(random_numbers(4, 6)), random_numbers(6, 4)
    np.testing.assert_allclose(feed_forward(x, w_up, w_down).output, x @ (w_up @ w_down), rtol=1e-12)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((2, 3), (4, 6), (6, 3)), r"w_up: x and w must share d_in, but x is \(2, 3\) and w is \(4, 6\)"),
        (((2, 3), (3, 6), (5, 3)), r"w_down: x and w must share d_in, but x is \(2, 6\) and w is \(5, 3\)"),
    ],
)
def test_matrices_that_do_not_fit(shapes, message):
    with pytest.raises(ValueError, match=message):
        feed_forward(*map(np.ones, shapes))


def test_logits_are_dot_products_with_each_word():
    x, vocabulary = random_numbers(2, 3, 4), random_numbers(9, 4)
    found = unembed(x, vocabulary)
    assert found.shape == (2, 3, 9)
    assert found[1, 2, 5] == pytest.approx(x[1, 2] @ vocabulary[5])
    assert unembed(read_only(np.ones((1, 2), np.float32)), np.ones((3, 2), np.float32)).dtype == np.float32
    with pytest.raises(ValueError, match=r"must share d_model; got x \(2, 3, 4\), vocabulary \(4, 9\)"):
        unembed(x, vocabulary.T)
