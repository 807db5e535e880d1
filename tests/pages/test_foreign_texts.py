"""What a link writes into the text fields of a page is said nowhere as markup, only as escaped words or as code."""

import re

import pytest

from pages.shared.controls import controls_of
from pages.shared.controls.example_kinds import TextArea, TextInput
from pagesutil import KINDS
from simulating import open_page

LINK = "[A](//b.c)"
# Texts that a field may read in different ways: as words, as numbers with a mistake, as matrices with names.
TEXTS = (LINK, f"{LINK} 1", f"1 2\n3 {LINK}", f"{LINK} = 1 2\n3 4\n\nB = 1 2\n3 4", f"{LINK}: 1 2", f"Egypt, {LINK}")
FIELDS = [
    (page, name)
    for page, kind in KINDS.items()
    for name, control in controls_of(kind).items()
    if isinstance(control, TextInput | TextArea)
]
SOURCES = {"check_my_matrix": ({"source": "queries"}, {"source": "weights"}), "your_sentence": ({"source": "typed"},)}
SAYS = ("markdown", "caption", "error", "info", "warning", "success", "button", "button_group", "toggle", "expander")


def said_as_markup(app) -> list[str]:
    """Return the texts and labels of a page that have the link outside of code."""
    said = [element for kind in SAYS for element in getattr(app, kind)]
    texts = [str(getattr(each, name, "")) for each in said for name in ("value", "label", "options", "help")]
    return [text for text in texts if LINK in re.sub(r"(`+).*?\1", "", text, flags=re.DOTALL)]


@pytest.mark.parametrize(("page", "name"), FIELDS, ids=lambda each: each)
def test_a_text_of_a_link_is_never_said_as_markup(page, name):
    for source in ({}, *SOURCES.get(page, ())):
        for text in TEXTS:
            app = open_page(page, **source, **{name: text})
            assert not app.exception
            assert said_as_markup(app) == [], text


def test_a_parameter_that_a_link_should_not_have_is_never_said_as_markup():
    for link in (
        {LINK: LINK},
        {"example": LINK},
        {"route": LINK},
        {"view": LINK},
        {"layout": [LINK, LINK]},
        {"x": LINK},
    ):
        assert said_as_markup(open_page("attention", **link)) == []
