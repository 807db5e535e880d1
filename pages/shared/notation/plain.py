"""Plain letters: names on chips, choices, sliders and axes, where no LaTeX is possible."""

from __future__ import annotations

SUBSCRIPTS = {"d_k": "dₖ", "d_v": "dᵥ"}  # there are no lowered letters for d_model


def plain(text: str) -> str:
    """Lower the index of d_k and d_v in a text.

    >>> plain("Multiplied by √d_k")
    'Multiplied by √dₖ'
    """
    for name, lowered in SUBSCRIPTS.items():
        text = text.replace(name, lowered)
    return text
