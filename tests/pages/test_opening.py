"""Test how a page opens: it may have an example of its own, but what a visitor chose or edited comes along."""

import pytest

from pages.shared.scene_files.scene import Lecture, lecture_link
from pages.shared.state.history import usable_tools
from pages.shared.state.session import Workspace, workspace_for_page
from pagesutil import KINDS
from simulating import X_5, edits, go, key_now, link_of, open_page, undo, visit_of, visitor_of, with_edit
from visiting import edit, visiting, with_x

pytestmark = pytest.mark.lowest
STORY, FRENCH = KINDS["attention"], KINDS["cross_attention"]


def go_by_menu(app, page):
    """Go to a page through the menu, whose links name only the page, and return the app."""
    app.query_params.clear()
    return go(app, page)


def example_of(app):
    """Return the name of the example on the page, after checking that the page raised nothing."""
    assert not app.exception
    return visit_of(app).workspace.example


def test_whoever_has_chosen_nothing_finds_the_example_of_each_page():
    app = go_by_menu(open_page("attention"), "cross_attention")
    assert (example_of(app), link_of(app)) == ("french", {})
    assert app.selectbox(key=key_now(app, "example")).value == "french"
    app = go_by_menu(app, "attention")
    assert (example_of(app), link_of(app)) == ("story", {})


def test_an_edited_example_goes_along_and_comes_back():
    app = go_by_menu(with_edit(open_page("attention"), edit(0, 0, 5)), "cross_attention")
    assert visit_of(app).workspace == with_x((0, 0, 5.0))
    assert link_of(app) == {"example": "story", "x": X_5}
    app = go_by_menu(app, "attention")
    assert visit_of(app).workspace == with_x((0, 0, 5.0))


def test_a_chosen_example_goes_along_and_comes_back():
    app = go_by_menu(open_page("attention", example="hand"), "cross_attention")
    assert example_of(app) == "hand"
    assert example_of(go_by_menu(app, "attention")) == "hand"


def test_an_edit_of_the_page_s_own_example_goes_along_and_can_be_undone():
    app = go_by_menu(with_edit(open_page("cross_attention"), edit(0, 0, 5)), "attention")
    assert example_of(app) == "french"
    assert edits(app)["x"][0][0] == 5
    app = undo(app)
    assert visit_of(app).workspace == Workspace("french")


def test_opening_is_no_step_that_can_be_undone():
    app = go_by_menu(open_page("attention"), "cross_attention")
    with visiting(visitor_of(app)):
        assert usable_tools() == {"undo": False, "redo": False, "reset": False}


def test_the_layout_stays():
    app = go_by_menu(open_page("attention", layout="columns"), "cross_attention")
    assert visit_of(app).workspace == Workspace("french").with_layout("columns")
    assert link_of(app) == {"layout": "columns"}


def test_a_scene_that_is_opened_keeps_the_layout():
    app = open_page("attention", scene="1", layout="columns")
    next(button for button in app.button if button.label == "Next").click()
    assert visit_of(app.run()).workspace.tokens_are == "columns"
    assert link_of(app) == {"scene": "2", "layout": "columns"}


def test_the_story_is_named_in_a_link_where_it_is_not_what_opens():
    app = open_page("cross_attention").selectbox(key="example").select("story").run()
    assert link_of(app) == {"example": "story"}
    app.query_params.clear()
    assert example_of(app.run()) == "french"  # the browser's Back has led to the address without parameters


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


def test_a_scene_left_for_the_page_as_it_opens_names_its_example():
    assert lecture_link(Lecture(2), {}, {"word": "0"}, "french") == {"example": "french", "scene": "2"}
