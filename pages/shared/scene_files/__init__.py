"""Scenes: what a lecture shows of each page, the routes through the scenes, and which scene a link opens. Pure."""

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "scenes"
