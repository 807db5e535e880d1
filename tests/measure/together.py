"""How long visitors who move a slider every two seconds wait while other visitors ask for long work."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable

from streamlit.proto.BackMsg_pb2 import BackMsg

from measure.capacity import keep_moving, seconds_for_most
from serving import Server, serve

OTHERS = ["scaling", "softmax_axes", "your_sentence"] * 4
MOST = 10  # visitors who ask for work at the same time
Work = Callable[[Server, float, list[float], asyncio.Barrier], Awaitable[None]]


def tick_message(fragment_id: str, page: str = "", query: str = "") -> BackMsg:
    """Return the message by which a browser asks for a part of a page to be drawn again."""
    asked = BackMsg()
    asked.rerun_script.page_script_hash, asked.rerun_script.query_string = page, query
    asked.rerun_script.fragment_id = fragment_id
    asked.rerun_script.is_auto_rerun = True
    return asked


def compare(about: str | None, page: str, work: Work, doing: str, seconds: float) -> None:
    """Print how long visitors wait while others ask for long work on the page `page`.

    There are three rounds: no visitor, one visitor and many visitors ask for long work. `work` is the function that
    asks, and `doing` is a word for it in the output. `about` is the text of `--help`. The command line may say how
    many visitors there are, and for how many seconds a round lasts.
    """
    parser = ArgumentParser(description=about)
    parser.add_argument("--visitors", type=int, default=MOST, help="how many work at the same time")
    parser.add_argument("--seconds", type=float, default=seconds, help="of each of the three rounds")
    chosen = parser.parse_args()
    waits = list[float]()

    async def visit(server: Server, name: str, seconds: float, of_others: list[float], all_here: asyncio.Barrier):
        if name == page:
            await work(server, seconds, waits, all_here)
        else:
            await keep_moving(server, name, seconds, of_others, all_here)

    with serve() as server:
        for n in (0, 1, chosen.visitors):
            waits.clear()
            within = 1000 * seconds_for_most(visit, server, [*OTHERS, *[page] * n], chosen.seconds)
            answers = f"{len(waits)} answers, the slowest after {max(waits):.1f} s" if waits else "none"
            print(f"{n:>2} {doing}: others 95 % within {within:4.0f} ms; {answers}", flush=True)
