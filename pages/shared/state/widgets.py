"""Draw the widget of a parameter, and keep its value and its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.safe_session_state import SafeSessionState

from pages.shared.controls import Parameters, controls_of
from pages.shared.state import history, session
from pages.shared.state.link_text import fit_to_example
from pages.shared.state.session import NOT_DRAWN, Visit, key_of, widget_of, with_workspace


def reserve_container(name: str, *, beside: bool = False) -> Any:
    """Reserve a container on the page and return it. `name` must be different for each container of the page.

    Use a container for elements whose number changes from run to run. They are below each other or, if `beside`, next
    to each other.

    Without the container, an additional element would move everything below it. While the browser moves a widget, the
    widget can be missing for a moment. Then the browser forgets the visitor's last use of the widget.
    """
    if beside:
        return st.container(key=f"place_beside_{name}", horizontal=True, gap="medium", vertical_alignment="center")
    return st.container(key=f"place_{name}")


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


@dataclass(slots=True)
class DrawnWidgets:
    """The widgets that the server has drawn: how each looked, and which of them the lesson no longer draws."""

    looks: dict[str, Any] = field(default_factory=dict)
    drawn: set[str] = field(default_factory=set)  # drawn since the part of the lesson began
    part: str = ""  # the part of the lesson that is drawn
    of_parts: dict[str, set[str]] = field(default_factory=dict)
    taken_away: set[str] = field(default_factory=set)  # drawn earlier, but not in the last complete run of its part

    def begin(self, part: str) -> None:
        """Start a new list of the widgets that a part of the lesson draws. Call this before the part is drawn."""
        self.part, self.drawn = part, set()

    def end(self) -> None:
        """Find the widgets that earlier runs of this part have drawn, but this run has not.

        The browser forgets their values. Call this only when the whole part is drawn, because a new press may end it
        early.
        """
        before = self.of_parts.setdefault(self.part, set())
        before |= self.drawn
        self.taken_away = self.taken_away - before | before - self.drawn


def key_showing(widget: str, value: Any, looks: Any = None) -> str:
    """Return the key under which a widget has to be drawn so that it shows `value`."""
    drawn, here = session.visitor_object(DrawnWidgets), (session.visit().page, looks)
    shown = session.value_of(widget)
    if widget in drawn.looks and (
        shown is NOT_DRAWN or _is_new_widget(widget, here, drawn) or not _are_same(shown, value)
    ):
        session.give_another_key(widget)
        shown = NOT_DRAWN
    if shown is NOT_DRAWN:
        st.session_state[key_of(widget)] = value
    drawn.looks[widget] = here
    drawn.drawn.add(widget)
    drawn.taken_away.discard(widget)
    return key_of(widget)


def _is_new_widget(widget: str, page_and_looks: tuple[str, Any], drawn: DrawnWidgets) -> bool:
    return widget in drawn.taken_away or drawn.looks[widget] != page_and_looks


def value_if_drawn(widget: str) -> Any:
    """Return the value of a widget, or `NOT_DRAWN` if the widget was never drawn."""
    return session.value_of(widget) if widget in session.visitor_object(DrawnWidgets).looks else NOT_DRAWN


def act_on_change(key: str, act: Callable[[Any], object]) -> None:
    """Call `act` with the new value of the widget that has this key."""
    value = st.session_state.get(key)
    if value is not None:
        session.clear_seen_notices()
        act(value)


def _are_same(shown: Any, value: Any) -> bool:
    return sorted(shown) == sorted(value) if isinstance(shown, list) else shown == value


def _control(parameters: Parameters, name: str) -> Any:
    return controls_of(type(parameters), parameters.columns)[name]


def draw(parameters: Parameters, *names: str, **options: Any) -> None:
    """Draw the widgets of the parameters `names`. The `options` are passed on to Streamlit."""
    for name in names:
        value, control = getattr(parameters, name), _control(parameters, name)
        key = key_showing(widget_of(name), control.widget_value(value), control)
        control.draw(key, **options)


def draw_leading(parameters: Parameters, name: str, others: Callable[[Any], Mapping[str, Any]]) -> None:
    """Draw the widget of the parameter `name`. When the visitor chooses a value, other parameters are set too."""
    value, control = getattr(parameters, name), _control(parameters, name)
    key = key_showing(widget_of(name), control.widget_value(value), control)

    def lead(chosen: Any) -> None:
        session.set_parameters(**others(chosen))

    control.draw(key, on_change=lambda: act_on_change(key, lead))


def step_button(label: str, name: str, value: Any, *, icon: str, disabled: bool) -> None:
    """Draw a button that sets the parameter `name` to `value`, such as the next step of a lesson."""

    def press() -> None:
        session.clear_seen_notices()
        session.set_parameters(**{name: value})

    st.button(label, icon=icon, disabled=disabled, key=f"{widget_of(name)}.{label}", on_click=press)


# Bytes. The next text may add 0.6 MB to the browser's message; `server.maxMessageSize` allows 2 MB.
MOST_TOGETHER = 1_300_000


def read_widgets() -> Visit:
    """Read the values of the page's widgets into the visit (the state of the page), and return the visit."""
    visit = session.visit()
    parameters, refusals = _values_and_notices(visit.parameters)
    if refusals or parameters != visit.parameters:
        session.clear_seen_notices()
        history.end_gesture()  # a visitor who uses a control is no longer dragging a number
    fitting, misfits = fit_to_example(with_workspace(parameters, visit.workspace), visit.example)
    session.update(parameters=fitting)
    session.notify(*refusals, *misfits)
    return session.visit()


def renew_widgets() -> None:
    """Forget what the widgets of the page show, so that they are drawn anew with the parameters of this visitor."""
    for name in controls_of(type(session.visit().parameters)):
        session.renew(session.widget_of(name))


def _values_and_notices(parameters: Parameters) -> tuple[Parameters, list[str]]:
    """Return the parameters with the values of their widgets, and a notice for each value that is refused."""
    values, refusals = dict[str, Any](), list[str]()
    for name in controls_of(type(parameters)):
        shown = value_if_drawn(session.widget_of(name))
        if shown is not session.NOT_DRAWN:
            values[name], refusal = _value_or_notice(replace(parameters, **values), name, shown)
            if refusal:
                refusals.append(refusal)
                session.renew(session.widget_of(name))
    return replace(parameters, **values), refusals


def _check(control: Any, value: Any) -> None:
    if control.in_link(value):
        control.decode(control.encode(value))


def _check_together(parameters: Parameters) -> None:
    texts = (text for name in controls_of(type(parameters)) if isinstance(text := getattr(parameters, name), str))
    if sum(len(text.encode()) for text in texts) > MOST_TOGETHER:
        raise ValueError(f"shorter, because all texts of a page together may have {MOST_TOGETHER / 1e6} MB")


def _value_or_notice(parameters: Parameters, name: str, shown: Any) -> tuple[Any, str]:
    """Return the new value of the parameter `name`, and a notice, which is usually ""."""
    control, before = controls_of(type(parameters))[name], getattr(parameters, name)
    try:
        value = control.accept(shown, before)
        if value not in (before, getattr(type(parameters)(), name)):
            _check(control, value)
            _check_together(replace(parameters, **{name: value}))
        return value, ""
    except ValueError as error:
        return before, control.refusal(error, shown)
