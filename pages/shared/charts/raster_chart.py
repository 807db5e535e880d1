"""Raster: a matrix of any size as a picture, one pixel a number, from −1 to 1."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from typing import Any

import altair as alt
import numpy as np

from pages.shared.charts.draw import FIT_WIDTH, Spec, draw, spec
from pages.shared.notation.palette import NEGATIVE, POSITIVE, Theme, value_of

LEVELS = 127  # of each colour

Picture = Mapping[str, list[Any]]


def raster(values: np.ndarray, across: str, down: str, *, key: str, turned: bool = False) -> None:
    """Draw numbers from −1 to 1 as coloured pixels; turned, rows stand side by side."""
    draw_picture(picture(values, turned), across, down, key=key, turned=turned)


def picture(values: np.ndarray, turned: bool = False) -> Picture:
    """Return the picture that `raster` draws, to be kept: it is much smaller than its numbers."""
    shown = values.T if turned else values
    rows, columns = shown.shape
    before, after = ([b64encode(part).decode()] for part in around_the_colours(shown))
    return {"before": before, "after": after, "left": [0], "right": [columns], "top": [0], "bottom": [rows]}


def draw_picture(kept: Picture, across: str, down: str, *, key: str, turned: bool = False) -> None:
    """Draw a picture that was made before."""
    draw(kept, _raster_spec(*((down, across) if turned else (across, down))), key=key)


def around_the_colours(values: np.ndarray) -> tuple[bytes, bytes]:
    """Write numbers from −1 to 1 as a PNG, and return what stands before its colours and after them.

    A number is the more opaque the greater it is; 0 is clear, on whatever lies below.
    """
    levels = np.rint(LEVELS * (1 + np.clip(values, -1, 1))).astype(np.uint8)
    rows, columns = levels.shape
    lines = np.pad(levels, ((0, 0), (1, 0))).tobytes()  # each line begins with its filter, 0: none
    alphas = bytes(abs(level - LEVELS) * 2 for level in range(2 * LEVELS + 1))
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0))
    rest = _chunk(b"tRNS", alphas) + _chunk(b"IDAT", zlib.compress(lines, 1)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + header, rest


def colours(theme: Theme) -> bytes:
    """Return the part of the PNG with its colours: one below 0, another above."""
    negative, positive = (bytes.fromhex(value_of(colour, theme)[1:]) for colour in (NEGATIVE, POSITIVE))
    return _chunk(b"PLTE", negative * LEVELS + positive * (LEVELS + 1))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


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
            x2="right:Q", y2="bottom:Q", url="url:N",
        )
    )  # fmt: skip
    description = "A matrix as a picture, one pixel a number: blue above 0, orange below, the paler the nearer to 0."
    return spec(image.properties(height=220, autosize=FIT_WIDTH, description=description))


def _url() -> str:
    """Return the expression of the picture's address, with the colours of the theme whose background the chart has.

    In base 64, three bytes are four letters: parts can be joined as their lengths are multiples of three.
    """
    light, dark = (b64encode(colours(theme)).decode() for theme in ("light", "dark"))
    theme = f"(luminance(background) > 0.5 ? '{light}' : '{dark}')"
    return f"'data:image/png;base64,' + datum.before + {theme} + datum.after"
