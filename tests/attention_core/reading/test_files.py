"""Test the reading of matrix files: each kind of file gives its numbers.

A file that is too large, too strongly compressed, broken or without numbers is refused.
"""

import io
import random
import re
import time
import tracemalloc
import zipfile

import numpy as np
import pytest

from attention_core.reading.files import KINDS, MOST_BYTES, text_of_file
from attention_core.reading.matrix_text import named_matrices, read_matrix
from attention_core.reading.written import AmbiguousTextError

M = np.array([[1.5, -2.25], [0.1, 3e-7]])


def npy_file(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def npz_file(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def zip_file(files):
    """Return the bytes of a ZIP archive with these files, given as a dictionary from name to content."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return file.getvalue()


def workbook(*sheets, shared=()):
    """Return the bytes of an Excel workbook with these sheets.

    A sheet is a list of rows, and each cell is a pair: its XML attributes and its value. A cell with a text holds only
    the number of this text in `shared`.
    """
    cells = [
        "".join(
            f'<c r="{chr(64 + j)}{i}"{kind}><v>{value}</v></c>'
            for i, row in enumerate(sheet, 2)
            for j, (kind, value) in enumerate(row, 1)
        )
        for sheet in sheets
    ]
    names = "".join(f'<sheet name="{"QKV"[i]}" sheetId="{i + 1}"/>' for i in range(len(sheets)))
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    return zip_file(
        {
            "xl/workbook.xml": f"<workbook {space}><sheets>{names}</sheets></workbook>",
            "xl/sharedStrings.xml": f"<sst {space}>" + "".join(f"<si><t>{t}</t></si>" for t in shared) + "</sst>",
        }
        | {
            f"xl/worksheets/sheet{i}.xml": f"<worksheet {space}><sheetData>{each}</sheetData></worksheet>"
            for i, each in enumerate(cells, 1)
        }
    )


def number_cells(rows):
    """Return rows of numbers as rows of Excel cells, each a pair (kind of cell, text)."""
    return [[("", repr(float(value))) for value in row] for row in rows]


FILES = {
    "csv": ("m.csv", b"\xef\xbb\xbfthe,cat\n1.5,-2.25\n0.1,3e-7\n"),
    "csv, UTF-16": ("m.csv", "1.5,-2.25\n0.1,3e-7\n".encode("utf-16")),
    "tsv": ("m.tsv", b"1.5\t-2.25\n0.1\t3e-7"),
    "txt": ("M.TXT", b"# saved\n1.5 -2.25\n0.1 3e-7\n"),
    "json": ("m.json", b'{"data": [[1.5, -2.25], [0.1, 3e-7]]}'),
    "npy": ("m.npy", npy_file(M)),
    "npy, in columns": ("m.npy", npy_file(np.asfortranarray(M))),
    "npy, other end first": ("m.npy", npy_file(M.astype(">f8"))),
    "npz": ("m.npz", npz_file(only=M)),
    "xlsx": ("m.xlsx", workbook(number_cells(M))),
    "xlsx, with names": ("m.xlsx", workbook([[("", ""), (' t="s"', "0"), (' t="s"', "1")], *[
        [(' t="s"', str(i)), *row] for i, row in enumerate(number_cells(M))]], shared=("the", "cat"))),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content"), FILES.values(), ids=FILES)
def test_a_file_is_read_to_its_numbers(name, content):
    np.testing.assert_array_equal(read_matrix(text_of_file(name, content)).values, M)


def test_numbers_have_the_digits_that_they_need():
    text = text_of_file("m.npy", npy_file(np.array([[0.1, 0.25]], dtype=np.float32)))
    assert read_matrix(text).values.tolist() == [[0.1, 0.25]]
    assert read_matrix(text_of_file("m.npy", npy_file(np.array([[True, False]])))).values.tolist() == [[1, 0]]
    assert read_matrix(text_of_file("m.npy", npy_file(np.array([[-np.inf, np.nan]])))).values[0, 0] == -np.inf


def test_several_arrays_and_sheets_keep_their_names():
    for name, content in (
        ("m.npz", npz_file(Q=M, K=M + 1)),
        ("m.xlsx", workbook(number_cells(M), number_cells(M + 1))),
    ):
        q, k = named_matrices(text_of_file(name, content))
        assert (q.role, k.role) == ("q", "k")
        np.testing.assert_allclose(q.matrix.values, M)
        np.testing.assert_allclose(k.matrix.values, M + 1)


def test_of_a_batch_one_matrix_is_asked_for():
    with pytest.raises(AmbiguousTextError):
        read_matrix(text_of_file("m.npy", npy_file(np.arange(16.0).reshape(2, 2, 2, 2))))


def zip_bomb():
    """Return a small ZIP archive that unpacks to 20 million bytes."""
    return zip_file({"m.npy": b"\0" * 20_000_000})


def npy_head(shape):
    """Return the beginning of a `.npy` file: it says that an array of this shape follows, but no numbers follow."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return file.getvalue()


ENTITIES = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]><worksheet>&b;</worksheet>"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.pkl", b"", r"one of csv, .*, but this one is “m.pkl”. Save it as CSV"),
        ("m.csv", b"1" * (MOST_BYTES + 1), r"at most 1 MB, but this one has 1.0 MB"),
        ("m.csv", b"1,2\n\xff", r"must be in UTF-8, but the byte at place 5 is not"),
        ("m.txt", b"1 2\0", r"no zero bytes"),
        (
            "m.npy",
            npy_file(np.array([{"a": 1}]), allow_pickle=True),
            r"must hold real numbers, but this one holds object",
        ),
        ("m.npy", npy_file(np.array([[1j]])), r"must hold real numbers, but this one holds complex128"),
        ("m.npy", npy_file(np.array([["a"]])), r"must hold real numbers, but this one holds <U1"),
        ("m.npy", b"1 2\n", r"A .npy file must be whole, but this one is broken, locked, or of another"),
        ("m.npy", npy_head((10**6, 10**6)), r"as large as its header says, but \(1000000, 1000000\) does not fit"),
        ("m.npy", npy_head((0, 2)), r"as large as its header says, but \(0, 2\)"),
        ("m.npy", npy_file(np.zeros((65, 64))), r"at most 4096 numbers, .*, but this array is 65×64. Save a part"),
        ("m.npz", b"PK nothing", r"A .npz file must be whole, but this one is broken"),
        ("m.npz", zip_bomb(), r"unpack to at most 8 MB"),
        ("m.npz", zip_file({f"{i}.npy": "" for i in range(41)}), r"in 40 parts, but this one is larger"),
        ("m.npz", zip_file({}), r"must hold arrays, but this one is empty"),
        (
            "m.xlsx",
            zip_file({"a.txt": "1"}),
            r"must hold sheets, but this one has none. In Excel, choose Save as, then CSV",
        ),
        ("m.xlsx", zip_file({"xl/worksheets/sheet1.xml": ENTITIES}), r"declare no XML entities, but this one does"),
        ("m.xlsx", zip_file({"xl/worksheets/sheet1.xml": "<a>"}), r"A .xlsx file must be whole, but this one is"),
        ("m.xlsx", workbook([]), r"all sheets are empty"),
        (
            "m.xlsx",
            zip_file({"xl/worksheets/sheet1.xml": '<w><c r="A1"><v>1</v></c><c r="ZZ9999"><v>1</v></c></w>'}),
            r"the cells cover 9999×702",
        ),
    ],
)
def test_what_cannot_be_taken_is_refused_with_the_remedy(name, content, message):
    with pytest.raises(ValueError, match=message):
        text_of_file(name, content)


@pytest.mark.parametrize(("name", "content"), FILES.values(), ids=FILES)
def test_a_damaged_file_is_read_or_refused(name, content):
    chance = random.Random(name)
    for _ in range(50):
        damaged = bytearray(content)
        for _ in range(chance.randint(1, 4)):
            place, byte = chance.randrange(len(damaged) + 1), bytes([chance.randrange(256)])
            damaged[place : place + chance.choice((0, 1, 1, 30))] = byte * chance.choice((0, 1, 1, 9))
        refusal = refusal_of(chance.choice((name, f"m.{chance.choice(KINDS)}")), bytes(damaged))
        assert refusal is None or re.search(r", but .+\. [A-Z]", refusal, re.DOTALL)


# --- small files that ask for much work ---


def sheet(xml, shared=""):
    """Return the bytes of a workbook whose only sheet has this XML, and whose shared texts have the XML `shared`."""
    parts = {"xl/worksheets/sheet1.xml": f"<w>{xml}</w>", "xl/sharedStrings.xml": f"<s>{shared}</s>"}
    return zip_file(parts)


def npy(head, data=b"\0" * 64):
    """Return the bytes of a .npy file with any header."""
    head = f"{head}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data


def lzma_file(damaged):
    """Return a .npz file that is packed with LZMA, perhaps damaged."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("m.npy", npy_file(M))
    content = bytearray(file.getvalue())
    content[45:60] = b"\xff" * 15 if damaged else content[45:60]
    return bytes(content)


SHARED = "".join(f'<c r="A{row}" t="s"><v>0</v></c>' for row in range(1, 151))  # cells that show the same text
GREEDY = {
    "a text of 7.8 MB in 150 cells": (
        "m.xlsx",
        sheet(SHARED, f"<si><t>{'ab ' * 2_600_000}</t></si>"),
    ),
    "a text of 1.9 MB in 150 cells": (
        "m.xlsx",
        sheet(SHARED, f"<si><t>{'ab ' * 600_000}</t></si>"),
    ),
    "20,000 nested cells": ("m.xlsx", sheet("<c>" * 20_000 + "</c>" * 20_000)),
    "20,000 nested texts": ("m.xlsx", sheet('<c r="A1"/>', "<si>" * 20_000 + "</si>" * 20_000)),
    "2 million empty cells": ("m.xlsx", sheet("<c/>" * 1_900_000)),
    "cells far apart in 37 sheets": (
        "m.xlsx",
        zip_file({f"xl/worksheets/sheet{n}.xml": '<w><c r="A1"><v>1</v></c><c r="ALL1000"><v>1</v></c></w>'
                  for n in range(37)}),
    ),
    "40 stacks of matrices": (
        "m.npz", npz_file(**{f"a{n}": np.zeros((16, 64, 64), dtype=np.float16) for n in range(40)})
    ),
    "61 axes": ("m.npy", npy_file(np.zeros((2,) * 16 + (1,) * 45))),
    "packed with LZMA": ("m.npz", lzma_file(damaged=False)),
    "packed with LZMA, damaged": ("m.npz", lzma_file(damaged=True)),
    "an unknown encoding": (
        "m.xlsx", zip_file({"xl/worksheets/sheet1.xml": "<?xml version='1.0' encoding='x'?><w/>"})
    ),
    "a type in a tuple": ("m.npy", npy("{'descr': ('<f8',), 'fortran_order': False, 'shape': (2, 2)}")),
    "a shape of truths": ("m.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (True, True)}")),
}  # fmt: skip
MOST_SECONDS = 0.5  # of computing; each of them took several, or raised an error of a library


@pytest.mark.parametrize(("name", "content"), GREEDY.values(), ids=GREEDY)
def test_a_small_file_cannot_ask_for_much_work(name, content):
    began = time.process_time()
    refusal = refusal_of(name, content)
    assert time.process_time() - began < MOST_SECONDS
    assert refusal is None or re.search(r", but .+\. [A-Z]", refusal, re.DOTALL)


def test_of_a_text_that_many_cells_share_only_so_many_characters_are_written():
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"but these have more\. Keep only the matrix"):
        text_of_file("m.xlsx", sheet(SHARED, f"<si><t>{'ab ' * 60_000}</t></si>"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000, "bytes"


def refusal_of(name, content):
    """Return the error message for a file that cannot be read, or None if the file can be read."""
    try:
        read_matrix(text_of_file(name, content))
    except ValueError as error:
        return str(error)
    return None
