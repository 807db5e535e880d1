"""Test the small language of claims about the numbers on the screen, such as `sum(weights[1,:]) == 1`.

Also the scenes, whose claims are written in it.
"""

import re
from dataclasses import asdict

import numpy as np
import pytest

from pages.shared.controls import controls_of
from pages.shared.equation import Line, Matrix
from pages.shared.equation.model import matrices_of
from pages.shared.lecture.claims import evaluate, fill_braces, holds, names_on_screen
from pages.shared.notation.numbers import format_as_shown
from pages.shared.scene_files.scene import scenes_of
from pages.shared.scene_files.screens import screens
from pages.shared.state.link_text import decode
from pagesutil import KINDS, USUAL
from simulating import drawn_equations, link_of, open_page, visit_of

A = np.array([[0.25, 0.75], [1.0, 0.0]])
NAMES = {"a": A, "heads.1": np.array([[3.0, -4.0]]), "t": 5}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a[0,1]", 0.75),
        ("a[0,:]", [0.25, 0.75]),
        ("a[:,0:1]", [[0.25], [1.0]]),
        ("heads.1[0,1]", -4),
        ("-heads.1[0,0] + t * 2", 7),
        ("1 / columns(a)", 0.5),
        ("best(a[0,:])", 1),
        ("root(sum(heads.1 * heads.1))", 5),
        ("a[best(a[0,:]), 0]", 1.0),
        ("max(abs(heads.1 - t))", 9),
    ],
)
def test_expressions(text, value):
    np.testing.assert_allclose(evaluate(text, NAMES), value)


@pytest.mark.parametrize(
    ("claim", "truth"),
    [
        ("sum(a[0,:]) == 1", True),
        ("a[0,0] * 3 == a[0,1]", True),
        ("a == a + 0.0000000000001", True),
        ("a != a", False),
        ("0 < a[0,0] < a[0,1] < 1", True),
        ("0 < a[0,1] < a[0,0]", False),
        ("a <= 1", True),
        ("a > 0.5", False),
        ("t == 5 and a[1,1] == 0", True),
        ("is_nan(log(a - 2))", True),
    ],
)
def test_claims(claim, truth):
    assert holds(claim, NAMES) is truth


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("b[0,0]", "names of what the page shows"),
        ("__import__('os')", "but not __import__('os')"),
        ("a.shape", "but not a.shape"),
        ("a[0,0].real", "but not a\\[0, 0\\].real"),
        ("[x for x in a]", "but not \\[x for x in a\\]"),
        ("a @ a", "but not a @ a"),
        ("2 ** 9", "but not 2 \\*\\* 9"),
        ("max(a, key=t)", "but not max"),
        ("(lambda: 1)()", "but not \\(lambda"),
        ("'text'", "but not 'text'"),
        ("a[9,9]", "Places must lie within"),
        ("a[", "must be an expression"),
        ("1 in a", "but not 1 in a"),
        ("1 is 2", "but not 1 is 2"),
        ("~" * 2000 + "1", "must not have so many parts"),
        ("-" * 2000 + "1", "must not have so many parts"),
    ],
)
def test_an_expression_outside_of_the_language_is_refused(text, said):
    with pytest.raises(ValueError, match=said.replace("(", r"\(").replace(")", r"\)").replace(r"\\(", r"\(")):
        evaluate(text, NAMES)


def test_numbers_are_written_as_the_screen_writes_them():
    values = (0.256, -0.256, 3.0, 10000.0, -0.0, 1e-16, -0.001, float("inf"), float("nan"))
    assert [format_as_shown(value, 2) for value in values] == [
        "0.26",
        "−0.26",
        "3",
        "10,000",
        "0",
        "0",
        "0.00",
        "∞",
        "NaN",
    ]
    assert fill_braces(r"$\sqrt{{d}}$ is {t}, {a[0,1]}", NAMES, 4) == r"$\sqrt{d}$ is 5, 0.7500"


def test_rows_that_are_not_shown_are_nan():
    matrix = Matrix(id="a", symbol="A", name="A", values=A)
    row = names_on_screen([[Line((matrix.row(1, "a"),))]], {"t": 5, "text": "x"})
    assert row["a"][1].tolist() == [1.0, 0.0]
    assert np.isnan(row["a"][0]).all()
    assert row["t"] == 5
    assert "text" not in row
    both = names_on_screen([[Line((matrix.row(1, "a"), "=", matrix, "=", matrix.row(0, "a")))]], {})
    np.testing.assert_array_equal(both["a"], A)


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
