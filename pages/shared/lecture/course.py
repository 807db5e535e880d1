"""The order of the scenes: along a route (a lecture), through all pages, or through a lecturer's own course."""

from __future__ import annotations

from functools import cache

from pages.shared.scene_files.lecture import Lecture
from pages.shared.scene_files.routes import OWN, Route, Stop, route_named
from pages.shared.scene_files.scene import scenes_of
from pages.shared.site.catalogue import catalogue, page_named
from pages.shared.state.own_course import own_course


@cache
def whole_course() -> Route:
    """Return a route through all scenes of all pages, in the order of the pages."""
    stops = (Stop(page.name, n) for page in catalogue() for n in range(1, len(scenes_of(page.name)) + 1))
    return Route("", "The whole course", "Every scene of every page.", tuple(stops))


def route_of(lecture: Lecture) -> Route:
    """Return the route of a lecture: all its scenes, in order."""
    if lecture.route == OWN:
        return own_route()
    return route_named(lecture.route) if lecture.route else whole_course()


def own_route() -> Route:
    """Return the route through the scenes that the lecturer has put together."""
    scenes = enumerate(own_course().scenes, start=1)
    stops = (Stop(each.page, number, each.minutes) for number, each in scenes)
    return Route(OWN, "Your own course", "The scenes that you have put together.", tuple(stops))


def in_words(scenes: int) -> str:
    """Return a number of scenes in words.

    >>> in_words(1), in_words(24)
    ('1 scene', '24 scenes')
    """
    return f"{scenes} scene{'s' * (scenes != 1)}"


def title_of(route: Route) -> str:
    """Return the title of a route (a lecture). The title of a route through one page is the concept of the page."""
    return route.title or page_named(route.name).concept


def neighbouring_stop(page: str, lecture: Lecture, step: int) -> Stop | None:
    """Return the scene that is `step` scenes after the open scene on the route of the lecture, or None at the end.

    A negative `step` goes back. If no scene of the route is open, a step back returns None. A step forward then returns
    the first scene of the page `page` or, if the route has none, the first scene of the route.
    """
    stops, place = route_of(lecture).stops, route_of(lecture).place(page, lecture.scene)
    if place is None:
        return next((stop for stop in stops if stop.page == page), stops[0]) if step > 0 and stops else None
    return stops[place + step] if 0 <= place + step < len(stops) else None


def progress(page: str, lecture: Lecture) -> tuple[int, int] | None:
    """Return the number of the open scene on the route, counted from 1, and the number of scenes on the route.

    Return None if the open scene is not on the route.
    """
    place = route_of(lecture).place(page, lecture.scene)
    return None if place is None else (place + 1, len(route_of(lecture).stops))


def planned_minutes(page: str, lecture: Lecture) -> tuple[float, float] | None:
    """Return two times, in minutes from the beginning of the lecture: when the scene and the whole route should end.

    Return None if the open scene is not on the route, or no lecture was begun.
    """
    route = route_of(lecture)
    place = route.place(page, lecture.scene)
    if place is None or not lecture.route:
        return None
    return sum(stop.minutes for stop in route.stops[: place + 1]), route.minutes
