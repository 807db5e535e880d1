"""Let the model read the texts that are shipped, and write the numbers of its heads into the file.

`python -m attention_core.language_model.make_shipped` takes half a minute, and the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.language_model.answer import Question, answer
from attention_core.language_model.make_roles import LICENCE, SHA256
from attention_core.language_model.model import LanguageModel, open_model
from attention_core.language_model.model_path import find_model
from attention_core.language_model.pieces import BEGIN
from attention_core.language_model.shipped import FILE, HEADS, TEXTS, as_arrays, read_text

ORIGIN = "Computed by this repository’s own code: python -m attention_core.language_model.make_shipped"


def read_through(model: LanguageModel, text: str) -> dict[str, Any]:
    """Return the arrays that are shipped for a text, by their names in the file."""
    words = model.vocabulary
    tokens = (words.numbers[BEGIN], *words.encode(text))
    answered = answer(model, Question(tokens=tokens, weights=True, layers=tuple(range(model.n_layers))))
    return as_arrays(read_text(answered, words, HEADS))


def main() -> None:
    """Read all texts, and write the file with its origin."""
    path = find_model()
    if path is None:
        raise SystemExit("The model is not installed: see requirements-model.txt.")
    model = open_model(path)
    kept = {f"{name}/{key}": each for name, text in TEXTS.items() for key, each in read_through(model, text).items()}
    np.savez_compressed(FILE, **kept, origin=np.array([ORIGIN, LICENCE, SHA256]))


if __name__ == "__main__":
    main()
