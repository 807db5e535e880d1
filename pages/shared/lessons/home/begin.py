"""The beginning: what the app is, for whom, and how long the path takes."""

from __future__ import annotations

from pages.shared.scene_files.screens import screens

MINUTES = 40  # for a reader who guesses on every screen


def what_for_whom_how_long() -> str:
    """Say in one line what the app is, for whom, and how long its path takes."""
    return (
        "Learn **attention**, the heart of language models, on numbers that you can change. You need to add and "
        f"multiply numbers in tables, and the path shows how: {len(screens())} questions, about {MINUTES} minutes."
    )
