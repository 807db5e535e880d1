"""Let callbacks and the reading of a link finish before a new press may end the run.

When the visitor presses something, Streamlit ends the run at its next call, even inside a callback. Then the rest of
the callback is lost. With the functions of this module, such a press waits until the callback is done. Then the run
ends as it would have ended without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.safe_session_state import SafeSessionState


@contextmanager
def run_undisturbed() -> Iterator[None]:
    """Run the block of a `with` statement to its end, even if the visitor presses something in the meantime."""
    context = get_script_run_ctx()
    if context is None:
        yield
        return
    with _ignoring_presses(context.session_state):
        yield


@contextmanager
def _ignoring_presses(state: SafeSessionState) -> Iterator[None]:
    """Keep Streamlit from looking for new presses during the block of a `with` statement.

    Otherwise Streamlit looks for presses each time that code uses the session state `state`. A new press ends the run.
    """
    ask = state._yield_callback
    object.__setattr__(state, "_yield_callback", lambda: None)  # its own `__setattr__` would set a widget
    try:
        yield
    finally:
        object.__setattr__(state, "_yield_callback", ask)


def let_callbacks_end() -> None:
    """Change Streamlit so that a new press never ends a callback early."""
    SafeSessionState.on_script_will_rerun = _to_the_end(SafeSessionState.on_script_will_rerun)


def _to_the_end(call_callbacks: Callable[..., None]) -> Callable[..., None]:
    @wraps(call_callbacks)
    def to_the_end(state: SafeSessionState, *widgets: Any, **more: Any) -> None:
        with _ignoring_presses(state):
            call_callbacks(state, *widgets, **more)

    return to_the_end
