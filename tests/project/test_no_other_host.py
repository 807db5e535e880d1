"""The app asks no other host for anything: its files name other hosts only in links that a reader may follow.

Also what is imported late, and the start.
"""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator

import pytest

from house_rules import check_rule, imported_modules, modules_in
from serving import PAGES, ROOT

APP = [ROOT / "app.py", *(path for folder in ("pages", ".streamlit") for path in (ROOT / folder).rglob("*"))]
FILES = [path for path in APP if path.suffix in {".css", ".js", ".py", ".toml"}]

HOST = re.compile(r"(?:\b\w+:)?//(?:[\w-]+\.)+[a-z]{2,}\S*", re.IGNORECASE)
NOT_ASKED = re.compile(
    r"(?<!!)\[[^\]]*\]\(https://[^)]*\)"  # a link, but not a picture
    r"|\bhttp://www\.w3\.org/(?:2000/svg|1998/Math/MathML)\b"  # the name of a language
    r"|>>> .*"  # an example in a docstring
)
CODE = ("app.py", "pages/**/*.py", "attention_core/**/*.py")
ASKS_HOSTS = {"urllib.request", "http.client", "socket", "ftplib", "smtplib", "requests", "httpx", "urllib3"}
CONNECTS = {"connect", "connect_ex", "sendto", "sendmsg"}
# What the start of the app reads of `socket`, to set an option of the sockets on which the server listens.
OPENS_NOTHING = {"AF_INET", "AF_INET6", "IPPROTO_TCP", "SO_ACCEPTCONN", "SOL_SOCKET", "TCP_NODELAY", "socket"}


def asks_hosts(tree: ast.AST) -> set[str]:
    found = {each for each in ASKS_HOSTS for name in imported_modules(tree) if f"{name}.".startswith(f"{each}.")}
    return found - {"socket"} if only_sets_options(tree) else found


def only_sets_options(tree: ast.AST) -> bool:
    """Return whether a module imports `socket` under its own name, makes no socket, and lets none connect."""
    nodes = [*ast.walk(tree)]
    imports = {ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)}
    plain = {each for each in imports if "socket" in each} <= {"import socket"}
    read = {node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "socket"}
    makes = any(isinstance(node, ast.Call) and ast.unparse(node.func).startswith("socket.") for node in nodes)
    connects = any(isinstance(node, ast.Attribute) and node.attr in CONNECTS for node in nodes)
    return plain and read <= OPENS_NOTHING and not makes and not connects


def hosts_asked(text: str) -> list[str]:
    """Return the addresses in `text` that a browser or a program would open by itself."""
    return HOST.findall(NOT_ASKED.sub("", text))


def test_no_file_of_the_app_asks_another_host():
    assert {path.suffix for path in FILES} == {".css", ".js", ".py", ".toml"}
    found = {path.relative_to(ROOT).as_posix(): hosts_asked(path.read_text("utf-8")) for path in FILES}
    check_rule(
        found,
        "No file of the app names another host, except in a link that a reader may follow.",
        "bring the file along in the repository, or write a Markdown link.",
    )


@pytest.mark.parametrize(
    "breach",
    [
        '@import url("https://fonts.example.com/css2?family=Inter");',
        "src: url(//cdn.example.com/inter.woff2)",
        'import katex from "https://cdn.example.com/katex.mjs"',
        'font = "Inter:https://fonts.example.com/css2"',
        'st.image("http://example.org/a.png")',
        "![a picture](https://example.org/a.png)",
        "new WebSocket('wss://example.org')",
    ],
)
def test_another_host_is_noticed(breach):
    assert hosts_asked(breach)


@pytest.mark.long
def test_no_module_is_imported_that_asks_hosts():
    found = {name: asks_hosts(module) for name, module in modules_in(ROOT, *CODE).items()}
    check_rule(found, "The app asks no other host.", "take out the import: visitors' numbers stay on the server.")


@pytest.mark.parametrize(
    "breach",
    [
        "import urllib.request", "from urllib.request import urlopen", "import requests as r",
        "from socket import create_connection", "import socket as s", "import socket; socket.create_connection(host)",
        "import socket; socket.socket()", "import socket; each.connect(host)",
    ],
)  # fmt: skip
def test_a_module_that_asks_hosts_is_noticed(breach):
    assert asks_hosts(ast.parse(breach))
    assert not asks_hosts(ast.parse("from urllib.parse import quote"))
    assert not asks_hosts(ast.parse("import socket; each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)"))


def test_streamlit_is_configured_to_ask_no_other_host():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert config["browser"] == {"gatherUsageStats": False, "serverAddress": "localhost"}
    assert config["server"]["showEmailPrompt"] is False


def test_links_that_a_reader_may_follow_pass():
    assert not hosts_asked("// Matrix: one matrix\n[Vaswani et al. 2017, eq. 1](https://arxiv.org/abs/1706.03762)")
    assert not hosts_asked('const SVG = "http://www.w3.org/2000/svg" // a // b')


CODE_LATE_IMPORT = sorted([*ROOT.glob("attention_core/**/*.py"), *ROOT.glob("pages/**/*.py")])
HEAVY = {"altair", "pandas", "pyarrow", "scipy", "nbformat"}

OPENED = """
import sys
sys.path[:0] = ["tests"]
from simulating import open_page
import pages.shared.frame.draw
at_start = set(sys.modules)
assert not open_page("home").exception
print({"heavy"} & at_start, {"heavy"} & set(sys.modules))
"""

THREADS = """
import os, sys
os.environ.pop("OPENBLAS_NUM_THREADS", None)
import streamlit.web.cli
from streamlit import net_util
too_late = "numpy" in sys.modules
import pages.shared
print(too_late, os.environ["OPENBLAS_NUM_THREADS"])
"""


def output_of(script: str) -> str:
    """Run a script in a new Python process, in which nothing is imported yet, and return what it prints."""
    command = [sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.long
def test_the_start_and_home_import_nothing_heavy():
    script = OPENED.replace('{"heavy"}', repr(HEAVY))
    assert output_of(script) == "set() set()", (
        f"none of {', '.join(sorted(HEAVY))} may be imported at the start (first) or by home (second): "
        "import it in a function of its own under @late_import"
    )


def test_numpy_computes_a_product_in_one_thread():
    """Check that NumPy uses only one thread for a product."""
    assert output_of(THREADS) == "False 1"


# --- the lock ---


def unlocked_imports(tree: ast.AST, under_lock: bool = False, in_function: bool = False) -> Iterator[str]:
    """Yield the imports in functions that do not have the decorator `late_import`.

    `under_lock` is true inside a function with this decorator, and `in_function` is true inside any function.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and in_function and not under_lock:
            yield ast.unparse(node)
        function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        holds = function and "late_import" in map(ast.unparse, node.decorator_list)
        yield from unlocked_imports(node, under_lock or holds, in_function or function or isinstance(node, ast.Lambda))


def test_late_imports_hold_the_lock():
    check_rule(
        {
            str(path.relative_to(ROOT)): list(unlocked_imports(ast.parse(path.read_text("utf-8"))))
            for path in CODE_LATE_IMPORT
        },
        "An import inside a function holds the lock, so that two visitors do not import one package at the same time.",
        "import it at the top of the file, or put it into a function of its own under @late_import.",
    )


@pytest.mark.parametrize(
    "breach",
    [
        "def f():\n    import pandas",
        "@cache\ndef f():\n    with other:\n        import pandas",
        "class A:\n    def f(self):\n        if x:\n            import pandas",
    ],
)
def test_a_late_import_without_the_lock_is_noticed(breach):
    assert list(unlocked_imports(ast.parse(breach))) == ["import pandas"]


def test_late_imports_under_the_lock_pass():
    held = "import numpy\n\n@late_import\ndef f():\n    import pandas\n    from scipy import stats"
    assert list(unlocked_imports(ast.parse(held))) == []


# The style of the menu imports the pages too. It is left out here, because the start must import them by itself.
STARTED = """
import asyncio, sys
from pages.shared.site import menu
menu.style = lambda: ""
import app

async def start():
    async with app.import_everything(app.app):
        print(*sorted(name for name in sys.modules if name.startswith("pages.") and name.endswith(".page")))

asyncio.run(start())
"""


@pytest.mark.long
def test_all_pages_are_imported_before_the_server_answers():
    command = [sys.executable, "-W", "ignore", "-c", STARTED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    imported = {f"{name.replace('.', '/')}.py" for name in done.stdout.split()}
    check_rule(
        {page.script for page in PAGES} - imported,
        "All pages are imported before the server answers.",
        "call `catalogue()` in import_everything of app.py.",
    )
