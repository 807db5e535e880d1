"""The start of the app: all pages are imported before the server answers."""

import subprocess
import sys

import pytest

from house_rules import check_rule
from serving import PAGES, ROOT

# The style of the menu imports the pages too. It is left out here, because the start must import them by itself.
STARTED = """
import asyncio, sys
from pages.shared.site import menu
menu.style = lambda: ""
import app

async def start():
    async with app.import_everything(app.app):
        print(*sorted(name for name in sys.modules if name.startswith("pages.") and name[6].isdigit()))

asyncio.run(start())
"""


@pytest.mark.long
def test_all_pages_are_imported_before_the_server_answers():
    command = [sys.executable, "-W", "ignore", "-c", STARTED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    imported = {f"{name.replace('.', '/')}.py" for name in done.stdout.split()}
    check_rule(
        {page.script for page in PAGES} - imported,
        "All pages are imported before the server answers.",
        "call `catalogue()` in import_everything of app.py.",
    )
