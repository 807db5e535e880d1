"""The dialog “Take home”, and tables to take home."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from attention_core.examples import Example
from attention_core.late_import import late_import
from attention_core.turns import in_turn
from pages.shared.controls import Parameters
from pages.shared.equation.engine import equations_on_page
from pages.shared.equation.model import Matrix
from pages.shared.share.link_dialog import is_local
from pages.shared.site.page import Page
from pages.shared.state import session
from pages.shared.state.link_text import encode
from pages.shared.takehome.code import TEXTS
from pages.shared.takehome.latex import latex_document
from pages.shared.takehome.screen import ShownPage
from pages.shared.takehome.script import notebook, script, torch_script
from pages.shared.takehome.worksheet import answer_sheet, too_large, worksheet

if TYPE_CHECKING:
    import pandas as pd

CONTENTS, COLUMNS = "contents.csv", ["file", "symbol", "name", "rows", "columns"]
MADE = (2020, 1, 1, 0, 0, 0)  # a fixed date, so that the same numbers give the same archive


def tables(screen: ShownPage) -> bytes:
    """Return a ZIP archive with a CSV table of each matrix on the page, and a table of contents."""
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


MOST_SEEDS, MOST_SHEETS = 9999, 200
PATIENCE = 5.0  # seconds for which a file lets other long computations pass
WORKSHEET = {"seed": 0, "sheets": 1, "code": True}  # the settings of a worksheet at the beginning
# For each kind of file: the section with its words, the end of its name, its type, and the function that makes it.
FILES: tuple[tuple[str, str, str, Callable[[ShownPage], str | bytes]], ...] = (
    ("python_script", ".py", "text/x-python", script),
    ("notebook", ".ipynb", "application/x-ipynb+json", notebook),
    ("torch_script", "_torch.py", "text/x-python", torch_script),
    ("latex", ".tex", "application/x-tex", latex_document),
    ("tables", "_matrices.zip", "application/zip", tables),
)


def screen_of(page: Page, parameters: Parameters, example: Example) -> ShownPage:
    """Return everything that the page shows now as a `ShownPage`. All files to take home are made from it."""
    query = urlencode(encode(session.visit().workspace, parameters), safe=",;.")
    url = st.context.url or ""
    address = "" if is_local(url) else url.split("?")[0]  # a local address does not work on another computer
    return ShownPage(
        page=page.name,
        concept=page.concept,
        question=page.question,
        link=f"{address}{'?' * bool(query)}{query}" if address else "",
        example=example,
        edited=bool(session.visit().workspace.edits),
        columns=parameters.columns,
        decimals=parameters.decimals,
        equations=dict(equations_on_page()),
        code=page.code_at(parameters, example),
    )


@st.dialog(TEXTS.fill("take_home"), width="medium")
def takehome(page: Page, parameters: Parameters, example: Example | None) -> None:
    """Draw the dialog “Take home” with a button for each kind of file."""
    if example is None:
        st.info(TEXTS.fill("nothing_to_take"), icon=":material/edit:")
        return
    screen = screen_of(page, parameters, example)
    st.write(TEXTS.fill("these_files"))
    for kind, ending, mime, make in FILES:
        if make is torch_script and screen.code.only_numpy:
            st.markdown(_described(kind, screen.code.only_numpy))
        else:
            _offer(kind, f"{screen.stem}{ending}", mime, partial(make, screen))
    _offer_worksheet(screen)


def _described(kind: str, instead: str = "") -> str:
    words = TEXTS.words(kind)
    return f"**{words.label}**  \n:small[{instead or words.help}]"


def _offer(kind: str, name: str, mime: str, make: Callable[[], str | bytes]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(_described(kind), width="stretch")
        st.download_button(
            name,
            in_turn(make, patience=lambda: PATIENCE),
            name,
            mime,
            key=f"take_home.{kind}",
            on_click="ignore",
            icon=":material/download:",
        )


def _offer_worksheet(screen: ShownPage) -> None:
    if reason := too_large(screen):
        st.markdown(_described("worksheet", reason))
        return
    first, sheets, code = (st.session_state.get(f"take_home.{name}", start) for name, start in WORKSHEET.items())
    seeds, stem = range(first, first + sheets), f"{screen.stem}_{sheets_in_filename(first, sheets)}"
    sheet, answers = partial(worksheet, screen, seeds, code=code), partial(answer_sheet, screen, seeds)
    _offer("worksheet", f"{stem}.html", "text/html", sheet)
    _offer("answers", f"{stem}_answers.html", "text/html", answers)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed, how_many = TEXTS.words("seed"), TEXTS.fill("how_many", most=MOST_SHEETS)
        st.number_input(seed.label, 0, MOST_SEEDS, step=1, key="take_home.seed", width=210, help=seed.help)
        help = TEXTS.fill("help_of_how_many")
        st.number_input(how_many, 1, MOST_SHEETS, step=1, key="take_home.sheets", width=180, help=help)
        st.checkbox(TEXTS.fill("with_code"), WORKSHEET["code"], key="take_home.code")


def sheets_in_filename(first: int, sheets: int) -> str:
    """Return the part of a file's name that says which worksheets are in the file.

    `first` is the number of the first worksheet, and `sheets` is how many there are.

    >>> sheets_in_filename(0, 1), sheets_in_filename(7, 1), sheets_in_filename(1, 200)
    ('worksheet', 'worksheet_7', 'worksheets_1_to_200')
    """
    if sheets > 1:
        return f"worksheets_{first}_to_{first + sheets - 1}"
    return f"worksheet_{first}" if first else "worksheet"
