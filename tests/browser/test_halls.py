"""The longest lecture on four sizes of screens: nothing is cut off, nothing overlaps the clock, nothing scrolls."""

import pytest
from playwright.sync_api import expect

from browsing import settle, stage_faults
from pages.shared.scene_files.scene import routes

HALLS = [(1024, 768), (1280, 720), (1366, 768), (1920, 1080)]
LONGEST = max(routes(), key=lambda route: len(route.stops))  # it has every scene of the others


@pytest.mark.many
@pytest.mark.parametrize(("width", "height"), HALLS)
def test_every_scene_of_every_lecture_fits_the_hall_before_and_after_its_answer(width, height, visit):
    page = visit(f"/?scene=1&view=present&route={LONGEST.name}", width=width, height=height)
    last, found = len(LONGEST.stops), {}
    for number in range(1, last + 1):
        expect(page.locator(".st-key-scene p").first).to_contain_text(f"{number} of {last} ")
        found[f"{number} asks"] = stage_faults(settle(page, quiet=60))
        page.keyboard.press("a")
        found[f"{number} answers"] = stage_faults(settle(page, quiet=60))
        page.keyboard.press("PageDown")
    assert {scene: errors for scene, errors in found.items() if errors} == {}
