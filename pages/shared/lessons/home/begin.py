"""The text at the beginning of the home page: what the app is, for whom, and how long its path takes."""

from __future__ import annotations

from pages.shared.scene_files.screens import screens

MINUTES = 40  # for a reader who guesses on every screen


def what_for_whom_how_long() -> str:
    """Return two sentences: what the app teaches and what a reader needs, and how long its path of questions takes."""
    return (
        "Learn **attention**, the heart of language models, on numbers that you can change. You need to add and "
        f"multiply numbers in tables, and the path shows how: {len(screens())} questions, about {MINUTES} minutes."
    )
