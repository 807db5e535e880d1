"""The recipes of CONTRIBUTING work: a copy of the project in which they were followed passes the tests about them."""

import builtins
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from serving import PAGES, ROOT

RECIPES = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")
FILES, FOLDERS = ("app.py", "pyproject.toml", "README.md"), ("pages", "attention_core", "tests", ".streamlit")
MADE_UP = {"YourKind", "part"}  # the names that somebody who follows a recipe chooses
N_SCENES = 5  # the least number of scenes of a page


def recipe(title, language="python"):
    """Return the pieces of code in `language` from the section `title` of CONTRIBUTING."""
    (section,) = re.findall(rf"^### {title}$(.*?)^###? ", RECIPES, re.MULTILINE | re.DOTALL)
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


@pytest.fixture
def copy(tmp_path):
    """Give the test the folder with a copy of the project."""
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "browser"))
    return tmp_path


def insert(file: Path, piece: str, before: str):
    """Write a piece of text into a file, before the last place where the text `before` stands."""
    start, found, end = file.read_text("utf-8").rpartition(before)
    assert found
    file.write_text(start + piece + before + end, "utf-8")


def count_passed(copy, *tests, about):
    """Run some tests in a copy of the project, and return how many pass. Fail if one of them fails.

    `about` chooses the tests, as pytest's option -k does.
    """
    options = ("-q", "-n", "0", "-p", "no:cacheprovider", "-k", about)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *(f"tests/{test}.py" for test in tests)],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    return int(re.findall(r"(\d+) passed", run.stdout)[-1])


@pytest.mark.long
def test_the_recipes_for_a_page_a_mistake_and_an_example_are_complete(copy):
    """Follow the three recipes for a new page, a new mistake and a new example, and run the tests of the results.

    All three recipes use one copy of the project, because the first import of a copy takes longer than its tests.
    """
    add_a_page(copy)
    add_a_mistake(copy)
    add_an_example(copy)
    core = ("mistakes/test_mistakes", "mistakes/test_alike", "diagnosis/test_diagnosis", "examples/test_examples")
    core = (*core, "experiments/test_positions", "test_heads")
    pages = ("test_every_page", "shared/test_claims", "shared/test_code", "shared/test_cells", "test_attention")
    pages = (*pages, "shared/test_symbols", "shared/test_code_of_mistakes", "test_cross_attention")
    about = (
        "sharper or smoothed or rain or test_mistakes or alike or every_mistake and (story or hand) or pairs and none"
    )
    tests = [*(f"attention_core/{name}" for name in core), *(f"pages/{name}" for name in pages)]
    assert count_passed(copy, *tests, about=about) >= 100


OPEN = """
import sys
sys.path.insert(0, "tests")
from simulating import open_page
from pages.shared.site.page import catalogue
assert not [page.name for page in catalogue() if open_page(page.name).exception]
print(f"{len(catalogue())} pages, no exception")
"""


@pytest.mark.long
def test_a_page_goes_with_its_folder_and_its_row(copy):
    shutil.rmtree(copy / "pages/your_sentence")
    menu = copy / "pages/menu.toml"
    menu.write_text(re.sub(r"^your_sentence = .*\n", "", menu.read_text("utf-8"), flags=re.MULTILINE), "utf-8")
    run = subprocess.run([sys.executable, "-c", OPEN], cwd=copy, capture_output=True, text=True, check=False)
    assert run.stdout == f"{len(PAGES) - 1} pages, no exception\n", run.stderr


@pytest.mark.long
def test_a_matrix_needs_one_record_and_one_rule(copy):
    record, rule, use = recipe("Add a matrix")
    insert(copy / "pages/shared/notation/records.py", record, before="}\n")
    (copy / "attention_core/arithmetic/squared_rules.py").write_text(rule, "utf-8")
    (copy / "use.py").write_text(f"import pages.shared\n{use}\n{LOOK}", "utf-8")
    run = subprocess.run([sys.executable, "use.py"], cwd=copy, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    symbol, name, reads, rows, columns, value, sentence = json.loads(run.stdout)
    assert (symbol, name, reads) == ("Q^2", "Squared queries", ["q"])
    assert (rows[4], columns[0]) == ("it", "looks for somebody")
    assert value == 9
    assert re.fullmatch(r"\*\*Squared queries\*\*: multiply feature 1 of the query of .* by itself.", sentence)
    assert count_passed(copy, "pages/shared/test_symbols", about="no_two or no_letter or each_has") == 3


LOOK = """
import json

from attention_core.examples import example
from pages.shared.equation.selected_cell import cell_sentence

m = squares_of(example("story"))
cell = m.cell(4, 0)
print(json.dumps([m.symbol, m.name, m.read_ids, m.row_labels, m.column_labels, cell.value, cell_sentence(cell)]))
"""


def add_a_page(copy):
    """Follow the recipe for a page and for its scenes in a copy of the project."""
    page, code = recipe("Add a page")
    (texts,) = recipe("Add a page", "markdown")
    (scene,) = recipe("Add a scene", "toml")
    at = {"state": "", "focus": "sharper.equation.steps", "claims": ["sum(weights[1,:]) == 1"]}
    for name, value in at.items():  # values that suit the page of the other recipe
        scene = re.sub(rf"^{name} = .*?(?=  +#|$)", f"{name} = {json.dumps(value)}", scene, flags=re.MULTILINE)
    folder = copy / "pages/sharper"
    folder.mkdir()
    (folder / "page.py").write_text(page, "utf-8")
    (folder / "code.py").write_text(code, "utf-8")
    (folder / "texts.md").write_text(texts, "utf-8")
    scenes = [scene.replace('title = "', f'title = "{n}: ') for n in range(N_SCENES)]
    (folder / "scenes.toml").write_text("\n".join(scenes), "utf-8")
    insert(copy / "pages/menu.toml", 'sharper = "contrast"\n', before='scaling = "straighten"')


def add_a_mistake(copy):
    """Follow the recipe for a mistake in a copy of the project."""
    (entry,), (oracle,) = recipe("Add a mistake", "toml"), recipe("Add a mistake")
    with (copy / "attention_core/mistakes/softmax_axes.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n{entry}")
    insert(
        copy / "tests/attention_core/mistakes/test_mistakes.py", oracle, before='    "terms_taken_for_outputs": lambda'
    )


def add_an_example(copy):
    """Follow the recipe for an example in a copy of the project."""
    (entry,) = recipe("Add an example")
    file = copy / "attention_core/examples/catalogue.py"
    insert(file, entry + "\n\n", before="EXAMPLES: Mapping")
    insert(file, '    "rain": _rain,\n', before="}\n")


def functions_named_in(text):
    """Return the names of functions that a text writes with a bracket or as a decorator: `show(…)`, `@cache`."""
    return {name for pair in re.findall(r"`@(\w+)`|`(?:\*\*)?(?:\w+\.)*(\w+)\([^`]*`", text) for name in pair if name}


@pytest.mark.parametrize("guide", [".github/CONTRIBUTING.md", "pages/README.md", "attention_core/README.md"])
def test_a_guide_names_only_functions_that_exist(guide):
    files = [path for folder in ("attention_core", "pages") for path in (ROOT / folder).glob("**/*.py")]
    code = "".join(path.read_text("utf-8") for path in files)
    defined = {*re.findall(r"^ *(?:def|class) (\w+)", code, re.MULTILINE)}
    unknown = functions_named_in((ROOT / guide).read_text("utf-8")) - defined - {*dir(builtins)} - MADE_UP
    assert not unknown, f"{guide} names what no module defines: write the present name of {sorted(unknown)}."


def test_a_function_that_a_guide_names_is_found_in_its_text():
    assert functions_named_in("Use `@kept`, `**draw(1)` and `views.show({…})`, not `show`.") == {"kept", "draw", "show"}
