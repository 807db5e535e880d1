"""The first bytes of a page: the links to its style and script, and what is sure of its first screen.

Streamlit sends the same almost empty file for each page. `answer` completes this file.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Awaitable, Callable, MutableMapping
from functools import cache, lru_cache
from typing import Any
from urllib.parse import parse_qs

from pages.shared.frame import equipment, first_screen, rehearsal
from pages.shared.frame.rehearsal import Part

_FONT = re.compile(r'href="(\./static/media/SourceSansVF-Upright[^"]*)"')
FOR_A_YEAR = b"public, immutable, max-age=31536000"  # the name of a file changes with its content
DROPPED = {b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"}
REPLACED = {b"etag", b"last-modified", b"content-length", b"accept-ranges"}

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


async def answer(app: Application, scope: Message, receive: Receive, send: Send) -> None:
    """Answer one request to Streamlit's server `app`, as the interface ASGI describes it."""
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
        await app(scope, receive, send)
        return
    name = scope["path"].rsplit("/", 1)[-1]
    if file := _files().get(name):
        await _send(send, {b"content-type": file.kind, b"cache-control": FOR_A_YEAR}, file, scope)
    elif "." in name or "/_stcore/" in scope["path"]:
        await app(scope, receive, send)
    else:
        await _send_page(app, scope, receive, send)


async def _send_page(app: Application, scope: Message, receive: Receive, send: Send) -> None:
    start: Message = {}
    body = bytearray()

    async def hold(message: Message) -> None:
        if message["type"] == "http.response.start":
            start.update(message)
            return
        body.extend(message.get("body", b""))
        if message.get("more_body"):
            return
        headers = dict(start["headers"])
        if start["status"] == 200 and headers.get(b"content-type", b"").startswith(b"text/html"):
            kept = {name: value for name, value in headers.items() if name not in REPLACED}
            await _send(send, kept, _page(bytes(body), *_asked_for(scope)), scope)
        else:
            await send(start)
            await send({"type": "http.response.body", "body": bytes(body)})

    headers = [pair for pair in scope["headers"] if pair[0] not in DROPPED]
    await app({**scope, "method": "GET", "headers": headers}, receive, hold)


class File:
    """A file in memory, plain and compressed."""

    def __init__(self, content: str, kind: bytes) -> None:
        self.kind = kind
        self.plain = content.encode()
        self.compressed = gzip.compress(self.plain, mtime=0)


async def _send(send: Send, headers: dict[bytes, bytes], file: File, scope: Message) -> None:
    is_packed = b"gzip" in dict(scope["headers"]).get(b"accept-encoding", b"")
    body = file.compressed if is_packed else file.plain
    headers = headers | {b"content-length": str(len(body)).encode(), b"vary": b"Accept-Encoding"}
    headers |= {b"content-encoding": b"gzip"} if is_packed else {}
    await send({"type": "http.response.start", "status": 200, "headers": [*headers.items()]})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def _asked_for(scope: Message) -> tuple[str, tuple[Part, ...], bool, bool]:
    """Return the page at the address, its beginning, whether the address has a state, and shows the page alone.

    A page with a state of its own may begin in another way.
    """
    query = parse_qs(scope["query_string"].decode("latin-1"))
    alone = "embed" in query or query.get("view") in (["present"], ["guess"])
    name = first_screen.page_at(scope["path"].rsplit("/", 1)[-1])
    return name, () if query else rehearsal.beginning(name), bool(query), alone


@cache
def _files() -> dict[str, File]:
    return {
        equipment.NAMES["style"]: File(equipment.STYLE, b"text/css; charset=utf-8"),
        equipment.NAMES["script"]: File(equipment.SCRIPT, b"text/javascript; charset=utf-8"),
    }


@lru_cache(maxsize=100)  # at most four for each page, and four for all unknown addresses
def _page(streamlits: bytes, name: str, beginning: tuple[Part, ...], has_state: bool, alone: bool) -> File:
    html = streamlits.decode()
    script = f'<script defer src="./{equipment.NAMES["script"]}"></script>'
    style = f'<link id="attention-lab" rel="stylesheet" href="./{equipment.NAMES["style"]}">'
    begins = style + first_screen.html_of(name, beginning, has_state=has_state, alone=alone)
    html = html.replace("<head>", f"<head>{script}{_face(html)}", 1).replace("<body>", f"<body>{begins}", 1)
    return File(html, b"text/html; charset=utf-8")


def _face(html: str) -> str:
    """Return the style that names the font, which Streamlit's own bytes ask for without a name."""
    file = _FONT.search(html)
    face = '@font-face{{font-family:"Source Sans";font-weight:200 900;src:url("{}")}}'
    return f"<style>{face.format(file[1])}</style>" if file else ""
