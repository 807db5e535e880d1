"""Test the language model on a tiny model of the same kind: its tokens, its layers, and replacing their parts.

Also the reader of its file, and the real model where it is installed.
"""

import json
import sys
import time
from dataclasses import replace
from importlib import invalidate_caches
from pathlib import Path

import numpy as np
import pytest

from attention_core import rms_norm
from attention_core.language_model import gguf
from attention_core.language_model.gguf import SETTING, ModelFile, ModelFileError, find_model, read_file
from attention_core.language_model.model import RIGHT_PARTS, grouped_attention, open_model, run_model
from attention_core.language_model.tokens import BEGIN, UnreadableError, pieces_of, tokens_of, vocabulary_of
from language_models import D_K, HEADS, LAYERS, MATRICES, PACKED, SETTINGS, SIDES, TOKENS, path_of_the_model, write
from notebooks import DATA

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


@pytest.mark.parametrize("format", [0, 3, 8])
def test_numbers_come_back_as_far_as_their_packing_goes(tmp_path, format):
    file = read_file(write(tmp_path / "a.gguf", SETTINGS, MATRICES, {name: format for name in PACKED}))
    for name in PACKED:
        blocks = MATRICES[name].reshape(-1, 32)
        step = {0: 0, 3: np.ptp(blocks, axis=1) / 15, 8: np.abs(blocks).max(axis=1) / 127}[format]
        off = np.abs(file.matrix(name).rows().reshape(-1, 32) - blocks).max(axis=1)
        assert (off <= 0.51 * step + 1e-3).all()
        assert file.matrix(name).shape == MATRICES[name].shape


def test_a_block_of_four_bits_by_hand(tmp_path):
    # the numbers −1, −0.5, …, 6.5, which this format stores exactly
    values = (np.arange(32) % 16 / 2 - 1).astype(np.float32)[None]
    file = read_file(write(tmp_path / "a.gguf", {}, {"a": values}, {"a": 3}))
    assert (file.matrix("a").rows() == values).all()
    assert (file.matrix("a").rows(np.array([0, 0])) == np.repeat(values, 2, axis=0)).all()


def test_settings_come_back(tmp_path):
    file = read_file(write(tmp_path / "a.gguf", SETTINGS, MATRICES, {}))
    kept = {name: file.settings[name] for name in SETTINGS}
    assert kept == {**SETTINGS, "llama.attention.layer_norm_rms_epsilon": pytest.approx(1e-5)}


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"general.architecture": "gpt2"}, "must be of the family “llama”, but this one is of “gpt2”"),
        ({"tokenizer.ggml.model": "llama"}, "Tokens must be byte pairs .* but these are “llama”"),
    ],
)
def test_a_model_of_another_kind_is_refused(tmp_path, settings, rule):
    path = write(tmp_path / "a.gguf", SETTINGS | settings, MATRICES, {})
    with pytest.raises(ModelFileError, match=rule):
        open_model(path)


def test_what_is_missing_is_named(tmp_path):
    path = write(tmp_path / "a.gguf", {"general.architecture": "llama"}, {}, {})
    with pytest.raises(ModelFileError, match=r"must say llama\.attention\.head_count, but it does not"):
        open_model(path)
    model = open_model(write(tmp_path / "b.gguf", SETTINGS, {}, {}))
    with pytest.raises(ModelFileError, match=r"must hold the matrix token_embd\.weight, but it does not"):
        run_model(model, [0])


@pytest.mark.parametrize("share", [0.3, 0.99])
def test_a_file_that_was_cut_short_is_refused(tmp_path, share):
    path = write(tmp_path / "a.gguf", SETTINGS, MATRICES, PACKED)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(ModelFileError, match=r"A model must be whole, but .* Download it again"):
        open_model(path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ModelFileError, match="the file ends after 200 bytes, within its head"):
        open_model(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\3\4 is a zip file"])
def test_another_file_is_refused(tmp_path, content):
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="A model must be a GGUF file"):
        open_model(path)


def test_other_versions_and_packings_are_refused(tmp_path):
    with pytest.raises(ModelFileError, match="must be of version 2 or 3, but this one is of 1"):
        read_file(write(tmp_path / "a.gguf", {}, {}, {}, version=1))
    with pytest.raises(ModelFileError, match=r"packed as F32, F16, Q4_0, Q4_1, Q8_0, but a has format 12"):
        read_file(write(tmp_path / "a.gguf", {}, {"a": np.ones((1, 32))}, {"a": 12}))


def test_a_file_named_in_the_environment_comes_first(monkeypatch, tmp_path):
    monkeypatch.setenv(SETTING, str(tmp_path / "own.gguf"))
    assert find_model() == tmp_path / "own.gguf"
    with pytest.raises(OSError, match=r"own\.gguf"):
        open_model(tmp_path / "own.gguf")


def test_a_model_that_was_found_once_is_found_whatever_changes_the_path(tmp_path, monkeypatch):
    monkeypatch.delenv(SETTING, raising=False)
    monkeypatch.setattr(gguf, "PACKAGE", "a-model-of-the-tests")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find_model() is None
    described = tmp_path / "a_model_of_the_tests-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: a-model-of-the-tests\nVersion: 1.0\n")
    (described / "RECORD").write_text("readme.txt,,\nsmall.gguf,,\n")
    invalidate_caches()
    assert find_model() == tmp_path / "small.gguf"
    monkeypatch.setattr(sys, "path", [])
    assert find_model() == tmp_path / "small.gguf"


WORDS = vocabulary_of(ModelFile(SETTINGS, {}))


def test_a_text_is_its_tokens_after_the_one_that_begins():
    tokens = tokens_of(" the\n", WORDS)
    assert pieces_of(tokens, WORDS) == ("start", "the", "⏎")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" \n", "A text must have at least one word, but this one is empty. Write some words."),
        (
            "a" * 40,
            "A text may have 31 tokens here, but this one has 40. Leave 9 tokens out.",
        ),
    ],
)
def test_a_text_that_cannot_be_read_says_why(text, said):
    with pytest.raises(UnreadableError, match=said.replace(".", r"\.")):
        tokens_of(text, WORDS)


def test_characters_without_tokens_are_named():
    fewer = [each for each in TOKENS if each != "!"]
    words = vocabulary_of(ModelFile(SETTINGS | {"tokenizer.ggml.tokens": fewer}, {}))
    with pytest.raises(UnreadableError, match="every character of a text, but it does not know !"):
        tokens_of("a!", words)


def test_a_visitor_cannot_type_the_token_that_begins_a_text():
    assert WORDS.numbers[BEGIN] not in tokens_of(BEGIN, WORDS)[1:]


FOLDER = DATA / "language_model"
TEXTS = json.loads((FOLDER / "manifest.json").read_text())["texts"]
SECONDS, MIB = 1.5, 160  # seconds of computing time for 16 tokens, and MiB of memory that the model may take


@pytest.fixture(scope="module")
def expected():
    """Give the test the numbers that the model must give, by name."""
    with np.load(FOLDER / "reference.npz") as arrays:
        return dict(arrays)


@pytest.fixture(scope="module")
def model():
    """Give the test the real language model."""
    return open_model(path_of_the_model())


@pytest.mark.many
@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_tokens_and_predictions_agree_with_the_reference(number, model, expected):
    text = TEXTS[number]["text"]
    tokens = model.vocabulary.encode(text)
    assert tokens == expected[f"{number}/ids"].tolist()
    assert model.vocabulary.decode(tokens) == text
    trace = run_model(model, tokens)
    best = expected[f"{number}/top5"]
    assert (np.argsort(-trace.logits, axis=-1)[:, :5] == best).all()
    np.testing.assert_allclose(
        np.take_along_axis(trace.logits, best, axis=-1), expected[f"{number}/top5_logits"], atol=5e-4
    )
    came = log_probabilities_of_next(trace.logits, tokens)
    np.testing.assert_allclose(came, expected[f"{number}/log_p_next"], atol=1e-4)
    assert -came.mean() == pytest.approx(TEXTS[number]["mean_loss"], abs=1e-4)
    if f"{number}/attention" in expected:
        np.testing.assert_allclose(trace.weights, expected[f"{number}/attention"], atol=2e-5)


def log_probabilities_of_next(logits, tokens):
    """Return the log-probability that the model gave to each next token of the text, for all tokens but the first."""
    logits = logits[:-1].astype(float)
    total = np.log(np.exp(logits - logits.max(axis=-1, keepdims=True)).sum(axis=-1)) + logits.max(axis=-1)
    return logits[np.arange(len(tokens) - 1), tokens[1:]] - total


def test_sixteen_tokens_take_little_time_and_memory(model):
    def private():
        status = Path("/proc/self/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon")) / 1024

    tokens = model.vocabulary.encode(TEXTS[2]["text"])
    assert len(tokens) == 16
    before = private()
    began = time.process_time()
    run_model(model, tokens)
    assert time.process_time() - began < SECONDS
    assert private() - before < MIB
