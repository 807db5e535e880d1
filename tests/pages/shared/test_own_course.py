"""Test a visitor's own course: scenes made from states of pages, ordered, saved, opened again, and presented."""

import base64
import json
import random
import re
import zlib
from dataclasses import replace
from string import ascii_letters
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages.shared.lecture import class_room, course, strip
from pages.shared.lecture.course import FORMAT
from pages.shared.notation.prose import escape
from pages.shared.scene_files.scene import Lecture, routes, scenes_of
from pages.shared.state import opening
from pages.shared.state.opening import OwnCourse, OwnScene
from simulating import go, link_of, open_page, visit_of, visitor_of
from visiting import visiting

pytestmark = pytest.mark.lowest
SOFTMAX = OwnScene(
    "attention", "step=5", "attention.equation.step5", "Who *gets* most?", "{weights[4,0]} ![](http://a.b) wins",
    options="a | b | c", note="Ask first.", minutes=1.5,
)  # fmt: skip
WORDS = OwnScene("home", "example=hand", "home.equation.all", "By hand")


def press(app, label):
    return next(button for button in app.button if button.label == label).click().run()


def scenes_in(app):
    return visitor_of(app).kept[OwnCourse].scenes


def with_course(app, *scenes):
    """Give the visitor of `app` a course of their own, and return the app."""
    visitor_of(app).kept[OwnCourse] = OwnCourse(scenes)
    return app


def test_what_the_page_shows_becomes_a_scene():
    app = press(open_page("attention", step="5", example="hand"), "Scenes")
    app = press(app, "Add what the page shows now")
    (made,) = scenes_in(app)
    assert made == OwnScene("attention", "example=hand&step=5", "attention.equation.step5", "Attention, step by step")


def test_it_is_ordered_worded_and_taken_out():
    app = press(with_course(open_page("home"), SOFTMAX, WORDS), "Scenes")
    titles = [field for field in app.text_input if field.label.endswith("Title")]
    assert [field.value for field in titles] == [SOFTMAX.title, WORDS.title]
    titles[1].set_value("With a pencil").run()
    assert [scene.title for scene in scenes_in(app)] == [SOFTMAX.title, "With a pencil"]
    app = press(app, "Scenes")
    app.button(key="own.up.1").click().run()
    assert [scene.page for scene in scenes_in(app)] == ["home", "attention"]
    app = press(app, "Scenes")
    app.button(key="own.take_out.0").click().run()
    assert scenes_in(app) == (SOFTMAX,)


def test_an_own_course_is_presented_like_a_lecture_of_the_app():
    app = press(with_course(open_page("home"), WORDS, SOFTMAX), "Scenes")
    app = press(app, "Present it: 2 scenes")
    assert visit_of(app).lecture.route == "own"
    assert visit_of(app).example.name == "hand"
    assert link_of(app) == {"scene": "1", "route": "own", "view": "present"}
    app.query_params.update({"scene": "2", "route": "own", "view": "present"})
    app = go(app, "attention")
    assert not app.exception
    assert visit_of(app).parameters.step == "5"
    assert visit_of(app).notices == ()


def present_first_scene(*scenes):
    app = with_course(open_page("home"), *scenes)
    app.query_params.update({"scene": "1", "route": "own"})
    app = go(app, scenes[0].page)
    assert not app.exception
    return app, "\n".join(text.value for text in app.markdown)


def test_its_words_are_no_markup_and_its_braces_are_filled_in():
    _, said = present_first_scene(SOFTMAX)
    assert escape("Who *gets* most?") in said
    assert "0.73&#32;" + escape("![](http://a.b) wins") in said


@pytest.mark.parametrize(
    "wrong",
    [
        "{nothing[0,0]}", "{weights}", "{weights[9,9]}", "{weights[}", "{weights[0,0] / heads}", "{1 in weights}",
        "{1 is 2}", f"{{{'~' * 300}1}}",
    ],
)  # fmt: skip
def test_a_number_that_cannot_be_filled_in_is_said(wrong):
    _, said = present_first_scene(replace(SOFTMAX, say=f"It gets {wrong}."))
    assert "The numbers in braces cannot be filled in:" in said
    assert escape(wrong) in said


def test_a_huge_whole_number_is_a_number_like_any_other():
    _, said = present_first_scene(replace(SOFTMAX, say="{transposed(18446744073709551616) / is_nan(0)}"))
    assert "∞" in said


def test_words_in_braces_are_words_where_no_number_is_filled_in():
    link = "{[Sign in](http://elsewhere.example)}"
    _, said = present_first_scene(replace(SOFTMAX, title=link, say=link, options=link))
    assert "](http" not in re.sub("`[^`]*`", "", said), "it is said in code alone"
    assert said.count(escape(link)) >= 2


@pytest.mark.parametrize("view", ["", "present", "guess"])
def test_a_course_is_said_to_be_somebodys_own_on_every_screen(view):
    link = {"scene": "1", "route": "own", "course": course.course_text([SOFTMAX])}
    app = open_page("attention", **link, **({"view": view} if view else {}))
    assert course.TEXTS.fill("somebodys_own") in [text.value for text in app.markdown]
    scene_of_the_app = open_page("attention", scene="1", **({"view": view} if view else {}))
    assert course.TEXTS.fill("somebodys_own") not in [text.value for text in scene_of_the_app.markdown]


def test_a_scene_of_the_app_keeps_its_words_until_they_are_changed():
    app = open_page("attention", scene="3", route="45")
    press(press(app, "Scenes"), "Add what the page shows now")
    (made,) = scenes_in(app)
    original = scenes_of("attention")[2]
    assert (made.of, made.title, made.say) == (3, "", "")
    assert (made.scene.title, made.scene.say, made.scene.options) == (original.title, original.say, original.options)
    changed = replace(made, title="Mutual?", options="yes | no")
    assert (changed.scene.title, changed.scene.options) == (escape("Mutual?"), ("yes", "no"))
    assert changed.scene.say == original.say


def test_the_words_of_a_scene_are_not_added_to_other_numbers():
    app = open_page("attention", scene="3", route="45", x="1,0,0,1,0,0;" * 4 + "0,0,0,0,0,1")
    press(press(app, "Scenes"), "Add what the page shows now")
    (made,) = scenes_in(app)
    assert (made.of, made.title, made.say) == (0, "Attention, step by step", "")


def test_a_lecture_is_taken_to_be_changed_with_its_minutes():
    app = press(open_page("home"), "Scenes")
    app = press(app, "Begin with “20 minutes”")
    made, route = scenes_in(app), routes()[0]
    assert [(scene.page, scene.of, scene.minutes) for scene in made] == [
        (s.page, s.scene, s.minutes) for s in route.stops
    ]
    app = press(press(app, "Scenes"), "Present it: 12 scenes")
    assert own_minutes(app) == route.minutes
    assert visit_of(app).lecture == Lecture(1, True, "own")


def own_minutes(app):
    """Return how many minutes the scenes in the visitor's own course take together."""
    return sum(scene.minutes for scene in scenes_in(app))


@pytest.mark.parametrize(("page", "about"), [("home", "the words"), ("softmax_axes", "the equation of")])
def test_what_the_first_scene_of_a_page_is_about_is_added_unless_another_is_chosen(page, about):
    app = press(open_page(page), "Scenes")
    (choice,) = [box for box in app.selectbox if box.label == "What it shows"]
    assert choice.index is not None
    assert choice.options[choice.index].startswith(about)
    assert len(choice.options) > 1


def test_a_course_of_one_scene_is_called_1_scene():
    app = press(with_course(open_page("home"), WORDS), "Scenes")
    assert any(button.label == "Present it: 1 scene" for button in app.button)


@pytest.mark.parametrize("scene", ["1", "2"])
def test_a_link_into_a_course_that_is_not_there_says_so(scene):
    app = open_page("attention", scene=scene, route="own")
    assert not app.exception
    assert visit_of(app).lecture.scene == 0
    assert "`scene` must be left out" in visit_of(app).notices[0]


def test_a_scene_of_another_page_is_refused():
    app = with_course(open_page("home"), WORDS, SOFTMAX)
    app.query_params.update({"scene": "1", "route": "own"})
    app = go(app, "attention")
    assert "`scene` must be a scene of this page, 2 to 2, but it is `1`" in visit_of(app).notices[0]


def test_of_two_routes_in_a_link_one_counts_and_a_scene_that_is_not_there_is_said():
    app = open_page("attention", route=["ow", "n"], scene="99")
    assert visit_of(app).lecture == Lecture()
    several, scene, route = visit_of(app).notices
    assert several == "The link’s `route` must have one value, but it has 2. Only the last counts: `n`."
    assert "`scene` must be a scene of this page, 1 to " in scene
    assert "`route` must be one of " in route


def test_a_title_and_the_scene_itself_may_go_in_one_press():
    app = press(with_course(open_page("home"), SOFTMAX, WORDS), "Scenes")
    titles = [field for field in app.text_input if field.label.endswith("Title")]
    titles[1].set_value("With a pencil")
    app.button(key="own.take_out.0").click().run()
    assert not app.exception
    assert [scene.state for scene in scenes_in(app)] == [WORDS.state]


def test_words_that_are_too_long_are_cut_as_a_browser_cuts_them():
    app = press(with_course(open_page("home"), WORDS), "Scenes")
    next(field for field in app.text_input if field.label.endswith("Title")).set_value("A" * 10_000).run()
    assert scenes_in(app)[0].title == "A" * 60


def test_a_course_of_many_scenes_writes_no_more_words_than_a_course_of_one(monkeypatch):
    written = []
    monkeypatch.setattr(opening, "escape", lambda text: written.append(text) or text)
    present_first_scene(WORDS)
    of_one = len(written)
    written.clear()
    present_first_scene(*[WORDS] * 100)
    assert len(written) <= 2 * of_one


def test_the_style_is_not_kept_for_each_scene_of_a_course():
    before = strip._style.cache_info().currsize
    for focus in ("a", "b", "c", "d", "e"):
        app = with_course(open_page("home"), replace(WORDS, focus=f"home.equation.{focus}"))
        app.query_params.update({"scene": "1", "route": "own"})
        assert not go(app, "home").exception
    assert strip._style.cache_info().currsize <= before + 1


# --- the file ---


def test_a_course_comes_back_from_its_file():
    assert course.read_file(course.write_file([SOFTMAX, WORDS]).encode()) == (SOFTMAX, WORDS)
    assert course.read_file(course.write_file([]).encode()) == ()


ONE = {"page": "home", "state": {}, "title": "A"}


@pytest.mark.parametrize(
    ("scenes", "rule"),
    [
        ("none", "`scenes` must be a list of at most 100, but it is `none`"),
        ([ONE] * 101, "`scenes` must be a list of at most 100"),
        ([1], "must hold its page and its state, but it is a number"),
        ([ONE | {"page": "elsewhere"}], "`page` must be one of home"),
        ([ONE | {"state": {"embed": "true"}}], "may hold only what a link of this app holds, but it has `embed`"),
        ([ONE | {"title": "A" * 61}], "`title` of a scene must be a text of at most 60 characters"),
        ([ONE | {"title": "\ud800"}], "must have whole characters, but one is cut in half"),
        (
            [ONE | {"focus": "x){}*{display:none}a:is(b"}],
            "`focus` of a scene must name an equation or a picture of its page",
        ),
        ([ONE | {"focus": "attention.equation.step5"}], "but it is `attention.equation.step5`"),
        ([ONE | {"focus": "home.equation."}], "`focus` of a scene must name an equation or a picture of its page"),
        ([ONE | {"texts": {"digits": "2"}}], "must name text areas of “home”, but `digits` is none"),
        ([ONE | {"minutes": -1}], "`minutes` of a scene must be a number from 0 to 120, but it is `-1`"),
        ([ONE | {"of": 99}], "`of` of a scene must be a number from 0 to 6, but it is `99`"),
        ([ONE | {"say": 3}], "`say` of a scene must be a text of at most 320 characters, but it is `3`"),
    ],
)
def test_a_wrong_file_is_refused_with_the_rule_and_the_remedy(scenes, rule):
    content = json.dumps({"format": FORMAT, "version": 1, "scenes": scenes}).encode()
    with pytest.raises(ValueError, match="Choose a file that") as error:
        course.read_file(content)
    assert rule in str(error.value)


# --- in a link ---


def test_a_link_brings_the_course_along():
    app = press(press(with_linked_course(open_page("home"), WORDS, SOFTMAX), "Scenes"), "Present it: 2 scenes")
    link = link_of(app)
    other = open_page("home", **link)
    assert scenes_in(other) == (WORDS, SOFTMAX)
    assert visit_of(other).lecture == Lecture(1, present=True, route="own")
    assert visit_of(other).notices == ()
    assert link_of(other) == link, "a reload would lose it"


def test_every_lecture_of_the_app_fits_into_a_link_and_a_long_course_does_not():
    for route in routes():
        stops = [(stop.page, scenes_of(stop.page)[stop.scene - 1], stop) for stop in route.stops]
        scenes = tuple(
            OwnScene(page, it.state, it.focus, minutes=stop.minutes, of=stop.scene) for page, it, stop in stops
        )
        read = course.scenes_in(course.course_text(scenes))
        assert [replace(scene, state="") for scene in read] == [replace(scene, state="") for scene in scenes]
        assert [parse_qsl(scene.state) for scene in read] == [parse_qsl(scene.state) for scene in scenes]
    many = [replace(SOFTMAX, say="".join(random.choices(ascii_letters, k=300))) for _ in range(100)]
    assert course.course_text(many) == ""


def encoded_for_link(content: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(content)).decode()


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "%",
        "é",
        "eJw",
        course.course_text([SOFTMAX])[:-9],
        encoded_for_link(b"{}"),
        encoded_for_link(b" " * 50_000_000),
    ],
    ids=["a letter", "a sign", "no ASCII", "cut short", "cut", "another file", "a bomb"],
)
def test_a_damaged_course_of_a_link_says_so(text):
    app = open_page("home", scene="1", route="own", course=text)
    assert any("`course` must be a text that this app has written" in notice for notice in visit_of(app).notices)
    assert scenes_or_empty(app) == ()


def test_a_course_of_ones_own_is_kept_when_a_link_brings_another_one():
    app = with_linked_course(open_page("home"), WORDS)
    app.query_params["course"] = course.course_text([SOFTMAX])
    app.query_params["route"] = "own"
    go(app, "home")
    assert scenes_in(app) == (WORDS,)
    assert course.TEXTS.fill("course_is_kept") in visit_of(app).notices


def test_the_code_for_phones_brings_the_words_and_answers_of_a_scene():
    app = press(press(with_linked_course(open_page("attention"), SOFTMAX, WORDS), "Scenes"), "Present it: 2 scenes")
    with visiting(visitor_of(app)):
        link = class_room.link_for_phones()
    query = dict(parse_qsl(urlsplit(link).query))
    phone = open_page("attention", **query)
    (sent,) = scenes_in(phone)
    assert sent == replace(SOFTMAX, note=""), "the note is for the lecturer alone"
    labels = [button.label for button in phone.button]
    assert [label for label in labels if label.startswith("**")] == ["**A** a", "**B** b", "**C** c"]


def with_linked_course(app, *scenes):
    """Give the visitor of `app` a course with these scenes, as if the visitor had opened a link to the course."""
    visitor_of(app).kept[OwnCourse] = OwnCourse(scenes, course.course_text(scenes))
    return app


def scenes_or_empty(app):
    return visitor_of(app).kept.get(OwnCourse, OwnCourse()).scenes
