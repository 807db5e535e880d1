"""The functions that draw charts, in one import."""

from pages.shared.charts.chances_chart import chances
from pages.shared.charts.circle_chart import circle
from pages.shared.charts.damage_chart import damage
from pages.shared.charts.distances_chart import distances
from pages.shared.charts.growth_chart import growth
from pages.shared.charts.learning_chart import learning
from pages.shared.charts.losses_chart import losses
from pages.shared.charts.nudge_chart import nudge
from pages.shared.charts.numbering_chart import numbering
from pages.shared.charts.raster_chart import draw_picture, picture, raster
from pages.shared.charts.saturations_chart import saturations
from pages.shared.charts.shares_chart import shares
from pages.shared.charts.spread_chart import spread
from pages.shared.charts.steps_chart import steps
from pages.shared.charts.values_plane_chart import values_plane
from pages.shared.charts.waves_chart import waves

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
