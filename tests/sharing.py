"""The Share dialog in a browser, in which a visitor downloads a state of a page and opens it again."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from browsing import settle


def share(page: Page) -> Locator:
    """Open the Share dialog, wait until its QR code is drawn, and return the dialog."""
    page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("img", name="QR code").or_(dialog.get_by_text("Download it as a file"))).to_be_visible()
    settle(page)
    return dialog


def download_state(page: Page, file: Path) -> str:
    """Download the state of the page into a file, and return the name that the app suggests for the file."""
    with page.expect_download() as download:
        share(page).get_by_role("button", name="Download this state").click()
    download.value.save_as(file)
    return download.value.suggested_filename


def upload_state(page: Page, file: Path) -> None:
    """Upload a downloaded file with a state in the Share dialog, so that the app opens this state."""
    share(page).locator('input[type="file"]').set_input_files(file)
