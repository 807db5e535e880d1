"""Charts: Altair specifications, each built once and fed with data at every run; one picture a file."""

from pages.shared.charts.plane import values_plane
from pages.shared.charts.saturations import saturations
from pages.shared.charts.shares import shares
from pages.shared.charts.spread import spread

__all__ = ["saturations", "shares", "spread", "values_plane"]
