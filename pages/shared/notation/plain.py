"""Plain letters: names as they stand where LaTeX cannot, on chips, choices, sliders and the axes of charts."""

from __future__ import annotations

SUBSCRIPTS = {"d_k": "dₖ", "d_v": "dᵥ"}  # there are no lowered letters for d_model


def plain(text: str) -> str:
    """Return a text with its d_k lowered; `notation.typeset` does the same where LaTeX can stand.

    >>> plain("Multiplied by √d_k")
    'Multiplied by √dₖ'
    """
    for name, lowered in SUBSCRIPTS.items():
        text = text.replace(name, lowered)
    return text
