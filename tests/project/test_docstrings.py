"""The examples in docstrings give the results that they show."""

import doctest
from importlib import import_module

from house_rules import check_rule, modules_in
from serving import ROOT

DRAWS = "pages.shared.frame.run"  # importing this module draws a page
MODULES = [name for name in modules_in(ROOT, "attention_core/**/*.py", "pages/**/*.py") if name != DRAWS]


def test_examples_in_docstrings():
    check_rule(
        {name: said for name in MODULES if (said := failing_examples(name))},
        "The examples in docstrings give what they say.",
        "correct the example, or the function.",
    )


def failing_examples(name: str) -> list[str]:
    """Return what doctest says about the examples of a module that fail."""
    said, runner = list[str](), doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder(exclude_empty=True).find(import_module(name)):
        runner.run(test, out=said.append)
    return said


def test_an_example_that_is_wrong_is_found():
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda _: None).failed == 1
