"""The rules for the project's code, read from its syntax trees.

For each rule, a test shows that a breach is noticed.
"""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from house_rules import check_rule, imported_modules
from pages.shared.site.page import catalogue
from serving import PAGES, ROOT

TOP_LEVEL = {"app.py", "pages", "attention_core", "tests", "requirements.txt", "requirements-dev.txt", "README.md"}
TOP_LEVEL |= {"pyproject.toml", "requirements-model.txt"}

CORE_MAY_IMPORT = {*sys.stdlib_module_names, "numpy", "scipy", "attention_core"}
NUMERIC_MODULES = {"math", "cmath", "numpy", "scipy"}
ARITHMETIC = (ast.MatMult, ast.Div, ast.FloorDiv, ast.Pow)
SHARED_STATE = {"session_state", "query_params"}

# A file is split where its idea splits. If a file has more lines than this, LONGER must give the reason.
MANY_LINES = 400
LONGER: dict[str, str] = {}

MACHINE_PATH = re.compile(rb"(?<![\w./-])/(?:work|root|home|Users|tmp)/[\w.]+")
PACKAGE_INDEX = re.compile(rb"--(?:extra-)?index-url|registry\.npmjs|/simple/")


def imported_packages(tree: ast.AST) -> set[str]:
    """Return the first names of all imported modules: "numpy" for `import numpy.linalg`."""
    return {module.split(".")[0] for module in imported_modules(tree)}


def imports_beyond_the_core(tree: ast.AST) -> set[str]:
    return imported_packages(tree) - CORE_MAY_IMPORT


def imports_of_pages(tree: ast.AST) -> set[str]:
    """Return the imports in a module that it may not have: a page, app.py, or `importlib` and `runpy`."""
    modules = {tuple(module.split(".")) for module in imported_modules(tree)}
    dynamic = imported_packages(tree) & {"importlib", "runpy"}
    return dynamic | {".".join(m) for m in modules if m[0] == "app" or (m[0] == "pages" and m[1:2] != ("shared",))}


def arithmetic_in(tree: ast.AST) -> set[str]:
    operators = [node.op for node in ast.walk(tree) if isinstance(node, ast.BinOp | ast.AugAssign)]
    return imported_packages(tree) & NUMERIC_MODULES | {
        type(op).__name__ for op in operators if isinstance(op, ARITHMETIC)
    }


def uses_of_state(tree: ast.AST) -> set[str]:
    """Return the names by which a module uses Streamlit's session or the address."""
    fields = ("id", "attr", "name", "value")
    words = {
        getattr(node, field, None) for node in ast.walk(tree) for field in fields if not isinstance(node, ast.Dict)
    }
    return {word for word in words if isinstance(word, str)} & SHARED_STATE


def relative_imports(tree: ast.AST) -> set[str]:
    """Return the relative imports of a module. They are not allowed, because the other checks read only full names."""
    relative = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    return {"." * node.level + (node.module or "") for node in relative}


CORE = sorted(ROOT.glob("attention_core/**/*.py"))
PAGE_FILES = [ROOT / page.script for page in PAGES]
SHARED = sorted(ROOT.glob("pages/shared/**/*.py"))

# Each rule with its files, what it says, and what to do about a breach.
RULES = [
    (
        imports_beyond_the_core,
        CORE,
        "The core imports NumPy, SciPy and the standard library only.",
        "move this to pages/shared.",
    ),
    (
        imports_of_pages,
        [path for path in SHARED if path != ROOT / "pages/shared/site/page.py"],  # this file loads all pages
        "No room that pages share imports a page or app.py.",
        "move what the room needs to a room of pages/shared.",
    ),
    (
        arithmetic_in,
        PAGE_FILES,
        "A page's own file has no arithmetic.",
        "compute it in attention_core, or in lesson.py of the page's folder if this page alone needs it.",
    ),
    (
        uses_of_state,
        PAGE_FILES,
        "A page does not touch Streamlit's session or the address.",
        "declare a parameter in the page's class; pages/shared/state keeps it and writes it into the link.",
    ),
    (
        relative_imports,
        [*CORE, *PAGE_FILES, *SHARED],
        "Imports are written with whole names.",
        "write `from pages.shared.… import …` or `from attention_core.… import …`.",
    ),
]


@pytest.mark.parametrize(
    ("broken_by", "paths", "rule", "remedy"), RULES, ids=lambda each: getattr(each, "__name__", "")
)
def test_code_keeps_the_rule(broken_by, paths, rule, remedy):
    found = {str(path.relative_to(ROOT)): broken_by(ast.parse(path.read_text("utf-8"))) for path in paths}
    assert found
    check_rule(found, rule, remedy)


def imports_of_other_pages(tree: ast.AST, own: str) -> set[str]:
    """Return the imports of other pages, and of app.py, in a module of the page `own`."""
    return {module for module in imports_of_pages(tree) if not module.startswith(f"pages.{own}.")}


def test_no_page_imports_another_page():
    found = {
        str(path.relative_to(ROOT)): imports_of_other_pages(ast.parse(path.read_text("utf-8")), page.name)
        for page in PAGES
        for path in (ROOT / "pages" / page.name).glob("*.py")
    }
    assert len(found) > len(PAGES)
    check_rule(found, "A page imports no other page.", "move what both need to a room of pages/shared.")
    breach = ast.parse("from pages.scaling import lesson\nfrom pages.attention.code import code")
    assert imports_of_other_pages(breach, "attention") == {"pages.scaling.lesson"}


@pytest.mark.parametrize(
    ("rule", "breach", "named"),
    [
        (imports_beyond_the_core, "import streamlit as st", "streamlit"),
        (imports_beyond_the_core, "from altair import Chart", "altair"),
        (imports_beyond_the_core, "def late():\n    import pandas", "pandas"),
        (imports_beyond_the_core, "from pages.shared import frame", "pages"),
        (imports_of_pages, "import app", "app"),
        (imports_of_pages, "from pages import attention", "pages.attention"),
        (imports_of_pages, "import pages.attention", "pages.attention"),
        (imports_of_pages, "from importlib import import_module", "importlib"),
        (arithmetic_in, "q @ k", "MatMult"),
        (arithmetic_in, "q @= k", "MatMult"),
        (arithmetic_in, "d_k ** 0.5", "Pow"),
        (arithmetic_in, "scores / 2", "Div"),
        (arithmetic_in, "import numpy as np", "numpy"),
        (arithmetic_in, "from math import sqrt", "math"),
        (uses_of_state, "st.session_state['n'] = 1", "session_state"),
        (uses_of_state, "from streamlit import query_params as q", "query_params"),
        (uses_of_state, "getattr(st, 'query_params')", "query_params"),
        (relative_imports, "def late():\n    from ..mistakes import show", "..mistakes"),
        (relative_imports, "from . import show", "."),
    ],
)
def test_a_breach_is_noticed(rule, breach, named):
    assert rule(ast.parse(breach)) == {named}


def test_what_the_rules_allow_passes():
    page = ast.parse("import streamlit as st\nfrom pages.shared import frame\nst.write('a' + 'b', attend(q, k, v))")
    assert not imports_of_pages(page) | arithmetic_in(page) | uses_of_state(page)


@pytest.fixture(scope="module")
def project_files() -> list[Path]:
    """Give the test every file that is, or is about to be, part of the project."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("what belongs to the project is only known in a git checkout")
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return [path for name in names.split("\0") if name and (path := ROOT / name).is_file()]


def test_top_level_is_as_designed(project_files):
    names = {path.relative_to(ROOT).parts[0] for path in project_files}
    check_rule(
        {name for name in names if not name.startswith(".")} - TOP_LEVEL,
        "The folders and files at the top are fixed.",
        "move these into pages/, attention_core/, tests/, or a folder that begins with a dot.",
    )


def test_long_files_say_why(project_files):
    code = [path for path in project_files if path.suffix in {".py", ".js"}]
    lines = {path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines()) for path in code}
    check_rule(
        {name: [f"{count} lines"] for name, count in lines.items() if count > MANY_LINES and name not in LONGER},
        f"A file with more than {MANY_LINES} lines says why.",
        f"split it where its idea splits, or give its reason in LONGER of {Path(__file__).name}.",
    )
    check_rule(
        {name for name in LONGER if lines.get(name, 0) <= MANY_LINES},
        f"LONGER names only files with more than {MANY_LINES} lines.",
        f"remove these from LONGER in {Path(__file__).name}.",
    )


@pytest.mark.parametrize(
    ("pattern", "what", "remedy"),
    [
        (MACHINE_PATH, "a path of one machine", "write a path from the project's root, or a name such as FOLDER."),
        (PACKAGE_INDEX, "the address of a package index", "leave it to the configuration of whoever installs."),
    ],
    ids=["machine path", "package index"],
)
def test_no_file_names_the_machine_it_was_written_on(pattern, what, remedy, project_files):
    found = {path.name: pattern.findall(path.read_bytes()) for path in project_files if path != Path(__file__)}
    check_rule(found, f"No file names {what}.", remedy)


def test_machine_paths_and_indexes_are_noticed():
    assert MACHINE_PATH.search(b"open('/home/someone/data.csv')")
    assert PACKAGE_INDEX.search(b"pip install --index-url https://mirror")
    assert not MACHINE_PATH.search(b"https://example.org/home/index.html, pages/work/x")


def test_the_readme_is_short_and_names_every_page():
    readme = (ROOT / "README.md").read_text("utf-8")
    lines = len(readme.splitlines())
    assert lines <= 120, f"README.md has {lines} lines, and at most 120 are read: move text to where its reader looks"
    check_rule(
        {page.concept for page in catalogue() if f"| {page.concept} |" not in readme},
        "The README's table says which question each page answers.",
        "add a row `| concept | question |` to “What each page answers”.",
    )


def test_the_workflow_runs_the_commands_of_the_readme():
    readme = (ROOT / "README.md").read_text("utf-8")
    workflow = (ROOT / ".github/workflows/checks.yml").read_text("utf-8")
    blocks = re.findall(r"^```sh\n(.*?)\n```$", readme, re.MULTILINE | re.DOTALL)[:2]
    commands = [command for block in blocks for command in block.splitlines()]
    assert len(commands) == 4
    missing = {command for command in ([*commands, ".ci/run"]) if f" {command}" not in workflow}
    check_rule(missing, "The workflow runs the README's commands and .ci/run.", "write them into checks.yml.")


def test_a_broken_rule_says_where_and_what_to_do():
    with pytest.raises(pytest.fail.Exception, match=r"No a is b\.\n  x: 1, 2\nWhat to do: mend it\."):
        check_rule({"x": [1, 2], "y": []}, "No a is b.", "mend it.")
    check_rule({"x": []}, "No a is b.", "mend it.")


def headings_of(path: Path) -> set[str]:
    """Return the addresses of the headings in a Markdown file, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def broken_links(path: Path) -> set[str]:
    """Return the links in a Markdown file to files that do not exist, or to headings that a file does not have.

    An address in braces is filled in later.
    """
    found = set[str]()
    for link in re.findall(r"\]\((?!https?:|\{)([^)\s]+)\)", path.read_text("utf-8")):
        name, _, heading = link.partition("#")
        target = path.parent / name if name else path
        if not target.exists() or (heading and heading not in headings_of(target)):
            found.add(link)
    return found


def test_links_between_the_documents_lead_somewhere(project_files, tmp_path):
    documents = [path for path in project_files if path.suffix == ".md" and "data" not in path.parts]
    assert len(documents) >= 5
    found = {path.relative_to(ROOT).as_posix(): broken_links(path) for path in documents}
    check_rule(found, "A link in a document leads to a file, and to a heading of it.", "mend the link.")
    (tmp_path / "a.md").write_text("# One two\n[a](b.md) [c](#one-two) [d](#three) [e](https://example.org)")
    assert broken_links(tmp_path / "a.md") == {"b.md", "#three"}
