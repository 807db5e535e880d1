"""No two modules import each other, directly or through others. Scripts can run alone.

Also the order of the rooms, the examples in docstrings, and the titles of commits.
"""

import ast
import doctest
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from importlib import import_module

import pytest

from checkout import git, has_commits, needs_git, titles_since
from house_rules import check_rule, imported_modules, modules_in
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


LISTED_IN = {"pages/shared": "pages/README.md", "attention_core": "attention_core/README.md"}


def rooms_of(package: str) -> list[str]:
    """Return the folders of a package, in the order in which its README lists them."""
    readme = (ROOT / LISTED_IN[package]).read_text("utf-8")
    (listed,) = re.findall(rf"^{package}/\n((?: .*\n)+)", readme, re.MULTILINE)
    return re.findall(r"^  (\w+)/", listed, re.MULTILINE)


ROOMS = {package: rooms_of(package) for package in LISTED_IN}


def later_rooms_imported(tree: ast.AST, package: str, room: str) -> set[str]:
    """Return the folders from which a module may not import, but does: the README lists them after the folder `room`.

    `room` is the folder of the module. A module outside of all folders may import from none of them.
    """
    rooms, depth = ROOMS[package], len(package.split("/"))
    before = rooms[: rooms.index(room) + 1] if room in rooms else []
    parts = [module.split(".") for module in imported_modules(tree)]
    reached = {part[depth] for part in parts if part[:depth] == package.split("/") and len(part) > depth}
    return reached & {*rooms} - {*before}


def test_the_readmes_list_every_room():
    there = {package: {path.parent.name for path in (ROOT / package).glob("*/*.py")} for package in ROOMS}
    check_rule(
        {LISTED_IN[package]: there[package] ^ {*rooms} for package, rooms in ROOMS.items()},
        "Each README lists the rooms of its package.",
        "add the room where it belongs in the order, or take out the one that is gone.",
    )


def test_rooms_import_from_those_before_them():
    found = dict[str, set[str]]()
    for package in ROOMS:
        for path in (ROOT / package).glob("**/*.py"):
            if path != ROOT / package / "__init__.py":
                room = path.relative_to(ROOT / package).parts[0]
                found[str(path.relative_to(ROOT))] = later_rooms_imported(
                    ast.parse(path.read_text("utf-8")), package, room
                )
    assert len(found) > 100
    check_rule(
        found,
        "A room imports only from the rooms before it in its package's README; a module in no room imports from none.",
        f"move what both need to an earlier room, or change the order in {' or '.join(LISTED_IN.values())}.",
    )


def test_an_import_from_a_later_room_is_noticed():
    assert later_rooms_imported(ast.parse("from pages.shared.frame.draw import draw"), "pages/shared", "equation") == {
        "frame"
    }
    assert (
        later_rooms_imported(ast.parse("from pages.shared.state import session"), "pages/shared", "equation") == set()
    )
    assert later_rooms_imported(
        ast.parse("from attention_core.museum import EXHIBITS"), "attention_core", "mistakes"
    ) == {"museum"}
    assert later_rooms_imported(
        ast.parse("from attention_core.mistakes import Mistake"), "attention_core", "softmax.py"
    ) == {"mistakes"}
    assert later_rooms_imported(ast.parse("from attention_core import softmax"), "attention_core", "mistakes") == set()


DRAWS = "pages.shared.frame.run"  # importing this module draws a page
MODULES = [name for name in modules_in(ROOT, "attention_core/**/*.py", "pages/**/*.py") if name != DRAWS]


def test_examples_in_docstrings():
    check_rule(
        {name: said for name in MODULES if (said := failing_examples(name))},
        "The examples in docstrings give what they say.",
        "correct the example, or the function.",
    )


def failing_examples(name: str) -> list[str]:
    """Return what doctest says about the examples of a module that fail."""
    said, runner = list[str](), doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder(exclude_empty=True).find(import_module(name)):
        runner.run(test, out=said.append)
    return said


def test_an_example_that_is_wrong_is_found():
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda _: None).failed == 1


MOST_CHARACTERS = 72
FIRST_CHECKED_AFTER = "41073a5354268e34fdf617bade06a3680cc8b18d"


def too_long(titles):
    """Return the titles that are too long. Each stands after the short id of its commit."""
    return [title for title in titles if len(title.partition(" ")[2]) > MOST_CHARACTERS]


@pytest.mark.skipif(not has_commits(ROOT), reason="the titles are only known in a git checkout")
def test_the_title_of_a_commit_is_short():
    check_rule(
        too_long(titles_since(ROOT, FIRST_CHECKED_AFTER)),
        f"The title of a commit has at most {MOST_CHARACTERS} characters.",
        "shorten it with `git commit --amend` or `git rebase -i`, and write the reason below it.",
    )


def test_a_title_may_have_72_characters():
    assert too_long([f"41073a53 {'a' * 72}", f"6063e80f {'a' * 73}"]) == [f"6063e80f {'a' * 73}"]


@pytest.fixture
def repository(tmp_path):
    """Give the test a repository with five commits, “0” to “4”, and a merge."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    for title in range(4):
        git(folder, "commit", "--quiet", "--allow-empty", "-m", str(title))
    git(folder, "switch", "--quiet", "-c", "aside", "HEAD~")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "4")
    git(folder, "merge", "--quiet", "--no-edit", "main")
    return folder


def titles_only(lines):
    """Return the titles in lines of `titles_since`, in alphabetical order."""
    return sorted(line.partition(" ")[2] for line in lines)


@needs_git
def test_the_titles_since_a_commit_are_read_on_all_branches_that_were_merged(repository):
    commit = git(repository, "rev-parse", "main~2")
    assert titles_only(titles_since(repository, commit)) == ["2", "3", "4"]


@needs_git
def test_a_shallow_clone_reads_the_titles_that_it_has(repository, tmp_path):
    first = git(repository, "rev-list", "--max-parents=0", "HEAD")
    git(tmp_path, "clone", "--quiet", "--depth", "2", repository.as_uri(), "shallow")
    assert titles_only(titles_since(tmp_path / "shallow", first)) == ["3", "4"]


def test_without_a_repository_or_without_git_no_title_is_known(tmp_path, monkeypatch):
    assert not has_commits(tmp_path)
    monkeypatch.setenv("PATH", "")
    assert not has_commits(ROOT)
