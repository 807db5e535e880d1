"""Run the model on the texts of this project, and write the numbers of its heads and its next words into files.

`python -m attention_core.language_model.make_shipped` takes a minute, and needs the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.language_model import next_words
from attention_core.language_model.answer import Question, answer
from attention_core.language_model.make_roles import LICENCE, SHA256
from attention_core.language_model.model import LanguageModel, open_model, unpacked_model
from attention_core.language_model.model_path import find_model
from attention_core.language_model.pieces import BEGIN
from attention_core.language_model.shipped import FILE, HEADS, TEXTS, as_arrays, read_text
from attention_core.language_model.writing import read_more_tokens

ORIGIN = "Computed by this repository’s own code: python -m attention_core.language_model.make_shipped"


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
    return next_words.as_arrays(next_words.next_words_of(model, so_far, next_words.write_greedily(model, so_far)))


def write_next_words(model: LanguageModel) -> None:
    """Predict the next words of all texts of this project, and write them into a file with their origin."""
    each = {f"{name}/{key}": a for name, text in TEXTS.items() for key, a in arrays_of_next_words(model, text).items()}
    np.savez_compressed(next_words.FILE, **each, origin=np.array([ORIGIN, LICENCE, SHA256]))


def main() -> None:
    """Run the model on all texts, and write two files: one for the heads, and one for the next words."""
    path = find_model()
    if path is None:
        raise SystemExit("The model is not installed: see requirements-model.txt.")
    model = unpacked_model(open_model(path))
    kept = {f"{name}/{key}": each for name, text in TEXTS.items() for key, each in arrays_of_heads(model, text).items()}
    np.savez_compressed(FILE, **kept, origin=np.array([ORIGIN, LICENCE, SHA256]))
    write_next_words(model)


if __name__ == "__main__":
    main()
