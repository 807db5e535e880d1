"""Charts: Altair specifications, one file for each chart. A specification is built once; each run sends new data.

All charts are imported when the first of them is drawn, because importing Altair takes a second, and pages without
charts should not wait for this.
"""

from typing import TYPE_CHECKING, Any

from attention_core.late_import import late_import

if TYPE_CHECKING:
    from pages.shared.charts.every_chart import (
        chances,
        circle,
        damage,
        distances,
        draw_picture,
        growth,
        learning,
        losses,
        nudge,
        numbering,
        picture,
        raster,
        saturations,
        shares,
        spread,
        steps,
        values_plane,
        waves,
    )

__all__ = [
    "MOST_POSITIONS",
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

MOST_POSITIONS = 100  # waves are drawn over at most so many positions; the fastest wave then has sixteen periods


def __getattr__(name: str) -> Any:
    """Return the function that draws the chart `name`. Python calls this for a name that the module does not define."""
    if name not in __all__:
        raise AttributeError(f"a chart must be one of {', '.join(__all__)}; got {name}: choose one of these.")
    return getattr(_charts(), name)


@late_import
def _charts() -> Any:
    import pandas  # noqa: F401  # Streamlit and Altair look for it, and must not find it half imported

    from pages.shared.charts import every_chart

    return every_chart
