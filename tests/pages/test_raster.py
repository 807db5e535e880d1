"""The picture of a matrix: a PNG that any decoder reads back, one pixel a number, in the colours of either theme."""

import struct
import zlib

import numpy as np
import pytest

from pages.shared.charts.png import LEVELS, colours, png_without_colours
from pages.shared.notation.palette import NEGATIVE, POSITIVE, Theme, value_of

THEMES = ("light", "dark")


def decoded(data):
    """The chunks of a PNG, each with a checksum that is right."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + body),)
        chunks[kind], at = body, at + 12 + length
    return chunks


def pixels(values, theme: Theme = "light"):
    before, after = png_without_colours(np.array(values, dtype=float))
    chunks = decoded(before + colours(theme) + after)
    columns, rows = struct.unpack(">II", chunks[b"IHDR"][:8])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), dtype=np.uint8).reshape(rows, columns + 1)
    assert not lines[:, 0].any()
    levels = lines[:, 1:]
    shades = np.frombuffer(chunks[b"PLTE"], dtype=np.uint8).reshape(-1, 3)
    return shades[levels], np.frombuffer(chunks[b"tRNS"], dtype=np.uint8)[levels]


@pytest.mark.parametrize("theme", THEMES)
def test_colours_tell_the_sign_and_clearness_the_size(theme):
    shades, alphas = pixels([[-1, 0, 1], [0.5, -0.5, 2]], theme)
    negative, positive = ([*bytes.fromhex(value_of(colour, theme)[1:])] for colour in (NEGATIVE, POSITIVE))
    assert shades.shape == (2, 3, 3)
    np.testing.assert_array_equal(shades[:, :2], [[negative, positive], [positive, negative]])
    np.testing.assert_array_equal(alphas, [[2 * LEVELS, 0, 2 * LEVELS], [LEVELS - 1, LEVELS - 1, 2 * LEVELS]])


def test_every_size_keeps_its_shape():
    assert pixels(np.zeros((512, 2)))[1].shape == (512, 2)
    assert pixels(np.zeros((1, 512)))[1].shape == (1, 512)


@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (100, 512)])
def test_the_parts_can_be_joined_in_base_64(shape):
    """Three bytes are four letters: only the last part may have a rest."""
    before, _ = png_without_colours(np.zeros(shape))
    assert [len(part) % 3 for part in (before, *map(colours, THEMES))] == [0, 0, 0]
