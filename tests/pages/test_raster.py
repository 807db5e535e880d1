"""Test the picture of a large matrix: a PNG with one pixel for each number, in light and dark colours."""

import struct
import zlib

import numpy as np
import pytest

from pages.shared.charts.draw import LEVELS, colours, png_without_colours
from pages.shared.notation.palette import NEGATIVE, POSITIVE, Theme, colour_code

THEMES = ("light", "dark")


def png_chunks(data):
    """Return the chunks of a PNG by kind, after checking the checksum of each."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + body),)
        chunks[kind], at = body, at + 12 + length
    return chunks


def pixels(values, theme: Theme = "light"):
    """Return the colour (red, green, blue) of each pixel in the picture of `values`, and the opacity of each pixel."""
    before, after = png_without_colours(np.array(values, dtype=float))
    chunks = png_chunks(before + colours(theme) + after)
    columns, rows = struct.unpack(">II", chunks[b"IHDR"][:8])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), dtype=np.uint8).reshape(rows, columns + 1)
    assert not lines[:, 0].any()
    levels = lines[:, 1:]
    shades = np.frombuffer(chunks[b"PLTE"], dtype=np.uint8).reshape(-1, 3)
    return shades[levels], np.frombuffer(chunks[b"tRNS"], dtype=np.uint8)[levels]


@pytest.mark.parametrize("theme", THEMES)
def test_colours_tell_the_sign_and_clearness_the_size(theme):
    shades, alphas = pixels([[-1, 0, 1], [0.5, -0.5, 2]], theme)
    negative, positive = ([*bytes.fromhex(colour_code(colour, theme)[1:])] for colour in (NEGATIVE, POSITIVE))
    assert shades.shape == (2, 3, 3)
    np.testing.assert_array_equal(shades[:, :2], [[negative, positive], [positive, negative]])
    np.testing.assert_array_equal(alphas, [[2 * LEVELS, 0, 2 * LEVELS], [LEVELS - 1, LEVELS - 1, 2 * LEVELS]])


def test_every_size_keeps_its_shape():
    assert pixels(np.zeros((512, 2)))[1].shape == (512, 2)
    assert pixels(np.zeros((1, 512)))[1].shape == (1, 512)


@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (100, 512)])
def test_the_parts_can_be_joined_in_base_64(shape):
    """Check that the parts of a PNG may be encoded in base64 one by one: each part has a multiple of 3 bytes."""
    before, _ = png_without_colours(np.zeros(shape))
    assert [len(part) % 3 for part in (before, *map(colours, THEMES))] == [0, 0, 0]
