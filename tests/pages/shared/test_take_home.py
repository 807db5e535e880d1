"""Test the files that visitors take home: they run without the app, and have the numbers of the screen.

Also the dialog that offers them.
"""

import importlib.util
import io
import json
import re
import zipfile
from collections.abc import Iterator

import nbclient
import nbformat
import numpy as np
import pandas as pd
import pytest

import torch_on_numpy
from bare_python import PythonProcess, python_outside, run
from pages.shared.controls import controls_of
from pages.shared.takehome.code import shorten_digits
from pages.shared.takehome.dialog import tables
from pages.shared.takehome.latex import latex_document
from pages.shared.takehome.script import notebook, script, torch_script
from pages.shared.takehome.worksheet import worksheet
from pagesutil import DECLARED
from simulating import X_5, open_page
from taken_home import PROVED, STATES, check_code, screen_at

# a few states, for the tests that start a process for each state
FEW = list({page: (page, link) for page, link in STATES}.values())[::5]


@pytest.fixture(scope="session")
def outside_python(tmp_path_factory) -> Iterator[PythonProcess]:
    """Give the tests one running Python outside of the project, for the scripts of all states."""
    with python_outside(tmp_path_factory.mktemp("elsewhere")) as running:
        yield running


def test_the_script_proves_itself(screen, outside_python):
    text = script(screen)
    assert PROVED in outside_python.printed(text)
    assert set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)) <= {"numpy", "math", "hashlib"}


@pytest.mark.parametrize(("page", "link"), FEW, ids=str)
def test_a_script_proves_itself_in_a_fresh_process(page, link, tmp_path):
    done = run(script(screen_at(page, **link)), tmp_path)
    assert done.returncode == 0, done.stderr
    assert PROVED in done.stdout


def test_a_script_that_fails_outside_is_noticed(outside_python):
    with pytest.raises(AssertionError, match="No module named 'pages'"):
        outside_python.printed("import pages")
    with pytest.raises(AssertionError, match="name 'x' is not defined"):
        outside_python.printed("x")
    outside_python.printed("x = 1")
    with pytest.raises(AssertionError, match="name 'x' is not defined"):
        outside_python.printed("x")


def test_the_script_stops_at_a_number_that_the_page_does_not_show(tmp_path):
    text = script(screen_at("attention", example="hand", step="5"))
    wrong = text.replace("0.5761168847658291", "0.5761168947658291")
    assert wrong != text
    done = run(wrong, tmp_path)
    assert done.returncode != 0
    assert "weights" in done.stderr


def test_the_script_prints_every_step(outside_python):
    printed = outside_python.printed(script(screen_at("attention", step="8")))
    for name in ("x", "w_q", "q", "k", "v", "scores", "scaled", "weights", "terms", "output"):
        assert f"{name} =" in printed


def test_a_visitors_words_stay_words(outside_python):
    screen = screen_at("your_sentence", text='"""\') \\ {no} <b> 猫')
    assert PROVED in outside_python.printed(script(screen))
    assert "<b>" not in worksheet(screen, [0])


@pytest.mark.many
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize(("page", "link"), FEW, ids=str)
def test_the_notebook_runs_by_its_own_executor(page, link, tmp_path):
    made = nbformat.reads(notebook(screen_at(page, **link)), as_version=4)
    nbclient.NotebookClient(made, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    printed = "".join(out.get("text", "") for cell in made.cells for out in cell.get("outputs", ()))
    assert " =\n" in printed
    words = [cell.source for cell in made.cells if cell.cell_type == "markdown"]
    assert words[0].startswith("# ")
    assert len(words) >= 4


@pytest.mark.many
def test_the_notebooks_cells_agree_with_the_screen(screen, outside_python):
    made = json.loads(notebook(screen))
    cells_of_code = ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]
    outside_python.printed("\n\n".join(cells_of_code))
    assert "CHECK = True" in cells_of_code[0]


@pytest.mark.many
def test_the_script_in_pytorch_proves_itself(screen):
    if screen.code.only_numpy:
        with pytest.raises(ValueError, match=re.escape(f"got {screen.stem}: {screen.code.only_numpy}")):
            torch_script(screen)
        return
    text = torch_script(screen)
    drawn = screen.code.start(screen.columns) if screen.code.drawn else ""
    assert "np." not in text.replace(drawn, "")
    assert PROVED in torch_on_numpy.output_with_torch(text)


@pytest.mark.parametrize(("right", "wrong"), [("dim=-1", "dim=0"), ("math.sqrt(d_k)", "math.sqrt(3)"), ("k.T", "k")])
def test_a_wrong_script_in_pytorch_does_not(right, wrong):
    text = torch_script(screen_at("attention", step="5"))
    with pytest.raises((AssertionError, ValueError, RuntimeError)):
        torch_on_numpy.output_with_torch(text.replace(right, wrong))


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed here")
def test_a_script_in_pytorch_proves_itself_in_a_fresh_process(tmp_path):
    done = run(torch_script(screen_at("attention", step="5")), tmp_path)
    assert done.returncode == 0, done.stderr
    assert PROVED in done.stdout


# --- tables ---


@pytest.mark.many
def test_tables_are_read_back_as_they_were(screen):
    files = zipfile.ZipFile(io.BytesIO(tables(screen)))
    matrices = screen.matrices()
    contents = pd.read_csv(files.open("contents.csv"))
    assert list(contents["file"]) == [f"{name}.csv" for name in matrices]
    for name, matrix in matrices.items():
        written = pd.read_csv(files.open(f"{name}.csv"), index_col=0, dtype=str, keep_default_na=False).to_numpy()
        shown = matrix.values.T if screen.columns else matrix.values
        np.testing.assert_array_equal(written.astype(float), shown)  # pandas would not read exactly the same numbers


# --- practice ---

TASKS = [name for name, page in DECLARED.items() if "task" in controls_of(page.parameters)]


@pytest.mark.parametrize("page", TASKS)
def test_a_task_with_its_blanks_is_no_part_of_what_is_taken_home(page):
    screen = screen_at(page, task="17")
    check_code(screen)
    assert list(screen.equations) == list(screen_at(page).equations)
    for make in (script, notebook, torch_script, latex_document, tables):
        assert make(screen)
    assert worksheet(screen, [0]) == worksheet(screen_at(page), [0])


@pytest.mark.parametrize("page", ["real_heads", "induction_head", "your_sentence"])
def test_the_shown_code_has_no_wall_of_digits_and_the_script_has_all_of_them(page):
    code = screen_at(page, text="list").code if page == "real_heads" else screen_at(page).code
    text = code.text(columns=False)
    assert max(map(len, shorten_digits(text).splitlines())) < 200
    assert re.search(r'"[0-9a-f]{400,}"', text)
    notebook_cells = json.loads(notebook(screen_at(page)))["cells"]
    walls = [cell for cell in notebook_cells if re.search(r'"[0-9a-f]{400,}"', "".join(cell["source"]))]
    assert all(cell["metadata"]["jupyter"]["source_hidden"] for cell in walls)


@pytest.mark.lowest
@pytest.mark.parametrize(
    ("page", "link", "stem"),
    [
        ("attention", {"step": "5"}, "attention_step_5_story"),
        ("attention", {"step": "5", "x": X_5}, "attention_step_5_story_edited"),
        ("positional_encoding", {"look": "rope", "example": "book"}, "positional_encoding_rope_book"),
        ("cross_attention", {"example": "context"}, "cross_attention_context"),
        ("your_sentence", {"heads": "2"}, "your_sentence_2_heads"),
    ],
)
def test_files_say_what_they_hold(page, link, stem):
    assert screen_at(page, **link).stem == stem


@pytest.mark.lowest
@pytest.mark.parametrize("page", ["home", "attention", "your_sentence", "check_my_matrix"])
def test_the_dialog_offers_every_file(page):
    app = open_page(page)
    (button,) = [button for button in app.button if button.label == "Take home"]
    app = button.click().run()
    assert not app.exception
    names = [element.proto.label for element in app.get("download_button")]
    endings = (".py", ".ipynb", "_torch.py", ".tex", "_matrices.zip")
    assert [any(name.endswith(ending) for name in names) for ending in endings] == [True] * 5


@pytest.mark.lowest
def test_the_dialog_says_why_a_mistake_is_numpys():
    app = open_page("spot_the_bug")
    (button,) = [button for button in app.button if button.label == "Take home"]
    app = button.click().run()
    assert not app.exception
    assert not any(element.proto.label.endswith("_torch.py") for element in app.get("download_button"))
    assert any("The cell is NumPy’s" in text.value for text in app.markdown)


@pytest.mark.lowest
def test_nothing_to_take_home_is_said():
    app = open_page("your_sentence", text=" ")
    (button,) = [button for button in app.button if button.label == "Take home"]
    app = button.click().run()
    assert not app.exception
    assert any("nothing on the screen" in info.value for info in app.info)
