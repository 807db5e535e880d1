"""Unpack quantised numbers of GGUF files, in which a block of 32 small whole numbers shares a scale, and plain floats.

Source of the layouts: https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from attention_core.checks import Array

BLOCK = 32  # how many numbers share a scale
FLOATS = 0  # the number that the file uses for the format of plain floats


class Format(NamedTuple):
    """A format of packed numbers: the size of a block, and the function that unpacks blocks."""

    name: str
    numbers: int  # how many numbers a block has
    bytes: int  # how many bytes a block has
    unpack: Callable[[np.ndarray], np.ndarray]  # blocks (…, bytes) → numbers (…, numbers)

    def bytes_of(self, n: int) -> int:
        """Return how many bytes `n` packed numbers take."""
        return n // self.numbers * self.bytes


def unpack_rows(packed: np.ndarray, format: int) -> Array:
    """Return the numbers of packed rows as floats. `format` is a key of `FORMATS`.

    Shapes: packed (…, n_bytes) → (…, n) float32, in which n_bytes is `bytes_of(n)` of the format.
    """
    kind = FORMATS[format]
    blocks = np.ascontiguousarray(packed).reshape(*packed.shape[:-1], -1, kind.bytes)
    return kind.unpack(blocks).reshape(*packed.shape[:-1], -1)


def _half_floats(blocks: np.ndarray, start: int) -> Array:
    """Return the half-precision number that begins at byte `start` of each block."""
    return np.ascontiguousarray(blocks[..., start : start + 2]).view(np.float16).astype(np.float32)


def _four_bit_numbers(blocks: np.ndarray, start: int) -> Array:
    """Split each byte of a block, beginning with byte `start`, into its low and its high four bits.

    The result has first all numbers from low bits, and then all numbers from high bits. The code moves 16 bytes at
    once, as one complex number, because this is much faster than to move single bytes.
    """
    bytes = np.ascontiguousarray(blocks[..., start:])
    halves = [(bytes & 15).view(np.complex128), (bytes >> 4).view(np.complex128)]
    return np.concatenate(halves, axis=-1).view(np.uint8).astype(np.float32)


def _q4_0(blocks: np.ndarray) -> Array:
    """Unpack the format Q4_0: scale · (number − 8)."""
    numbers = _four_bit_numbers(blocks, 2)
    numbers -= 8
    numbers *= _half_floats(blocks, 0)
    return numbers


def _q4_1(blocks: np.ndarray) -> Array:
    """Unpack the format Q4_1: scale · number + least. Each block stores a scale and a least number."""
    numbers = _four_bit_numbers(blocks, 4)
    numbers *= _half_floats(blocks, 0)
    numbers += _half_floats(blocks, 2)
    return numbers


def _q8_0(blocks: np.ndarray) -> Array:
    """Unpack the format Q8_0: scale · number."""
    return _half_floats(blocks, 0) * blocks[..., 2:].view(np.int8).astype(np.float32)


def _plain(kind: type) -> Callable[[np.ndarray], np.ndarray]:
    return lambda blocks: blocks.view(kind).astype(np.float32, copy=False)


FORMATS: Mapping[int, Format] = {
    FLOATS: Format("F32", 1, 4, _plain(np.float32)),
    1: Format("F16", 1, 2, _plain(np.float16)),
    2: Format("Q4_0", BLOCK, 18, _q4_0),
    3: Format("Q4_1", BLOCK, 20, _q4_1),
    8: Format("Q8_0", BLOCK, 34, _q8_0),
}
