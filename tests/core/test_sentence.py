"""Test sentences as examples: words are split in any language, and each has a vector that depends on nothing else."""

import hashlib
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import causal_mask, sentence, sinusoidal, tokenize
from attention_core.examples.sentence import (
    repeated_positions,
    row_difference,
    row_statistics,
    token_vector,
    with_positions,
)
from strategies import law

words = st.lists(st.sampled_from(["The", "the", "cat", "mouse", "猫", "<b>", "**", "$x$"]), min_size=1, max_size=8)
seeds = st.integers(0, 99)
draws = st.sampled_from(["normal", "uniform"])


# --- words ---


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The cat, the mouse.", "The|cat|,|the|mouse|."),
        ("Don't! d’un 'quoted'", "Don't|!|d’un|'|quoted|'"),
        ("3.14 and 1,000. U.S.", "3.14|and|1,000|.|U|.|S|."),
        ("snake_case e-mail", "snake|_|case|e|-|mail"),
        ("<b>**$x$**</b> :material/home:", "<|b|>|*|*|$|x|$|*|*|<|/|b|>|:|material|/|home|:"),
        ("हिन्दी में", "हिन्दी|में"),
        ("猫追老鼠。", "猫|追|老|鼠|。"),
        ("ねこがいる", "ねこがいる"),
        ("القط يطارد", "القط|يطارد"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d👩\u200d👧 👍🏽!", "👩\u200d👩\u200d👧|👍🏽|!"),
        (" \t\n\u00a0\u200b\u200d", ""),
        ("", ""),
    ],
)
def test_words_by_hand(text, tokens):
    assert "|".join(tokenize(text)) == tokens


def test_a_word_is_the_same_however_it_was_typed():
    assert tokenize("cafe\u0301") == tokenize("café") == ("café",)
    assert tokenize("STRASSE Straße", fold=True) == ("strasse", "strasse")


@law
@given(st.text(max_size=60), st.booleans())
def test_only_spaces_and_invisible_characters_are_removed(text, fold):
    tokens = tokenize(text, fold=fold)
    assert all(token and not token.isspace() for token in tokens)
    assert tokenize(" ".join(tokens), fold=fold) == tokens
    if text.isascii() and not fold:
        assert "".join(tokens) == "".join(c for c in text if c.isprintable() and not c.isspace())


# --- vectors ---


def test_a_vector_starts_from_the_hash_of_seed_and_token():
    start = int.from_bytes(hashlib.sha256(b"7 cat").digest())
    np.testing.assert_array_equal(token_vector("cat", 4, seed=7), np.random.default_rng(start).normal(size=4))


def test_the_same_in_every_process():
    np.testing.assert_allclose(token_vector("cat", 3), [0.40305463, 1.70714486, 0.48351606], atol=1e-8)


@law
@given(words, words, seeds, draws)
def test_a_vector_depends_on_its_token_and_the_seed_alone(one, other, seed, draw):
    here = sentence(tuple(one + other), 4, seed=seed, draw=draw)
    for i, token in enumerate(here.tokens):
        np.testing.assert_array_equal(here.x[i], token_vector(token, 4, seed=seed, draw=draw))
        assert (token_vector(token, 4, seed=seed + 1, draw=draw) != here.x[i]).any()


def test_other_case_is_another_word():
    assert row_difference(sentence(("The", "the")).x, 0, 1) > 0.1
    assert row_difference(sentence(tokenize("The the", fold=True)).x, 0, 1) == 0


def test_draws_have_their_spread():
    tokens = tuple(map(str, range(400)))
    for draw, mean, deviation in (("normal", 0, 1), ("uniform", 0.5, 12**-0.5)):
        x = sentence(tokens, 64, draw=draw).x
        np.testing.assert_allclose((x.mean(), x.std()), (mean, deviation), atol=0.02)
    np.testing.assert_allclose(sentence(tokens, 64).w_q.std(), 1 / 8, rtol=0.05)


# --- a sentence is an example ---


@pytest.mark.parametrize("draw", ["normal", "uniform"])
@pytest.mark.parametrize(("d_model", "n_heads"), [(4, 1), (4, 4), (8, 2), (64, 4)])
def test_it_runs_with_any_width_and_heads(d_model, n_heads, draw):
    this = sentence(("a", "b", "a"), d_model, n_heads, draw=draw)
    trace = this.multi_head(mask=causal_mask(3))
    assert trace.heads.weights.shape == (n_heads, 3, 3)
    np.testing.assert_allclose(trace.heads.weights.sum(axis=-1), 1)
    assert trace.output.shape == (3, d_model)


@law
@given(words, seeds, draws)
def test_without_positions_order_means_nothing_and_a_word_twice_is_one(tokens, seed, draw):
    this = sentence(tuple(tokens), seed=seed, draw=draw)
    output = this.attention().output
    for places in repeated_positions(this.tokens):
        assert row_difference(output, places[0], places[-1]) < 1e-12
    turned = sentence(tuple(tokens[::-1]), seed=seed, draw=draw)
    np.testing.assert_allclose(turned.attention().output[::-1], output, atol=1e-12)


def test_positions_tell_a_word_from_itself():
    this = sentence(("a", "b", "a"), 8)
    placed = with_positions(this)
    np.testing.assert_allclose(placed.x - this.x, sinusoidal(3, 8), atol=1e-15)
    assert row_difference(placed.attention().output, 0, 2) > 0.01
    outputs = {order: sorted(with_positions(sentence(order)).attention().output[:, 0]) for order in permutations("abc")}
    assert all(np.abs(np.subtract(one, outputs["a", "b", "c"])).max() > 1e-3 for one in list(outputs.values())[1:])


@pytest.mark.parametrize(
    ("tokens", "twice", "case"),
    [
        ("The cat saw the other cat", ((1, 5),), ((0, 3),)),
        ("The the THE the", ((1, 3),), ((0, 1, 2),)),
        ("one two", (), ()),
        ("a a", ((0, 1),), ()),
    ],
)
def test_words_that_come_again(tokens, twice, case):
    assert repeated_positions(tokenize(tokens)) == twice
    assert repeated_positions(tokenize(tokens), fold=True) == case


def test_statistics_of_rows_by_hand():
    found = row_statistics(np.array([[1.0, 3.0], [5.0, 5.0]]), np.array([[0.25, 0.75], [0.5, 0.5]]))
    assert (found.mean_score, found.deviation, found.favourites) == (3.5, 0.5, 2)
    rows = -0.25 * np.log(0.25) - 0.75 * np.log(0.75), np.log(2)
    np.testing.assert_allclose(found.entropy, np.mean(rows))
    np.testing.assert_allclose(found.most_entropy, np.log(2))


def test_uniform_draws_rank_all_words_alike_and_normal_ones_do_not():
    drawn = {"normal": [], "uniform": []}
    for draw, favourites in drawn.items():
        for seed in range(100):
            trace = sentence(tokenize("The cat chased a mouse"), seed=seed, draw=draw).attention()
            favourites.append(row_statistics(trace.scaled, trace.weights).favourites)
    assert np.mean(np.array(drawn["uniform"]) == 1) > 0.7
    assert np.mean(np.array(drawn["normal"]) > 1) > 0.9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sentence(()), r"a sentence must have at least 1 token; got none: write a word\."),
        (lambda: sentence(("a",), 4, 3), r"n_heads must divide d_model; got 3 heads, d_model 4: choose a divisor\."),
        (lambda: sentence(("a",), 0), r"d_model must be a whole number of at least 1; got 0"),
        (lambda: sentence(("a",), seed=-1), r"seed must be a whole number of at least 0; got -1: give 0, 1, 2 …\."),
        (lambda: token_vector("a", 4, seed=True), r"seed must be a whole number of at least 0; got True"),
        (lambda: sentence(("a",), draw="flat"), r"draw must be one of normal, uniform; got flat: choose one of these"),
        (lambda: with_positions(sentence(("a",), 3)), r"d must be even, a sine and a cosine a pair; got 3"),
    ],
)
def test_errors_say_rule_received_and_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call()
