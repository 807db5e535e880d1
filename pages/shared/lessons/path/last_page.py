"""The last page of the path: the sentences to remember, the results of the guesses, and what to do next."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.shared.lecture.claims import fill_braces
from pages.shared.lessons.path import navigation
from pages.shared.lessons.path.guesses import guess_at, outcome
from pages.shared.lessons.path.numbers import names_on, the_story
from pages.shared.scene_files.screens import Chapter, Screen, chapters, screens
from pages.shared.site.links import link

QUESTION = "What do you keep?"
MARKS = {
    "right": ":material/check: your guess",
    "wrong": ":material/close: your guess",
    "shown": "shown",
    "": "no guess yet",
}
NEXT = (
    ("home", {}, "Your own numbers: change the story, and see everything follow", "edit"),
    ("spot_the_bug", {}, "Spot the bug: find the wrong line in somebody’s code", "bug_report"),
    ("real_heads", {}, "Real heads: look at what a trained model does", "psychology"),
    ("check_my_matrix", {}, "Check my matrix: which mistake is in my own result", "troubleshoot"),
)


def draw(parameters: Any) -> None:
    """Draw the last page."""
    outcomes = [outcome(screen, parameters.guesses) for screen in screens()]
    guessed = sum(found not in ("", "shown") for found in outcomes)
    st.markdown(
        f"You guessed {guessed} of {len(outcomes)} answers, and {outcomes.count('right')} of them right. To read an "
        "explanation again, press its circle above. This page is ready to print."
    )
    said = [_guess_text(screen, parameters) for screen in screens()]
    st.markdown("\n\n".join(_chapter(number, chapter, said) for number, chapter in enumerate(chapters(), start=1)))
    st.markdown("## What next?")
    with st.container(key="path_next_steps"):
        for page, state, label, icon in NEXT:
            link(page, label, state or None, icon=icon)
    st.button("Begin the path anew", icon=":material/replay:", key="path.anew", on_click=navigation.begin_anew)


def _guess_text(screen: Screen, parameters: Any) -> str:
    """Return what the visitor has guessed on a screen, with a mark that says whether the guess was correct."""
    answer, how = guess_at(parameters.guesses, screen.name), outcome(screen, parameters.guesses)
    if how in ("", "shown"):
        return MARKS[how]
    guess = answer if screen.typed else screen.options[int(answer) - 1].say
    filling = fill_braces(guess, names_on(screen, the_story(), 0), max(parameters.decimals, screen.decimals))
    return f"{MARKS[how]}: {filling}"


def _chapter(number: int, chapter: Chapter, said: list[str]) -> str:
    rows = [f"{n}. {screens()[n - 1].keep} :gray[· {said[n - 1]}]" for n in chapter.screens]
    return "\n".join([f"## {number} · {chapter.title}\n", *rows])
