"""Read the tables of an Excel workbook: convert each sheet to lines of cells, separated by tabs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

from attention_core.reading.written import MOST_NUMBERS, MOST_SIDE

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
    """Yield the shared texts of a workbook. Cells refer to a shared text by its number."""
    for item in _elements_with_tag(root, "si"):
        yield "".join(part.text or "" for part in _elements_with_tag(item, "t"))


def _names_of_sheets(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the name of each sheet by the path of its file, in the order of the workbook."""
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
    """Return the row and the column of a cell: B3 is (3, 2). Return None for another reference."""
    found = _REFERENCE.match(reference)
    column = 0
    for letter in found[1] if found else "":
        column = 26 * column + ord(letter) - 64
    return (int(found[2]), column) if found else None


def _text_of_cell(cell: ElementTree.Element, shared: list[str]) -> str:
    """Return the text of a cell, in one line. `shared` has the shared texts of the workbook."""
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
