"""Test "Check my matrix" on public walkthroughs of attention: each agrees, or its author's mistake is found."""

import json
import re

import pytest

from checking import heading
from serving import ROOT
from simulating import open_page, page_text

HELD = ROOT / "tests" / "data" / "walkthroughs"
WALKTHROUGHS = json.loads((HELD / "manifest.json").read_text("utf-8"))
TEXTS = {name: (HELD / f"{name}.txt").read_text("utf-8") for name in WALKTHROUGHS}


def page_filled_from(name, text):
    """Paste `text` as the result, press the button that puts its matrices into their fields, and return the page.

    `name` is the walkthrough whose link opens the page.
    """
    app = open_page("check_my_matrix", **WALKTHROUGHS[name]["link"])
    (field,) = [area for area in app.text_area if area.label == "Your result"]
    app = field.set_value(text).run()
    app = next(button for button in app.button if button.label.startswith("Fill all fields")).click().run()
    assert not app.exception
    assert not app.error
    return app


@pytest.mark.parametrize("name", WALKTHROUGHS)
def test_it_agrees_or_its_mistake_is_found(name):
    app = page_filled_from(name, TEXTS[name])
    assert heading(app) == WALKTHROUGHS[name]["heading"]
    assert WALKTHROUGHS[name]["says"] in page_text(app)


@pytest.mark.many
@pytest.mark.parametrize("name", WALKTHROUGHS)
def test_it_is_not_right_with_another_last_number(name):
    before, last, after = re.split(r"(-?[0-9]+\.[0-9]+)(?!.*[0-9]\.[0-9])", TEXTS[name], flags=re.DOTALL)
    assert heading(page_filled_from(name, f"{before}{float(last) + 7:.4f}{after}")) != "## Right"
