"""Test the lectures: their lengths, the order of their scenes, and the dialog that offers them."""

import re
from itertools import pairwise

import pytest

from pages.shared.lecture.course import neighbouring_stop, planned_minutes, progress, route_of, title_of, whole_course
from pages.shared.lecture.picker import scene_table
from pages.shared.scene_files.scene import (
    OWN,
    Lecture,
    Stop,
    _stop,
    decode,
    lesson,
    route_named,
    route_names,
    routes,
    scenes_of,
)
from pages.shared.scene_files.screens import screens
from pages.shared.site.page import catalogue
from pagesutil import USUAL
from simulating import link_of, open_page, visit_of

every_route = pytest.mark.parametrize("route", routes(), ids=lambda route: route.name)
LECTURES = [Lecture(route=name) for name in ("", *route_names()) if name != OWN]


WORDS_A_MINUTE = 110
A_VOTE = 0.25  # minutes that a show of hands takes


def scenes_on(route):
    """Return the scenes of a lecture in order. `route` is the lecture, and a scene is a prepared state of a page."""
    return [scenes_of(stop.page)[stop.scene - 1] for stop in route.stops]


def spoken_minutes(scene):
    """Return how many minutes a lecturer needs to present a scene."""
    text = " ".join([scene.title, scene.say, scene.keep, *scene.options, scene.note])
    words = re.findall(r"\{[^{}]*\}|\$[^$]*\$|[\w’'-]+", text)
    return len(words) / WORDS_A_MINUTE + A_VOTE * bool(scene.options)


@every_route
def test_a_lecture_takes_the_minutes_that_it_is_called_by(route):
    assert route.minutes == int(route.name)
    assert route.title == f"{route.name} minutes"
    assert all(1 <= stop.minutes <= 3 for stop in route.stops)


@every_route
def test_what_there_is_to_say_takes_the_planned_minutes(route):
    spoken = [spoken_minutes(scene) for scene in scenes_on(route)]
    assert all(abs(one - stop.minutes) <= 0.6 for one, stop in zip(spoken, route.stops, strict=True))
    assert abs(sum(spoken) - route.minutes) <= route.minutes / 9  # a lecture of 45 minutes may take 40 to 50


@every_route
def test_a_third_of_the_scenes_ask_the_room(route):
    assert 3 * sum(bool(scene.options) for scene in scenes_on(route)) >= len(route.stops)


@every_route
def test_a_lecture_asks_why_first_shows_each_scene_once_and_ends_with_a_task(route):
    places = [(stop.page, stop.scene) for stop in route.stops]
    assert places[0] == ("home", 1)
    assert scenes_on(route)[-1].focus == "home.last_slide"
    assert len(set(places)) == len(places)
    boards = [(scene.state, scene.focus, scene.lines) for scene in scenes_on(route)]
    assert len(set(boards)) == len(boards)


@every_route
def test_a_lecture_follows_the_path(route):
    """Check that the scenes of a lecture come in the order of the screens of the page “The path”."""
    order = [screen.name for screen in screens()]
    kept = [order.index(scene.screen) for scene in scenes_on(route) if scene.screen]
    assert kept == sorted(kept)
    assert len(set(kept)) == len(kept) >= 7


def test_the_lectures_have_every_line_of_the_path_and_that_of_45_minutes_leaves_out_training_and_real_models():
    kept = {route.name: {scene.screen for scene in scenes_on(route)} - {""} for route in routes()}
    every_line = {screen.name for screen in screens()}
    assert kept["60"] == every_line
    assert kept["45"] == every_line - {"step", "mistake", "induction", "cause"}


def test_a_longer_lecture_has_all_that_a_shorter_one_has():
    ways = [{(stop.page, stop.scene) for stop in route.stops} for route in routes()]
    assert all(short < long for short, long in pairwise(ways))


def test_every_page_is_a_lesson_of_its_own():
    assert set(route_names()) == {route.name for route in routes()} | USUAL.keys() | {OWN}
    assert [stop.scene for stop in lesson("scaling").stops] == list(range(1, len(scenes_of("scaling")) + 1))
    assert title_of(route_named("scaling")) == "Scaling"


@pytest.mark.parametrize("lecture", LECTURES, ids=lambda lecture: lecture.route or "all")
def test_the_way_leads_from_the_first_scene_to_the_last_and_back(lecture):
    route = route_of(lecture)
    first = route.stops[0]
    walk = [first]
    while step := neighbouring_stop(walk[-1].page, lecture_at(lecture, walk[-1]), 1):
        walk.append(step)
    assert walk == list(route.stops)
    back = [walk[-1]]
    while step := neighbouring_stop(back[-1].page, lecture_at(lecture, back[-1]), -1):
        back.append(step)
    assert back == walk[::-1]
    assert [progress(stop.page, lecture_at(lecture, stop)) for stop in walk] == [
        (n, len(walk)) for n in range(1, len(walk) + 1)
    ]


def lecture_at(lecture, stop):
    """Return a copy of `lecture` that is at the scene `stop` instead of its present scene."""
    return Lecture(stop.scene, lecture.present, lecture.route)


def test_the_whole_course_has_every_scene_in_the_order_of_the_pages():
    assert [(stop.page, stop.scene) for stop in whole_course().stops] == [
        (page.name, n) for page in catalogue() for n in range(1, len(scenes_of(page.name)) + 1)
    ]
    assert planned_minutes("home", Lecture(1)) is None


def test_from_a_page_without_an_open_scene_the_way_begins_there():
    assert neighbouring_stop("scaling", Lecture(), 1) == Stop("scaling", 1)
    assert neighbouring_stop("scaling", Lecture(), -1) is None
    assert (
        neighbouring_stop("your_sentence", Lecture(route="20"), 1) == routes()[0].stops[0]
    )  # the page is not in this lecture
    assert neighbouring_stop("scaling", Lecture(route="20"), 1) == Stop("scaling", 3, 1)


def test_the_time_is_planned_by_the_end_of_the_scene():
    assert planned_minutes("home", Lecture(1, route="45")) == (2, 45)
    assert planned_minutes("next_word", Lecture(7, route="45")) == (44, 45)
    assert planned_minutes("home", Lecture(6, route="45")) == (45, 45)
    assert planned_minutes("your_sentence", Lecture(1, route="45")) is None


def test_a_stop_that_names_no_scene_is_an_error():
    with pytest.raises(ValueError, match=r"a stop must name a scene; got home 9 2: give .* from 1 to"):
        _stop("home 9 2")


# --- the link ---


def test_a_link_holds_the_route():
    lecture, rest, notices = decode({"scene": ["1"], "route": ["45"], "view": ["present"]}, range(1, 4))
    assert (lecture, rest, notices) == (Lecture(1, True, "45"), {}, [])
    assert lecture.encode() == {"scene": "1", "route": "45", "view": "present"}
    assert lecture.in_words() == ["scene 1", "the route “45”", "the presenter view"]


def test_an_unknown_route_is_left_out_with_a_notice():
    lecture, _, (notice,) = decode({"scene": ["1"], "route": ["<b>50"]}, range(1, 4))
    assert lecture == Lecture(1)
    assert "`route` must be one of 20, 45, 60, attention" in notice


def press(app, label):
    return next(button for button in app.button if button.label == label).click().run()


def test_next_follows_the_route_within_a_page():
    app = open_page("scaling", scene="5", route="45")
    assert not app.exception
    app = press(app, "Next")
    assert visit_of(app).lecture == Lecture(3, False, "45")
    assert link_of(app) == {"scene": "3", "route": "45"}


# --- the dialog ---


def test_the_dialog_offers_the_lectures_and_begins_them():
    app = open_page("scaling")
    app = press(app, "Scenes")
    assert not app.exception
    labels = [button.label for button in app.button]
    assert "20 minutes: 12 scenes" in labels
    assert len(labels) == len(set(labels))  # all labels differ, so that a screen reader can distinguish the handouts
    assert f"Scenes of this page: {len(scenes_of('scaling'))}" in labels
    app = press(app, "This page alone: 14 minutes")
    assert visit_of(app).lecture == Lecture(1, True, "scaling")


def test_the_sheet_names_every_scene_once_with_its_numbers_on_all_lectures():
    lines = scene_table().splitlines()
    for page in USUAL:
        for scene in scenes_of(page):
            assert sum(f"| {scene.title} |" in line for line in lines) == 1
    for route in routes():
        column = [line.split("|")[2 + routes().index(route)].strip() for line in lines]
        assert sorted(int(text.split(" ")[0]) for text in column[2:] if text) == list(range(1, len(route.stops) + 1))
    (first,) = [line for line in lines if "What does “it” refer to?" in line]
    assert first.endswith("| 1 (2) | 1 (2) | 1 (2) | 1 |")
