"""Many visitors at once, without browsers: each speaks Streamlit's own protocol over a WebSocket.

Alone, `python tests/crowd.py` lets 20 first visitors come at the same moment to each of five fresh servers.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from serving import PAGES, Server, serve

VISITORS, SERVERS = 20, 5
PATIENCE = 60  # seconds until a run of a page must have ended


@dataclass(frozen=True)
class Answer:
    """What a visitor got for opening a page."""

    page: str
    elements: int
    errors: tuple[str, ...]


async def open_page(server: Server, page: str, query: str = "") -> Answer:
    """Open a page as a browser does that has just come, and wait until its run has ended."""
    address = urlsplit(server.url).netloc
    async with connect(f"ws://{address}/_stcore/stream", subprotocols=["streamlit"], max_size=None) as socket:  # type: ignore[list-item]
        asked = BackMsg()
        asked.rerun_script.page_name = "" if page == "home" else page
        asked.rerun_script.query_string = query
        await socket.send(asked.SerializeToString())
        async with asyncio.timeout(PATIENCE):
            return await _answer(socket, page)


async def _answer(socket, page: str) -> Answer:

    elements, errors = 0, list[str]()
    while True:
        message = ForwardMsg.FromString(await socket.recv())
        if message.WhichOneof("type") == "script_finished":
            return Answer(page, elements, tuple(errors))
        element = message.delta.new_element
        elements += message.WhichOneof("type") == "delta"
        if element.WhichOneof("type") == "exception" or element.alert.format == Alert.ERROR:
            errors.append(element.exception.message or element.alert.body)


async def come_at_once(server: Server, n_visitors: int) -> Sequence[Answer]:
    """Let visitors open different pages at the same moment."""
    pages = [PAGES[i % len(PAGES)].name for i in range(n_visitors)]
    return await asyncio.gather(*(open_page(server, page) for page in pages))


def first_visitors(n_visitors: int = VISITORS) -> Sequence[Answer]:
    """Return what the first visitors of a fresh server got, who all came at the same moment."""
    with serve() as server, ThreadPoolExecutor() as apart:  # a thread of its own, since a browser's may have a loop
        return apart.submit(asyncio.run, come_at_once(server, n_visitors)).result()


def main() -> None:
    answers = [answer for _ in range(SERVERS) for answer in first_visitors()]
    failed = [answer for answer in answers if answer.errors]
    print(f"{len(answers)} first visitors of {SERVERS} fresh servers: {len(failed)} saw an error")
    sys.exit("\n".join(str(answer) for answer in failed) or 0)


if __name__ == "__main__":
    main()
