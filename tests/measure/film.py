"""A short film for the README: somebody points at a number, clicks it and edits it, and other numbers change."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from browsing import launch, settle
from measure.screenshots import open_page
from serving import ROOT, serve

IMAGES = ROOT / ".github" / "images"
ADDRESS = "/softmax_axes?source=array"
WIDTH, HEIGHT = 1180, 600
COLOURS = 96


def steps(page: Page) -> Iterator[int]:
    """Change the page step by step. After each step, yield how many milliseconds the film shows it."""
    scores, shares = page.get_by_role("grid", name="editable").first, page.get_by_role("grid", name="Shares").first
    yield 1500
    share = shares.get_by_role("gridcell").nth(1)
    share.hover()
    yield 1800
    share.click()
    yield 2500
    page.get_by_role("button", name="Close").first.click()
    scores.get_by_role("gridcell").nth(1).focus()
    page.keyboard.type("4")
    yield 1200
    page.keyboard.press("Enter")
    page.mouse.move(0, 0)
    yield 3000


def film(page: Page, file: Path) -> None:
    """Write a picture of each step of the page into a file, as an animation."""
    pictures, durations = list[Image.Image](), list[int]()
    for duration in steps(page):
        taken = BytesIO(settle(page).screenshot(animations="disabled"))
        pictures.append(Image.open(taken).convert("RGB").quantize(COLOURS))
        durations.append(duration)
    pictures[0].save(file, save_all=True, append_images=pictures[1:], duration=durations, loop=0, optimize=True)
    print(f"{file}: {len(pictures)} pictures, {file.stat().st_size // 1000} kB")


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, metavar="FOLDER", default=IMAGES, help="where the film goes")
    folder = parser.parse_args().to
    with launch() as browser, serve() as app:
        if browser is None:
            raise SystemExit("no Chromium or Chrome on this machine")
        page = open_page(browser, app.url, ADDRESS, width=WIDTH)
        page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        film(settle(page), folder / "edit.gif")


if __name__ == "__main__":
    main()
