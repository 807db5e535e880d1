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


def raster(values: np.ndarray, across: str, down: str, *, key: str, transposed: bool = False) -> None:
    """Draw a matrix of numbers from −1 to 1 as coloured pixels.

    `across` is the title of the matrix's columns, and `down` is the title of its rows. If `transposed`, the picture
    shows the rows of the matrix as columns.
    """
    draw_picture(picture(values, transposed), across, down, key=key, transposed=transposed)


def picture(values: np.ndarray, transposed: bool = False) -> Picture:
    """Return the picture of a matrix, as data for `draw_picture`. It takes much less memory than the matrix.

    If `transposed`, the picture shows the rows of the matrix as columns.
    """
    shown = values.T if transposed else values
    rows, columns = shown.shape
    before, after = ([b64encode(part).decode()] for part in png_without_colours(shown))
    return {"before": before, "after": after, "left": [0], "right": [columns], "top": [0], "bottom": [rows]}


def draw_picture(picture_data: Picture, across: str, down: str, *, key: str, transposed: bool = False) -> None:
    """Draw `picture_data`, a picture of a matrix that the function `picture` has made.

    `across` is the title of the matrix's columns, and `down` is the title of its rows. If `transposed`, the picture
    shows the rows of the matrix as columns.
    """
    draw(picture_data, _raster_spec(*((down, across) if transposed else (across, down))), key=key)


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
    """Return a Vega expression whose value is a data URL: a PNG picture in the colours of the theme.

    The expression joins parts of the PNG that are written in base 64, in which three bytes become four characters. The
    parts can be joined, because the length of each part is a multiple of three bytes.
    """
    light, dark = (b64encode(colours(theme)).decode() for theme in ("light", "dark"))
    theme = f"(luminance(background) > 0.5 ? '{light}' : '{dark}')"
    return f"'data:image/png;base64,' + datum.before + {theme} + datum.after"
