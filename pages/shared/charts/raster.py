"""Raster: a matrix of any size as a picture, one pixel a number, from −1 to 1."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from functools import cache

import altair as alt
import numpy as np

from pages.shared.charts.draw import Spec, draw, spec

NEGATIVE, POSITIVE = (217, 114, 15), (31, 119, 180)
LEVELS = 127  # of each colour


def raster(values: np.ndarray, across: str, down: str, *, key: str, turned: bool = False) -> None:
    """Draw numbers from −1 to 1 as coloured pixels; turned, rows stand side by side."""
    shown, titles = (values.T, (down, across)) if turned else (values, (across, down))
    rows, columns = shown.shape
    url = f"data:image/png;base64,{b64encode(png(shown)).decode()}"
    data = {"url": [url], "left": [0], "right": [columns], "top": [0], "bottom": [rows]}
    draw(data, _raster_spec(*titles), key=key)


def png(values: np.ndarray) -> bytes:
    """Write numbers from −1 to 1 as a PNG: orange below 0, blue above, clear at 0, on whatever lies below."""
    levels = np.rint(LEVELS * (1 + np.clip(values, -1, 1))).astype(np.uint8)
    rows, columns = levels.shape
    lines = np.pad(levels, ((0, 0), (1, 0))).tobytes()  # each line begins with its filter, 0: none
    colours = bytes((*NEGATIVE,) * LEVELS + (*POSITIVE,) * (LEVELS + 1))
    alphas = bytes(abs(level - LEVELS) * 2 for level in range(2 * LEVELS + 1))
    header = struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", header),
        (b"PLTE", colours),
        (b"tRNS", alphas),
        (b"IDAT", zlib.compress(lines, 1)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


@cache
def _raster_spec(across: str, down: str) -> Spec:
    axis = alt.Axis(tickMinStep=1, tickCount=6)
    image = (
        alt.Chart()
        .mark_image(aspect=False, smooth=False)
        .encode(
            x=alt.X("left:Q", title=across, axis=axis, scale=alt.Scale(nice=False)),
            y=alt.Y("top:Q", title=down, axis=axis, scale=alt.Scale(nice=False, reverse=True)),
            x2="right:Q", y2="bottom:Q", url="url:N",
        )
    )  # fmt: skip
    description = "A matrix as a picture, one pixel a number: blue above 0, orange below, the paler the nearer to 0."
    return spec(image.properties(height=280, description=description))
