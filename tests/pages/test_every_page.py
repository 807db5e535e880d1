"""Test what every page must have: a question, a source, few numbers, little open; and the guide and the notices."""

import re
import tomllib
from dataclasses import replace
from importlib import import_module
from operator import attrgetter

import pytest
from streamlit.testing.v1 import AppTest

from attention_core.examples import example
from house_rules import check_rule
from pages.path.story import count_of_cells
from pages.shared.equation.model import matrices_of
from pages.shared.frame import dialogs
from pages.shared.scene_files.scene import Lecture, lecture_link
from pages.shared.site.page import check_menu
from pages.shared.state import session
from pages.shared.state.history import usable_tools
from pages.shared.state.session import Workspace, workspace_for_page
from pagesutil import DECLARED, KINDS, USUAL
from serving import PAGES, ROOT
from simulating import (
    X_5,
    choose,
    chosen_in_panels,
    controls_in_panels,
    drawn_equations,
    edits,
    go,
    link_of,
    open_page,
    press,
    undo,
    visit_of,
    visitor_of,
    with_edit,
)
from visiting import edit, send, visiting, with_x

MOST_CELLS = 150  # the most numbers in the equations of a page as it opens
EXTERNAL_LINK = re.compile(r"\]\(https?://")


@pytest.fixture(params=PAGES, ids=lambda page: page.name)
def page(request) -> AppTest:
    """Give the test each page in turn, opened in the simulated app."""
    return open_page(request.param.name)


@pytest.mark.lowest
def test_raises_nothing(page):
    assert not page.exception


@pytest.mark.lowest
def test_asks_one_question_as_its_title(page):
    titles = [line for text in page.markdown for line in text.value.splitlines() if line.startswith("# ")]
    assert [title[-1] for title in titles] == ["?"]


@pytest.mark.lowest
def test_names_a_source(page):
    texts = [element.value for element in [*page.markdown, *page.caption]]
    assert any(EXTERNAL_LINK.search(text) for text in texts)


@pytest.mark.lowest
def test_opens_with_few_numbers(page):
    assert sum(count_of_cells(lines) for lines in drawn_equations(page).values()) <= MOST_CELLS


@pytest.mark.lowest
@pytest.mark.parametrize(
    ("rows", "folders", "lacks"),
    [
        (["home", "late"], ["home"], "late lacks pages/late/page.py"),
        (["home"], ["home", "late"], "late lacks a row in menu.toml"),
    ],
)
def test_a_page_without_a_folder_or_a_row_is_named(rows, folders, lacks):
    with pytest.raises(ValueError, match=re.escape(lacks)):
        check_menu(rows, folders)
    check_menu(["home"], ["home"])


MOST = 150  # the most numbers that a page may show as it opens
MOST_OF_A_MAP = 300  # the limit of pages whose subject is a large map of attention
MAPS = ("induction_head", "real_heads", "real_model", "your_sentence")
STILL: dict[str, int] = {}  # pages that still open with more numbers; this dictionary should stay empty


def numbers_at_opening(page):
    """Return how many numbers a page shows when it opens."""
    shown = matrices_of(line for lines in drawn_equations(open_page(page)).values() for line in lines)
    return sum(matrix.values.size if matrix.only_row is None else matrix.values.shape[1] for matrix in shown)


@pytest.mark.parametrize("page", USUAL)
def test_a_page_opens_with_few_numbers(page):
    most, found = STILL.get(page, MOST_OF_A_MAP if page in MAPS else MOST), numbers_at_opening(page)
    check_rule(
        [f"{page}: {found}, and at most {most} are allowed"] if found > most else [],
        "A page opens with one equation of at most 150 numbers, or with a map of at most 300.",
        "put the rest into a view that is not the first, or into a folded part.",
    )


COMPUTED = {
    "softmax_axes": ("lesson.trace", ["rows"]),
    "queries_keys_values": ("_trace", []),
    "attention": ("_traces", []),
    "multi_head": ("_trace", []),
    "cross_attention": ("lesson.chosen_part", []),
    "your_sentence": ("_trace", []),
}
OTHER = {  # a setting of each page that changes its numbers
    "softmax_axes": {"temperature": 2.0},
    "queries_keys_values": {"sharpness": "2"},
    "attention": {"mask": "causal"},
    "multi_head": {"off": (1,)},
    "cross_attention": {"keys": 2},
    "your_sentence": {"causal": True},
}


@pytest.mark.parametrize("page", COMPUTED)
def test_changing_the_view_computes_nothing_again(page):
    name, more = COMPUTED[page]
    module = import_module(DECLARED[page].module)
    compute, parameters, this = attrgetter(name)(module), KINDS[page](), example("hand")
    looking = replace(parameters, digits="4", cell=("scores", 1, 2))
    assert are_same_objects(compute(looking, this, *more), compute(parameters, this, *more))
    assert not are_same_objects(
        compute(replace(parameters, **OTHER[page]), this, *more), compute(parameters, this, *more)
    )


def are_same_objects(a, b):
    """Return whether two results are the same object, or tuples of the same objects."""
    return all(x is y for x, y in zip(a, b, strict=True)) if isinstance(a, tuple) else a is b


BAD = edit(0, 0, 1e9)


@pytest.mark.lowest
@pytest.mark.parametrize("name", DECLARED)
def test_what_a_link_gets_wrong_is_said_until_something_changes(name):
    app = open_page(name, nonsense="1").run().run()
    (notice,) = visit_of(app).notices
    assert "`nonsense`" in notice
    assert visit_of(with_edit(app, {"kind": "select", "place": ["x", 0, 0]})).notices == (notice,)
    assert visit_of(undo(app)).notices == ()


@pytest.mark.lowest
@pytest.mark.parametrize(
    "change",
    [
        lambda app: choose(app, "example", "book"),
        lambda app: choose(app, "mask", "causal"),
        lambda app: press(app, "Next step"),
    ],
)
def test_any_change_clears_what_was_said(change):
    app = open_page("attention", step="4", nonsense="1")
    assert len(visit_of(app).notices) == 1
    assert visit_of(change(app).run()).notices == ()


@pytest.mark.lowest
def test_a_good_edit_clears_what_was_said_of_a_refused_one():
    app = with_edit(open_page("attention"), BAD)
    assert len(visit_of(app).notices) == 1
    assert visit_of(with_edit(app, edit(0, 0, 5))).notices == ()


@pytest.mark.lowest
def test_another_page_clears_what_was_said():
    assert visit_of(go(with_edit(open_page("attention"), BAD), "scaling")).notices == ()


@pytest.mark.lowest
def test_an_edit_and_a_text_that_are_refused_in_one_run_are_both_named():
    app = open_page("your_sentence", text="one two")
    app.text_input(key="your_sentence.text").set_value("one\ttwo")
    with_edit(app, BAD)
    assert len(visit_of(app).notices) == 2
    assert link_of(app) == {"source": "typed", "text": "one two"}


@pytest.mark.lowest
def test_each_thing_is_said_once_and_what_the_page_has_not_shown_stays(visitor_session):
    send(BAD, edit(9, 0, 1), BAD, edit(0, 0, 5))
    assert len(visitor_session.visit.notices) == 2
    send(edit(0, 0, 6), first=5)
    assert session.show_notices() == visitor_session.visit.notices
    assert len(visitor_session.visit.notices) == 2
    send(edit(0, 0, 7), first=6)
    assert visitor_session.visit.notices == ()


@pytest.mark.lowest
def test_what_is_refused_again_is_said_again(visitor_session):
    send(BAD)
    said = session.show_notices()
    send(BAD, first=2)
    assert session.show_notices() == said != ()


@pytest.mark.lowest
def test_of_very_many_notices_the_first_are_shown():
    app = open_page("attention", **{f"nonsense{number}": "1" for number in range(1000)})
    said = visit_of(app).notices
    assert len(said) == session.MOST_NOTICES + 1
    assert said[-1] == session.MORE


STORY, FRENCH = KINDS["attention"], KINDS["cross_attention"]


def go_by_menu(app, page):
    """Go to a page through the menu, whose links name only the page, and return the app."""
    app.query_params.clear()
    return go(app, page)


def example_of(app):
    """Return the name of the example on the page, after checking that the page raised nothing."""
    assert not app.exception
    return visit_of(app).workspace.example


@pytest.mark.lowest
def test_whoever_has_chosen_nothing_finds_the_example_of_each_page():
    app = go_by_menu(open_page("attention"), "cross_attention")
    assert (example_of(app), link_of(app)) == ("french", {})
    assert chosen_in_panels(app, "example") == ["french"]
    app = go_by_menu(app, "attention")
    assert (example_of(app), link_of(app)) == ("story", {})


@pytest.mark.lowest
def test_an_edited_example_goes_along_and_comes_back():
    app = go_by_menu(with_edit(open_page("attention"), edit(0, 0, 5)), "cross_attention")
    assert visit_of(app).workspace == with_x((0, 0, 5.0))
    assert link_of(app) == {"example": "story", "x": X_5}
    app = go_by_menu(app, "attention")
    assert visit_of(app).workspace == with_x((0, 0, 5.0))


@pytest.mark.lowest
def test_a_chosen_example_goes_along_and_comes_back():
    app = go_by_menu(open_page("attention", example="hand"), "cross_attention")
    assert example_of(app) == "hand"
    assert example_of(go_by_menu(app, "attention")) == "hand"


@pytest.mark.lowest
def test_an_edit_of_the_page_s_own_example_goes_along_and_can_be_undone():
    app = go_by_menu(with_edit(open_page("cross_attention"), edit(0, 0, 5)), "attention")
    assert example_of(app) == "french"
    assert edits(app)["x"][0][0] == 5
    app = undo(app)
    assert visit_of(app).workspace == Workspace("french")


@pytest.mark.lowest
def test_opening_is_no_step_that_can_be_undone():
    app = go_by_menu(open_page("attention"), "cross_attention")
    with visiting(visitor_of(app)):
        assert usable_tools() == {"undo": False, "redo": False, "reset": False}


@pytest.mark.lowest
def test_the_layout_stays():
    app = go_by_menu(open_page("attention", layout="columns"), "cross_attention")
    assert visit_of(app).workspace == Workspace("french").with_layout("columns")
    assert link_of(app) == {"layout": "columns"}


@pytest.mark.lowest
def test_a_scene_that_is_opened_keeps_the_layout():
    app = open_page("attention", scene="1", layout="columns")
    next(button for button in app.button if button.label == "Next").click()
    assert visit_of(app.run()).workspace.tokens_are == "columns"
    assert link_of(app) == {"scene": "2", "layout": "columns"}


@pytest.mark.lowest
def test_the_story_is_named_in_a_link_where_it_is_not_what_opens():
    app = choose(open_page("cross_attention"), "example", "story")
    assert link_of(app) == {"example": "story"}
    app.query_params.clear()
    assert example_of(app.run()) == "french"  # the browser's Back has led to the address without parameters


@pytest.mark.lowest
@pytest.mark.parametrize(
    ("workspace", "left", "to", "then"),
    [
        (Workspace(), STORY, FRENCH, Workspace("french")),
        (Workspace("french"), FRENCH, STORY, Workspace()),
        (Workspace("french"), STORY, FRENCH, Workspace("french")),
        (Workspace("french"), STORY, STORY, Workspace("french")),
        (Workspace(), FRENCH, STORY, Workspace()),
        (with_x((0, 0, 5.0)), STORY, FRENCH, with_x((0, 0, 5.0))),
        (Workspace("story", {"array": ((1.0,),)}), STORY, FRENCH, Workspace("french", {"array": ((1.0,),)})),
    ],
)
def test_the_workspace_that_is_taken_to_another_page(workspace, left, to, then):
    assert workspace_for_page(workspace, left, to) == then


@pytest.mark.lowest
def test_a_scene_left_for_the_page_as_it_opens_names_its_example():
    assert lecture_link(Lecture(2), {}, {"word": "0"}, "french") == {"example": "french", "scene": "2"}


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
    labels += [item["label"] for item in controls_in_panels(app).values()]
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


def test_every_link_to_a_page_names_a_page_of_the_menu():
    names = {
        (path.name, name)
        for path in ROOT.glob("pages/**/*.py")
        for name in re.findall(r"(?<![\w.])link\(\s*\"(\w+)\"", path.read_text("utf-8"))
    }
    assert len(names) > 10
    assert {name for _, name in names} <= {page.name for page in PAGES}
