"""The JavaScript of equations: each module says what it takes and gives, and the browser gets them as one script."""

import re

import pytest

from javascript import BROWSER, declared, tokens, used
from pages.shared.equation.engine import CONSTANTS, MODULES, SCRIPT, joined
from pages.shared.words import MODULES as OF_WORDS
from pages.shared.words import SCRIPT as WORDS
from serving import ROOT

FOLDER = ROOT / "pages" / "shared" / "equation"
STUB = "stub.js"  # what each equation brings, while the others come once
SOURCES = {"constants.js": CONSTANTS} | {name: (FOLDER / name).read_text("utf-8") for name in (*MODULES, STUB)}
ORDER = list(SOURCES)
of_every_module = pytest.mark.parametrize("name", [*MODULES, STUB])

IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+\.js)"\n', re.MULTILINE)
TOP_LEVEL = re.compile(r"^(export )?(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)


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
        "startEngine"
    }  # by the page


def test_nothing_of_a_module_is_left_in_the_one_script():
    assert not re.search(r"^(import|export)\b", SCRIPT, re.MULTILINE)


# The script of sentences, which begins with modules of equations.
OWN = ROOT / "pages" / "shared" / "words"
AS_WELL = SOURCES | {path.name: path.read_text("utf-8") for path in OWN.glob("*.js")}


def test_the_script_of_sentences_is_joined_likewise():
    assert {path.name for path in OWN.glob("*.js")} == {*OF_WORDS} - {*SOURCES}
    names = [name for module in OF_WORDS for _, name in TOP_LEVEL.findall(AS_WELL[module])]
    assert sorted(names) == sorted({*names})
    assert re.findall(r"^(?:import|export)\b.*", WORDS, re.MULTILINE) == [
        "export default function ({ data: [data], parentElement, setStateValue }) {"
    ]


@pytest.mark.parametrize("name", OF_WORDS)
def test_a_module_of_sentences_has_what_it_uses_from_those_before_it(name):
    assert undeclared(AS_WELL[name]) == set()
    for imported, module in imports(AS_WELL[name]):
        assert imported in exports(AS_WELL[module]), (imported, module)
        assert OF_WORDS.index(module) < OF_WORDS.index(name), module
        assert imported in used(body(AS_WELL[name]))


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
