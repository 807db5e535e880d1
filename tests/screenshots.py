"""Pictures of every page: `python tests/screenshots.py` for the README's, with `--all FOLDER` for every look."""

from argparse import ArgumentParser
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, Page

from browsing import launch, new_tab, settled
from serving import PAGES, ROOT, serve

README_IMAGES = ROOT / ".github" / "images"
WIDTHS = (390, 1280, 1920)
CONTENT_HEIGHT = """document.querySelector('[data-testid="stMain"]').scrollHeight"""


def open_page(browser: Browser, url: str, path: str, *, dark: bool = False, width: int = 1280) -> Page:
    page = new_tab(browser, url, dark=dark, width=width, height=900)
    page.goto(path)
    page.evaluate("document.fonts.ready.then(() => null)")
    return settled(page)


def save(page: Page, path: Path) -> None:
    page.screenshot(path=path, animations="disabled")
    page.context.close()
    print(path)


def readme_images(browser: Browser, url: str) -> None:
    """The first screenful of each page."""
    for page_file in PAGES:
        save(open_page(browser, url, page_file.url), README_IMAGES / f"{page_file.name}.png")


def every_look(browser: Browser, url: str, folder: Path) -> None:
    """Each view of each page from top to bottom, light and dark, on a phone, a laptop and a projector."""
    from pagesutil import VIEWS

    for path, dark, width in product(VIEWS, (False, True), WIDTHS):
        page = open_page(browser, url, path, dark=dark, width=width)
        # Streamlit scrolls inside the page, so the window has to grow to its content.
        page.set_viewport_size({"width": width, "height": page.evaluate(CONTENT_HEIGHT)})
        settled(page)
        save(
            page,
            folder / f"{path.strip('/').replace('?look=', '-') or 'home'}-{'dark' if dark else 'light'}-{width}.png",
        )


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="every page, light and dark, at 390, 1280 and 1920")
    folder = parser.parse_args().all
    with launch() as browser, serve() as app:
        if browser is None:
            raise SystemExit("no Chromium or Chrome on this machine")
        if folder:
            every_look(browser, app.url, folder)
        else:
            readme_images(browser, app.url)


if __name__ == "__main__":
    main()
