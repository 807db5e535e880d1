"""The functions that draw charts, in one import."""

from pages.shared.charts.of_positions import numbering, spread, waves
from pages.shared.charts.of_training import damage, growth, learning, losses, nudge, saturations
from pages.shared.charts.of_weights import (
    chances,
    circle,
    distances,
    draw_picture,
    picture,
    raster,
    shares,
    steps,
    values_plane,
)

__all__ = [
    "chances",
    "circle",
    "damage",
    "distances",
    "draw_picture",
    "growth",
    "learning",
    "losses",
    "nudge",
    "numbering",
    "picture",
    "raster",
    "saturations",
    "shares",
    "spread",
    "steps",
    "values_plane",
    "waves",
]
