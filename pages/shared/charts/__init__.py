"""Charts: Altair specifications, each built once and fed with data at every run; one picture a file."""

from pages.shared.charts.attention_lines import attention_lines
from pages.shared.charts.circle import circle
from pages.shared.charts.distances import distances
from pages.shared.charts.plane import values_plane
from pages.shared.charts.raster import raster
from pages.shared.charts.saturations import saturations
from pages.shared.charts.shares import shares
from pages.shared.charts.spread import spread
from pages.shared.charts.waves import MOST_POSITIONS, waves

__all__ = [
    "MOST_POSITIONS",
    "attention_lines",
    "circle",
    "distances",
    "raster",
    "saturations",
    "shares",
    "spread",
    "values_plane",
    "waves",
]
