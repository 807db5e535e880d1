"""The folders of the app and of the core: a README lists them in order, and each imports only from those before it."""

import ast
import re

from house_rules import check_rule, imported_modules
from serving import ROOT

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
