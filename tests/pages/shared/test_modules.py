"""Test the JavaScript modules of the equations: imports and exports fit, and the browser gets them as one script."""

import re

import pytest

from house_rules import check_rule
from linting import complaints
from pages.shared.bars import MODULES as OF_BARS
from pages.shared.bars import SCRIPT as BARS
from pages.shared.equation.engine import CONSTANTS, MODULES, SCRIPT, join_modules
from pages.shared.panel import MODULES as OF_PANEL
from pages.shared.panel import SCRIPT as PANEL
from pages.shared.plane import MODULES as OF_PLANE
from pages.shared.plane import SCRIPT as PLANE
from pages.shared.words import MODULES as OF_WORDS
from pages.shared.words import SCRIPT as WORDS
from serving import ROOT

FOLDER = ROOT / "pages" / "shared" / "equation"
STUB = "stub.js"  # every equation loads this file; the other files are loaded once
SOURCES = {"constants.js": f"{CONSTANTS}\nexport const KIND = Symbol()"} | {
    name: (FOLDER / name).read_text("utf-8") for name in (*MODULES, STUB)
}
ORDER = list(SOURCES)
IMPORTS_BEFORE = "A module imports from modules before it what they export."
IN_ORDER = "export the name there, or move the module to its place in MODULES."

IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+\.js)"\n', re.MULTILINE)
TOP_LEVEL = re.compile(r"^(export )?(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)


def exported_names(source):
    """Return the names that a JavaScript module exports."""
    return {name for exported, name in TOP_LEVEL.findall(source) if exported}


def imported_names(source):
    """Return the names that a JavaScript module imports, each with the file that the name comes from."""
    return {(name, module) for names, module in IMPORT.findall(source) for name in names.split(", ")}


def test_eslint_finds_no_undeclared_or_unused_name():
    """Check with ESLint that every JavaScript name is declared or imported, and that every such name is used."""
    assert complaints("pages") == "", "mend what ESLint names; its rules stand in tests/eslint/eslint.config.js"


@pytest.mark.parametrize(
    ("breach", "rule"),
    [
        ("export const TWO = one + 1", "no-undef"),
        ('import { clamp } from "./numbers.js"\nexport const TWO = 2', "no-unused-vars"),
        ("export const double = (name) => `${nmae} twice`", "no-undef"),
    ],
)
def test_eslint_complains_of_a_breach(breach, rule):
    assert rule in complaints("--stdin", "--stdin-filename", "pages/shared/equation/breach.js", text=breach)


def test_every_script_is_a_module_that_is_joined():
    assert {path.name for path in FOLDER.glob("*.js")} == {*MODULES, STUB}


def test_names_are_unique_in_the_one_script():
    names = [name for source in SOURCES.values() for _, name in TOP_LEVEL.findall(source)]
    assert sorted(names) == sorted({*names})


def test_what_is_imported_is_exported_by_a_module_before_it():
    found = {name: missing_imports(name, SOURCES, ORDER) for name in (*MODULES, STUB)}
    check_rule(found, IMPORTS_BEFORE, IN_ORDER)


def missing_imports(name, sources, order):
    """Return the wrong imports of the JavaScript module `name`, each as a text.

    An import is wrong if the other module does not export the name, or does not come before this module in `order`.
    `sources` holds the source of each module.
    """
    return [
        f"{imported} from {module}"
        for imported, module in imported_names(sources[name])
        if imported not in exported_names(sources[module]) or order.index(module) >= order.index(name)
    ]


def test_what_is_exported_is_imported_somewhere():
    # the modules of sentences and lectures are included
    shared = [path.read_text("utf-8") for path in FOLDER.parent.glob("*/*.js")]
    imported = {name for source in (*SOURCES.values(), *shared) for name, _ in imported_names(source)} | {
        "draws",
        "receive",
    }  # the page itself uses these names
    exported = {name for source in SOURCES.values() for name in exported_names(source)}
    check_rule(exported - imported, "What a module exports is imported somewhere.", "take out the word `export`.")


def test_nothing_of_a_module_is_left_in_the_one_script():
    assert not re.search(r"^(import|export)\b", SCRIPT, re.MULTILINE)


# The scripts of other components come after the modules of equations.
OTHERS = {
    "words": (OF_WORDS, WORDS),
    "plane": (OF_PLANE, PLANE),
    "bars": (OF_BARS, BARS),
    "panel": (OF_PANEL, PANEL),
}


def own_modules(room):
    """Return the source of each JavaScript module in the folder `room` of `pages/shared`, by file name."""
    return {path.name: path.read_text("utf-8") for path in (ROOT / "pages" / "shared" / room).glob("*.js")}


@pytest.mark.parametrize("room", OTHERS)
def test_the_script_of_another_component_is_joined_likewise(room):
    modules, script = OTHERS[room]
    as_well = SOURCES | own_modules(room)
    assert {*own_modules(room)} == {*modules}
    names = [name for module in modules for _, name in TOP_LEVEL.findall(as_well[module])]
    assert sorted(names) == sorted({*names})
    (export,) = re.findall(r"^(?:import|export)\b.*", script, re.MULTILINE)
    assert export.startswith("export default component(")


@pytest.mark.parametrize("room", OTHERS)
def test_modules_of_another_component_import_from_those_before_them(room):
    modules, as_well = OTHERS[room][0], SOURCES | own_modules(room)
    order = [*SOURCES, *(name for name in modules if name not in SOURCES)]
    check_rule({name: missing_imports(name, as_well, order) for name in modules}, IMPORTS_BEFORE, IN_ORDER)


def test_only_whole_lines_of_imports_are_stripped():
    assert join_modules(['import { A } from "./a.js"\nexport const B = "import { C }"']) == 'const B = "import { C }"'
