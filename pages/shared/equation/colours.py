"""The palette as the style of equations: the tints of numbers, and the line below each head's columns."""

from __future__ import annotations

from pages.shared.notation.palette import HEADS, NEGATIVE, POSITIVE, TINTS, Colour


def style() -> str:
    """Return the rules of CSS that name a colour of the palette."""
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
