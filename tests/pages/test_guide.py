"""Test the guide "How to use this": it opens on every page, and everything that it names is there under that name."""

import re
import tomllib

import pytest

from pages.shared.frame import dialogs
from serving import ROOT
from simulating import open_page


@pytest.mark.parametrize("page", ["home", "attention", "check_my_matrix"])
def test_the_guide_opens(page):
    app = open_page(page)
    (button,) = [button for button in app.button if button.label == "How to use this"]
    app = button.click().run()
    assert not app.exception
    assert [tab.label for tab in app.tabs][-len(dialogs.TABS) :] == [*dialogs.TABS]
    assert any(dialogs.VERSION in caption.value for caption in app.caption)


def test_what_the_guide_names_is_on_the_page():
    app = open_page("attention")
    texts = [text.value for text in app.markdown]
    labels = [each.label for each in (*app.button, *app.selectbox, *app.toggle, *app.button_group)]
    shown = "\n".join([*labels, *texts, *(each.label for each in app.expander)])
    named = {"Scenes", "Presenter view", "Example", "Share", "Take home", "Symbols", "In code", "Tokens are", "Try it"}
    named |= {"What goes wrong"}
    for name in sorted(named):
        assert f"**{name}**" in "".join(dialogs.TABS.values()), f"the guide no longer explains {name}"
        assert re.search(re.escape(name), shown), f"the guide names {name}, which is not on the page"


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    citation = re.findall(r"^version: (\S+)$", (ROOT / ".github/CITATION.cff").read_text("utf-8"), re.MULTILINE)
    changes = re.findall(r"^## (\d\S*)", (ROOT / ".github/CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    found = {"frame/guide.py": dialogs.VERSION, "CITATION.cff": citation[0], "CHANGELOG.md": changes[0]}
    assert found == dict.fromkeys(found, project), f"pyproject.toml has version {project}: write it into the others"
