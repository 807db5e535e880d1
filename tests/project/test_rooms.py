"""Rooms: the README lists them in an order, and each imports only from those before it."""

import ast
import re

import pytest

from imported import imported_modules
from serving import ROOT


def rooms_of(package: str) -> list[str]:
    """The rooms of a package, in the order in which the README lists them: each imports only from those before it."""
    readme = (ROOT / "README.md").read_text("utf-8")
    (listed,) = re.findall(rf"^{package}/ .*\n((?: .*\n)+)", readme, re.MULTILINE)
    return re.findall(r"^  (\w+)/", listed, re.MULTILINE)


ROOMS = {package: rooms_of(package) for package in ("pages/shared", "attention_core")}


def climbs(tree: ast.AST, package: str, room: str) -> set[str]:
    """The rooms after its own that a module imports from. A module that stands in no room imports from none."""
    rooms, depth = ROOMS[package], len(package.split("/"))
    before = rooms[: rooms.index(room) + 1] if room in rooms else []
    parts = [module.split(".") for module in imported_modules(tree)]
    reached = {part[depth] for part in parts if part[:depth] == package.split("/") and len(part) > depth}
    return reached & {*rooms} - {*before}


@pytest.mark.parametrize("package", ROOMS)
def test_the_readme_lists_every_room(package):
    assert sorted(ROOMS[package]) == sorted(path.parent.name for path in (ROOT / package).glob("*/__init__.py"))


IN_ROOMS = [(package, path) for package in ROOMS for path in sorted((ROOT / package).glob("**/*.py"))]
IN_ROOMS = [(package, path) for package, path in IN_ROOMS if path != ROOT / package / "__init__.py"]


@pytest.mark.parametrize(("package", "path"), IN_ROOMS, ids=lambda each: str(each).removeprefix(f"{ROOT}/"))
def test_rooms_import_from_those_before_them(package, path):
    room = path.relative_to(ROOT / package).parts[0]
    assert climbs(ast.parse(path.read_text("utf-8")), package, room) == set()


def test_a_climb_is_noticed():
    assert climbs(ast.parse("from pages.shared.frame.draw import draw"), "pages/shared", "equation") == {"frame"}
    assert climbs(ast.parse("from pages.shared.state import session"), "pages/shared", "equation") == set()
    assert climbs(ast.parse("from attention_core.museum import EXHIBITS"), "attention_core", "slips") == {"museum"}
    assert climbs(ast.parse("from attention_core.slips import Slip"), "attention_core", "softmax.py") == {"slips"}
    assert climbs(ast.parse("from attention_core import softmax"), "attention_core", "slips") == set()
