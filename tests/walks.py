"""Fast random input over a slow connection: `python tests/walks.py [WALKS]`.

It says for each walk, a series of random actions, whether the screen at the end shows the same as its link. With
`--cloud`, the server has the settings of Streamlit Community Cloud, and one walk begins on each page.
"""

from __future__ import annotations

import asyncio
import random
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page

from browsing import launch, new_tab, settle
from serving import COMMUNITY_CLOUD, NO_SETTINGS, PAGES, Server, serve

WALKS = 100
STEPS = 12
ONE_WAY = 0.15  # seconds that data take to arrive, in each direction
SLOW = 700  # after so many milliseconds without a change, all answers have arrived

# Finds one of the page's controls: a choice, a slider, or a cell that can be edited.
TAKE_HOLD = """
(n) => {
  const main = document.querySelector('[data-testid="stMain"]')
  const equations = [...main.querySelectorAll('[data-testid="stBidiComponentIsolated"]')].map((e) => e.shadowRoot)
  const cells = equations.filter(Boolean).flatMap((root) => [...root.querySelectorAll("figure.editable td.cell")])
  const choices = [...main.querySelectorAll('[role="radio"], button[aria-pressed], input[type="range"]')]
  const handles = [...choices, ...cells].filter((handle) => handle.checkVisibility() && !handle.disabled)
  const handle = handles[n % handles.length]
  if (!handle) return "nothing" // the page is being drawn
  handle.focus()
  handle.click()
  return handle.matches("td") ? "cell" : handle.matches("input[type=range]") ? "slider" : "choice"
}
"""
KEYS = {"cell": ["7", "Enter"], "slider": ["ArrowRight", "ArrowRight"], "choice": [], "nothing": []}


def walk(page: Page, steps: random.Random) -> list[str]:
    """Use controls of a page at random, one after another, without waiting for an answer. Return their kinds.

    `steps` is the random generator.
    """
    taken = list[str]()
    for _ in range(STEPS):
        taken.append(page.evaluate(TAKE_HOLD, steps.randrange(10**6)))
        for key in KEYS[taken[-1]]:
            page.keyboard.press(key)
        page.wait_for_timeout(steps.randrange(120))
    return taken


def shown(page: Page) -> dict[str, list[str]]:
    """Return what the page shows: numbers in equations, chosen options, pressed buttons, and values of sliders."""
    return {
        "numbers": page.locator("td.cell").evaluate_all("cells => cells.map((cell) => cell.title.split('\\n')[0])"),
        "chosen": page.get_by_role("radio", checked=True).all_inner_texts(),
        "pressed": page.get_by_role("button", pressed=True).all_inner_texts(),
        "sliders": page.locator("input[type=range]").evaluate_all("all => all.map((each) => each.value)"),
    }


def ends_where_its_link_begins(browser: Browser, server: Server, far: Server, seed: int, start: str = "") -> bool:
    """Use controls of a page at random. Return whether the page's link then opens a page that shows the same.

    `far` is the server over a slow connection, on which the controls are used, and `server` opens the link. `start` is
    the address to begin at; if it is empty, begin on a random page. `seed` decides all random choices.
    """
    steps = random.Random(seed)
    page, again = new_tab(browser, far.url), new_tab(browser, server.url)
    page.goto(far.url + (start or steps.choice(PAGES).url))
    settle(page)
    taken = walk(page, steps)
    ended, link = shown(settle(page, quiet=SLOW)), page.url.removeprefix(far.url)
    again.goto(server.url + link)
    same = shown(settle(again)) == ended
    print(f"walk {seed}: {link} {'ok' if same else f'shows something else after {taken}'}", flush=True)
    page.context.close()
    again.context.close()
    return same


@contextmanager
def delayed_server(server: Server, seconds: float = ONE_WAY) -> Iterator[Server]:
    """Give the `with` block a server whose data arrives `seconds` later in each direction."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    port = urlsplit(server.url).port
    starting = asyncio.start_server(_relay_handler(port, seconds), "127.0.0.1", 0)
    relay = asyncio.run_coroutine_threadsafe(starting, loop).result()
    try:
        yield Server(f"http://127.0.0.1:{relay.sockets[0].getsockname()[1]}", server.pid)
    finally:
        asyncio.run_coroutine_threadsafe(_end(relay), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _relay_handler(port: int | None, seconds: float):
    """Return a function that handles a connection by passing on all data in both directions, `seconds` later.

    `port` is the port of the server. The function ends when one side closes the connection, or when it is cancelled.
    """

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection("127.0.0.1", port)
        try:
            await asyncio.gather(_pass_on(reader, to_server, seconds), _pass_on(from_server, writer, seconds))
        except asyncio.CancelledError:  # the `with` block has ended; Python 3.11 would report this
            pass
        finally:
            to_server.transport.abort()
            writer.transport.abort()

    return visit


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Pass on each piece of data in order, `seconds` after it has come, until one side ends."""
    pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    async def deliver() -> None:
        while True:
            due, piece = await pieces.get()
            await asyncio.sleep(due - loop.time())
            if not piece:
                return writer.close()
            writer.write(piece)

    delivering = asyncio.create_task(deliver())
    try:
        while piece := await reader.read(65536):
            pieces.put_nowait((loop.time() + seconds, piece))
    except ConnectionError:  # the browser has closed its tab
        pass
    pieces.put_nowait((loop.time() + seconds, b""))
    await delivering


async def _end(relay: asyncio.Server) -> None:
    """Accept no more connections, and close those that are still open."""
    relay.close()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.sleep(0)  # gives the sockets time to close


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("walks", type=int, nargs="?", default=WALKS)
    parser.add_argument("--cloud", action="store_true")
    asked = parser.parse_args()
    starts = [page.url for page in PAGES] if asked.cloud else [""] * asked.walks
    settings = COMMUNITY_CLOUD if asked.cloud else NO_SETTINGS
    with serve(settings=settings) as server, delayed_server(server) as far, launch() as browser:
        if browser is None:
            sys.exit("no Chromium or Chrome on this machine: install one")
        same = [ends_where_its_link_begins(browser, server, far, *walk) for walk in enumerate(starts)]
    sys.exit(f"{same.count(False)} of {len(same)} walks ended elsewhere" if not all(same) else 0)


if __name__ == "__main__":
    main()
