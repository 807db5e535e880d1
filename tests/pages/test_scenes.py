"""Test the scenes: each opens, names only numbers that are on the screen, and makes only true claims about them."""

import re
from dataclasses import asdict

import pytest

from pages.shared.controls import controls_of
from pages.shared.equation.model import matrices_of
from pages.shared.lecture.claims import fill_braces, holds, names_on_screen
from pages.shared.scene_files.scene import scenes_of
from pages.shared.scene_files.screens import screens
from pages.shared.state.link_text import decode
from pagesutil import KINDS, USUAL
from simulating import drawn_equations, link_of, open_page, visit_of

SCENES = [(page, n, scene) for page in KINDS for n, scene in enumerate(scenes_of(page), start=1)]
every_scene = pytest.mark.parametrize(("page", "number", "scene"), SCENES, ids=lambda value: str(value)[:40])
BRACES = re.compile(r"\{[^{}]+\}")
A_SIZE_OR_NAME = re.compile(r"rows\(|columns\(|\{\w+\}")  # a size may belong to a matrix on another page


def nameable_values(app):
    """Return the values that the text of a scene may name, by name. A scene is a prepared state of a page."""
    return names_on_screen(drawn_equations(app).values(), asdict(visit_of(app).parameters))


@every_scene
@pytest.mark.lowest
def test_a_scene_opens_and_what_it_claims_is_so_and_stands_on_its_board(page, number, scene):
    app = open_page(page, scene=str(number))
    assert not app.exception
    assert visit_of(app).notices == ()
    assert link_of(app) == {"scene": str(number)}  # the link contains only the scene
    names = nameable_values(app)
    for claim in scene.claims:
        assert holds(claim, names), claim
    says = fill_braces(scene.say, names, visit_of(app).parameters.decimals)
    assert "NaN" not in says or "no number" in says
    assert any(says == text.value for text in app.markdown)
    if ".equation." in scene.focus:
        of_page, key = scene.focus.split(".equation.")
        assert of_page == page
        drawn = drawn_equations(app)[key]
        assert all(1 <= line <= len(drawn) for line in scene.lines)
        presented = [drawn[line - 1] for line in scene.lines] or drawn
        board = names_on_screen([presented], asdict(visit_of(app).parameters))
        read = [each for each in BRACES.findall(scene.say) if not A_SIZE_OR_NAME.search(each)]
        assert "NaN" not in fill_braces(" ".join(read), board, 2)


@every_scene
def test_a_scene_types_no_number_that_could_be_read(page, number, scene):
    typed = re.sub(BRACES, "", re.sub(r"\$[^$]*\$", "", scene.say))
    assert not re.search(r"[2-9]|\d\d|\d\.\d", typed)
    assert BRACES.search(scene.say) is None or scene.claims


@every_scene
def test_a_scene_says_a_sentence_or_two_and_keeps_its_title_short(page, number, scene):
    assert len(scene.title) <= 60
    assert len(scene.say) <= 320
    assert decode(scene.query, KINDS[page])[2] == []


@every_scene
def test_a_scene_has_a_note_that_says_what_to_say_what_the_room_asks_and_what_to_try(page, number, scene):
    begins = [line.split(":")[0] for line in scene.note.splitlines()]
    assert begins == ["Say", "The room will ask", "Try"]
    assert not re.search(r"\d", scene.note)  # a note says no number, because the number may not be on the screen


def test_every_page_has_its_scenes():
    assert all(5 <= len(scenes_of(page)) <= 11 for page in USUAL)


def test_a_line_to_keep_is_that_of_a_screen_of_the_path():
    named = [scene.screen for page in USUAL for scene in scenes_of(page) if scene.screen]
    assert {*named} <= {screen.name for screen in screens()}
    assert len(named) >= 16


@every_scene
def test_what_a_scene_asks_has_three_answers_to_choose_from(page, number, scene):
    assert len(scene.options) in (0, 3)
    assert all(len(option) <= 30 for option in scene.options)


@pytest.mark.parametrize(("page", "number", "scene"), [each for each in SCENES if each[2].waits])
def test_covered_matrices_are_in_the_equation_of_the_scene(page, number, scene):
    lines = drawn_equations(open_page(page, scene=str(number)))[scene.focus.rpartition(".")[2]]
    presented = [lines[line - 1] for line in scene.lines] or lines
    assert {*scene.waits} <= {matrix.id for matrix in matrices_of(presented)}
    assert scene.options


def test_no_control_has_a_parameter_name_of_lectures():
    assert all(controls_of(kind).keys().isdisjoint({"scene", "view"}) for kind in KINDS.values())


def test_a_scene_that_lacks_something_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "page").mkdir()
    (tmp_path / "page/scenes.toml").write_text('[[scene]]\ntitle = "A"\nstate = ""\n')
    monkeypatch.setattr("pages.shared.scene_files.scene.PAGES", tmp_path)
    with pytest.raises(ValueError, match=r"a scene has title, say, state and focus, .*; got title, state in scene 1"):
        scenes_of("page")


@pytest.mark.many
@every_scene
def test_a_scene_stays_open_when_the_page_is_drawn_again(page, number, scene):
    """Check that a scene (a prepared state of a page) stays open if the script of the page runs again."""
    app = open_page(page, scene=str(number), view="present")
    link = link_of(app)
    again = app.run()
    assert link_of(again) == link
    assert not any(button.label == "Back to the scene" for button in again.button)
