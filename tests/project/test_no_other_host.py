"""The app asks no other host for anything: its files name other hosts only in links that a reader may follow."""

import ast
import re
import tomllib

import pytest

from house_rules import check_rule, imported_modules, modules_in
from serving import ROOT

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


def asks_hosts(tree: ast.AST) -> set[str]:
    return {each for each in ASKS_HOSTS for name in imported_modules(tree) if f"{name}.".startswith(f"{each}.")}


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
    "breach", ["import urllib.request", "from urllib.request import urlopen", "import requests as r"]
)
def test_a_module_that_asks_hosts_is_noticed(breach):
    assert asks_hosts(ast.parse(breach))
    assert not asks_hosts(ast.parse("from urllib.parse import quote"))


def test_streamlit_is_configured_to_ask_no_other_host():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert config["browser"] == {"gatherUsageStats": False, "serverAddress": "localhost"}
    assert config["server"]["showEmailPrompt"] is False


def test_links_that_a_reader_may_follow_pass():
    assert not hosts_asked("// Matrix: one matrix\n[Vaswani et al. 2017, eq. 1](https://arxiv.org/abs/1706.03762)")
    assert not hosts_asked('const SVG = "http://www.w3.org/2000/svg" // a // b')
