"""The text at the beginning of the home page: what the app is, for whom, and how long its path takes."""

from __future__ import annotations

from pages.shared.scene_files.screens import screens

MINUTES_A_SCREEN = 2.2  # for a reader who guesses first


def minutes_of_path() -> int:
    """Return how long the path takes, rounded to five minutes."""
    return 5 * round(MINUTES_A_SCREEN * len(screens()) / 5)


def introduction_text() -> str:
    """Return two sentences: what the app teaches and what a reader needs, and how long its path of questions takes."""
    return (
        "Learn **attention**, the heart of language models, on numbers that you can change. You need to add and "
        "multiply numbers in tables, and the path shows how: "
        f"{len(screens())} questions, about {minutes_of_path()} minutes."
    )
