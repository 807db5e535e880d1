"""The recipes of the README work: a copy of the project in which one was followed passes the tests that it concerns."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from serving import ROOT

README = (ROOT / "README.md").read_text("utf-8")
FILES, FOLDERS = ("app.py", "pyproject.toml"), ("pages", "attention_core", "tests", ".streamlit")


def recipe(title):
    """The pieces of Python in a section of the README."""
    (section,) = re.findall(rf"^### {title}$(.*?)^###? ", README, re.MULTILINE | re.DOTALL)
    return re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


@pytest.fixture
def copy(tmp_path):
    """A copy of the project."""
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "browser"))
    return tmp_path


def inserted(file: Path, piece: str, before: str):
    """Write a piece into a file, before the last place where a text stands."""
    start, found, end = file.read_text("utf-8").rpartition(before)
    assert found
    file.write_text(start + piece + before + end, "utf-8")


def passed(copy, *tests, about):
    """How many tests of a copy pass, of those that are about something; none fails."""
    options = ("-q", "-n", "0", "-p", "no:cacheprovider", "-k", about)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *(f"tests/{test}.py" for test in tests)],
        cwd=copy, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout
    return int(re.findall(r"(\d+) passed", run.stdout)[-1])


def test_a_mistake_and_an_example_need_one_entry_each_and_a_mistake_its_oracle(copy):
    """Both in one copy: to import a project for the first time takes longer than its tests."""
    add_a_mistake(copy)
    add_an_example(copy)
    core = (f"core/test_{name}" for name in ("slips", "diagnosis", "examples", "examples_parts", "order", "heads"))
    pages = (f"pages/test_{name}" for name in ("code_of_mistakes", "code", "cross_attention"))
    of_a_mistake = "negated or test_slips or every_slip and (story or hand or french) or pairs and none"
    assert passed(copy, *core, *pages, about=f"{of_a_mistake} or rain") >= 40


def add_a_mistake(copy):
    entry, oracle = recipe("Add a mistake")
    inserted(copy / "attention_core/slips/with_switch/softmax.py", entry.rstrip("\n") + ",\n", before=")\n")
    inserted(copy / "tests/core/test_slips.py", oracle, before='    "terms_taken_for_outputs": lambda')


def add_an_example(copy):
    (entry,) = recipe("Add an example")
    file = copy / "attention_core/examples/catalogue.py"
    inserted(file, entry + "\n\n", before="EXAMPLES: Mapping")
    inserted(file, '    "rain": _rain,\n', before="}\n")
