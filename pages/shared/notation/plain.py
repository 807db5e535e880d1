"""Write names without LaTeX, for chips, choices, sliders and axes."""

from __future__ import annotations

SUBSCRIPTS = {"d_k": "dₖ", "d_v": "dᵥ"}  # Unicode has no such letters for d_model


def plain(text: str) -> str:
    """Return a text in which d_k and d_v have an index in small letters.

    >>> plain("Multiplied by √d_k")
    'Multiplied by √dₖ'
    """
    for name, lowered in SUBSCRIPTS.items():
        text = text.replace(name, lowered)
    return text
