"""Charts: Altair specifications, each built once and fed with data at every run; one picture a file."""

from pages.shared.charts.lines import attention_lines
from pages.shared.charts.plane import values_plane
from pages.shared.charts.shares import shares

__all__ = ["attention_lines", "shares", "values_plane"]
