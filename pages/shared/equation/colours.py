"""The palette as the style of equations: the tints of numbers, and the line below each head's columns."""

from __future__ import annotations

from pages.shared.notation.palette import HEADS, NEGATIVE, POSITIVE, WEIGHT, Colour


def style() -> str:
    """Return the rules of CSS that name a colour of the palette."""
    tints: dict[str, Colour] = {"positive": POSITIVE, "negative": NEGATIVE, "weight": WEIGHT}
    declared = " ".join(f"--{name}: {_of_theme(colour)};" for name, colour in tints.items())
    blocks = (
        f".block-{i} {{ border-bottom: 3px {head.line} {_of_theme(head.colour)}; }}" for i, head in enumerate(HEADS)
    )
    return "\n".join((f".equation {{ {declared} }}", *blocks, ""))


def _of_theme(colour: Colour) -> str:
    return f"var(--st-{colour}-color)"
