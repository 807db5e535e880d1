"""Remember for which task a result was pasted. Before checking it against another example, ask the visitor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from attention_core.examples import Example
from pages.shared.state import session


@dataclass(slots=True)
class PastedResult:
    """The result that was pasted last, and the task at that time: its given matrices and its example."""

    text: str = ""
    task: tuple[str, str] = ("", "")
    title: str = ""


def is_for_this_task(parameters: Any, example: Example) -> bool:
    """Say whether the result was pasted for this task, or the visitor has asked to check it against this task."""
    held, text = session.visitor_object(PastedResult), parameters.answer.strip()
    if text != held.text:
        held.text, held.task, held.title = text, _task(parameters, example), example.title
    return not text or held.task == _task(parameters, example)


def ask_whether_to_check(parameters: Any, example: Example) -> None:
    """Draw a message that names the task for which the result was pasted, and a button that checks it for this task."""
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
