"""Convert a file with matrices to a text: text, CSV, JSON, NumPy’s .npy and .npz, and Excel’s .xlsx."""

from __future__ import annotations

import io
import re
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO
from xml.etree import ElementTree

import numpy as np

from attention_core.reading.matrix_text import MOST_CHARACTERS
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
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n\n".join(f"{name} =\n{text}" if "[" not in text else f"{name} = {text}" for name, text in texts.items())


# --- Excel’s workbooks ---

_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml\Z")
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})\Z")
_REMEDY = "In Excel, choose Save as, then CSV, and open the new file here."


def tables_in_workbook(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the sheets of an unpacked workbook that are not empty, as text, by the name of the sheet.

    Raises: ValueError if the files are no workbook, or a sheet is too large.
    """
    sheets = sorted(name for name in files if _SHEET.match(name))
    if not sheets:
        raise ValueError(f"An .xlsx file must hold sheets, but this one has none. {_REMEDY}")
    shared = [*_shared_texts(_parse_xml(files["xl/sharedStrings.xml"]))] if "xl/sharedStrings.xml" in files else []
    names = _names_of_sheets(files)
    tables = {names.get(name, name[14:-4]): _table(_parse_xml(files[name]), shared) for name in sheets}
    tables = {name: table for name, table in tables.items() if table}
    if not tables:
        raise ValueError(
            "A sheet must hold the numbers of a matrix, but all sheets are empty. Fill one sheet, and save the file."
        )
    return tables


def _parse_xml(content: bytes) -> ElementTree.Element:
    """Parse an XML file. Raise an error if it declares entities, because they can expand without limit."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content or b"\0" in content:
        raise ValueError(f"A workbook must declare no XML entities, but this one does. {_REMEDY}")
    try:
        return ElementTree.fromstring(content)
    except ElementTree.ParseError:
        raise ValueError(f"A workbook must hold XML, but a part of this one is broken. {_REMEDY}") from None


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _elements_with_tag(element: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    return (each for each in element.iter() if _tag(each) == tag)


def _shared_texts(root: ElementTree.Element) -> Iterator[str]:
    for item in _elements_with_tag(root, "si"):
        yield "".join(part.text or "" for part in _elements_with_tag(item, "t"))


def _names_of_sheets(files: Mapping[str, bytes]) -> dict[str, str]:
    root = _parse_xml(files["xl/workbook.xml"]) if "xl/workbook.xml" in files else None
    names = [sheet.get("name", "") for sheet in _elements_with_tag(root, "sheet")] if root is not None else []
    return {f"xl/worksheets/sheet{number}.xml": name for number, name in enumerate(names, start=1) if name}


def _table(root: ElementTree.Element, shared: list[str]) -> str:
    cells = dict[tuple[int, int], str]()
    for cell in _elements_with_tag(root, "c"):
        place, text = _row_and_column(cell.get("r", "")), _text_of_cell(cell, shared)
        if place and text:
            cells[place] = text
            _check_size(cells, place)
    if not cells:
        return ""
    top, bottom = min(row for row, _ in cells), max(row for row, _ in cells)
    left, right = min(column for _, column in cells), max(column for _, column in cells)
    _check_area(bottom - top + 1, right - left + 1)
    rows = (range(left, right + 1) for _ in range(top, bottom + 1))
    return "\n".join("\t".join(cells.get((top + i, j), "") for j in row) for i, row in enumerate(rows))


def _row_and_column(reference: str) -> tuple[int, int] | None:
    found = _REFERENCE.match(reference)
    column = 0
    for letter in found[1] if found else "":
        column = 26 * column + ord(letter) - 64
    return (int(found[2]), column) if found else None


def _text_of_cell(cell: ElementTree.Element, shared: list[str]) -> str:
    held = "".join(part.text or "" for part in cell.iter() if _tag(part) in ("v", "t"))
    if cell.get("t") == "s":
        held = shared[int(held)] if held.isdecimal() and len(held) < 8 and int(held) < len(shared) else ""
    return " ".join(held.split())


def _check_size(cells: dict[tuple[int, int], str], place: tuple[int, int]) -> None:
    if len(cells) > 4 * MOST_NUMBERS:
        raise ValueError(
            f"A sheet can have at most {MOST_NUMBERS} numbers, but this one has more, up to row {place[0]}. "
            "Keep only the matrix."
        )


def _check_area(rows: int, columns: int) -> None:
    if rows > 2 * MOST_SIDE or columns > 2 * MOST_SIDE:
        raise ValueError(
            f"A matrix can have at most {MOST_SIDE} rows and columns, but the cells cover {rows}×{columns}. "
            "Keep only the matrix."
        )
