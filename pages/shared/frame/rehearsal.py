"""The rehearsal: once the server has started, each page is drawn for nobody. Its beginning is kept for first bytes.

Only here is Streamlit's runtime asked for a run in the way its own server asks. A test checks that it answers.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Block_pb2 import Block
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import get_instance

from pages.shared.frame.first_text import NotPlainError, html_of
from pages.shared.site.page import HOME, catalogue

FIGURES = ("equation", "words")  # the beginning of a page ends with the first of these
PARTS = ("panel", *FIGURES)
PREFIX, MAP = "attention_lab_", "attention_lab_way"
PATIENCE = 60  # seconds that a run of a page may take


SETTING = "ATTENTION_LAB_REHEARSAL"  # the environment variable that switches the rehearsal off


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the beginning of a page: the HTML of a text or of a row of texts, or the data of a component."""

    kind: str
    content: str


Path = tuple[int, ...]
_BEGINNINGS: dict[str, tuple[Part, ...]] = {}  # of pages that were rehearsed, by the name of the page


def beginning(name: str) -> tuple[Part, ...]:
    """Return the beginning of a page, or nothing while it has not been rehearsed."""
    return _BEGINNINGS.get(name, ())


async def rehearse() -> None:
    """Rehearse all pages, one after the other."""
    if os.environ.get(SETTING) == "off":
        return
    for page in catalogue():
        _BEGINNINGS[page.name] = await beginning_of(page.name)


class Listener:
    """The place of a browser: it notes what the server sends, until the run has ended."""

    client_context = None

    def __init__(self) -> None:
        self.blocks: dict[Path, Block] = {}
        self.elements: dict[Path, Element] = {}
        self.ended = asyncio.Event()

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        """Note a message of the server."""
        kind, path = msg.WhichOneof("type"), tuple(msg.metadata.delta_path)
        if kind == "delta" and msg.delta.HasField("add_block"):
            self.blocks[path] = msg.delta.add_block
        elif kind == "delta":
            self.elements[path] = msg.delta.new_element
        elif kind == "script_finished" and msg.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self.ended.set()


async def beginning_of(name: str) -> tuple[Part, ...]:
    """Draw a page as a first visitor sees it, and return its beginning."""
    runtime, listener, asked = get_instance(), Listener(), BackMsg()
    asked.rerun_script.page_name = "" if name == HOME else name
    session = runtime.connect_session(listener, {})
    try:
        runtime.handle_backmsg(session, asked)
        await asyncio.wait_for(listener.ended.wait(), PATIENCE)
    finally:
        runtime.close_session(session)
    return tuple(_beginning(listener))


def _beginning(listener: Listener) -> Iterator[Part]:
    """Yield the parts of a lesson from its top, to its first figure or to what the first bytes cannot show."""
    lesson = [path for path in sorted(listener.elements) if path[:1] == (0,) and path[:2] > _head(listener)]
    for row, paths in groupby(lesson, lambda path: _row_of(path, listener.blocks)):
        elements = [listener.elements[path] for path in paths]
        parts = [_part(element) for element in elements]
        if row is not None:
            parts = [_row(elements)]
        for part in parts:
            if part is None:
                return
            yield part
            if part.kind in FIGURES:
                return


def _head(listener: Listener) -> Path:
    """Return the path of the block before the lesson: that of the map or, on a page without a map, of the question."""
    paths = sorted(listener.elements)
    maps = [path for path in paths if listener.elements[path].bidi_component.component_name == MAP]
    questions = [path for path in paths if listener.elements[path].markdown.body.startswith("# ")]
    return (maps or questions)[0][:2]


def _row_of(path: Path, blocks: dict[Path, Block]) -> Path | None:
    """Return the path of the row (a horizontal container) with the element at `path` in it, or None."""
    above = [path[:length] for length in range(2, len(path)) if path[:length] in blocks]
    rows = [each for each in above if not _is_column(blocks[each])]
    return rows[0] if rows else None


def _is_column(block: Block) -> bool:
    kind = block.WhichOneof("type")
    vertical = Block.FlexContainer.Direction.VERTICAL
    return kind in (None, "vertical", "transparent") or (
        kind == "flex_container" and block.flex_container.direction == vertical
    )


def _row(elements: Sequence[Element]) -> Part | None:
    """Return a row of texts and links, or None if it has something else."""
    drawn = [_text(each) or _link(each) for each in elements]
    return Part("row", "".join(map(str, drawn))) if all(drawn) else None


def _link(element: Element) -> str | None:
    if element.WhichOneof("type") != "page_link":
        return None
    return f'<a href="./{element.page_link.page}">{element.page_link.label}</a>'


def _text(element: Element) -> str | None:
    if element.WhichOneof("type") != "markdown":
        return None
    try:
        return f'<div class="text">{html_of(element.markdown.body)}</div>'
    except NotPlainError:
        return None


def _part(element: Element) -> Part | None:
    if text := _text(element):
        return Part("text", text)
    component = element.bidi_component
    kind = component.component_name.removeprefix(PREFIX)
    return Part(kind, _data(component)) if kind in PARTS else None


def _data(component: Any) -> str:
    """Return the data of a component as JSON."""
    return component.json if component.WhichOneof("data") == "json" else json.dumps(None)
