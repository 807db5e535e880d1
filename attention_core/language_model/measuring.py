"""Measure a real model whose layers are changed: its losses, and how it continues a text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array
from attention_core.cross_entropy import cross_entropy
from attention_core.language_model.block import RIGHT_PARTS, Parts, run_block
from attention_core.language_model.model import LanguageModel, ModelTrace, run_model

LEAK = 1e-2  # a later token that changes an earlier logit by more than this leaks: rounding changes it by less


def losses(model: LanguageModel, tokens: Sequence[int], parts: Parts = RIGHT_PARTS) -> Array:
    """Return the loss of each token after the first, (n − 1,): −ln of the probability that the model gave it."""
    logits = run_model(model, tokens, parts=parts).logits
    return cross_entropy(logits[:-1], tokens[1:]).losses


def losses_from_prefixes(model: LanguageModel, tokens: Sequence[int], parts: Parts = RIGHT_PARTS) -> Array:
    """Return the loss of each token after the first, (n − 1,), if the model never reads a later token.

    The model runs once for each of these tokens, and reads only the tokens before.
    """
    last = [run_model(model, tokens[:n], parts=parts).logits[-1] for n in range(1, len(tokens))]
    return cross_entropy(np.stack(last), tokens[1:]).losses


def losses_from_layer(model: LanguageModel, trace: ModelTrace, layer: int, parts: Parts) -> Array:
    """Return the loss of each token after the first if all layers from `layer` on use the functions `parts`.

    The layers before do not run again, because `trace` has the input of `layer`. The trace must have stored this layer.
    """
    x, places = trace.layers[layer].x, np.arange(len(trace.tokens))
    for number in range(layer, model.n_layers):
        x = run_block(x, model.layer(number), model.settings, places, layer=number, parts=parts).output
    return cross_entropy(model.logits(x)[:-1], trace.tokens[1:]).losses


def leaks(model: LanguageModel, tokens: Sequence[int], parts: Parts = RIGHT_PARTS) -> bool:
    """Return whether the model's prediction after the first token depends on later tokens."""
    whole, part = (run_model(model, tokens[:n], parts=parts).logits[0] for n in (len(tokens), 1))
    return not np.allclose(whole, part, rtol=0, atol=LEAK)


def next_tokens(model: LanguageModel, tokens: Sequence[int], n: int, parts: Parts = RIGHT_PARTS) -> tuple[int, ...]:
    """Return the n tokens with which a model continues a text. The model takes the likeliest token each time."""
    text = list(tokens)
    for _ in range(n):
        text.append(int(run_model(model, text, parts=parts).logits[-1].argmax()))
    return tuple(text[len(tokens) :])
