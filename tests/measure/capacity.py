"""How many visitors one process can serve, and with `--soak MINUTES` whether its memory grows.

Each visitor has one page open and, once all pages are open, moves a slider every two seconds. The result is the
greatest number of visitors who get 95 % of their answers within half a second. An app of one slider is measured in the
same run. With `--soak`, 60 visitors of different pages stay for so many minutes, and the memory is printed every
minute.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.Slider_pb2 import Slider

from crowd import ask, connect_visitor, error_in, messages_of_run, opening_message, run
from measure.benchmark import one_slider_app
from serving import PAGES, ROOT, Server, serve

PAUSE = 2  # seconds from one move of a visitor to the next
CROWDS = (50, 100, 150)
PERIOD = 15  # seconds of one measurement
SOAK = 60  # visitors
PANEL = "attention_lab_panel"  # the name of a component
OPENED = {
    "scaling": "look=draws",
    "softmax_axes": "look=temperature",
    "positional_encoding": "look=formulas",
    "your_sentence": "source=typed",
    "next_word": "",
    "training_step": "",
}
EDITED = "example=hand&x={n},0,0,2,0;1,0,1,0,0;0,1,0,1,1"


async def first_slider(socket, page: str) -> Iterator[BackMsg]:
    """Open a page, and return the messages by which a browser says that its first slider was moved, again and again."""
    deltas = [message.delta async for message in messages_of_run(socket, opening_message(page, OPENED.get(page, "")))]
    sliders = [moves for delta in deltas for moves in moves_of_sliders(delta)]
    if not sliders:
        raise RuntimeError(f"{page}: it has no slider")
    return sliders[0]


def moves_of_sliders(delta: Delta) -> Iterator[Iterator[BackMsg]]:
    """Yield the moves of each slider in an element: of Streamlit's own, or of those in a panel."""
    element = delta.new_element
    if element.WhichOneof("type") == "slider":
        yield slider_moves(element.slider, delta.fragment_id)
    elif element.bidi_component.component_name == PANEL:
        (data,) = json.loads(element.bidi_component.json)
        for item in data["items"]:
            if item["kind"] == "range":
                yield range_moves(element.bidi_component.id, item, delta.fragment_id)


def slider_moves(slider: Slider, fragment_id: str) -> Iterator[BackMsg]:
    """Yield messages that a slider of Streamlit was moved to a random place, for a run of a part of the page."""
    while True:
        asked = BackMsg()
        asked.rerun_script.fragment_id = fragment_id
        state = asked.rerun_script.widget_states.widgets.add(id=slider.id)
        state.double_array_value.data.append(random_place(slider.min, slider.max, slider.step))
        yield asked


def range_moves(panel: str, item: Mapping[str, Any], fragment_id: str) -> Iterator[BackMsg]:
    """Yield messages that a slider in the panel with the id `panel` was moved to a random place."""
    for sequence in count(1):
        place = random_place(item["low"], item["high"], item["step"])
        text = item["texts"][place] if "texts" in item else str(place)
        told = {"kind": "set", "value": place} if "setting" in item else {"kind": "choose", "text": text}
        event = {**told, "name": item["name"], "sequence": sequence}
        asked = BackMsg()
        asked.rerun_script.fragment_id = fragment_id
        state = asked.rerun_script.widget_states.widgets.add(id=panel)
        state.json_value = json.dumps({"events": {"instance": "a browser", "generation": 0, "list": [event]}})
        yield asked


def random_place(low: float, high: float, step: float) -> float:
    """Return a random number on which a slider can rest."""
    return round(low + random.randint(0, round((high - low) / step)) * step, 6)


async def keep_moving(server: Server, page: str, seconds: float, waits: list[float], all_here: asyncio.Barrier) -> None:
    """Open a page, and move its slider again and again for `seconds`. Add the seconds that each answer took to `waits`.

    `all_here` lets all visitors begin at the same time.
    """
    await asyncio.sleep(random.random() * PAUSE)
    async with connect_visitor(server) as socket:
        moves = await first_slider(socket, page)
        await all_here.wait()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await asyncio.sleep(random.uniform(0.5, 1.5) * PAUSE)
            began = time.monotonic()
            changed = [message async for message in messages_of_run(socket, next(moves))]
            waits.append(time.monotonic() - began)
            wrong = [error for message in changed for error in error_in(message)]
            if wrong or not changed:
                raise RuntimeError(f"{page}: {wrong or 'nothing was drawn again'}")


async def keep_editing(
    server: Server, page: str, seconds: float, waits: list[float], all_here: asyncio.Barrier
) -> None:
    """Open a page, and edit X in its address again and again. Add the seconds that each answer took to `waits`.

    `all_here` lets all visitors begin at the same time.
    """
    n, end = random.randrange(1000), time.monotonic() + seconds
    async with connect_visitor(server) as socket:
        await all_here.wait()
        while time.monotonic() < end:
            began, n = time.monotonic(), n + 1
            answer = await ask(socket, page, EDITED.format(n=n % 40))
            if answer.errors:
                raise RuntimeError(f"{page}: {answer.errors[0]}")
            waits.append(time.monotonic() - began)
            await asyncio.sleep(random.uniform(0.5, 1.5) * PAUSE)


def seconds_for_most(visit, server: Server, pages: Sequence[str], seconds: float) -> float:
    """Return the seconds within which 95 % of the answers came, with one visitor for each of these pages.

    `visit` is what each visitor does, such as `keep_moving`.
    """
    waits = list[float]()

    async def all_at_once() -> None:
        all_here = asyncio.Barrier(len(pages))
        await asyncio.gather(*(visit(server, page, seconds, waits, all_here) for page in pages))

    run(all_at_once())
    return sorted(waits)[int(0.95 * len(waits))]


def memory_of(pid: int) -> float:
    """Return the memory that a process uses, in MiB."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 2**20


def print_capacity(crowds: Sequence[int], seconds: float) -> None:
    """Print within how many milliseconds 95 % of the answers came, for each page and each number of visitors."""
    print(f"95 % of the answers within, in ms, at one move in {PAUSE} s; visitors: {', '.join(map(str, crowds))}")
    with serve() as app, one_slider_app(ROOT / ".streamlit") as smallest:
        for name, server in [*((page, app) for page in OPENED), ("one slider", smallest)]:
            page = name if server is app else "home"
            within = [1000 * seconds_for_most(keep_moving, server, [page] * n, seconds) for n in crowds]
            print(f"  {name:<22}", *(f"{each:8.0f}" for each in within), flush=True)


def print_soak(minutes: int) -> None:
    """Print every minute how much memory the app uses while visitors edit pages."""
    pages = [PAGES[n % len(PAGES)].name for n in range(SOAK)]
    with serve() as app:
        for minute in range(1, minutes + 1):
            within = 1000 * seconds_for_most(keep_editing, app, pages, 60)
            print(f"  minute {minute:>3}: {memory_of(app.pid):6.0f} MiB, 95 % within {within:4.0f} ms", flush=True)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, nargs="+", default=CROWDS, help="how many come in each round")
    parser.add_argument("--seconds", type=float, default=PERIOD, help="that each round lasts")
    parser.add_argument("--soak", type=int, metavar="MINUTES", help=f"let {SOAK} visitors stay for so long instead")
    chosen = parser.parse_args()
    if chosen.soak:
        print_soak(chosen.soak)
    else:
        print_capacity(chosen.visitors, chosen.seconds)


if __name__ == "__main__":
    main()
