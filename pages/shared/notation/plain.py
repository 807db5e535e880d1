"""Plain letters: names on chips, choices, sliders and axes, where LaTeX is not possible."""

from __future__ import annotations

SUBSCRIPTS = {"d_k": "dₖ", "d_v": "dᵥ"}  # there are no small lowered letters for d_model


def plain(text: str) -> str:
    """Write the index of d_k and d_v in a text with lowered letters.

    >>> plain("Multiplied by √d_k")
    'Multiplied by √dₖ'
    """
    for name, lowered in SUBSCRIPTS.items():
        text = text.replace(name, lowered)
    return text
