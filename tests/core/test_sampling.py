"""Test sampling: numbers by hand, top-k and top-p against another implementation, frequencies of words, and errors."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attention_core import count_draws, sample
from strategies import law, numbers, random_numbers, read_only

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
def test_by_hand(settings, expected):
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
