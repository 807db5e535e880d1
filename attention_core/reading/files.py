"""Convert a file with matrices to a text: text, CSV, JSON, NumPy’s .npy and .npz, and Excel’s .xlsx."""

from __future__ import annotations

from attention_core.reading.archives import FileError
from attention_core.reading.arrays import text_of_array, texts_of_arrays
from attention_core.reading.matrix_text import MOST_CHARACTERS
from attention_core.reading.workbook import texts_of_sheets

MOST_BYTES = 1_000_000  # the greatest size of a file
KINDS = ("csv", "tsv", "txt", "json", "npy", "npz", "xlsx")


def text_of_file(name: str, content: bytes) -> str:
    """Return the content of a file as a text that `read_matrix` can read: one matrix, or several with their names.

    The ending of the file's name says the format. An array with more than two axes gives a text with several matrices,
    and `read_matrix` asks which matrix to read. No code in a file is run, so arrays of Python objects are refused.

    Raises: ValueError if the file is too large before or after unpacking, of another format, or broken.
    """
    kind = name.rpartition(".")[2].lower()
    if kind not in KINDS:
        raise FileError(f"A file must be one of {', '.join(KINDS)}, but this one is “{name[-40:]}”. Save it as CSV.")
    if len(content) > MOST_BYTES:
        raise FileError(
            f"A file can have at most 1 MB, but this one has {len(content) / 1e6:.1f} MB. Save only the matrix."
        )
    try:
        text = _text_of_kind(kind, content)
    except FileError:
        raise
    except Exception:  # of a damaged file, the libraries raise many kinds of errors, and promise no list of them
        raise FileError(
            f"A .{kind} file must be whole, but this one is broken, locked, or of another format. Save it as CSV."
        ) from None
    if len(text) > MOST_CHARACTERS:
        raise FileError(
            f"A text can have at most {MOST_CHARACTERS} characters, but this one has {len(text)}. Save only the matrix."
        )
    return text


def _text_of_kind(kind: str, content: bytes) -> str:
    if kind == "npy":
        return text_of_array(content)
    if kind == "npz":
        return _join_with_names(texts_of_arrays(content))
    if kind == "xlsx":
        return _join_with_names(texts_of_sheets(content))
    return _decode(content)


def _decode(content: bytes) -> str:
    """Decode a file as UTF-8, or as UTF-16 if it begins with a byte order mark of UTF-16."""
    is_wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        text = content.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"A text file must be in UTF-8, but the byte at place {error.start + 1} is not. Save it as CSV in UTF-8."
        ) from None
    if "\0" in text:
        raise FileError("A text file must have no zero bytes, but this one has. Save the matrix as CSV, or as .npy.")
    return text


def _join_with_names(texts: dict[str, str]) -> str:
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n\n".join(f"{name} =\n{text}" if "[" not in text else f"{name} = {text}" for name, text in texts.items())
