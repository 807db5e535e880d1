"""Run the containers of `.hosting` and check what they promise: `python tests/containers.py`.

It needs a container engine with `docker compose` and buildx (tried: Docker Engine 26.1, Compose 2.26), the two base
images that `.hosting` names or a registry to pull them from, Chromium or Chrome, and 3 GB of disk. It takes four to
seven minutes, listens on port 8480, and removes its containers at the end. It does not touch a running `attention-lab`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from playwright.sync_api import Browser, Page, expect

from browser.equation import cell
from browsing import download_state, launch, new_tab, record_problems, settle, shown_exceptions, upload_state
from serving import PAGES, ROOT, is_healthy

PORT = 8480
SITE = f"http://127.0.0.1:{PORT}"
PROJECT = "attention-lab-tried"
VISITORS, DOWNLOADS = 6, 2
COOKIE = "attention_lab"  # names the container of a visitor
EDITED = "/queries_keys_values?example=hand&x=5,0,0,2,0;1,0,1,0,0;0,1,0,1,1"
CONNECTED = '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'
START_LIMIT = 120  # seconds
RIGHTS = """
import json, os
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
def writable(folder):
    try:
        open(folder + "/written", "w").close()
    except OSError as error:
        return error.strerror
    return "writable"
print(json.dumps({
    "user": os.getuid(), "rights": int(status["CapEff"], 16) | int(status["CapBnd"], 16),
    "no new rights": status["NoNewPrivs"].strip(), "/app": writable("/app"), "/tmp": writable("/tmp"),
}))
"""
HELD = {"user": 65534, "rights": 0, "no new rights": "1", "/app": "Read-only file system", "/tmp": "writable"}


def docker(*arguments: str, path: str = "", check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a docker command, and return the completed process.

    If `check` is true and the command fails, exit with its output. `path` is the path of the address under which the
    app is served, such as "/lab".
    """
    settings = {"PORT": str(PORT), "STREAMLIT_SERVER_BASE_URL_PATH": path.strip("/")}
    done = subprocess.run(["docker", *arguments], cwd=ROOT, env=os.environ | settings, capture_output=True, text=True)
    if check and done.returncode:
        sys.exit(f"docker {' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return done


def compose(*arguments: str, path: str = "") -> str:
    """Run a command of `docker compose` for the containers of `.hosting`, and return its output."""
    return docker("compose", "-p", PROJECT, "-f", ".hosting/compose.yaml", *arguments, path=path).stdout


def app_ids() -> list[str]:
    """Return the ids of the app's running containers."""
    return compose("ps", "--quiet", "--status", "running", "app").split()


def start(count: int, path: str = "") -> None:
    """Build and start `count` containers of the app, and wait until the site answers.

    `path` is the path of the address under which the app is served, such as "/lab".
    """
    compose("up", "--build", "--detach", "--scale", f"app={count}", path=path)
    deadline = time.monotonic() + START_LIMIT
    while not is_healthy(SITE + path):
        if time.monotonic() > deadline:
            sys.exit(f"nothing answers on port {PORT}:\n{compose('logs', '--tail', '20')}")
        time.sleep(0.2)
    assert len(app_ids()) == count, app_ids()


def check_rights() -> str:
    """Check that every container runs without special rights and can write only into /tmp.

    Return what was found, as text.
    """
    found = [json.loads(docker("exec", app, "python", "-c", RIGHTS).stdout) for app in app_ids()]
    assert found == [HELD] * len(found), found
    return str(HELD)


def check_memory_limit() -> str:
    """Check that a process that takes too much memory is ended, and that its container continues to run.

    Return what was found, as text.
    """
    (app, *_) = app_ids()
    grown = docker("exec", app, "python", "-c", "bytearray(2 * 10**9)", check=False)
    assert grown.returncode == 137, grown
    assert app in app_ids()
    return f"2 GB ended with exit code {grown.returncode}; the container goes on"


def check_every_page(browser: Browser, site: str = SITE) -> str:
    """Check that every page opens without an error. Return a text for the report."""
    page = new_tab(browser, site)
    problems = record_problems(page)
    for each in PAGES:
        page.goto(site + each.url)
        expect(settle(page).locator("h1")).to_have_count(1)
        problems += shown_exceptions(page)
    page.context.close()
    assert problems == [], problems
    return f"{len(PAGES)} pages, no error, nothing asked of another host"


def check_cookies() -> str:
    """Check that all requests with the same cookie reach the same container. Return a text for the report."""
    given = {_container() for _ in range(4 * len(app_ids()))}
    assert len(given) == len(app_ids()), given
    for cookie in given:
        assert {_container(cookie) for _ in range(12)} == {cookie}
    return f"{len(given)} cookies for {len(app_ids())} containers, each kept for 12 requests"


def _container(cookie: str = "") -> str:
    asked = Request(f"{SITE}/_stcore/health", headers={"Cookie": cookie})
    with urlopen(asked) as answer:
        return next(given.split(";")[0] for given in answer.headers.get_all("Set-Cookie") if f"{COOKIE}=" in given)


@contextmanager
def visitors(browser: Browser, site: str = SITE) -> Iterator[list[Page]]:
    """Open a page with an edited number in several tabs, and give the tabs to the `with` block.

    At the end of the block, check that each tab still shows the edited number and no error.
    """
    pages = [new_tab(browser, site) for _ in range(VISITORS)]
    for page in pages:
        page.goto(EDITED)
        settle(page)
    yield pages
    for page in pages:
        expect(cell(page, "x", 0, 0)).to_have_text("5")
        assert shown_exceptions(page) == []
        page.context.close()


def check_downloads_and_uploads(pages: list[Page]) -> str:
    """Let each visitor download their state and upload it again. Return a text for the report.

    The visitors take turns, so that other visitors act between any two steps of one visitor.
    """
    with TemporaryDirectory() as folder:
        for round_ in range(DOWNLOADS):
            for i, page in enumerate(pages):
                expect(page.locator(CONNECTED)).to_have_count(1)
                download_state(settle(page), Path(folder) / f"{round_}_{i}.json")
                page.keyboard.press("Escape")
        for i, page in enumerate(pages):
            upload_state(page, Path(folder) / f"{DOWNLOADS - 1}_{i}.json")
            expect(page.get_by_role("dialog")).to_have_count(0)
            settle(page)
    return f"{DOWNLOADS * len(pages)} downloads, {len(pages)} uploads"


def check_after(change: Callable[[], object], browser: Browser) -> str:
    """Call `change`, which changes the containers, while pages are open.

    Then check that downloads and uploads still work. Return a text for the report.
    """
    with visitors(browser) as pages:
        changed = change()
        for page in pages:
            page.wait_for_timeout(1000)
            expect(page.locator(CONNECTED)).to_have_count(1)
        return f"{changed or len(app_ids())}: {check_downloads_and_uploads(pages)}"


def check_class(browser: Browser) -> str:
    """Check that a class can answer in a room while one container is killed. All containers share the room.

    Return a text for the report.
    """
    lecturer = new_tab(browser, SITE)
    lecturer.goto("/softmax_axes?scene=3")
    settle(lecturer).get_by_role("button", name="Ask the class").first.click()
    expect(lecturer.get_by_text("0 answered")).to_be_visible()
    students = [new_tab(browser, SITE) for _ in range(VISITORS)]
    for student in students:
        student.goto(urlsplit(lecturer.url)._replace(scheme="", netloc="").geturl())
        student.get_by_role("button", name="each row").click()
        expect(student.get_by_text("Your answer arrived")).to_be_visible()
    expect(lecturer.get_by_text(f"{VISITORS} answered")).to_be_visible()
    cookies = [cookie for each in students for cookie in each.context.cookies()]
    reached = {cookie.get("value") for cookie in cookies if cookie.get("name") == COOKIE}
    kill_one()
    settle(lecturer).get_by_role("button", name="Show the results").click()
    expect(lecturer.locator(".st-key-room_bars")).to_contain_text(f"A: each row · {VISITORS}")
    for student in students:
        expect(student.get_by_text("Right.")).to_be_visible()
    for page in (lecturer, *students):
        assert shown_exceptions(page) == []
        page.context.close()
    return f"{VISITORS} answers through {len(reached)} containers, one of which was killed before the result"


def kill_one() -> str:
    """Kill one container, and return a text that says how many containers are left."""
    docker("kill", app_ids()[0])
    return f"{len(app_ids())} are left"


def checks(browser: Browser) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the title of each check and the function that does it, in order."""
    yield "build and start three", lambda: start(3)
    yield "no rights, read-only", check_rights
    yield "memory limit", check_memory_limit
    yield "all pages", lambda: check_every_page(browser)
    yield "one cookie, one container", check_cookies
    yield "three stay three", lambda: check_after(lambda: None, browser)
    yield "scale to six", lambda: check_after(lambda: start(6), browser)
    yield "scale to three", lambda: check_after(lambda: start(3), browser)
    yield "a class in a room", lambda: check_class(browser)
    yield "three again", lambda: start(3)
    yield "kill one", lambda: check_after(kill_one, browser)
    yield "stop", lambda: compose("down")
    yield "under the path /lab", lambda: start(2, "/lab")
    yield "all pages under it", lambda: check_every_page(browser, f"{SITE}/lab")


def main() -> None:
    if not shutil.which("docker") or docker("compose", "version", check=False).returncode:
        sys.exit("install a container engine with `docker compose`, such as Debian's docker.io and docker-compose")
    with launch() as browser:
        if browser is None:
            sys.exit("no Chromium or Chrome on this machine: install one")
        try:
            for name, check in checks(browser):
                began = time.monotonic()
                said = check()
                print(f"{name}: {said or 'done'} ({time.monotonic() - began:.0f} s)", flush=True)
        finally:
            compose("down", "--volumes")


if __name__ == "__main__":
    main()
