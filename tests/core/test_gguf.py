"""Test the reading of GGUF files, which hold language models: numbers and settings come back.

A file that is not such a model is refused, and the error says what to do.
"""

import numpy as np
import pytest

from attention_core.language_model.gguf import SETTING, ModelFileError, find_model, read_file
from attention_core.language_model.model import open_model, run_model
from language_models import MATRICES, PACKED, SETTINGS, write


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
