"""Test sentences as examples: words are split in any language, and each has a vector that depends on nothing else."""

import hashlib
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import causal_mask, sentence, sinusoidal, tokenize
from attention_core.examples import EXAMPLES, example
from attention_core.examples.sentence import (
    CATS,
    SOUR,
    WORDS,
    french,
    repeated_positions,
    row_difference,
    row_statistics,
    story,
    token_vector,
    with_positions,
    wording,
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


LE, CHAT = range(2)
THE, BLACK, CAT, SLEEPS, END = range(5)
ONE_CAT, CATS_ASKED = french(), french().with_matrices(CATS)


@pytest.mark.parametrize(("asks", "finds", "at_least"), [(LE, CAT, 0.75), (CHAT, BLACK, 0.65)])
def test_each_takes_most_from_the_word_that_comes_next(asks, finds, at_least):
    weights = ONE_CAT.attention().weights[asks]
    assert weights.argmax() == finds
    assert weights[finds] >= at_least
    assert weights[finds] > 2 * np.delete(weights, finds).max()


def test_a_noun_is_followed_by_its_adjective_or_else_by_the_verb():
    weights = ONE_CAT.attention().weights[CHAT]
    assert list(weights.argsort()[::-1][:2]) == [BLACK, SLEEPS]
    np.testing.assert_allclose(weights[[THE, CAT, END]], weights[THE], rtol=1e-15)


def test_french_words_do_not_attend_to_the_next_position():
    """Check that "le" and "chat" do not attend to the English words at the next position, "black" and "sleeps"."""
    assert (ONE_CAT.key_tokens[THE + 1], ONE_CAT.key_tokens[CAT + 1]) == ("black", "sleeps")
    finds = ONE_CAT.attention().weights.argmax(axis=1)
    assert THE + 1 not in finds[[LE]]
    assert CAT + 1 not in finds[[CHAT]]


def test_the_names_of_the_columns_explain_the_score():
    trace, names = ONE_CAT.attention(), ONE_CAT.names
    seeks = names.q.index("looks for an adjective")
    assert seeks == names.k.index("is an adjective")
    assert trace.q[CHAT, seeks] == ONE_CAT.w_q[WORDS.index("noun"), seeks] == 3
    assert trace.k[BLACK, seeks] == 2
    assert trace.scores[CHAT, BLACK] == trace.q[CHAT, seeks] * trace.k[BLACK, seeks] == trace.scores[CHAT].max()


def test_the_output_says_the_kind_of_the_next_word():
    output = ONE_CAT.multi_head().output
    assert [WORDS[kind] for kind in output.argmax(axis=1)] == ["noun", "adjective"]


def test_the_plural_of_cat_changes_the_output_and_no_weight():
    changed = np.argwhere(ONE_CAT.matrices()["context"] != CATS_ASKED.matrices()["context"])
    assert [(ONE_CAT.key_tokens[row], WORDS[column]) for row, column in changed] == [("cat", "plural")]
    before, after = ONE_CAT.attention(), CATS_ASKED.attention()
    np.testing.assert_array_equal(before.weights, after.weights)
    more = (after.output - before.output)[LE]
    assert more[ONE_CAT.names.v.index("several")] == 2 * before.weights[LE, CAT] > 1.5
    assert np.count_nonzero(more) == 1


def test_in_self_attention_the_noun_finds_no_adjective():
    trace = ONE_CAT.as_self_attention().attention()
    np.testing.assert_array_equal(trace.scores[CHAT], 0)
    np.testing.assert_array_equal(trace.weights[CHAT], 0.5)
    assert trace.output[CHAT, ONE_CAT.names.v.index("trait")] == 0


def test_its_sizes_all_differ_and_its_numbers_are_small_and_whole():
    assert (*ONE_CAT.attention().scores.shape, *ONE_CAT.w_q.shape, ONE_CAT.w_v.shape[1]) == (2, 5, 6, 4, 3)
    for matrix in ONE_CAT.matrices().values():
        assert {*np.unique(matrix)} <= {0.0, 1.0, 2.0, 3.0}
    for matrix in (ONE_CAT.attention().scores, CATS_ASKED.attention().scores):
        np.testing.assert_array_equal(matrix, np.round(matrix))


def test_columns_of_queries_and_keys_have_matching_names():
    q, k = ONE_CAT.names.q, ONE_CAT.names.k
    assert [name.removeprefix("looks for ") for name in q] == [name.removeprefix("is ") for name in k]


def sentence_of(example):
    return " ".join(piece.text for piece in wording(example)).replace(" .", ".")


def piece_with_numbers(example):
    """Return the one piece of the sentence whose word depends on numbers."""
    (found,) = [piece for piece in wording(example) if piece.cells]
    return found


def with_features(thirsty, sour):
    x = story().x.copy()
    x[4, 4:] = thirsty, sour
    return story().with_matrices({"x": x})


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_token_is_in_its_place_in_the_sentence(name):
    places = [(piece.token, piece.text) for piece in wording(example(name)) if piece.token is not None]
    assert places == list(enumerate(example(name).tokens))


def test_the_story_is_a_sentence():
    assert sentence_of(story()) == "The cat drank the milk because it was thirsty."
    assert sentence_of(story().with_matrices(SOUR)) == "The cat drank the milk because it was sour."


def test_the_last_word_changes_the_numbers_both_ways():
    for before, after in ((story(), story().with_matrices(SOUR)), (story().with_matrices(SOUR), story())):
        x = before.x.copy()
        for row, column, value in piece_with_numbers(before).cells:
            x[row, column] = value
        np.testing.assert_array_equal(x, after.x)
        assert piece_with_numbers(before).instead == piece_with_numbers(after).text


@pytest.mark.parametrize(
    ("features", "text", "instead"),
    [
        ((2, 0), "thirsty", "sour"),
        ((0, 0.5), "sour", "thirsty"),
        ((1, 1), "thirsty and sour", "thirsty"),
        ((0, 0), "neither thirsty nor sour", "thirsty"),
        ((-1, 0), "neither thirsty nor sour", "thirsty"),
    ],
)
def test_it_says_what_the_numbers_say(features, text, instead):
    assert (
        piece_with_numbers(with_features(*features)).text,
        piece_with_numbers(with_features(*features)).instead,
    ) == (text, instead)


def test_a_part_of_the_tokens_is_no_sentence():
    assert sentence_of(story().shortened(2, 3)) == "cat drank"


def test_a_sentence_of_other_tokens_is_refused():
    with pytest.raises(ValueError, match="tokens in braces, in their order; got milk, cat for cat, drank"):
        replace(story(), sentence="The {milk} and the {cat}.")
