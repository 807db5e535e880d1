"""The chart “raster”: a matrix of any size as a picture with one pixel for each number from −1 to 1."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from typing import Any

import altair as alt
import numpy as np

from pages.shared.charts.draw import FIT_WIDTH, Spec, draw, spec
from pages.shared.charts.png import colours, png_without_colours

Picture = Mapping[str, list[Any]]


def raster(values: np.ndarray, across: str, down: str, *, key: str, turned: bool = False) -> None:
    """Draw numbers from −1 to 1 as coloured pixels. `across` and `down` are the titles of the columns and the rows.

    If `turned`, rows of the matrix are columns of the picture.
    """
    draw_picture(picture(values, turned), across, down, key=key, turned=turned)


def picture(values: np.ndarray, turned: bool = False) -> Picture:
    """Return the picture that `raster` draws, so that it can be stored. It is much smaller than its numbers."""
    shown = values.T if turned else values
    rows, columns = shown.shape
    before, after = ([b64encode(part).decode()] for part in png_without_colours(shown))
    return {"before": before, "after": after, "left": [0], "right": [columns], "top": [0], "bottom": [rows]}


def draw_picture(kept: Picture, across: str, down: str, *, key: str, turned: bool = False) -> None:
    """Draw the picture `kept`, which `picture` has made.

    `across` and `down` are the titles of the columns and rows of the matrix. If `turned`, its rows are columns of the
    picture.
    """
    draw(kept, _raster_spec(*((down, across) if turned else (across, down))), key=key)


@cache
def _raster_spec(across: str, down: str) -> Spec:
    axis = alt.Axis(tickMinStep=1, tickCount=6)
    image = (
        alt.Chart()
        .transform_calculate(url=_url())
        .mark_image(aspect=False, smooth=False)
        .encode(
            x=alt.X("left:Q", title=across, axis=axis, scale=alt.Scale(nice=False)),
            y=alt.Y("top:Q", title=down, axis=axis, scale=alt.Scale(nice=False, reverse=True)),
            x2="right:Q",
            y2="bottom:Q",
            url="url:N",
        )
    )
    description = "A matrix as a picture, one pixel a number: blue above 0, orange below, the paler the nearer to 0."
    return spec(image.properties(height=220, autosize=FIT_WIDTH, description=description))


def _url() -> str:
    """Return a Vega expression for the address of the picture, with the colours of the chart's theme.

    In base 64, three bytes become four letters. So the parts can be joined, because their lengths are multiples of
    three.
    """
    light, dark = (b64encode(colours(theme)).decode() for theme in ("light", "dark"))
    theme = f"(luminance(background) > 0.5 ? '{light}' : '{dark}')"
    return f"'data:image/png;base64,' + datum.before + {theme} + datum.after"
