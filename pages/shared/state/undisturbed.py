"""Callbacks, and taking in a link, must not be given up halfway.

When the next press arrives, Streamlit ends a run at the first call that follows, even inside of a callback, and the
rest of the callback is lost. Here such a press waits until all is done. The run then ends as it would have before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.safe_session_state import SafeSessionState


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let a block of code come to its end before the run may end."""
    context = get_script_run_ctx()
    if context is None:
        yield
        return
    with _ignoring_presses(context.session_state):
        yield


@contextmanager
def _ignoring_presses(state: SafeSessionState) -> Iterator[None]:
    """Let a session state ask for no press until the block is left."""
    ask = state._yield_callback
    object.__setattr__(state, "_yield_callback", lambda: None)  # its own `__setattr__` sets a widget
    try:
        yield
    finally:
        object.__setattr__(state, "_yield_callback", ask)


def let_callbacks_end() -> None:
    """Let all callbacks come to their end, those of Streamlit's own widgets included."""
    SafeSessionState.on_script_will_rerun = _to_the_end(SafeSessionState.on_script_will_rerun)


def _to_the_end(call_callbacks: Callable[..., None]) -> Callable[..., None]:
    @wraps(call_callbacks)
    def to_the_end(state: SafeSessionState, *widgets: Any, **more: Any) -> None:
        with _ignoring_presses(state):
            call_callbacks(state, *widgets, **more)

    return to_the_end
