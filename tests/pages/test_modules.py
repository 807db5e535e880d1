"""The JavaScript of equations: each module says what it takes and gives, and the browser gets them as one script."""

import re

import pytest

from javascript import BROWSER, declared, tokens, used
from pages.shared.equation.engine import CONSTANTS, MODULES, SCRIPT, joined
from pages.shared.plane import MODULES as OF_PLANE
from pages.shared.plane import SCRIPT as PLANE
from pages.shared.words import MODULES as OF_WORDS
from pages.shared.words import SCRIPT as WORDS
from serving import ROOT

FOLDER = ROOT / "pages" / "shared" / "equation"
STUB = "stub.js"  # what each equation brings, while the others come once
SOURCES = {"constants.js": f"{CONSTANTS}\nexport const KIND = Symbol()"} | {
    name: (FOLDER / name).read_text("utf-8") for name in (*MODULES, STUB)
}
ORDER = list(SOURCES)
of_every_module = pytest.mark.parametrize("name", [*MODULES, STUB])

IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+\.js)"\n', re.MULTILINE)
TOP_LEVEL = re.compile(r"^(export )?(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)


def exports(source):
    return {name for exported, name in TOP_LEVEL.findall(source) if exported}


def imports(source):
    return {(name, module) for names, module in IMPORT.findall(source) for name in names.split(", ")}


def body(source):
    return IMPORT.sub("", source)


def undeclared(source):
    """The names that a module uses and neither declares nor imports."""
    return used(body(source)) - declared(body(source)) - {name for name, _ in imports(source)} - BROWSER


def test_every_script_is_a_module_that_is_joined():
    assert {path.name for path in FOLDER.glob("*.js")} == {*MODULES, STUB}


def test_names_are_unique_in_the_one_script():
    names = [name for source in SOURCES.values() for _, name in TOP_LEVEL.findall(source)]
    assert sorted(names) == sorted({*names})


@of_every_module
def test_what_is_imported_is_exported_by_a_module_before_it(name):
    for imported, module in imports(SOURCES[name]):
        assert imported in exports(SOURCES[module]), (imported, module)
        assert ORDER.index(module) < ORDER.index(name), module


@of_every_module
def test_what_is_imported_is_used(name):
    assert {imported for imported, _ in imports(SOURCES[name])} <= used(body(SOURCES[name]))


@of_every_module
def test_what_is_used_is_declared_or_imported(name):
    assert undeclared(SOURCES[name]) == set()


def test_what_is_exported_is_imported_somewhere():
    imported = {name for source in SOURCES.values() for name, _ in imports(source)}
    assert {name for source in SOURCES.values() for name in exports(source)} - imported == {
        "draws",
        "receive",
    }  # by the page


def test_nothing_of_a_module_is_left_in_the_one_script():
    assert not re.search(r"^(import|export)\b", SCRIPT, re.MULTILINE)


# The scripts of sentences and of planes, which follow the modules of equations.
OTHERS = {"words": (OF_WORDS, WORDS), "plane": (OF_PLANE, PLANE)}


def own_modules(room):
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


@pytest.mark.parametrize(("room", "name"), [(room, name) for room, (names, _) in OTHERS.items() for name in names])
def test_a_module_of_another_component_has_what_it_uses_from_those_before_it(room, name):
    modules, as_well = OTHERS[room][0], SOURCES | own_modules(room)
    assert undeclared(as_well[name]) == set()
    for imported, module in imports(as_well[name]):
        assert imported in exports(as_well[module]), (imported, module)
        assert module in SOURCES or modules.index(module) < modules.index(name), module
        assert imported in used(body(as_well[name]))


def test_a_missing_import_is_noticed():
    source = SOURCES["heatmap.js"]
    assert undeclared(source.replace("import { ARROWS, clamp }", "import { ARROWS }")) == {"clamp"}
    assert undeclared(f"{source}\nfunction more() {{ return `${{labels([`${{tpyo}}`])}} in {{words}}` }}") == {"tpyo"}


def test_texts_and_patterns_are_no_names():
    source = 'const a = /[/"x]b/g.test("c // d") ? `e ${f.g + `${h}`} i` : { j: k, l } // m'
    assert tokens('x / 2 + "y" / 3') == ["x", "/", "2", "+", '""', "/", "3"]
    assert used(source) == {"a", "f", "h", "k", "l"}
    assert declared("const { a, b: [c] } = d\nfunction e(f, { g }) {}\nh.map((i, j) => k => l)") >= set("acefgijk")


def test_only_whole_lines_of_imports_are_stripped():
    assert joined(['import { A } from "./a.js"\nexport const B = "import { C }"']) == 'const B = "import { C }"'
