"""The choice of a text and of a head on the page “Real heads”."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attention_core.language_model.head import Head
from attention_core.language_model.shipped import TEXTS
from pages.shared.controls import of_kind
from pages.shared.controls.control import Control

OWN = "own"
LABELS: Mapping[str, str] = {
    "list": "A list, twice", "capital": "A capital", "capitals": "Two capitals", "pronoun": "She", "words": "Dog, dog",
    "kinds": "Dog, cat", "bracket": "Brackets", "quote": "Quotes", "cat": "Cat and mouse", "park": "The park",
    "days": "Days", "code": "Code",
}  # fmt: skip
CHOICES = {name: LABELS[name] for name in TEXTS} | {OWN: "Your own"}
# For each text, a head that does in this text what its role says.
HEAD_OF_TEXT: Mapping[str, Head] = {
    "list": Head(18, 6), "capital": Head(23, 4), "capitals": Head(23, 4), "pronoun": Head(9, 4), "words": Head(9, 2),
    "kinds": Head(9, 4), "bracket": Head(8, 4), "quote": Head(12, 3), "cat": Head(16, 0), "park": Head(18, 8),
    "days": Head(16, 0), "code": Head(17, 4),
}  # fmt: skip
N_LAYERS, N_HEADS = 30, 9  # the layers, and the heads in each, of the model whose heads are shipped


@dataclass(frozen=True, slots=True)
class HeadInput(Control):
    """A control for a head, which is given by its layer and its number in that layer.

    The visitor chooses the head on the wall, a picture with a map of each head.
    """

    label: str
    help: str | None = None

    def encode(self, value: tuple[int, int]) -> str:
        return f"{value[0]}.{value[1]}"

    def decode(self, text: str) -> tuple[int, int]:
        layer, _, head = text.partition(".")
        known = {str(i): i for i in range(N_LAYERS)}
        if layer not in known or head not in known or known[head] >= N_HEADS:
            raise ValueError(f"a layer to {N_LAYERS - 1} and a head to {N_HEADS - 1}, counted from 0, as 18.6")
        return Head(known[layer], known[head])


def head_parameter_for(text: str) -> Mapping[str, Head]:
    """Return the head that suits a shipped text, as {"head": head}. Return {} for the visitor's own text."""
    return {"head": HEAD_OF_TEXT[text]} if text in HEAD_OF_TEXT else {}


def head(default: Head) -> Any:
    """Declare the parameter that holds the head which is shown."""
    return of_kind(HeadInput("Head"), default)
