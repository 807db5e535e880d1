"""Matrices written as text: in many formats, and as many programs print them; and the attempt to read a text."""

import json

import numpy as np

from attention_core.reading.matrix_text import read_matrix
from attention_core.reading.written import MatrixTextError
from notebooks import DATA


def numpy_text(m):
    """Return a matrix as NumPy prints it."""
    with np.printoptions(precision=17, threshold=100_000):
        return str(m)


def shown_text(m):
    """Return a matrix as Python's prompt shows it, such as "array([[1.]])"."""
    with np.printoptions(precision=17, threshold=100_000):
        return repr(m)


def lines_of(m, mark, point="."):
    """Return a matrix as lines of numbers. `mark` stands between two numbers, and `point` is the decimal point."""
    return "\n".join(mark.join(repr(value).replace(".", point) for value in row) for row in m.tolist())


FORMATS = {
    "str": numpy_text,
    "repr": shown_text,
    "list": lambda m: str(m.tolist()),
    "json": lambda m: json.dumps(m.tolist(), indent=1),
    "tensor": lambda m: f"tensor({m.tolist()}, dtype=torch.float64)",
    "csv": lambda m: lines_of(m, ","),
    "semicolons": lambda m: lines_of(m, ";"),
    "decimal comma": lambda m: lines_of(m, ";", ",") if m.shape[1] > 1 else lines_of(m, ";"),
    "tabs": lambda m: lines_of(m, "\t"),
    "spaces": lambda m: lines_of(m, "   "),
    "minus": lambda m: lines_of(m, "  ").replace("-", "−"),
    "latex": lambda m: "\\begin{bmatrix}" + lines_of(m, " & ").replace("\n", " \\\\ ") + "\\end{bmatrix}",
}


def try_to_read(text):
    """Read a text as a matrix. Return the matrix and None, or an empty matrix and the error."""
    try:
        return read_matrix(text).values, None
    except MatrixTextError as error:
        return np.empty((0, 0)), error


FOLDER = DATA / "print_outs"
TRUE = {name: np.array(rows) for name, rows in json.loads((FOLDER / "matrices.json").read_text("utf-8")).items()}
MANIFEST = json.loads((FOLDER / "manifest.json").read_text("utf-8"))
TEXTS = {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.txt"))}
