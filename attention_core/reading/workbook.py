"""Read the cells of an Excel workbook (.xlsx) in one pass, without a tree. All that it holds is counted on the way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from xml.parsers import expat

from attention_core.reading.archives import Archive, FileError, open_archive
from attention_core.reading.matrix_text import MOST_CHARACTERS
from attention_core.reading.written import MOST_NUMBERS, MOST_SIDE

MOST_XML = 2_000_000  # bytes of the sheets, of their texts, and of their names together
MOST_ELEMENTS = 100_000
MOST_CELLS = 4 * MOST_NUMBERS  # with something in them; labels of rows and columns count too

_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml\Z")
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})\Z")
_REMEDY = "In Excel, choose Save as, then CSV, and open the new file here."
_TEXTS, _NAMES = "xl/sharedStrings.xml", "xl/workbook.xml"


def texts_of_sheets(content: bytes) -> dict[str, str]:
    """Return each sheet of a workbook that is not empty, as text, by the name of the sheet.

    Raises: FileError if the file is no workbook, or too large.
    """
    with open_archive(content) as archive:
        sheets = sorted(name for name in archive.names if _SHEET.match(name))
        if not sheets:
            raise FileError(f"An .xlsx file must hold sheets, but this one has none. {_REMEDY}")
        reader = _Reader(archive)
        texts = [" ".join(each.text.split()) for each in reader.elements(_TEXTS, "si")]
        names = [each.attributes.get("name", "") for each in reader.elements(_NAMES, "sheet")]
        title = {f"xl/worksheets/sheet{n}.xml": name for n, name in enumerate(names, start=1) if name}
        tables, left = dict[str, str](), MOST_CHARACTERS
        for name in sheets:
            if table := _table(reader.elements(name, "c"), texts, left):
                tables[title.get(name, name[14:-4])] = table
                left -= len(table)
    if not tables:
        raise FileError(
            "A sheet must hold the numbers of a matrix, but all sheets are empty. Fill one sheet, and save the file."
        )
    return tables


class _Element(NamedTuple):
    """An element of an XML file: its attributes, and the text of all its values."""

    attributes: dict[str, str]
    text: str


class _Reader:
    """Reads the elements of a workbook's parts. All that it reads is counted together."""

    def __init__(self, archive: Archive) -> None:
        self._archive, self._bytes, self._elements = archive, 0, 0

    def elements(self, part: str, tag: str) -> list[_Element]:
        """Return all elements of a part that have this tag, in order. A part that does not exist has none.

        Raises: FileError if the parts are too large, or declare entities, which can expand without limit.
        """
        if part not in self._archive.names:
            return []
        content = self._archive.read(part)
        self._bytes += len(content)
        self._check()
        found, in_value = list[tuple[dict[str, str], list[str]]](), False

        def start(name: str, attributes: dict[str, str]) -> None:
            nonlocal in_value
            self._elements += 1
            self._check()
            name = name.rpartition(" ")[2]
            in_value = name in ("v", "t")
            if name == tag:
                found.append((attributes, []))

        def end(_: str) -> None:
            nonlocal in_value
            in_value = False

        def characters(text: str) -> None:
            if in_value and found:
                found[-1][1].append(text)

        parser = expat.ParserCreate("utf-8", " ")  # whatever encoding the file names: Excel writes UTF-8
        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = characters, _refuse_entities
        parser.buffer_text = True
        parser.Parse(content, True)
        return [_Element(attributes, "".join(texts)) for attributes, texts in found]

    def _check(self) -> None:
        if self._bytes > MOST_XML or self._elements > MOST_ELEMENTS:
            raise FileError(
                f"The sheets of a workbook can have {MOST_XML // 10**6} MB and {MOST_ELEMENTS:,} elements, but these "
                "have more. Keep only the matrix."
            )


def _refuse_entities(*_: object) -> None:
    raise FileError(f"A workbook must declare no XML entities, but this one does. {_REMEDY}")


def _table(elements: Iterable[_Element], texts: list[str], most: int) -> str:
    """Write the cells of a sheet as lines with tabs, in at most `most` characters."""
    cells, characters = dict[tuple[int, int], str](), 0
    for element in elements:
        place, text = _row_and_column(element.attributes.get("r", "")), _text_of_cell(element, texts)
        if place and text:
            cells[place] = text
            characters += len(text)
            _check_size(len(cells), characters, most)
    if not cells:
        return ""
    top, bottom = min(row for row, _ in cells), max(row for row, _ in cells)
    left, right = min(column for _, column in cells), max(column for _, column in cells)
    _check_area(bottom - top + 1, right - left + 1)
    _check_size(len(cells), characters + (bottom - top + 1) * (right - left + 1), most)
    rows = (range(left, right + 1) for _ in range(top, bottom + 1))
    return "\n".join("\t".join(cells.get((top + i, j), "") for j in row) for i, row in enumerate(rows))


def _row_and_column(reference: str) -> tuple[int, int] | None:
    found = _REFERENCE.match(reference)
    column = 0
    for letter in found[1] if found else "":
        column = 26 * column + ord(letter) - 64
    return (int(found[2]), column) if found else None


def _text_of_cell(cell: _Element, texts: list[str]) -> str:
    if cell.attributes.get("t") != "s":
        return " ".join(cell.text.split())
    number = cell.text
    return texts[int(number)] if number.isdecimal() and len(number) < 8 and int(number) < len(texts) else ""


def _check_size(n_cells: int, characters: int, most: int) -> None:
    if n_cells > MOST_CELLS or characters > most:
        raise FileError(
            f"The sheets of a file can have {MOST_NUMBERS} numbers, in {MOST_CHARACTERS:,} characters with the empty "
            "cells between them, but these have more. Keep only the matrix."
        )


def _check_area(rows: int, columns: int) -> None:
    if rows > 2 * MOST_SIDE or columns > 2 * MOST_SIDE:
        raise FileError(
            f"A matrix can have at most {MOST_SIDE} rows and columns, but the cells cover {rows}×{columns}. "
            "Keep only the matrix."
        )
