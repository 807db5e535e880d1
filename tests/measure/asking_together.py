"""How long others wait while ten visitors ask the language model at the same time.

Each of the ten asks with a sentence of their own, without a mistake and with one. They wait for the answer as their
browser does, and ask again. The others move a slider every two seconds. 95 % of the answers to the others must come
within 300 ms, and nobody who asks may be turned away.
"""

from __future__ import annotations

import asyncio
import time
from itertools import count
from urllib.parse import urlencode

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from crowd import connect_visitor, error_in, is_the_end, opening_message
from measure.together import compare, tick_message
from serving import Server

SECONDS = 30
PAGE = "real_model"
LONGEST = 90.0  # seconds that an asking visitor waits
MISTAKEN = "| with the mistake | "  # the beginning of a row of the table with the answers
TURNED_AWAY = ("You waited for", "An answer may take")

number = count()


async def keep_asking(server: Server, seconds: float, waits: list[float], all_here: asyncio.Barrier) -> None:
    """Ask the language model about one sentence after another for `seconds`. Add the seconds of each answer to `waits`.

    `all_here` lets all visitors begin at the same time.
    """
    await all_here.wait()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        await _ask(server, f"Visitor {next(number)} asks how warm the sea is in")
        waits.append(time.monotonic() - began)


async def _ask(server: Server, text: str) -> None:
    """Open "Mistakes and causes" with `text` as a new visitor, and wait for the language model's answer.

    The page draws its waiting part again and again. As a browser does, ask the server for this part each time.
    """
    query, page, timer = urlencode({"live": "on", "text": text}), "", None
    async with connect_visitor(server) as socket, asyncio.timeout(LONGEST):
        await socket.send(opening_message(PAGE, query).SerializeToString())
        while True:
            message = ForwardMsg.FromString(bytes(await socket.recv(decode=False)))
            _check(message)
            if _is_answer(message):
                return
            page = message.navigation.page_script_hash or page
            if message.WhichOneof("type") == "auto_rerun":
                timer = message.auto_rerun
            if is_the_end(message) and timer:
                await asyncio.sleep(timer.interval)
                await socket.send(tick_message(timer.fragment_id, page, query).SerializeToString())


def _check(message: ForwardMsg) -> None:
    said = message.delta.new_element.alert.body
    if wrong := [*error_in(message), *[said] * said.startswith(TURNED_AWAY)]:
        raise RuntimeError(f"{PAGE}: {wrong[0]}")


def _is_answer(message: ForwardMsg) -> bool:
    rows = message.delta.new_element.markdown.body.split("\n")
    return any(row.startswith(MISTAKEN) and "%" in row for row in rows)


if __name__ == "__main__":
    compare(__doc__, PAGE, keep_asking, "ask", SECONDS)
