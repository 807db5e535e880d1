"""The parts of a packed file (.npz, .xlsx), and the error for a file that cannot be read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Generator
from contextlib import contextmanager

MOST_UNPACKED = 8_000_000  # bytes of all parts that are read
MOST_PARTS = 40
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # NumPy and Excel write no others; others may ask for any memory


class FileError(ValueError):
    """The error for a file that cannot be read. Its text says the rule, what the file has, and what to do."""


class Archive:
    """A ZIP archive whose parts are unpacked one by one, and no further than `MOST_UNPACKED` bytes in all.

    The code counts the unpacked bytes itself, because the sizes that an archive states may be false.
    """

    def __init__(self, packed: zipfile.ZipFile) -> None:
        self._packed, self._left = packed, MOST_UNPACKED
        self.names = packed.namelist()
        if len(self.names) > MOST_PARTS:
            raise _too_large()

    def read(self, name: str) -> bytes:
        """Return the unpacked content of a part. Raises: FileError if all parts together become too large."""
        info = self._packed.getinfo(name)
        if info.compress_type not in _PACKINGS:
            raise FileError("A file must be packed with Deflate, but this one is packed in another way. Save it anew.")
        with self._packed.open(info) as part:
            content = part.read(self._left + 1)
        self._left -= len(content)
        if self._left < 0:
            raise _too_large()
        return content


def _too_large() -> FileError:
    return FileError(
        f"A file can unpack to at most {MOST_UNPACKED // 10**6} MB in {MOST_PARTS} parts, but this one is larger. "
        "Save only the matrix."
    )


@contextmanager
def open_archive(content: bytes) -> Generator[Archive]:
    """Open the ZIP archive in these bytes, and close it after the `with` block."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        yield Archive(packed)
