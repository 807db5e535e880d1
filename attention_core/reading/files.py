"""Convert a file with matrices to a text: text, CSV, JSON, NumPy’s .npy and .npz, and Excel’s .xlsx."""

from __future__ import annotations

import io
import struct
import tokenize
import warnings
import zipfile
import zlib
from typing import Any, BinaryIO

import numpy as np

from attention_core.reading.matrix_text import MOST_CHARACTERS
from attention_core.reading.spreadsheet import tables_in_workbook
from attention_core.reading.written import MOST_NUMBERS, MOST_SIDE

MOST_BYTES = 1_000_000  # the greatest size of a file
MOST_UNPACKED = 8_000_000  # the greatest size, in bytes, of the unpacked content of a file
MOST_ARRAYS = 40
KINDS = ("csv", "tsv", "txt", "json", "npy", "npz", "xlsx")

_MOST_STACKED = 16 * MOST_NUMBERS  # the most numbers of an array with more than two axes
_BROKEN = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, zlib.error, struct.error, KeyError)


def text_of_file(name: str, content: bytes) -> str:
    """Return the content of a file as a text that `read_matrix` can read: one matrix, or several with their names.

    The ending of the file's name says the format. An array with more than two axes gives a text with several matrices,
    and `read_matrix` asks which matrix to read. No code in a file is run, so arrays of Python objects are refused.

    Raises: ValueError if the file is too large before or after unpacking, of another format, or broken.
    """
    kind = name.rpartition(".")[2].lower()
    if kind not in KINDS:
        raise ValueError(f"A file must be one of {', '.join(KINDS)}, but this one is “{name[-40:]}”. Save it as CSV.")
    _check_bytes(content)
    text = _text_of_kind(kind, content)
    if len(text) > MOST_CHARACTERS:
        raise ValueError(
            f"A text can have at most {MOST_CHARACTERS} characters, but this one has {len(text)}. Save only the matrix."
        )
    return text


def _check_bytes(content: bytes) -> None:
    if len(content) > MOST_BYTES:
        raise ValueError(
            f"A file can have at most 1 MB, but this one has {len(content) / 1e6:.1f} MB. Save only the matrix."
        )


def _text_of_kind(kind: str, content: bytes) -> str:
    if kind == "npy":
        return _write_array(_array(io.BytesIO(content), len(content)))
    if kind == "npz":
        return _join_with_names(
            {each.removesuffix(".npy"): _write_array(array) for each, array in _arrays_in_archive(content).items()}
        )
    if kind == "xlsx":
        return _join_with_names(tables_in_workbook(_archive_members(content)))
    return _decode(content)


def _decode(content: bytes) -> str:
    """Decode a file as UTF-8, or as UTF-16 if it begins with a byte order mark of UTF-16."""
    is_wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        text = content.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"A text file must be in UTF-8, but the byte at place {error.start + 1} is not. Save it as CSV in UTF-8."
        ) from None
    if "\0" in text:
        raise ValueError("A text file must have no zero bytes, but this one has. Save the matrix as CSV, or as .npy.")
    return text


# --- NumPy ---

# NumPy raises these for a header that it cannot read. It raises a TokenError where a bracket is not closed.
_HEADER_ERRORS = (
    ValueError, EOFError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError, struct.error,
    tokenize.TokenError,
)  # fmt: skip


def _array(file: BinaryIO, size: int) -> np.ndarray[Any, Any]:
    """Return the array of a .npy file of `size` bytes. Check the size in its header before reading the numbers."""
    try:
        shape, in_columns, dtype = _read_header(file)
    except _HEADER_ERRORS:
        raise ValueError(
            "A .npy file must begin with its shape, but this one does not. Save it with np.save."
        ) from None
    if dtype.kind not in "fiub":
        raise ValueError(
            f"An array must hold real numbers, but this one holds {str(dtype)[:24]}. Save it with .astype(float)."
        )
    count = int(np.prod([int(side) for side in shape], dtype=object)) if shape else 1
    if count < 1 or count * dtype.itemsize > size - file.tell():
        raise ValueError(
            f"An array must be as large as its header says, but {shape} does not fit {size} bytes. Save it anew."
        )
    flat = np.frombuffer(file.read(count * dtype.itemsize), dtype=dtype, count=count)
    flat = flat.astype(np.int8) if dtype.kind == "b" else flat
    return flat.reshape(shape, order="F" if in_columns else "C")


def _read_header(file: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return the shape of the array in a .npy file, whether it is stored by columns, and the type of its numbers."""
    version = np.lib.format.read_magic(file)
    read_head = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns about headers that Python 2 wrote
        return read_head(file)


def _arrays_in_archive(content: bytes) -> dict[str, np.ndarray[Any, Any]]:
    members = _archive_members(content)
    if not members:
        raise ValueError(
            "A .npz file must hold arrays, but this one is empty. Save them with np.savez('file.npz', Q=q, K=k)."
        )
    return {name: _array(io.BytesIO(held), len(held)) for name, held in members.items()}


def _write_array(array: np.ndarray[Any, Any]) -> str:
    """Write an array in brackets. Each number gets as many digits as it needs."""
    array = np.atleast_2d(array)
    if (
        max(array.shape[-2:]) > MOST_SIDE
        or array.shape[-1] * array.shape[-2] > MOST_NUMBERS
        or array.size > _MOST_STACKED
    ):
        shape = "×".join(map(str, array.shape))
        raise ValueError(
            f"A matrix can have at most {MOST_NUMBERS} numbers, and {MOST_SIDE} in a row or column, but this one is "
            f"{shape}. Save a part of it, such as a[0, 0, :64, :64]."
        )
    with np.printoptions(threshold=10**9, linewidth=10**6, floatmode="unique"):
        return np.array2string(array, separator=", ")


# --- packed files ---


def _archive_members(content: bytes) -> dict[str, bytes]:
    """Return the contents of the files in a ZIP archive, by name.

    Raises: ValueError if the archive is broken, or its files are too many or too large.
    """
    try:
        members = _unpack(content)
    except (*_BROKEN, ValueError):
        raise ValueError(
            "A .npz or .xlsx file must be packed, but this one is broken or locked. Save it anew."
        ) from None
    if members is None:
        raise ValueError(
            f"A file can unpack to at most {MOST_UNPACKED // 10**6} MB in {MOST_ARRAYS} parts, but this one is larger. "
            "Save only the matrix."
        )
    return members


def _unpack(content: bytes) -> dict[str, bytes] | None:
    """Return the contents of the files in a ZIP archive, by name, or None if they are too many or too large.

    The code counts the unpacked bytes itself, because the sizes that an archive states may be false.
    """
    members, left = dict[str, bytes](), MOST_UNPACKED
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        infos = packed.infolist()
        if len(infos) > MOST_ARRAYS:
            return None
        for info in infos:
            with packed.open(info) as file:
                held = file.read(left + 1)
            left -= len(held)
            if left < 0:
                return None
            members[info.filename] = held
    return members


def _join_with_names(texts: dict[str, str]) -> str:
    """Join the texts of several matrices, each below its name. A single matrix gets no name."""
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n\n".join(f"{name} =\n{text}" if "[" not in text else f"{name} = {text}" for name, text in texts.items())
