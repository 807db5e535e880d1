"""Run the model on the texts of this project, and write what the pages show of it into three files.

`PYTHONPATH=. python tests/tools/make_shipped.py` needs the model. With the argument `roles`, it measures the roles of
heads, which takes some minutes; with `texts`, it writes the numbers of the heads and the next words of each text, which
takes a minute. A role is a kind of token that a head attends to. Unless the head of a role is chosen by name, it is the
head with the greatest difference between texts with the cue and control texts, on half of the texts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.language_model import roles, shipped
from attention_core.language_model.answer import Question, answer, read_more_tokens
from attention_core.language_model.gguf import PACKAGE, find_model
from attention_core.language_model.model import Head, LanguageModel, layers_of, open_model, unpacked_model
from attention_core.language_model.shipped import FILE, HEADS, TEXTS, as_arrays, read_text
from attention_core.language_model.tokens import BEGIN

# Further heads to measure: the head of “first place” in texts without the start token, a second head of some roles, and
# a head that only seems to have its role.
MORE = (
    ("first word", Head(18, 8)),
    ("induction", Head(18, 6)),
    ("same token before", Head(14, 3)),
    ("pronoun", Head(15, 7)),
    ("fact", Head(23, 4)),
    ("same word", Head(9, 4)),
)
ORIGIN = "Computed by this repository’s own code: tests/tools/make_shipped.py"
LICENCE = "SmolLM2-135M-Instruct, Hugging Face, Apache-2.0"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"  # the hash of the model's file


def weights_in(model: LanguageModel):
    """Return a function that runs the model on some tokens and returns the weights of all heads.

    The returned array has the shape (n_layers, n_heads, n, n). The model runs only once for each text.
    """

    @cache
    def weights_of(tokens: Sequence[int]) -> Array:
        return np.stack([trace.heads.weights for trace in layers_of(model, tokens)])

    return weights_of


def write_roles(model: LanguageModel) -> None:
    """Measure all roles of heads, such as attending to the word before, and write them into a file."""
    weights_of = weights_in(model)
    names = [name for name in roles.NAMES if name not in ("same word", "first word")]
    found = [roles.measure_role(name, model.vocabulary, weights_of) for name in names]
    found += [roles.measure_role(name, model.vocabulary, weights_of, head) for name, head in MORE]
    kept = {"origin": ORIGIN, "model": LICENCE, "sha256": SHA256, "roles": [asdict(role) for role in found]}
    roles.FILE.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def arrays_of_heads(model: LanguageModel, text: str) -> dict[str, Any]:
    """Run the model on one text. Return by name the arrays of its heads that `main` writes into a file."""
    words = model.vocabulary
    tokens = (words.numbers[BEGIN], *words.encode(text))
    answered = answer(model, Question(tokens=tokens, weights=True, layers=tuple(range(model.n_layers))))
    return as_arrays(read_text(answered, words, HEADS))


def arrays_of_next_words(model: LanguageModel, text: str) -> dict[str, Any]:
    """Predict what follows one text. Return by name the arrays that `write_next_words` writes into a file."""
    words = model.vocabulary
    so_far = read_more_tokens(model, (words.numbers[BEGIN], *words.encode(text)))
    return shipped.next_words_as_arrays(shipped.next_words_of(model, so_far, shipped.write_greedily(model, so_far)))


def write_texts(model: LanguageModel) -> None:
    """Run the model on all texts of this project, and write their heads and their next words into two files."""
    kept = {f"{name}/{key}": each for name, text in TEXTS.items() for key, each in arrays_of_heads(model, text).items()}
    np.savez_compressed(FILE, **kept, origin=np.array([ORIGIN, LICENCE, SHA256]))
    each = {f"{name}/{key}": a for name, text in TEXTS.items() for key, a in arrays_of_next_words(model, text).items()}
    np.savez_compressed(shipped.FILE_OF_NEXT_WORDS, **each, origin=np.array([ORIGIN, LICENCE, SHA256]))


def main(names: Sequence[str]) -> None:
    """Write the files that `names` names, or all of them."""
    path = find_model()
    if path is None:
        raise SystemExit(f"The model is not installed: {PACKAGE} has it, see requirements-model.txt.")
    model = open_model(path)
    if "roles" in names or not names:
        write_roles(model)
    if "texts" in names or not names:
        write_texts(unpacked_model(model))


if __name__ == "__main__":
    main(sys.argv[1:])
