"""Read GGUF, a file format for models. The settings are read at once, and the matrices only when they are used.

Source of the layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import math
import struct
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attention_core.checks import Array
from attention_core.language_model.quantised import FLOATS, FORMATS, unpack_rows

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
