"""No two modules import each other, directly or through others. Scripts can run alone."""

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

import pytest

from house_rules import check_rule, modules_in
from serving import ROOT

SCRIPTS = [path.name for path in ROOT.glob("tests/*.py") if "\nif __name__ ==" in path.read_text("utf-8")]


def parts_run_at_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of the code that run when a module is imported."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and not is_for_types_alone(child):
            yield child
            yield from parts_run_at_import(child)


def is_for_types_alone(node: ast.AST) -> bool:
    """Return whether a statement is an `if TYPE_CHECKING`, whose imports only a type checker needs."""
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def imported_by(module: ast.Module) -> Iterator[str]:
    """Yield the name of every module that a module imports while it is imported itself."""
    for node in parts_run_at_import(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules_needed_by(name: str, modules: Mapping[str, ast.Module]) -> set[str]:
    """Return the modules that must be imported before the module `name`: those that it imports, and their packages.

    The packages that contain the module itself are left out, because Python begins to import them before the
    module.
    """
    found = set[str]()
    for imported in imported_by(modules[name]):
        parts = imported.split(".")
        found |= {".".join(parts[: n + 1]) for n in range(len(parts))}
    return {each for each in found & modules.keys() if not f"{name}.".startswith(f"{each}.")}


def find_circle(modules: Mapping[str, ast.Module]) -> list[str]:
    """Return the names of modules that import each other in a circle, or an empty list if there are none."""
    try:
        TopologicalSorter({name: modules_needed_by(name, modules) for name in modules}).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_modules_import_each_other_in_a_circle():
    modules = modules_in(ROOT, "attention_core/**/*.py", "pages/**/*.py")
    assert len(modules) > 200
    check_rule(
        find_circle(modules),
        "No module waits for another that waits for it. These import each other in a circle:",
        "move what both need into a module of its own.",
    )


def test_a_circle_is_noticed(tmp_path):
    (tmp_path / "hen.py").write_text("from egg import shell\nfeather = 1\n")
    (tmp_path / "egg.py").write_text("shell = 1\nfrom hen import feather\n")
    (tmp_path / "nest.py").write_text("import hen\n")
    assert {*find_circle(modules_in(tmp_path, "*.py"))} == {"hen", "egg"}


@pytest.mark.parametrize(
    ("imports", "waits"),
    [
        ("try:\n    import hen\nexcept ImportError:\n    hen = None\n", True),
        ("if 1:\n    from hen import feather\n", True),
        ("class Egg:\n    import hen\n", True),
        ("def hatch():\n    import hen\n", False),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import hen\n", False),
    ],
)
def test_only_imports_that_run_at_import_make_a_circle(imports, waits, tmp_path):
    (tmp_path / "hen.py").write_text("import egg\n")
    (tmp_path / "egg.py").write_text(imports)
    assert bool(find_circle(modules_in(tmp_path, "*.py"))) == waits


def test_a_circle_through_a_package_is_noticed(tmp_path):
    (tmp_path / "barn").mkdir()
    (tmp_path / "barn/__init__.py").write_text("from barn.cow import milk\n")
    (tmp_path / "barn/cow.py").write_text("import farm\n")
    (tmp_path / "barn/door.py").write_text("")
    (tmp_path / "farm.py").write_text("import barn.door\n")
    assert {*find_circle(modules_in(tmp_path, "**/*.py"))} == {"barn", "barn.cow", "farm"}


@pytest.mark.many
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_finds_what_it_imports(script):
    """Check that a script finds the modules that it imports."""
    load = f"import runpy, sys; sys.path[0] = 'tests'; runpy.run_path('tests/{script}')"
    subprocess.run([sys.executable, "-c", load], cwd=ROOT, check=True)
