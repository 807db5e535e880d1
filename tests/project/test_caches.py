"""Caches that all visitors share: no visitor can change what is in them, and they hold no more than they must."""

import ast
import json
import re
import subprocess
import sys
from typing import Any

import pytest

from attention_core.reading.matrix_text import MOST_CHARACTERS, MatrixText
from caches import KEPT_BY_HAND
from crowd import first_visitors
from house_rules import check_rule, modules_in
from pages.check_my_matrix import reading
from pages.check_my_matrix.reading import Unreadable
from serving import PAGES, ROOT

CHANGES_IT = {*"add append clear discard extend insert pop popitem remove setdefault update".split()}
EMPTY = re.compile(
    r"\{\}|\[\]|(?:\w+\.)*(?:set|dict|list|deque|defaultdict|Counter|OrderedDict|Weak\w+)(?:\[.*\])?\(\w*\)"
)


@pytest.fixture(scope="module")
def cache_report():
    """Give the test a report of the entries in all caches after each cache was used."""
    command = [sys.executable, "-W", "ignore", "tests/caches.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.long
def test_every_cache_was_looked_at(cache_report):
    check_rule(
        cache_report["unused"],
        "Every function under @cached is called when all views of all pages are opened.",
        "add the link of a state that calls it to LINKS in tests/caches.py.",
    )
    assert cache_report["arrays"] > 500


@pytest.mark.long
def test_no_cache_hands_out_an_array_that_can_be_written_to(cache_report):
    check_rule(
        cache_report["writable"],
        "What a cache hands out to all visitors cannot be written to.",
        "decorate the function with @cached of attention_core/caching.py, which makes its arrays read-only.",
    )


@pytest.mark.long
def test_no_cache_holds_an_error(cache_report):
    check_rule(
        cache_report["errors"],
        "No cache holds an error, which would keep all that its traceback refers to.",
        "return a value that says what went wrong, as Unreadable in pages/check_my_matrix/reading.py does.",
    )


def changed_names(function: ast.AST) -> set[str]:
    """Return the names of the variables that a function declares global, or in which it adds, removes or sets items."""
    found = set[str]()
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ctx):
                found |= {name} if attr in CHANGES_IT or not isinstance(ctx, ast.Load) else set()
            case ast.Global(names=names):
                found.update(names)
    return found


def changing_module_variables(module: ast.Module) -> set[str]:
    """Return the variables of a module that begin empty or that its functions change."""
    assigned = [node for node in module.body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value]
    at_the_top = {name: node.value for node in assigned for name in _targets(node)}
    empty = {name for name, value in at_the_top.items() if value and EMPTY.fullmatch(ast.unparse(value))}
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    return empty | at_the_top.keys() & {name for function in functions for name in changed_names(function)}


def _targets(node: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


@pytest.mark.long
def test_nothing_is_kept_for_all_visitors_but_in_a_cache():
    modules = modules_in(ROOT, "attention_core/**/*.py", "pages/**/*.py", "app.py")
    found = {name: changing_module_variables(module) for name, module in modules.items()}
    check_rule(
        {name: kept - KEPT_BY_HAND.get(name, set()) for name, kept in found.items()},
        "Nothing is kept for all visitors except in a cache.",
        "keep it in the session (session.kept), or in a cache; if neither can be, name it in KEPT_BY_HAND of "
        "tests/caches.py, where it is looked at.",
    )
    check_rule(
        {name: kept - found.get(name, set()) for name, kept in KEPT_BY_HAND.items()},
        "KEPT_BY_HAND names only what modules keep.",
        "remove these from KEPT_BY_HAND in tests/caches.py.",
    )


@pytest.mark.parametrize(
    "breach", ["K[a] = 1", "del K[a]", "K.append(a)", "return K.setdefault(a, f(a))", "global K", "K.a = 1"]
)
def test_a_module_variable_that_a_function_changes_is_noticed(breach):
    assert changing_module_variables(ast.parse(f"K: dict = {{0: 1}}\ndef f(a):\n    {breach}")) == {"K"}
    assert changing_module_variables(ast.parse(f"def f(a, K):\n    {breach}\nK.update(b)")) == set()


@pytest.mark.parametrize("empty", ["{}", "[]", "set()", "dict[int, str]()", "defaultdict(list)", "weakref.WeakSet()"])
def test_a_variable_that_begins_empty_is_noticed(empty):
    assert changing_module_variables(ast.parse(f"K = {empty}")) == {"K"}
    assert changing_module_variables(ast.parse(f"def f():\n    K = {empty}\nL = dict(a=1)\nM = {{1}}")) == set()


@pytest.mark.parametrize("text", ["[[1 two]]", "[[1 2] [3]]", "1 … 2"])
def test_what_cannot_be_read_is_cached_as_a_value(text):
    assert isinstance(reading._read(text), Unreadable)
    assert reading._read(text) is reading._read(text)


def test_a_text_that_is_too_long_is_not_cached():
    long = "1 2\n" * (MOST_CHARACTERS // 4 + 1)
    cache: Any = reading._read
    cache.cache_clear()
    assert isinstance(reading._read_text(long), Unreadable)
    assert cache.cache_info().currsize == 0
    assert isinstance(reading._read_text("1 2"), MatrixText)
    assert cache.cache_info().currsize == 1
    assert cache.cache_info().maxsize * MOST_CHARACTERS <= 4_000_000


@pytest.mark.lowest
@pytest.mark.long
def test_first_visitors_who_come_at_once_see_their_pages():
    answers = first_visitors(2 * len(PAGES))
    assert {answer.page for answer in answers} == {page.name for page in PAGES}
    assert [answer for answer in answers if answer.errors or answer.elements < 10] == []
