"""Files with matrices that people can send, as strategies for hypothesis: damaged, or made to ask for much work."""

from __future__ import annotations

import io
import zipfile
from typing import NamedTuple

from hypothesis import strategies as st

from attention_core.reading.files import KINDS
from hostile import fragments, pastes

PACKINGS = (*[zipfile.ZIP_DEFLATED] * 6, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
TYPES = (*["'<f8'"] * 6, "'<f2'", "'>i4'", "'|b1'", "'|O'", "'<U9'", "'<c16'", "('<f8',)", "('<f8', (2, 2))",
         "[('a', '<f8')]", "'" + "x" * 9000 + "'", "(" * 200 + ")" * 200)  # fmt: skip
SIDES = (1, 1, 2, 3, 16, 64, 512, 0, -1, 10**9, "True", "1.0")
SHAPES = ((2, 2), (16, 64, 64), (2,) * 16 + (1,) * 45, (32_768, 1, 1), (True, True))
TAGS = ("c", "v", "t", "si", "is", "row", "sheet", "x:c")
ATTRIBUTES = ("", "", ' r="A1"', ' r="ZZ999"', ' r="C7" t="s"', ' t="s"', ' name="Q"', ' r="A1" r="A1"', " r",
              ' xmlns:x="u"')  # fmt: skip
STARTS = ("", "", "", "<?xml version='1.0' encoding='x'?>", "<?xml version='1.0' encoding='utf-16'?>", "\ufeff",
          "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]>")  # fmt: skip


@st.composite
def arrays_as_files(draw):
    """Draw a .npy file: its header says any shape and type, and its numbers are zeros, perhaps too few of them."""
    shape = draw(st.sampled_from(SHAPES) | st.lists(st.sampled_from(SIDES), max_size=60))
    axes = "".join(f"{side}, " for side in shape)
    head = f"{{'descr': {draw(st.sampled_from(TYPES))}, 'fortran_order': False, 'shape': ({axes})}}"
    head = draw(st.sampled_from([head, head, head, head[:-1], draw(fragments)])).encode(errors="replace") + b"\n"
    version = draw(st.sampled_from([b"\1\0", b"\1\0", b"\2\0", b"\3\0", b"\x09\0"]))
    length = len(head).to_bytes(2 if version == b"\1\0" else 4, "little")
    return b"\x93NUMPY" + version + length + head + bytes(draw(st.sampled_from([8, 64, 4096, 131_072, 524_288])))


@st.composite
def parts_of_workbooks(draw):
    """Draw a part of a workbook: some XML elements, repeated beside each other or inside each other."""
    xml = draw(st.sampled_from(STARTS)) + "<w>"
    for _ in range(draw(st.integers(0, 4))):
        tag, times = draw(st.sampled_from(TAGS)), draw(st.sampled_from([1, 1, 2, 150, 5000, 100_000]))
        inner = draw(
            st.sampled_from(["", "<v>0</v>", "<v>1.5</v>", "<t>the</t>", "<is><t>cat</t></is>", "&amp;", "&b;"])
        )
        longest = draw(st.sampled_from([1, 1, 1, 300_000]))
        inner = inner.replace("the", "the " * longest)
        element = f"<{tag}{draw(st.sampled_from(ATTRIBUTES))}>"
        times = max(1, min(times, 1_500_000 // (len(element) + len(inner))))
        is_nested = draw(st.booleans())
        xml += element * times + inner + f"</{tag}>" * times if is_nested else f"{element}{inner}</{tag}>" * times
    return (xml + draw(st.sampled_from(["</w>", "</w>", "</w>", ""]))).encode()


@st.composite
def archives(draw, contents, names):
    """Draw a ZIP archive whose parts have contents from `contents` and names from `names`."""
    file, content = io.BytesIO(), draw(contents)
    with zipfile.ZipFile(file, "w", draw(st.sampled_from(PACKINGS)), compresslevel=1) as archive:
        for name in draw(names):
            archive.writestr(name, draw(contents) if draw(st.integers(0, 2)) == 2 else content)
    return file.getvalue()


NAMES = ("worksheets/sheet1.xml", "worksheets/sheet2.xml", "sharedStrings.xml", "workbook.xml", "a.txt")
SHEETS = st.lists(st.sampled_from([f"xl/{name}" for name in NAMES]), max_size=5, unique=True)
ARRAYS = st.integers(0, 41).map(lambda n: [f"a{number}.npy" for number in range(n)])


class MatrixFile(NamedTuple):
    """The name and the content of a file. Its `repr` is short, because hypothesis prints a failing one."""

    name: str
    content: bytes

    def __repr__(self) -> str:
        return f"{self.name}: {len(self.content)} bytes, {self.content[:300]!r}"


@st.composite
def matrix_files(draw):
    """Draw the name and the content of a file with matrices. A few bytes of it may be damaged."""
    kind, content = draw(st.one_of(
        st.tuples(st.sampled_from(KINDS[:4]), pastes.map(lambda text: text.encode(errors="replace"))),
        st.tuples(st.just("npy"), arrays_as_files()),
        st.tuples(st.just("npz"), archives(arrays_as_files(), ARRAYS)),
        st.tuples(st.just("xlsx"), archives(parts_of_workbooks(), SHEETS)),
    ))  # fmt: skip
    damaged = bytearray(content)
    for _ in range(draw(st.sampled_from([0, 0, 1, 4]))):
        place = draw(st.integers(0, len(damaged)))
        damaged[place : place + draw(st.sampled_from([0, 1, 30]))] = draw(st.binary(max_size=9))
    return MatrixFile(f"m.{draw(st.sampled_from([kind] * 10 + [*KINDS]))}", bytes(damaged))
