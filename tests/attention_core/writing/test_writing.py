"""Test writing with a language model: token by token with a cache, the model gives the same as for the whole text.

The guess at every layer is tested as well.
"""

import numpy as np
import pytest

from attention_core.language_model.answer import growth_of, read_more_tokens
from attention_core.language_model.gguf import UNPACKED_SETTING, bytes_to_unpack
from attention_core.language_model.model import open_model, partly_unpacked_model, run_model
from attention_core.next_word import sample
from attention_core.softmax import softmax
from language_models import MATRICES, PACKED, SETTINGS, TOKENS, path_of_the_model, write


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Give the test a tiny language model with random weights."""
    return open_model(write(tmp_path_factory.mktemp("toy") / "toy.gguf", SETTINGS, MATRICES, PACKED))


def check_in_pieces(model, tokens, cuts, atol):
    """Let the model read `tokens` in several parts, and check the logits at the end of each part.

    The logits must be the same, up to `atol`, as those at this position if the model reads the whole text at once.
    `cuts` holds the positions at which a new part begins. Return the state of the model after the last part.
    """
    whole, so_far = run_model(model, tokens), None
    for first, last in zip([0, *cuts], [*cuts, len(tokens)], strict=True):
        so_far = read_more_tokens(model, tokens[first:last], so_far)
        np.testing.assert_allclose(so_far.logits, whole.logits[last - 1], atol=atol)
    assert so_far is not None
    assert so_far.tokens == tuple(tokens)
    assert {cache.n for cache in so_far.caches} == {len(tokens)}
    assert so_far.bytes == sum(cache.numbers for cache in so_far.caches) * 4
    return so_far


@pytest.mark.parametrize("seed", range(40))
def test_a_text_in_pieces_is_the_whole_text(toy, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    tokens = rng.integers(0, len(TOKENS), n).tolist()
    cuts = sorted(rng.choice(np.arange(1, n), int(rng.integers(0, n)), replace=False).tolist()) if n > 1 else []
    check_in_pieces(toy, tokens, cuts, atol=1e-4)


@pytest.mark.long
def test_the_real_model_writes_with_a_cache_what_it_writes_without():
    model = open_model(path_of_the_model())
    tokens = (model.vocabulary.numbers["<|endoftext|>"], *model.vocabulary.encode("The capital of France is"))
    so_far, written = read_more_tokens(model, tokens), []
    for _ in range(6):
        written.append(int(sample(so_far.logits, top_k=1).drawn))
        so_far = read_more_tokens(model, written[-1:], so_far)
    whole = run_model(model, so_far.tokens).logits
    np.testing.assert_allclose(so_far.logits, whole[-1], atol=1e-4)
    assert whole[len(tokens) - 1 : -1].argmax(axis=-1).tolist() == written
    assert model.vocabulary.decode(written).startswith(" Paris")


def test_the_guess_at_the_last_layer_is_the_models(toy):
    so_far = read_more_tokens(toy, [1, 2, 3])
    growth = growth_of(toy, so_far.rows)
    chances = softmax(so_far.logits)
    assert growth.best.shape == growth.chances.shape == (toy.n_layers + 1,)
    assert growth.best[-1] == chances.argmax()
    assert growth.chances[-1] == growth.of_the_last[-1] == pytest.approx(chances.max(), rel=1e-4)
    assert (growth.of_the_last <= growth.chances).all()


def test_matrices_are_unpacked_until_the_memory_is_full(toy):
    sizes = {name: MATRICES[name].size * 4 for name in MATRICES}
    first = sum(size for name, size in sizes.items() if name.startswith("blk.0."))
    some, every = partly_unpacked_model(toy, first), partly_unpacked_model(toy, sum(sizes.values()))
    kept = {name for name, packed in some.file.matrices.items() if packed.format == 0}
    assert {name for name in kept if PACKED.get(name)} == {n for n in PACKED if n.startswith("blk.0.")}
    assert all(packed.format == 0 for packed in every.file.matrices.values())
    for model in (some, every):
        np.testing.assert_array_equal(run_model(model, [1, 2]).logits, run_model(toy, [1, 2]).logits)


def test_the_host_says_how_much_is_unpacked(monkeypatch):
    assert bytes_to_unpack() == 72 * 2**20
    monkeypatch.setenv(UNPACKED_SETTING, "600")
    assert bytes_to_unpack() == 600 * 2**20
    monkeypatch.setenv(UNPACKED_SETTING, "all")
    with pytest.raises(ValueError, match="ATTENTION_LAB_MODEL_UNPACKED must be a whole number of MiB; got all: write"):
        bytes_to_unpack()
