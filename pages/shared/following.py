"""Following: what the visitor touches is answered first, and the rest of the page catches up.

Each part of a page is a fragment, so that an edit waits for the equation it was made in and for nothing else. The part
announces the state that it shows; the follower, outside all parts, then has the whole page run once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from streamlit.components import v2

from pages.shared import session

_component = v2.component(
    "attention_lab_following",
    html="<span></span>",
    js=(Path(__file__).parent / "following.js").read_text(encoding="utf-8"),
)


@contextmanager
def whole_run() -> Iterator[None]:
    """Mark a run of the whole page, in which no part goes ahead of the others."""
    session.own().whole = True
    try:
        yield
    finally:
        session.own().whole = False


def announce(part: str) -> None:
    """Say which state a part of the page shows, where it runs by itself."""
    if not session.own().whole:
        _mount(f"shown.{part}", follower=False)


def follow() -> None:
    """Run the page again when a part of it has gone ahead; to be called outside all parts, after them."""
    _mount("follower", follower=True)


def _mount(key: str, *, follower: bool) -> None:
    _component(
        key=f"{session.page_name()}.{key}",
        data={"revision": session.revision(), "follower": follower},
        height=1,
        on_behind_change=_catch_up,
    )


def _catch_up() -> None:
    session.own().following = True
