"""Packages that take long to import are imported only when a page needs them, and by one thread at a time."""

import ast
import subprocess
import sys
from collections.abc import Iterator

import pytest

from house_rules import check_rule
from serving import ROOT

CODE = sorted([*ROOT.glob("attention_core/**/*.py"), *ROOT.glob("pages/**/*.py")])
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
        {str(path.relative_to(ROOT)): list(unlocked_imports(ast.parse(path.read_text("utf-8")))) for path in CODE},
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
