"""axe-core finds nothing on any page, light or dark, but what is Streamlit's own."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from pagesutil import VIEWS

# Streamlit draws both itself: the hidden table behind a grid's canvas, and the key's name on a button with a shortcut.
STREAMLITS_OWN = {
    "empty-table-header": re.compile(r'canvas\[data-testid="data-grid-canvas"\].*th\[role="columnheader"\]'),
    "color-contrast": re.compile(r"(^|\s)kbd$"),
}


def is_streamlits_own(rule: str, target: str) -> bool:
    return rule in STREAMLITS_OWN and bool(STREAMLITS_OWN[rule].search(target))


def violations(page) -> list[str]:
    found = [
        (violation["id"], str(node["target"][-1]), node["html"])
        for violation in Axe().run(page).response["violations"]
        for node in violation["nodes"]
    ]
    return [f"{rule}: {target}: {html}" for rule, target, html in found if not is_streamlits_own(rule, target)]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("path", VIEWS)
def test_axe_finds_nothing_of_ours(path, dark, visit):
    assert violations(visit(path, dark=dark)) == []


def test_axe_would_find_a_fault(visit):
    page = visit("/")
    page.evaluate("document.body.append(document.createElement('button'))")
    assert "button-name" in {fault.split(":")[0] for fault in violations(page)}


@pytest.mark.parametrize(
    ("rule", "target"),
    [
        ("color-contrast", "p"),
        ("color-contrast", "#kbd"),
        ("empty-table-header", "table > th"),
        ("button-name", "kbd"),
    ],
)
def test_the_exceptions_excuse_nothing_else(rule, target):
    assert not is_streamlits_own(rule, target)
