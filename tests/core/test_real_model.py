"""Test the real language model SmolLM2-135M, where it is installed.

It must give the numbers of `tests/data/language_model` token by token, in limited time and memory.
"""

import json
import time
from pathlib import Path

import numpy as np
import pytest

from attention_core.language_model.model import open_model, run_model
from language_models import path_of_the_model
from notebooks import DATA

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
