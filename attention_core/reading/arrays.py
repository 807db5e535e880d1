"""Write the arrays of NumPy's files, .npy and .npz, as text. The headers are checked before any number is read."""

from __future__ import annotations

import io
import math
import warnings
from typing import Any

import numpy as np

from attention_core.reading.archives import FileError, open_archive
from attention_core.reading.formats import MOST_AXES
from attention_core.reading.written import MOST_NUMBERS, MOST_SIDE

MOST_IN_FILE = 8 * MOST_NUMBERS  # numbers of all arrays together; more would be too many characters


def text_of_array(content: bytes) -> str:
    """Return the array of a .npy file as text, in brackets. Raises: FileError if it is too large."""
    return _write(_array(content, MOST_IN_FILE))


def texts_of_arrays(content: bytes) -> dict[str, str]:
    """Return each array of a .npz file as text, by its name. Raises: FileError if they are too large together."""
    texts, left = dict[str, str](), MOST_IN_FILE
    with open_archive(content) as archive:
        for name in archive.names:
            array = _array(archive.read(name), left)
            left -= array.size
            texts[name.removesuffix(".npy")] = _write(array)
    if not texts:
        raise FileError(
            "A .npz file must hold arrays, but this one is empty. Save them with np.savez('file.npz', Q=q, K=k)."
        )
    return texts


def _array(content: bytes, most: int) -> np.ndarray[Any, Any]:
    """Return the array of a .npy file. It may have at most `most` numbers."""
    file = io.BytesIO(content)
    shape, in_columns, dtype = _read_header(file)
    _check(shape, dtype, most, len(content) - file.tell())
    flat = np.frombuffer(content, dtype, count=math.prod(shape), offset=file.tell())
    flat = flat.astype(np.int8) if dtype.kind == "b" else flat
    return np.atleast_2d(flat.reshape(shape, order="F" if in_columns else "C"))


def _read_header(file: io.BytesIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    read_head = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns about headers that Python 2 wrote
        return read_head(file)


def _check(shape: tuple[int, ...], dtype: np.dtype[Any], most: int, n_bytes: int) -> None:
    """Raise a FileError if an array of this shape holds no real numbers, does not fit the file, or is too large."""
    if dtype.kind not in "fiub":
        raise FileError(
            f"An array must hold real numbers, but this one holds {str(dtype)[:24]}. Save it with .astype(float)."
        )
    count, sides = math.prod(shape), shape[-2:]
    if count < 1 or count * dtype.itemsize > n_bytes:
        raise FileError(
            f"An array must be as large as its header says, but {shape} does not fit {n_bytes} bytes. Save it anew."
        )
    if len(shape) > MOST_AXES or max(sides, default=1) > MOST_SIDE or math.prod(sides) > MOST_NUMBERS or count > most:
        raise FileError(
            f"A matrix can have at most {MOST_NUMBERS} numbers, and {MOST_SIDE} in a row or column, and a file "
            f"{MOST_AXES} axes and {MOST_IN_FILE} numbers, but this array is {'×'.join(map(str, shape))[:60]}. "
            "Save a part of it, such as a[0, 0, :64, :64]."
        )


def _write(array: np.ndarray[Any, Any]) -> str:
    """Write an array in brackets. Each number gets as many digits as it needs."""
    with np.printoptions(threshold=10**9, linewidth=10**6, floatmode="unique"):
        return np.array2string(array, separator=", ")
