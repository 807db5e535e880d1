"""The QR code of a lecture, and what a phone shows that opens it: the scene without results, with answers to choose."""

import io

import numpy as np
import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from browser.equation import cell
from browsing import resize, settle

HALLS = [(1024, 768), (1280, 720), (1366, 768), (1920, 1080)]
FROM_THE_LAST_ROW = 0.6  # the QR code has at least this share of the window’s height


def read_codes(picture):
    return [code.text for code in zxingcpp.read_barcodes(np.asarray(Image.open(io.BytesIO(picture)).convert("L")))]


def test_the_qr_code_fits_every_window_and_any_key_closes_it(visit):
    page = visit("/attention?scene=3&view=present&route=20", width=1280, height=720)
    over = page.get_by_role("status", name="The code for phones")
    for width, height in HALLS:
        resize(page, width, height)
        page.keyboard.press("q")
        expect(over).to_be_visible()
        code = over.get_by_alt_text("QR code")
        assert code.bounding_box()["height"] > FROM_THE_LAST_ROW * height
        for part in (code, *over.locator("p").all()):
            expect(part).to_be_in_viewport(ratio=1)
        (link,) = read_codes(page.screenshot())
        assert link.endswith("/attention?scene=3&route=20&view=guess")
        expect(over.locator("p").first).to_have_text(link)
        page.keyboard.press("q")
        expect(over).to_have_count(0)
    assert "view=present" in settle(page).url
    expect(cell(page, "scores", 1, 0)).to_be_hidden()  # Q has closed the code and done nothing else
    page.keyboard.press("q")
    expect(over).to_be_visible()
    page.keyboard.press("PageDown")
    expect(over).to_have_count(0)
    expect(cell(page, "scores", 1, 0)).to_be_visible()
    page.keyboard.press("q")
    expect(over).to_be_visible()
    page.keyboard.press("Escape")  # this closes the code and does not leave the scene
    expect(over).to_have_count(0)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()


# A link, the selector of what shows its answer, and the buttons with which it asks.
SCENES = [
    ("/?scene=1&route=20&view=guess", ".words .share", ["A the cat", "B the milk", "C one cannot know"]),
    ("/attention?scene=3&route=45&view=guess", "figure[data-id='scores'] td.cell", ["A 0", "B 4", "C 6"]),
    ("/scaling?scene=2&route=45&view=guess", ".role-mark path", ["Show the results"]),
]


@pytest.mark.parametrize(("link", "result", "answers"), SCENES)
def test_a_phone_shows_results_once_its_owner_has_guessed(link, result, answers, visit):
    page = visit(link, width=390, height=844)
    offered = page.locator(".st-key-guesses button")
    results = page.locator(result).locator("visible=true")
    for button, answer in zip(offered.all(), answers, strict=False):
        expect(button).to_contain_text(answer)
        expect(button).to_be_in_viewport(ratio=1)
    expect(results).to_have_count(0)
    expect(page.locator(".st-key-says")).to_have_count(0)
    expect(page.get_by_test_id("stCode").or_(page.locator("pre.lines")).locator("visible=true")).to_have_count(0)
    title, menu = page.locator(".st-key-scene p").first.bounding_box(), page.get_by_test_id("stExpandSidebarButton")
    assert menu.bounding_box()["y"] + menu.bounding_box()["height"] <= title["y"]
    offered.first.click()
    expect(page.locator(".st-key-says")).to_be_visible()
    expect(results.first).to_be_visible()
    expect(offered).to_have_count(0)
    if len(answers) > 1:
        expect(page.locator(".st-key-says p").first).to_have_text(f"You chose {answers[0].replace(' ', ': ', 1)}.")
    page.locator(".st-key-scene").get_by_role("button", name="Next").click()
    expect(offered.first).to_be_visible()  # the next scene asks as well
