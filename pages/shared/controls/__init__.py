"""Controls: what a visitor can set on a page."""

from pages.shared.controls.parameters import (
    Parameters,
    choice,
    controls_of,
    count,
    declare,
    heads,
    heads_off,
    matrix,
    of_kind,
    slider,
    steps,
    switch,
    switches,
    text,
    text_area,
    token,
)

__all__ = [
    "Parameters",
    "choice",
    "controls_of",
    "count",
    "declare",
    "heads",
    "heads_off",
    "matrix",
    "of_kind",
    "slider",
    "steps",
    "switch",
    "switches",
    "text",
    "text_area",
    "token",
]
