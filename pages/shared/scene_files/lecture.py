"""The lecture in a link: the open scene, the route, and whether the presenter view is on. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from pages.shared.notation.prose import several_values_notice, short
from pages.shared.scene_files.routes import route_names

Query = Mapping[str, Sequence[str]]

# A link to a scene may also have these parameters, because the layout changes no number.
BESIDE = {"layout"}
PRESENT = "present"
GUESS = "guess"


@dataclass(frozen=True, slots=True)
class Lecture:
    """What a visitor's link says about a lecture: the open scene, the route (the order of the scenes), and the view.

    There are the usual view, the presenter view, and the view on a student's phone, which hides the results until the
    student guesses.
    """

    scene: int = 0  # counted from 1; 0 means that no scene is open
    present: bool = False
    route: str = ""  # "" stands for the whole course
    guess: bool = False  # on a phone in the audience: the results of a scene are shown after its owner has guessed

    def encode(self) -> dict[str, str]:
        """Return the lecture as the parameters of a link."""
        view = PRESENT * self.present or GUESS * self.guess
        texts = {"scene": str(self.scene or ""), "route": self.route, "view": view}
        return {name: text for name, text in texts.items() if text}

    def key(self, page: str) -> str:
        """Return a text that distinguishes the open scene of the page `page` from every other scene."""
        return f"{page} {self.scene}"

    def in_words(self) -> list[str]:
        """Return what a link says about the lecture, as a list of short texts for the visitor."""
        scene = [f"scene {self.scene}"] * bool(self.scene)
        views = ["the presenter view"] * self.present + ["results after a guess"] * self.guess
        return scene + [f"the route “{self.route}”"] * bool(self.route) + views


def decode(query: Query, scenes: Collection[int]) -> tuple[Lecture, dict[str, Sequence[str]], list[str]]:
    """Return three things of a link: its lecture, its other parameters, and a notice for each refused value.

    If a parameter has several values, the last one counts. `scenes` are the numbers of scenes that the link may open.
    """
    rules = {
        "scene": f"a scene of this page, {min(scenes)} to {max(scenes)}"
        if scenes
        else "left out, because this page has no scenes",
        "route": f"one of {', '.join(route_names())}",
        "view": f"{PRESENT} or {GUESS}",
    }
    good = {"scene": [str(n) for n in scenes], "route": route_names(), "view": [PRESENT, GUESS]}
    given = {name: query[name] for name in rules if query.get(name)}
    accepted = {name: texts[-1] for name, texts in given.items() if texts[-1] in good[name]}
    notices = [notice for name, texts in given.items() for notice in several_values_notice(name, texts)]
    notices += [
        f"The link’s `{name}` must be {rules[name]}, but it is `{short(texts[-1])}`, so it was ignored."
        for name, texts in given.items()
        if name not in accepted
    ]
    rest = {name: texts for name, texts in query.items() if name not in rules}
    view = accepted.get("view")
    opened = Lecture(int(accepted.get("scene", 0)), view == PRESENT, accepted.get("route", ""), view == GUESS)
    return opened, rest, notices


def opens_the_scene(lecture: Lecture, rest: Query) -> bool:
    """Return whether a link opens a scene in the state in which the scene begins.

    This is true if the link names a scene and has no other parameters. `rest` has the parameters of the link, without
    those of the lecture.
    """
    return bool(lecture.scene) and rest.keys() <= BESIDE


def lecture_link(
    lecture: Lecture, state: Mapping[str, str], scene_state: Mapping[str, str], first_example: str
) -> dict[str, str]:
    """Return the parameters of a link that opens the state `state` and the lecture `lecture`.

    `scene_state` is the state in which the open scene begins. If `state` is the same, the link only names the scene.
    `first_example` is the example with which the page opens.
    """
    if not lecture.scene:
        return {**state, **lecture.encode()}
    beside = {name: text for name, text in state.items() if name in BESIDE}
    if {**scene_state, **beside} == dict(state):
        return beside | lecture.encode()
    explicit = {} if without_parameters(state, BESIDE) else {"example": first_example}  # so that the link is not empty
    return explicit | dict(state) | lecture.encode()


def without_parameters(state: Mapping[str, str], names: AbstractSet[str]) -> dict[str, str]:
    """Return the parameters of a link, without those whose names are in `names`."""
    return {name: text for name, text in state.items() if name not in names}
