"""The examples in docstrings give what they say."""

import doctest
from importlib import import_module

import pytest

from imported import modules_in
from serving import ROOT

DRAWS = "pages.shared.frame.run"  # a page, when it is imported
MODULES = [name for name in modules_in(ROOT, "attention_core/**/*.py", "pages/**/*.py") if name != DRAWS]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    assert doctest.testmod(import_module(name)).failed == 0


def test_an_example_that_is_wrong_is_found():
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda _: None).failed == 1
