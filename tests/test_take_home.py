"""What is taken home runs by itself, and has the numbers of the screen."""

import importlib.util
import io
import json
import re
import subprocess
import sys
import zipfile
from html.parser import HTMLParser

import nbclient
import nbformat
import numpy as np
import pandas as pd
import pytest

from pages.shared.equation.model import Matrix
from pages.shared.takehome.latex import latex_document, number_latex
from pages.shared.takehome.notebook import notebook
from pages.shared.takehome.script import script
from pages.shared.takehome.symbols import symbol_latex, text_latex
from pages.shared.takehome.tables import tables
from pages.shared.takehome.torch import torch_script
from pages.shared.takehome.worksheet import fresh, tasks, too_large, worksheet
from simulating import opened, shared_rooms_put_back
from taking import STATES, screen_at

rooms_put_back = pytest.fixture(autouse=True)(shared_rooms_put_back)

of_every_state = pytest.mark.parametrize(("page", "link"), STATES, ids=str)
PROVED = "Every number is the one on the page."


def executed(text, folder):
    """A script run by a fresh Python, which sees nothing of this project."""
    path = folder / "script.py"
    path.write_text(text, encoding="utf-8")
    # -I: no environment variables, no user packages, and the folder of the script is not searched
    return subprocess.run([sys.executable, "-I", path], cwd=folder, capture_output=True, text=True, encoding="utf-8")


@of_every_state
def test_the_script_proves_itself_in_a_fresh_process(page, link, tmp_path):
    text = script(screen_at(page, **link))
    done = executed(text, tmp_path)
    assert done.returncode == 0, done.stderr
    assert PROVED in done.stdout
    assert set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)) <= {"numpy", "math", "hashlib"}


def test_the_script_stops_at_a_number_that_the_page_does_not_show(tmp_path):
    text = script(screen_at("attention", step="5"))
    wrong = text.replace("0.5761168847658291", "0.5761168947658291")
    assert wrong != text
    done = executed(wrong, tmp_path)
    assert done.returncode != 0
    assert "weights" in done.stderr


def test_the_script_prints_every_step(tmp_path):
    printed = executed(script(screen_at("attention", step="8")), tmp_path).stdout
    for name in ("x", "w_q", "q", "k", "v", "scores", "scaled", "weights", "terms", "output"):
        assert f"{name} =" in printed


def test_a_visitors_words_stay_words(tmp_path):
    screen = screen_at("your_sentence", text='"""\') \\ {no} <b> 猫')
    done = executed(script(screen), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "<b>" not in worksheet(screen, 0)


ONE_OF_EVERY_PAGE = list({page: (page, link) for page, link in STATES}.values())


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize(("page", "link"), ONE_OF_EVERY_PAGE, ids=str)
def test_the_notebook_runs_by_its_own_executor(page, link, tmp_path):
    made = nbformat.reads(notebook(screen_at(page, **link)), as_version=4)
    nbclient.NotebookClient(made, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    printed = "".join(out.get("text", "") for cell in made.cells for out in cell.get("outputs", ()))
    assert " =\n" in printed
    words = [cell.source for cell in made.cells if cell.cell_type == "markdown"]
    assert words[0].startswith("# ")
    assert len(words) >= 4


@of_every_state
def test_the_notebooks_cells_agree_with_the_screen(page, link, tmp_path):
    made = json.loads(notebook(screen_at(page, **link)))
    cells_of_code = ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]
    done = executed("\n\n".join(cells_of_code), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "CHECK = True" in cells_of_code[0]


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed here")
@of_every_state
def test_the_script_in_pytorch_proves_itself(page, link, tmp_path):
    text = torch_script(screen_at(page, **link))
    done = executed(text, tmp_path)
    assert done.returncode == 0, done.stderr
    assert PROVED in done.stdout


@of_every_state
def test_nothing_of_numpy_is_left_in_pytorch_but_draws(page, link):
    screen = screen_at(page, **link)
    text = torch_script(screen)
    compile(text, "script", "exec")
    drawn = screen.code.start(screen.columns) if screen.code.drawn else ""
    assert "np." not in text.replace(drawn, "")


# --- LaTeX ---

ENVIRONMENT = re.compile(r"\\(begin|end)\{(\w+\*?)\}")


def balanced(text):
    """Whether environments and braces are closed in the order in which they were opened."""
    stack = []
    for kind, name in ENVIRONMENT.findall(text):
        if kind == "begin":
            stack.append(name)
        elif not stack or stack.pop() != name:
            return False
    bare = re.sub(r"\\[{}]", "", text)
    return not stack and bare.count("{") == bare.count("}")


@of_every_state
def test_latex_is_whole_and_has_the_digits_of_the_screen(page, link):
    screen = screen_at(page, **link)
    text = latex_document(screen)
    assert balanced(text)
    assert text.isascii() or all(c in "àäéèöüß" for c in text if not c.isascii())
    written = re.findall(r"\\begin\{bmatrix\} (.*?) \\end\{bmatrix\}", text)
    matrices = [item for line in screen.lines() for item in line.items if isinstance(item, Matrix)]
    assert len(written) == len(matrices)
    for body, matrix in zip(written, matrices, strict=True):
        values = matrix.values if matrix.only_row is None else matrix.values[[matrix.only_row]]
        values = values.T if matrix.transposed else values
        first = [number_latex(value, screen.decimals) for value in values[0, :6]]
        assert body.split(r" \\ ")[0].split(" & ")[:6] == first[:6]


def test_an_engine_compiles_latex(tmp_path):
    import shutil

    engine = shutil.which("pdflatex") or shutil.which("tectonic")
    if engine is None:
        pytest.skip("no LaTeX engine is installed here")
    (tmp_path / "page.tex").write_text(latex_document(screen_at("attention", step="10")), encoding="utf-8")
    options = ["-interaction=nonstopmode", "-halt-on-error"] if "pdflatex" in engine else []
    done = subprocess.run([engine, *options, "page.tex"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("symbol", "latex"),
    [
        ("W^Q", "W^{Q}"), ("K^T", r"K^{\top}"), ("A_1", "A_{1}"), ("head_{1}W^{O}_{1}", r"\mathrm{head}_{1}W^{O}_{1}"),
        ("Z^{moved}", r"Z^{\mathrm{moved}}"), ("λ", r"\lambda"),
    ],
)  # fmt: skip
def test_symbols_in_latex(symbol, latex):
    assert symbol_latex(symbol) == latex


def test_words_in_latex():
    assert text_latex("÷ √d_k & 50 % of “猫”") == r"$\div$ $\sqrt{d_{k}}$ \& 50 \% of ``\texttt{U+732B}''"


# --- tables ---


@of_every_state
def test_tables_are_read_back_as_they_were(page, link):
    screen = screen_at(page, **link)
    files = zipfile.ZipFile(io.BytesIO(tables(screen)))
    matrices = screen.matrices()
    contents = pd.read_csv(files.open("contents.csv"))
    assert list(contents["file"]) == [f"{name}.csv" for name in matrices]
    for name, matrix in matrices.items():
        read = pd.read_csv(files.open(f"{name}.csv"), index_col=0).to_numpy(dtype=float)
        shown = matrix.values.T if screen.columns else matrix.values
        np.testing.assert_allclose(read, shown, rtol=1e-14)  # pandas may be off by one in the last digit


# --- the worksheet ---


class Sheet(HTMLParser):
    """The numbers and the blanks of each matrix of a worksheet, by section."""

    def __init__(self, text):
        super().__init__()
        self.sections, self.open = {}, []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        if tag == "section":
            self.here = self.sections[dict(attrs)["class"]] = []
        if tag == "mtable":
            self.here.append([])
        if dict(attrs).get("class") == "blank":
            self.here[-1].append(None)
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["mn"]:
            self.here[-1].append(float(data.replace("−", "-").replace("∞", "inf")))


def cells(matrix):
    values = matrix.values if matrix.only_row is None else matrix.values[[matrix.only_row]]
    return (values.T if matrix.transposed else values).ravel()


@pytest.mark.parametrize("seed", [0, 7])
@of_every_state
def test_the_answers_of_a_worksheet_are_those_of_the_screen(page, link, seed):
    screen = screen_at(page, **link)
    if too_large(screen):
        with pytest.raises(ValueError, match="choose"):
            worksheet(screen, seed)
        return
    text = worksheet(screen, seed)
    sheet, every = Sheet(text), list(tasks(screen, seed))
    assert every
    answers = [
        cells(item)
        for task in every
        for item in task.line.items
        if isinstance(item, Matrix) and (item.id, item.only_row) in task.blank
    ]
    filled, empty = ([m for m in sheet.sections[name]] for name in ("answers", "tasks"))
    asked = [matrix for matrix in empty if None in matrix]
    assert [len(matrix) for matrix in asked] == list(map(len, answers))
    assert all(set(matrix) == {None} for matrix in asked)
    for matrix, answer in zip(filled, answers, strict=True):
        np.testing.assert_allclose(matrix, answer, atol=0.5 * 10.0**-screen.decimals + 1e-9, rtol=1e-12)
    if not seed:
        on_the_screen = {
            (m.id, m.only_row): cells(m) for line in screen.lines() for m in line.items if isinstance(m, Matrix)
        }
        for task in every:
            for item in task.line.items:
                if isinstance(item, Matrix) and item.id not in {"x", "q", "scores", "weights", "scaled", "output"}:
                    np.testing.assert_allclose(
                        np.sort(cells(item)), np.sort(on_the_screen[item.id, item.only_row]), rtol=1e-9, atol=1e-9
                    )


def test_a_seed_draws_small_whole_numbers_and_always_the_same():
    screen = screen_at("home")
    drawn, again, other = fresh(screen, 3), fresh(screen, 3), fresh(screen, 4)
    assert {name: m.shape for name, m in drawn.items()} == {"x": (3, 5), "w_q": (5, 4), "w_k": (5, 4), "w_v": (5, 2)}
    assert all((m == m.round()).all() and np.abs(m).max() <= 3 for m in drawn.values())
    assert all((drawn[name] == again[name]).all() for name in drawn)
    assert any((drawn[name] != other[name]).any() for name in drawn)
    assert worksheet(screen, 3) == worksheet(screen, 3) != worksheet(screen, 4)


def test_a_worksheet_says_why_there_is_none():
    assert "64" in too_large(screen_at("home", example="wide"))
    assert "none" in too_large(screen_at("positional_encoding", look="formulas"))


# --- names, and the dialog ---


@pytest.mark.parametrize(
    ("page", "link", "stem"),
    [
        ("attention", {"step": "5"}, "attention_step_5_hand"),
        ("attention", {"step": "5", "x": "5,0,0,2,0;1,0,1,0,0;0,1,0,1,1"}, "attention_step_5_hand_edited"),
        ("positional_encoding", {"look": "rope", "example": "book"}, "positional_encoding_rope_book"),
        ("cross_attention", {"example": "context"}, "cross_attention_context"),
        ("your_sentence", {"heads": "2"}, "your_sentence_2_heads"),
    ],
)
def test_files_say_what_they_hold(page, link, stem):
    assert screen_at(page, **link).stem == stem


@pytest.mark.parametrize("page", ["home", "attention", "your_sentence"])
def test_the_dialog_offers_every_file(page):
    app = opened(page)
    (button,) = [button for button in app.button if button.label == "Take home"]
    app = button.click().run()
    assert not app.exception
    names = [element.proto.label for element in app.get("download_button")]
    endings = (".py", ".ipynb", "_torch.py", ".tex", "_matrices.zip")
    assert [any(name.endswith(ending) for name in names) for ending in endings] == [True] * 5


def test_nothing_to_take_home_is_said():
    app = opened("your_sentence", text=" ")
    (button,) = [button for button in app.button if button.label == "Take home"]
    app = button.click().run()
    assert not app.exception
    assert any("nothing on the screen" in info.value for info in app.info)
