"""What is taken home runs by itself, and has the numbers of the screen."""

import importlib.util
import io
import json
import re
import subprocess
import sys
import zipfile

import nbclient
import nbformat
import numpy as np
import pandas as pd
import pytest

from pages.shared.controls import controls_of
from pages.shared.takehome.latex import latex_document
from pages.shared.takehome.notebook import notebook
from pages.shared.takehome.script import script
from pages.shared.takehome.tables import tables
from pages.shared.takehome.torch import torch_script
from pages.shared.takehome.worksheet import worksheet
from pagesutil import DECLARED
from simulating import opened
from taking import STATES, compare, screen_at

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
    screen = screen_at(page, **link)
    if screen.code.only_numpy:
        pytest.skip(screen.code.only_numpy)
    text = torch_script(screen)
    done = executed(text, tmp_path)
    assert done.returncode == 0, done.stderr
    assert PROVED in done.stdout


@of_every_state
def test_nothing_of_numpy_is_left_in_pytorch_but_draws(page, link):
    screen = screen_at(page, **link)
    if screen.code.only_numpy:
        with pytest.raises(ValueError, match=r"PyTorch is not for this code; got spot_the_bug_.*NumPy’s"):
            torch_script(screen)
        return
    text = torch_script(screen)
    compile(text, "script", "exec")
    drawn = screen.code.start(screen.columns) if screen.code.drawn else ""
    assert "np." not in text.replace(drawn, "")


# --- tables ---


@of_every_state
def test_tables_are_read_back_as_they_were(page, link):
    screen = screen_at(page, **link)
    files = zipfile.ZipFile(io.BytesIO(tables(screen)))
    matrices = screen.matrices()
    contents = pd.read_csv(files.open("contents.csv"))
    assert list(contents["file"]) == [f"{name}.csv" for name in matrices]
    for name, matrix in matrices.items():
        written = pd.read_csv(files.open(f"{name}.csv"), index_col=0, dtype=str, keep_default_na=False).to_numpy()
        shown = matrix.values.T if screen.columns else matrix.values
        np.testing.assert_array_equal(written.astype(float), shown)  # pandas reads but nearly the same numbers


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


@pytest.mark.parametrize("page", ["home", "attention", "your_sentence", "check_my_matrix"])
def test_the_dialog_offers_every_file(page):
    app = opened(page)
    (button,) = [button for button in app.button if button.label == "Take home"]
    app = button.click().run()
    assert not app.exception
    names = [element.proto.label for element in app.get("download_button")]
    endings = (".py", ".ipynb", "_torch.py", ".tex", "_matrices.zip")
    assert [any(name.endswith(ending) for name in names) for ending in endings] == [True] * 5


def test_the_dialog_says_why_a_mistake_is_numpys():
    app = opened("spot_the_bug")
    (button,) = [button for button in app.button if button.label == "Take home"]
    app = button.click().run()
    assert not app.exception
    assert not any(element.proto.label.endswith("_torch.py") for element in app.get("download_button"))
    assert any("The cell is NumPy’s" in text.value for text in app.markdown)


def test_nothing_to_take_home_is_said():
    app = opened("your_sentence", text=" ")
    (button,) = [button for button in app.button if button.label == "Take home"]
    app = button.click().run()
    assert not app.exception
    assert any("nothing on the screen" in info.value for info in app.info)


TASKS = [name for name, page in DECLARED.items() if "task" in controls_of(page.parameters)]


@pytest.mark.parametrize("page", TASKS)
def test_a_task_with_its_blanks_is_no_part_of_what_is_taken_home(page):
    screen = screen_at(page, task="17")
    compare(screen)
    assert list(screen.equations) == list(screen_at(page).equations)
    for make in (script, notebook, torch_script, latex_document, tables):
        assert make(screen)
    assert worksheet(screen, 0) == worksheet(screen_at(page), 0)
