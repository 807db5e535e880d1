"""A slow connection: a relay on this machine that delays all data in both directions."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from serving import Server

ONE_WAY = 0.15  # seconds


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
