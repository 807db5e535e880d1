"""Every module can be the first that is imported: none waits for another that waits for it. Scripts run alone."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from serving import ROOT

FILES = [path.relative_to(ROOT) for folder in ("attention_core", "pages") for path in ROOT.glob(f"{folder}/**/*.py")]
MODULES = [".".join(file.with_suffix("").parts).removesuffix(".__init__") for file in FILES]
DRAWS = "pages.shared.frame.run"  # a page, when it is imported
SCRIPTS = [path.name for path in ROOT.glob("tests/*.py") if "\nif __name__ ==" in path.read_text("utf-8")]

# The package of a module is forgotten before its import; all others stay loaded.
IMPORT_EACH = """
import importlib, sys

for name in sys.argv[1:]:
    package = name.split(".")[0]
    for loaded in [module for module in sys.modules if module.split(".")[0] == package]:
        del sys.modules[loaded]
    try:
        importlib.import_module(name)
    except Exception as error:
        print(f"{name}: {error!r}")
"""


def failures(folder: Path, modules: Iterable[str]) -> list[str]:
    """What goes wrong where each of these modules of a folder is the first that is imported."""
    command = [sys.executable, "-c", IMPORT_EACH, *modules]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_every_module_can_be_imported_first():
    assert failures(ROOT, (module for module in MODULES if module != DRAWS)) == []


def test_a_circle_is_noticed(tmp_path):
    (tmp_path / "hen.py").write_text("from egg import shell\nfeather = 1\n")
    (tmp_path / "egg.py").write_text("shell = 1\nfrom hen import feather\n")
    (tmp_path / "nest.py").write_text("import hen\n")
    found = failures(tmp_path, ["nest", "hen", "egg"])
    assert [line.split(":")[0] for line in found] == ["nest", "hen"]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_finds_what_it_imports(script):
    """Python gives it the folder in which it lies, and nothing else of the project."""
    load = f"import runpy, sys; sys.path[0] = 'tests'; runpy.run_path('tests/{script}')"
    subprocess.run([sys.executable, "-c", load], cwd=ROOT, check=True)
