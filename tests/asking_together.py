"""Visitors who ask the language model at the same time, and what the others notice: `python tests/asking_together.py`.

Those who ask write one text of 31 tokens after the other; each has to be answered anew. The others move a slider every
two seconds. 95 % of the answers to these must come within 200 ms.
"""

from __future__ import annotations

import asyncio
import random
import time
from urllib.parse import urlencode

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from attention_core.language_model.role_texts import WORDS
from capacity import answered_within, move_on
from crowd import connected, opening
from serving import Server, serve
from training_together import answers, is_progress, is_timer, tick

ASKING, OTHERS = 10, ["scaling", "softmax_axes", "your_sentence"] * 4
SECONDS = 20
PAGE, TOKENS = "real_heads", 31


async def ask_on(server: Server, seconds: float, waits: list[float], all_here: asyncio.Barrier) -> None:
    """Ask again and again, and note how long each answer took."""
    async with connected(server) as socket:
        await answers(socket, opening(PAGE))
        await all_here.wait()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            text = "".join(f" {word}" for word in random.choices(WORDS, k=TOKENS))
            began = time.monotonic()
            drawn = await answers(socket, opening(PAGE, urlencode({"text": "own", "own": text})))
            timer = next((message.auto_rerun for message in drawn if is_timer(message)), None)
            if timer is None:
                raise RuntimeError("The page asks nothing: did somebody wait too long?")
            goes_on = True
            while goes_on and time.monotonic() < end:
                await asyncio.sleep(timer.interval)
                goes_on = any(map(is_progress, await answers(socket, tick(timer.fragment_id))))
            if not goes_on:
                await page_is_drawn(socket)
                waits.append(time.monotonic() - began)


async def page_is_drawn(socket) -> None:
    """Receive the page that is drawn anew after the last tick."""
    while ForwardMsg.FromString(await socket.recv()).WhichOneof("type") != "script_finished":
        pass


def main() -> None:
    asked = list[float]()

    async def visit(server: Server, page: str, seconds: float, waits: list[float], all_here: asyncio.Barrier) -> None:
        if page == PAGE:
            await ask_on(server, seconds, asked, all_here)
        else:
            await move_on(server, page, seconds, waits, all_here)

    with serve() as server:
        for n in (0, 1, ASKING):
            asked.clear()
            within = 1000 * answered_within(visit, server, [*OTHERS, *[PAGE] * n], SECONDS)
            longest = max(asked, default=0)
            print(
                f"{n:>2} ask: others 95 % within {within:4.0f} ms; {len(asked)} answers, the last after {longest:.1f} s"
            )


if __name__ == "__main__":
    main()
