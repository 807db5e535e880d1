"""Test the language model on a tiny model of the same kind: its tokens, its layers, and replacing their parts."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core import rms_norm
from attention_core.language_model.model import RIGHT_PARTS, grouped_attention, open_model, run_model
from language_models import D_K, HEADS, LAYERS, MATRICES, SETTINGS, SIDES, TOKENS, write

TEXT = [300 % len(TOKENS), 5, 9, 5]


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Give the test a tiny language model with random weights."""
    return open_model(write(tmp_path_factory.mktemp("toy") / "toy.gguf", SETTINGS, MATRICES, {}))


# --- tokens ---


def test_the_tokenizer_joins_pairs_in_order(toy):
    words = [TOKENS[number] for number in toy.vocabulary.encode("the the 15 he’s")]
    assert words[:5] == ["t", "he", "Ġthe", "Ġ", "1"]  # each digit is a token of its own
    assert toy.vocabulary.decode(toy.vocabulary.encode("the the 15 he’s")) == "the the 15 he’s"


@pytest.mark.parametrize("text", ["", " ", "a  b\n\n c", "<|endoftext|>", "naïve 北京 🙂", "x²_y ½"])
def test_any_text_comes_back(toy, text):
    assert toy.vocabulary.decode(toy.vocabulary.encode(text)) == text


# --- the layers ---


def logits_by_hand(tokens):
    """Return the logits of the tiny model for `tokens`, computed a second time in another way.

    This computation takes one head at a time, rotates pairs as complex numbers, and uses float64.
    """
    m = {name: values.astype(float) for name, values in MATRICES.items()}
    x, n = m["token_embd.weight"][tokens], len(tokens)
    angles = np.arange(n)[:, None] * 10_000.0 ** (-np.arange(0, D_K, 2) / D_K)

    def rms_norm_of(rows, weight):
        return rows / np.sqrt((rows**2).mean(axis=1, keepdims=True) + np.float32(1e-5)) * weight

    def rotate(rows):
        pairs = (rows[:, ::2] + 1j * rows[:, 1::2]) * np.exp(1j * angles)
        return np.stack([pairs.real, pairs.imag], axis=-1).reshape(n, D_K)

    for layer in range(LAYERS):
        w = {name: m[f"blk.{layer}.{name}.weight"] for name in SIDES}
        rows, found = rms_norm_of(x, w["attn_norm"]), []
        for head in range(HEADS):
            own, shared = slice(head * D_K, (head + 1) * D_K), slice(head // 2 * D_K, (head // 2 + 1) * D_K)
            q, k = rotate(rows @ w["attn_q"][own].T), rotate(rows @ w["attn_k"][shared].T)
            powers = np.exp(q @ k.T / np.sqrt(D_K)) * np.tri(n)
            found.append(powers / powers.sum(axis=1, keepdims=True) @ (rows @ w["attn_v"][shared].T))
        x = x + np.hstack(found) @ w["attn_output"].T
        rows = rms_norm_of(x, w["ffn_norm"])
        gate = rows @ w["ffn_gate"].T
        x = x + (gate / (1 + np.exp(-gate)) * (rows @ w["ffn_up"].T)) @ w["ffn_down"].T
    return rms_norm_of(x, m["output_norm.weight"]) @ m["token_embd.weight"].T


def test_it_is_the_model_by_hand(toy):
    trace = run_model(toy, TEXT, keep=[1])
    np.testing.assert_allclose(trace.logits, logits_by_hand(TEXT), atol=1e-4)
    assert trace.weights.shape == (LAYERS, HEADS, 4, 4)
    np.testing.assert_allclose(trace.weights.sum(axis=-1), 1, atol=1e-6)
    assert (trace.layers[1].heads.weights == trace.weights[1]).all()
    assert (trace.layers[1].output == trace.output).all()
    assert list(trace.layers) == [1]


def test_what_comes_later_changes_nothing_before_it(toy):
    whole, start = run_model(toy, TEXT), run_model(toy, TEXT[:2])
    np.testing.assert_allclose(whole.logits[:2], start.logits, atol=1e-5)


def test_only_distances_between_positions_matter(toy):
    here, there = run_model(toy, TEXT), run_model(toy, TEXT, positions=[700, 701, 702, 703])
    np.testing.assert_allclose(here.logits, there.logits, atol=1e-3)
    apart = run_model(toy, TEXT, positions=[0, 1, 40, 41])
    assert np.abs(here.logits - apart.logits).max() > 0.01


def test_a_part_is_replaced_by_what_is_passed(toy):
    def cut(layer, heads):
        return heads * (layer != 1)

    def in_words(*given):
        given_on.append(given[0])
        return grouped_attention(*given)

    given_on = []
    trace = run_model(toy, TEXT, keep=[1], parts=replace(RIGHT_PARTS, change=cut))
    assert (trace.layers[1].mixed == 0).all()
    other = run_model(toy, TEXT, parts=replace(RIGHT_PARTS, attention=in_words))
    assert (other.logits == run_model(toy, TEXT).logits).all()
    assert given_on == [0, 1]


def test_each_step_of_the_trace_follows_from_the_steps_before(toy):
    trace = run_model(toy, TEXT, keep=[0]).layers[0]
    weights = toy.layer(0)
    np.testing.assert_allclose(trace.normed, rms_norm(trace.x, weights.norm, 1e-5), rtol=1e-6)
    np.testing.assert_allclose(trace.mixed, trace.concat @ weights.w_o, atol=1e-6)
    np.testing.assert_allclose(trace.output, trace.x + trace.mixed + trace.mlp.output, atol=1e-6)


@pytest.mark.parametrize("tokens", [[], [-1], [len(TOKENS)]])
def test_tokens_that_the_vocabulary_does_not_have_are_refused(toy, tokens):
    with pytest.raises(ValueError, match=r"tokens must be one or more numbers from 0 to 259"):
        run_model(toy, tokens)
