"""Pictures of the first screen of each page, or with `--all` of every view in every look."""

from argparse import ArgumentParser
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, Page

from browsing import launch, new_tab, settle
from serving import PAGES, PageFile, serve

WIDTHS = (390, 1280, 1920)
CONTENT_HEIGHT = """document.querySelector('[data-testid="stMain"]').scrollHeight"""


def open_page(browser: Browser, url: str, path: str, *, dark: bool = False, width: int = 1280) -> Page:
    """Open a page in a new tab, wait until it no longer changes, and return the tab."""
    page = new_tab(browser, url, dark=dark, width=width, height=900)
    page.goto(path)
    page.evaluate("document.fonts.ready.then(() => null)")
    return settle(page)


def save(page: Page, path: Path) -> None:
    """Write a picture of the page into a file, and close the tab."""
    page.screenshot(path=path, animations="disabled")
    page.context.close()
    print(path)


def save_first_screens(browser: Browser, url: str, pages: Sequence[PageFile], folder: Path) -> None:
    """Write a picture of the first screen of each page."""
    for page_file in pages:
        save(open_page(browser, url, page_file.url), folder / f"{page_file.name}.png")


def save_every_look(browser: Browser, url: str, pages: Sequence[PageFile], folder: Path) -> None:
    """Write a picture of each view of each page from top to bottom, light and dark, in three widths.

    The widths are those of a phone, a laptop and a projector.
    """
    from pagesutil import views_of

    views = [view for page_file in pages for view in views_of(page_file)]
    for path, dark, width in product(views, (False, True), WIDTHS):
        page = open_page(browser, url, path, dark=dark, width=width)
        # Streamlit scrolls inside the page, so the window has to be as high as the content.
        page.set_viewport_size({"width": width, "height": page.evaluate(CONTENT_HEIGHT)})
        settle(page)
        save(
            page,
            folder / f"{path.strip('/').replace('?look=', '-') or 'home'}-{'dark' if dark else 'light'}-{width}.png",
        )


def main() -> None:
    parser, named = ArgumentParser(description=__doc__), {page.name: page for page in PAGES}
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--all", action="store_true", help="every view, light and dark, at 390, 1280 and 1920")
    parser.add_argument("--pages", nargs="+", choices=named, default=[*named], metavar="PAGE", help="the pages' names")
    chosen = parser.parse_args()
    pages = [named[name] for name in chosen.pages]
    with launch() as browser, serve() as app:
        if browser is None:
            raise SystemExit("no Chromium or Chrome on this machine")
        if chosen.all:
            save_every_look(browser, app.url, pages, chosen.folder)
        else:
            save_first_screens(browser, app.url, pages, chosen.folder)


if __name__ == "__main__":
    main()
