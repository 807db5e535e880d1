"""Many visitors at the same time, without browsers. Each uses Streamlit's own protocol over a WebSocket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from serving import PAGES, Server, serve

Result = TypeVar("Result")
PATIENCE = 60  # seconds that a run of a page may take


@dataclass(frozen=True)
class Answer:
    """What a visitor receives after opening a page: the page's name, the number of elements, and error messages."""

    page: str
    elements: int
    errors: tuple[str, ...]


def connect_visitor(server: Server, visitor: str = ""):
    """Open a connection of one visitor to the server, for a `with` block.

    Nginx recognises a visitor by the value of a cookie. This value is `visitor`.
    """
    url = f"{server.url.replace('http', 'ws', 1)}/_stcore/stream"
    headers = {"Cookie": f"attention_lab={visitor}"} if visitor else {}
    return connect(url, subprotocols=["streamlit"], max_size=None, additional_headers=headers)  # type: ignore[list-item]


async def open_page(server: Server, page: str, query: str = "", visitor: str = "") -> Answer:
    """Open a page over a new connection, as a new visitor does, and return what the visitor receives."""
    async with connect_visitor(server, visitor) as socket:
        return await ask(socket, page, query)


async def ask(socket, page: str, query: str = "") -> Answer:
    """Open a page over `socket`, an open connection of a visitor, and return what the visitor receives.

    Wait until the script of the page has ended.
    """
    elements, errors = 0, list[str]()
    async for message in messages_of_run(socket, opening_message(page, query)):
        elements += message.WhichOneof("type") == "delta"
        errors += error_in(message)
    return Answer(page, elements, tuple(errors))


def error_in(message: ForwardMsg) -> list[str]:
    """Return a list with the error message that a server's message shows to a visitor, or an empty list."""
    element = message.delta.new_element
    wrong = element.WhichOneof("type") == "exception" or element.alert.format == Alert.ERROR
    return [element.exception.message or element.alert.body] * wrong


def opening_message(page: str, query: str = "") -> BackMsg:
    """Return the message by which a browser opens a page. `query` is the part of the address after "?"."""
    asked = BackMsg()
    asked.rerun_script.page_name = "" if page == "home" else page
    asked.rerun_script.query_string = query
    return asked


async def messages_of_run(socket, request: BackMsg) -> AsyncIterator[ForwardMsg]:
    """Send the message `request`, which asks for a run of the script.

    Yield the answers of the server until this run ends.
    """
    await socket.send(request.SerializeToString())
    async with asyncio.timeout(PATIENCE):
        while True:
            message = ForwardMsg.FromString(await socket.recv())
            if is_the_end(message):
                return
            yield message


def is_the_end(message: ForwardMsg) -> bool:
    """Return whether this message of the server says that the script has run to its end.

    If the script stops early because it must run again, the answer is no: the second run still follows.
    """
    ended = message.WhichOneof("type") == "script_finished"
    return ended and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN


async def come_at_once(server: Server, n_visitors: int) -> Sequence[Answer]:
    """Let `n_visitors` visitors open different pages at the same moment.

    Return what each visitor receives, in order.
    """
    pages = [PAGES[i % len(PAGES)].name for i in range(n_visitors)]
    return await asyncio.gather(*(open_page(server, page, visitor=f"v{i}") for i, page in enumerate(pages)))


def first_visitors(n_visitors: int) -> Sequence[Answer]:
    """Start a server, let its first visitors come at the same moment, and return what each of them receives."""
    with serve() as server:
        return run(come_at_once(server, n_visitors))


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a thread of its own, and return its result.

    The tests in a browser already have an event loop in their own thread.
    """
    with ThreadPoolExecutor() as apart:
        return apart.submit(asyncio.run, coroutine).result()
