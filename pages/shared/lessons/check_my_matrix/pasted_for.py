"""Remember for which task a result was pasted. Before checking it against another example, ask the visitor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from attention_core.examples import Example
from pages.shared.state import session


@dataclass(slots=True)
class PastedResult:
    """The last pasted result, and the task to which it belongs: its given matrices and its example."""

    text: str = ""
    task: tuple[str, str] = ("", "")
    title: str = ""


def is_for_this_task(parameters: Any, example: Example) -> bool:
    """Return whether the pasted result belongs to the present task.

    It also belongs to this task after the visitor has pressed the button that checks it here.
    """
    held, text = session.visitor_object(PastedResult), parameters.answer.strip()
    if text != held.text:
        held.text, held.task, held.title = text, _task(parameters, example), example.title
    return not text or held.task == _task(parameters, example)


def ask_whether_to_check(parameters: Any, example: Example) -> None:
    """Draw a message that names the task of the pasted result, and a button that checks it for the present task."""
    held = session.visitor_object(PastedResult)

    def check_here() -> None:
        held.task = _task(parameters, example)

    st.info(
        f"You pasted this result for “{held.title}”. Paste your result for “{example.title}” in its place, or check "
        "the old one against it.",
        icon=":material/swap_horiz:",
    )
    st.button("Check the old result here", icon=":material/check:", key="check_old_result", on_click=check_here)


def _task(parameters: Any, example: Example) -> tuple[str, str]:
    return parameters.source, example.name if parameters.source == "example" else ""
