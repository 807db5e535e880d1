"""Every matrix on the screen as a CSV file, in one archive with a table of contents."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attention_core.late_import import late_import
from pages.shared.equation.model import Matrix
from pages.shared.takehome.screen import ShownPage

if TYPE_CHECKING:
    import pandas as pd

CONTENTS, COLUMNS = "contents.csv", ["file", "symbol", "name", "rows", "columns"]
MADE = (2020, 1, 1, 0, 0, 0)  # a fixed date, so that the same numbers give the same archive


def tables(screen: ShownPage) -> bytes:
    """Return a ZIP archive with a CSV table of each matrix on the page, and a table of contents.

    The tables have the labels of rows and columns, and all digits of the numbers.
    """
    matrices = [m.with_tokens_as_columns() if screen.columns else m for m in screen.matrices().values()]
    contents = [(f"{m.id}.csv", m.symbol, m.name, *_shape(m)) for m in matrices]
    archive, pd = io.BytesIO(), _pandas()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        _write(files, CONTENTS, pd.DataFrame(contents, columns=COLUMNS).set_index(COLUMNS[0]))
        for matrix in matrices:
            _write(files, f"{matrix.id}.csv", _table(matrix))
    return archive.getvalue()


@late_import
def _pandas():
    """Return the package pandas. The first call imports the package, because the import takes a second."""
    import pandas

    return pandas


def _table(matrix: Matrix) -> pd.DataFrame:
    pd = _pandas()
    values = matrix.values.T if matrix.transposed else matrix.values
    down, across = matrix.row_labels, matrix.column_labels
    rows, columns = (across, down) if matrix.transposed else (down, across)
    index = pd.Index(_labels(rows, values.shape[0]), name=matrix.symbol)
    return pd.DataFrame(values, index=index, columns=_labels(columns, values.shape[1]))


def _labels(labels: Sequence[str], n: int) -> list[str]:
    return [*labels] if len(labels) == n else [str(i + 1) for i in range(n)]


def _shape(matrix: Matrix) -> tuple[int, ...]:
    return matrix.values.T.shape if matrix.transposed else matrix.values.shape


def _write(files: zipfile.ZipFile, name: str, table: pd.DataFrame) -> None:
    text = table.to_csv(na_rep="nan", lineterminator="\n")
    files.writestr(zipfile.ZipInfo(name, MADE), text.encode("utf-8"))
