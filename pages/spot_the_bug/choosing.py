"""The choice of an exhibit and of one of its lines, and which wrong lines the visitor has found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

from attention_core.museum import EXHIBITS, Exhibit, exhibit
from pages.shared.controls import Parameters, controls_of, kinds, of_kind
from pages.shared.controls.kinds import Control
from pages.shared.notation.prose import literal
from pages.shared.notation.texts import texts_beside
from pages.shared.state import session, widgets

TEXTS = texts_beside(__file__)

NAMES = tuple(each.name for each in EXHIBITS)

Choice = tuple[str, int]  # the name of an exhibit, and the picked line, counted from 1; 0 means none


@dataclass(frozen=True, slots=True)
class LineInput(Control):
    """The choice of an exhibit (code with a bug) and of one of its lines: 0 if none is chosen yet."""

    label: str
    help: str | None = None

    def encode(self, value: Choice) -> str:
        name, line = value
        return f"{name}.{line}" if line else name

    def decode(self, text: str) -> Choice:
        name, dot, line = text.partition(".")
        lines = {str(i): i for i in range(1, len(exhibit(name).lines) + 1)} if name in NAMES else {}
        if not lines or (dot and line not in lines):
            raise ValueError(TEXTS.fill("rule_of_the_link", first=NAMES[0]))
        return name, lines.get(line, 0)

    def draw(self, key: str, shown: Exhibit) -> None:
        options = [(shown.name, i) for i, _ in enumerate(shown.lines, start=1)]
        picked = options.index(said) if (said := kinds.default_of(key)) in options else None
        st.radio(self.label, options, picked, lambda o: _line_label(shown, o[1]), key=key, help=self.help)


def line_of_an_exhibit() -> Any:
    """Declare the parameter with the name of the shown exhibit and the number of its chosen line."""
    return of_kind(LineInput(""), (NAMES[0], 0))


def _line_label(shown: Exhibit, number: int) -> str:
    return literal(f"{number}  {shown.lines[number - 1]}")


# --- what was found ---


@dataclass(slots=True)
class Findings:
    """What one visitor has done: the lines chosen last, the bugs found, and the exhibits whose answer was shown."""

    last_lines: dict[str, int] = field(default_factory=dict)  # the line that was picked last, by exhibit
    found: set[str] = field(default_factory=set)
    answers_shown: set[str] = field(default_factory=set)  # exhibits whose answer was asked for before it was found


def findings() -> Findings:
    """Return the `Findings` of this visitor."""
    return session.visitor_object(Findings)


def note_pick(shown: Exhibit, line: int, *, answer_shown: bool) -> None:
    """Store the chosen line of an exhibit (0: none), which does not count as found if the answer was shown first."""
    found = findings()
    if line:
        found.last_lines[shown.name] = line
    if answer_shown and shown.name not in found.found:
        found.answers_shown.add(shown.name)
    elif line == shown.wrong_line and shown.name not in found.answers_shown:
        found.found.add(shown.name)


# --- from one exhibit to another ---


def draw_lines(parameters: Parameters, name: str) -> None:
    """Draw the lines of an exhibit as options, of which the parameter `name` holds the chosen one."""
    chosen = getattr(parameters, name)
    key = widgets.key_showing(session.widget_of(name), chosen if chosen[1] else None, chosen[0])
    with st.container(border=True, key="cell"):
        controls_of(type(parameters))[name].draw(key, exhibit(chosen[0]))


def draw_walk(shown: Exhibit, score: str, name: str, *aids: str) -> None:
    """Draw the list of all exhibits, the buttons to the previous and the next one, and the text `score`."""
    go, place = partial(_show_exhibit, name, aids), NAMES.index(shown.name)
    titles = {each.name: _title(i, each) for i, each in enumerate(EXHIBITS, start=1)}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="walk"):
        key = widgets.key_showing("museum.list", shown.name, titles)
        st.selectbox(
            TEXTS.fill("list_of_exhibits"), NAMES, NAMES.index(shown.name), titles.__getitem__, key=key, width=340,
            on_change=lambda: widgets.act_on_change(key, go),
        )  # fmt: skip
        _draw_button("Previous", TEXTS.fill("previous"), "arrow_back", place - 1, go)
        _draw_button("Next", TEXTS.fill("next"), "arrow_forward", place + 1, go)
        st.markdown(score, width="content")


def draw_next(shown: Exhibit, name: str, *aids: str) -> None:
    """Draw a button to the next exhibit whose bug the visitor has not seen yet, if there is one."""
    after = NAMES.index(shown.name) + 1
    known = findings().found | findings().answers_shown
    left = [other for other in (*NAMES[after:], *NAMES[:after]) if other not in known and other != shown.name]
    if left:
        st.button(
            TEXTS.fill("next_exhibit"), icon=":material/arrow_forward:", type="primary", key="museum.next",
            on_click=_show_exhibit, args=(name, aids, left[0]),
        )  # fmt: skip


def _draw_button(key: str, label: str, icon: str, place: int, go: Callable[[str], None]) -> None:
    there = 0 <= place < len(NAMES)
    st.button(
        label, icon=f":material/{icon}:", disabled=not there, key=f"museum.{key}",
        on_click=go, args=(NAMES[place] if there else "",),
    )  # fmt: skip


def _title(place: int, exhibit: Exhibit) -> str:
    return f"{place} · {exhibit.title}" + " ✓" * (exhibit.name in findings().found)


def _show_exhibit(name: str, aids: tuple[str, ...], to: str) -> None:
    picked = (to, findings().last_lines.get(to, 0))
    session.set_parameters(cell=None, **{name: picked}, **dict.fromkeys(aids, ""))
