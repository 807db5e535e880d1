"""A screen of the path: its parts, the way at its top, and the last page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import streamlit as st
import streamlit.components.v2 as components

from attention_core.examples import Example
from pages.path import navigation
from pages.path.boards import draw_board, draw_further_equations, draw_motion, is_above_question
from pages.path.navigation import GuessesInput, guess_at, outcome
from pages.path.numbers import names, names_on, story_with_answer, the_story
from pages.path.story import TEXTS
from pages.shared.equation import selected_cell
from pages.shared.lecture.claims import fill_braces
from pages.shared.notation.numbers import rounded_text
from pages.shared.scene_files.screens import SHOWN, Chapter, Screen, Typed, chapters, screens
from pages.shared.site.menu import link
from pages.shared.site.page import page_named
from pages.shared.state import session
from pages.shared.state.widgets import reserve_container

_HERE = Path(__file__).parent

_bar = components.component(
    "attention_lab_path",
    html=f'<nav class="path" aria-label="{TEXTS.fill("chapters_of_the_path")}"></nav>',
    css=(_HERE / "way.css").read_text(encoding="utf-8"),
    js=(_HERE / "way.js").read_text(encoding="utf-8"),
)

_onward = components.component(
    "attention_lab_path_onward",
    html='<div class="onward"><button type="button" class="back"></button>'
    '<button type="button" class="next"></button></div>',
    css=(_HERE / "onward.css").read_text(encoding="utf-8"),
    js=(_HERE / "onward.js").read_text(encoding="utf-8"),
)


@dataclass(slots=True)
class BrowserAsked:
    """Whether the page has already asked the browser for the visitor's last screen in this session."""

    asked: bool = False


def draw_way(parameters: Any, example: Any) -> None:
    """Draw the bar of chapters."""
    if navigation.has_just_changed_screen() or navigation.leave_the_lecture():
        st.rerun()  # the whole page, because the question above the lesson changes too
    navigation.show_story_on_arrival()
    remembered = session.visitor_object(BrowserAsked)
    fresh, remembered.asked = not remembered.asked, True
    here = navigation.present_parameters()
    _bar(
        key="path_way",
        data=[_message_to_browser(here, fresh=fresh)],  # a list: in a mapping, Streamlit would look for tables
        on_go_change=lambda: _go_to_pressed(st.session_state["path_way"].get("go")),
        on_resume_change=lambda: navigation.resume(st.session_state["path_way"].get("resume")),
    )


def _message_to_browser(here: Any, *, fresh: bool) -> dict[str, Any]:
    return {
        "chapters": [
            {
                "title": chapter.title,
                "screens": [
                    {
                        "number": number,
                        "question": screens()[number - 1].question,
                        "guessed": bool(guess_at(here.guesses, screens()[number - 1].name)),
                    }
                    for number in chapter.screens
                ],
            }
            for chapter in chapters()
        ],
        "screen": here.screen,
        "name": names()[here.screen - 1],
        "last": navigation.last(),
        "guesses": GuessesInput().encode(here.guesses),
        "fresh": fresh,
    }


def _go_to_pressed(number: Any) -> None:
    if type(number) is int:
        navigation.go_to(number)


@st.fragment
def draw_onward(parameters: Any, example: Any) -> None:
    """Draw the buttons to the previous screen and to the next screen."""
    # A press runs only this function again: a run of the whole page would read the address, which may still be the old.
    if navigation.has_just_changed_screen():
        st.rerun()  # the whole page
    words = {name: TEXTS.fill(section) for name, section in (("back", "back"), ("next", "next_screen"))}
    here = {"screen": navigation.present_parameters().screen, "last": navigation.last()}
    _onward(
        key="path_onward",
        data=[here | words],
        on_go_change=lambda: _turn(st.session_state["path_onward"].get("go")),
    )


def _turn(from_and_to: Any) -> None:
    """Go from one screen to another. The browser says from which, so that a second press there does nothing."""
    if isinstance(from_and_to, list | tuple) and [type(number) for number in from_and_to] == [int, int]:
        navigation.go_from(*from_and_to)


# The pages to go on with, and their icons.
NEXT = {"home": "edit", "spot_the_bug": "bug_report", "real_heads": "psychology", "check_my_matrix": "troubleshoot"}


def draw_last_page(parameters: Any) -> None:
    """Draw the last page."""
    outcomes = [outcome(screen, parameters.guesses) for screen in screens()]
    guessed = sum(found not in ("", "shown") for found in outcomes)
    right = outcomes.count("right")
    st.markdown(TEXTS.fill("last_page", guessed=guessed, n_questions=len(outcomes), right_guesses=right))
    said = [_guess_text(screen, parameters) for screen in screens()]
    st.markdown("\n\n".join(_chapter_row(number, chapter, said) for number, chapter in enumerate(chapters(), start=1)))
    what_next = TEXTS.words("what_next")
    st.markdown(f"## {what_next.label}")
    with st.container(key="path_next_steps"):
        for page, icon in NEXT.items():
            link(page, what_next.options[page], icon=icon)
    anew = TEXTS.fill("begin_anew")
    st.button(anew, icon=":material/replay:", key="path.anew", on_click=navigation.begin_anew)


def _guess_text(screen: Screen, parameters: Any) -> str:
    answer, how = guess_at(parameters.guesses, screen.name), outcome(screen, parameters.guesses)
    if how in ("", "shown"):
        return TEXTS.fill("shown" if how else "no_guess")
    filled = _text(_guess(screen, answer), screen, the_story(), replace(parameters, tries=0))
    return TEXTS.fill("right_guess" if how == "right" else "wrong_guess", guess=filled)


def _guess(screen: Screen, answer: str) -> str:
    return answer if screen.typed else screen.options[int(answer) - 1].say


def _chapter_row(number: int, chapter: Chapter, said: list[str]) -> str:
    rows = [f"{n}. {screens()[n - 1].keep} :gray[· {said[n - 1]}]" for n in chapter.screens]
    return "\n".join([f"## {number} · {chapter.title}\n", *rows])


LETTERS = "ABCD"  # of the options: many answers are numbers, so the options have none


def draw_screen(screen: Screen, parameters: Any, example: Example) -> None:
    """Draw a screen: its text, its question, the answer after the guess, and its picture."""
    parameters = replace(parameters, columns=False)  # the texts speak of rows
    answer = guess_at(parameters.guesses, screen.name)
    with reserve_container("warmup"):
        _chapter(screen)
        _draw_additional_question("warmup", screen.warmup, screen, parameters)
    st.markdown(_text(screen.before, screen, the_story(), parameters))
    with reserve_container("turn"):
        _draw_additional_question("turn", screen.turn, screen, parameters)
    with reserve_container("picture_first"):
        if is_above_question(screen):
            draw_board(screen, parameters, example, revealed=False, key="first")
    with st.container(key="path_scene"):  # the answer has a place of its own, so that it moves nothing
        with st.container(key="path_guess"):
            _draw_question(screen, answer, parameters)
        with st.container(key="path_reveal"):
            _draw_answer(screen, answer, parameters)
        with st.container(key="path_picture"):
            if answer or not is_above_question(screen):
                draw_board(screen, parameters, example, revealed=bool(answer))
    if answer:
        with reserve_container("after"):
            draw_motion(screen, example, parameters.tries)
            _draw_after_answer(screen, parameters, example)


def _chapter(screen: Screen) -> None:
    chapter = chapters()[screen.chapter - 1]
    if screens()[chapter.screens[0] - 1] is screen:
        st.caption(TEXTS.fill("chapter", number=screen.chapter, title=chapter.title))


def _text(text: str, screen: Screen, example: Example, parameters: Any) -> str:
    names = names_on(screen, example, parameters.tries)
    return fill_braces(text, names, max(parameters.decimals, screen.decimals))


# The look of an option after the guess, as a type of Streamlit's buttons. The style of the page draws each of them.
LOOKS: Mapping[str, Literal["primary", "secondary", "tertiary"]] = {
    "": "secondary",
    "right": "primary",
    "wrong": "tertiary",
}


def _draw_question(screen: Screen, answer: str, parameters: Any) -> None:
    """Draw the question of a screen, with answers to choose from or with a field for a number."""
    st.markdown(f"**{_text(screen.guess_question, screen, the_story(), parameters)}**")
    if screen.typed:
        label = TEXTS.fill("guess_number")
        _draw_number_field(screen.typed, label, answer, lambda said: navigation.store_guess(screen, said))
    else:
        with st.container(key="path_options", gap="small"):
            for number, option in enumerate(screen.options, start=1):
                _draw_option(screen, number, _text(option.say, screen, the_story(), parameters), answer)
    name, icon, act, more = (
        ("ask_again", ":material/replay:", navigation.ask_again, ())
        if answer
        else ("show_me", ":material/visibility:", navigation.store_guess, (SHOWN,))
    )
    st.button(
        TEXTS.fill(name), key=f"path.{screen.name}.{name}", icon=icon, type="tertiary", on_click=act,
        args=(screen, *more),
    )  # fmt: skip


def _draw_option(screen: Screen, number: int, said: str, answer: str) -> None:
    """Draw one of the answers to choose from. After the guess it keeps its place, and perhaps gets a mark."""
    mark = mark_of(screen, number, answer)
    label = f"**{LETTERS[number - 1]}**\u2002 {said}"
    st.button(
        f"{label} {TEXTS.fill(f'mark_{mark}')}" if mark else label,
        key=f"path.{screen.name}.{number}",
        type=LOOKS[mark],
        disabled=bool(answer),
        width="stretch",
        on_click=navigation.store_guess,
        args=(screen, str(number)),
    )


def mark_of(screen: Screen, number: int, answer: str) -> str:
    """Return the mark of an option: "right" if it is, "wrong" if it was chosen, otherwise or before the guess ""."""
    if not answer:
        return ""
    return "right" if screen.options[number - 1].right else "wrong" if answer == str(number) else ""


def _draw_number_field(typed: Typed, label: str, answer: str, act: Callable[[str], None]) -> None:
    """Draw a field for a number with a button, in a form, and call `act` with the number.

    After the `answer` both keep their place: the field shows the number, and the button its mark.
    """
    key = f"path.number.{typed.name}"

    def commit() -> None:
        if (value := st.session_state.get(key)) is not None:
            navigation.store_if_final(typed, rounded_text(float(value)), act)

    number = float(answer) if answer and answer != SHOWN else None
    if number is not None:
        label = TEXTS.fill("mark_right" if typed.is_correct(answer) else "mark_wrong")
    with (
        st.form(f"path_field_{typed.name}", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small"),
    ):
        st.number_input(
            TEXTS.fill("your_number"), -9999.0, 9999.0, number, format="%g", key=f"{key}.said" if answer else key,
            width=190, placeholder=TEXTS.fill("a_number"), label_visibility="collapsed", disabled=bool(answer),
        )  # fmt: skip
        st.form_submit_button(label, on_click=commit, disabled=bool(answer))


def _first_try(typed: Typed, screen: Screen, parameters: Any) -> str:
    """Return what to say about a first number that was wrong, or "" if there was none."""
    answer = navigation.first_try(typed.name)
    if not answer:
        return ""
    reason = _text(typed.reason(answer), screen, the_story(), parameters)
    return TEXTS.fill("wrong_once", guess=answer, tempting=reason)


def _draw_additional_question(section: str, typed: Typed | None, screen: Screen, parameters: Any) -> None:
    """Draw an additional question if the screen has one, in the words of a section, and its answer at its own place."""
    if not typed:
        return
    answer = guess_at(parameters.guesses, typed.name)
    with st.container(key=f"path_aside_{section}"):
        st.markdown(TEXTS.fill(section, ask=_text(typed.ask, screen, the_story(), parameters)))
        label = TEXTS.fill("check_number")
        _draw_number_field(typed, label, answer, lambda said: navigation.answer_question(typed.name, said))
        with st.container(key=f"path_said_{section}"):
            if answer:
                how = TEXTS.fill("right" if typed.is_correct(answer) else "not_quite")
                st.markdown(f"{how} {_text(typed.said, screen, the_story(), parameters)}")
            elif said := _first_try(typed, screen, parameters):
                st.markdown(said)


def _draw_answer(screen: Screen, answer: str, parameters: Any) -> None:
    """Draw the correct answer and its reason, or what to say about a first number that was wrong."""

    def filled(text: str) -> str:
        return _text(text, screen, story_with_answer(screen), parameters)

    if not answer:
        if screen.typed and (said := _first_try(screen.typed, screen, parameters)):
            st.markdown(said)
        return
    how, reveal = outcome(screen, parameters.guesses), filled(screen.reveal)
    said = list[str]()
    if how == "right":
        said.append(TEXTS.fill("right"))
    elif how == "wrong":
        guess, tempting = filled(_guess(screen, answer)), filled(screen.reason(answer))
        said.append(TEXTS.fill("wrong", guess=guess, tempting=tempting))
    if right := next((option.say for option in screen.options if option.right), ""):
        reveal = TEXTS.fill("answer", right_option=filled(right.rstrip(".")), reveal=reveal)
    st.markdown("\n\n".join([*said, reveal]))


def _draw_after_answer(screen: Screen, parameters: Any, example: Example) -> None:
    """Draw what follows the answer: something to try, the sentence to remember, and links to other pages."""
    attempt = screen.attempt
    with st.container(key="path_try"):
        what = _text(attempt.say, screen, story_with_answer(screen), parameters)
        st.markdown(TEXTS.fill("attempt", what=what))
        if attempt.button:
            st.button(
                _button_label(attempt.button, parameters.tries),
                key=f"path.{screen.name}.try",
                icon=":material/touch_app:",
                on_click=navigation.try_it,
                args=(screen,),
            )
        with reserve_container("found"):
            if attempt.found and (parameters.tries or example is not story_with_answer(screen)):
                st.markdown(_text(attempt.found, screen, example, parameters))
        draw_further_equations(screen, parameters, example)
    if screen.explained:
        selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)
    with st.container(key="path_keep"):
        st.markdown(TEXTS.fill("keep", sentence=screen.keep))
    _more(screen, parameters)
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        if screen.page:
            label = TEXTS.fill("more_on_page", name=page_named(screen.page).in_menu)
            link(screen.page, label, screen.page_state or None, icon="open_in_new")
        if screen.practice:
            page, _, difficulty = screen.practice.partition(" ")
            task = {"task": "1", "difficulty": difficulty}
            link(page, TEXTS.fill("practice"), task, icon="edit_note")


def _button_label(label_texts: str, tries: int) -> str:
    labels = label_texts.split(" / ")
    return labels[tries % len(labels)]


def _more(screen: Screen, parameters: Any) -> None:
    if screen.more:
        with st.expander(TEXTS.fill("one_thing_more")):
            st.markdown(_text(screen.more, screen, story_with_answer(screen), parameters))
