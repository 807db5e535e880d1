"""Quantised numbers, as in GGUF files: blocks of 32 small whole numbers that share a scale; and unpacked floats.

Source of the layouts: https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from attention_core.checks import Array

BLOCK = 32  # numbers that share a scale
FLOATS = 0  # the number of the format of unpacked floats


class Format(NamedTuple):
    """A format of packed numbers."""

    name: str
    numbers: int  # how many numbers a block has
    bytes: int  # how many bytes a block has
    unpack: Callable[[np.ndarray], np.ndarray]  # blocks (…, bytes) → numbers (…, numbers)

    def bytes_of(self, n: int) -> int:
        """Return how many bytes n numbers take."""
        return n // self.numbers * self.bytes


def unpack_rows(packed: np.ndarray, format: int) -> Array:
    """Return the numbers of packed rows.

    Shapes: bytes (…, n / numbers · bytes) → (…, n) float32.
    """
    kind = FORMATS[format]
    blocks = np.ascontiguousarray(packed).reshape(*packed.shape[:-1], -1, kind.bytes)
    return kind.unpack(blocks).reshape(*packed.shape[:-1], -1)


def _halves(blocks: np.ndarray, start: int) -> Array:
    """Return the half-precision number at a place of each block."""
    return np.ascontiguousarray(blocks[..., start : start + 2]).view(np.float16).astype(np.float32)


def _nibbles(blocks: np.ndarray, start: int) -> Array:
    """Return the two numbers of each byte, first all numbers in the low four bits, then those in the high four bits.

    Half a block, 16 bytes, is moved at once, as one complex number, because moving single bytes would take most of the
    time.
    """
    bytes = np.ascontiguousarray(blocks[..., start:])
    halves = [(bytes & 15).view(np.complex128), (bytes >> 4).view(np.complex128)]
    return np.concatenate(halves, axis=-1).view(np.uint8).astype(np.float32)


def _q4_0(blocks: np.ndarray) -> Array:
    """Return scale · (number − 8)."""
    numbers = _nibbles(blocks, 2)
    numbers -= 8
    numbers *= _halves(blocks, 0)
    return numbers


def _q4_1(blocks: np.ndarray) -> Array:
    """Return scale · number + least."""
    numbers = _nibbles(blocks, 4)
    numbers *= _halves(blocks, 0)
    numbers += _halves(blocks, 2)
    return numbers


def _q8_0(blocks: np.ndarray) -> Array:
    """Return scale · number."""
    return _halves(blocks, 0) * blocks[..., 2:].view(np.int8).astype(np.float32)


def _plain(kind: type) -> Callable[[np.ndarray], np.ndarray]:
    return lambda blocks: blocks.view(kind).astype(np.float32, copy=False)


FORMATS: Mapping[int, Format] = {
    FLOATS: Format("F32", 1, 4, _plain(np.float32)),
    1: Format("F16", 1, 2, _plain(np.float16)),
    2: Format("Q4_0", BLOCK, 18, _q4_0),
    3: Format("Q4_1", BLOCK, 20, _q4_1),
    8: Format("Q8_0", BLOCK, 34, _q8_0),
}
