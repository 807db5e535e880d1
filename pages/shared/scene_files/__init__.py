"""Read the scenes of the pages (what a lecture shows), the routes through them, and which scene a link opens. Pure."""

from pathlib import Path

PAGES = Path(__file__).parents[2]
