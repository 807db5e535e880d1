"""Write numbers from −1 to 1 as the pixels of a PNG picture. Its two colours are inserted later, for each theme."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from pages.shared.notation.palette import NEGATIVE, POSITIVE, Theme, tint_code

LEVELS = 127  # levels of each colour


def png_without_colours(values: np.ndarray) -> tuple[bytes, bytes]:
    """Return a PNG image without its palette (its table of colours): the bytes before the palette, and those after it.

    The image shows a matrix of numbers from −1 to 1, with one pixel for each number. `colours` returns the palette that
    belongs between the two parts. The greater the magnitude of a number is, the more opaque is its pixel. The pixel of
    0 is transparent.
    """
    levels = np.rint(LEVELS * (1 + np.clip(values, -1, 1))).astype(np.uint8)
    rows, columns = levels.shape
    lines = np.pad(levels, ((0, 0), (1, 0))).tobytes()  # each line begins with the number of its filter; 0 means none
    alphas = bytes(abs(level - LEVELS) * 2 for level in range(2 * LEVELS + 1))
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0))
    rest = _chunk(b"tRNS", alphas) + _chunk(b"IDAT", zlib.compress(lines, 1)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + header, rest


def colours(theme: Theme) -> bytes:
    """Return the palette of a PNG, as bytes: one colour for numbers below 0, and another colour for other numbers."""
    negative, positive = (tint_code(tint, theme) for tint in (NEGATIVE, POSITIVE))
    return _chunk(b"PLTE", negative * LEVELS + positive * (LEVELS + 1))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
