"""The CSS rules with the colours of equations: the tints of numbers, and the line below the columns of each head."""

from __future__ import annotations

from pages.shared.notation.palette import HEADS, NEGATIVE, POSITIVE, TINTS, Colour


def style() -> str:
    """Return the CSS rules that give each tint and each head its colour in the present theme."""
    tints = (
        f".{tint} {{ --positive: {_of_theme(above)}; --negative: {_of_theme(below)}; }}"
        for tint, (above, below) in {"equation": (POSITIVE, NEGATIVE), **TINTS}.items()
    )
    blocks = (
        f".block-{i} {{ border-bottom: 3px {head.line} {_of_theme(head.colour)}; }}" for i, head in enumerate(HEADS)
    )
    return "\n".join((*tints, *blocks, ""))


def _of_theme(colour: Colour) -> str:
    return f"var(--st-{colour}-color)"
