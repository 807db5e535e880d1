"""Take the values of the page's widgets into the visit (the state from which the page is drawn)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pages.shared.controls import Parameters, controls_of
from pages.shared.notation.prose import short
from pages.shared.state import history, session, widgets
from pages.shared.state.fitting import fit_to_example
from pages.shared.state.visit import Visit
from pages.shared.state.workspace import with_workspace

# Bytes. The next text may add 0.6 MB to the browser's message; `server.maxMessageSize` allows 2 MB.
MOST_TOGETHER = 1_300_000


def read_widgets() -> Visit:
    """Read the values of the page's widgets into the visit (the state of the page), and return the visit.

    A value that does not fit the example is replaced, with a notice.
    """
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
        shown = widgets.value_if_drawn(session.widget_of(name))
        if shown is not session.NOT_DRAWN:
            values[name], refusal = _value_or_notice(replace(parameters, **values), name, shown)
            if refusal:
                refusals.append(refusal)
                session.renew(session.widget_of(name))
    return replace(parameters, **values), refusals


def _check(control: Any, value: Any) -> None:
    """Raise a ValueError if the control does not allow this value, for example because a changed browser has sent it.

    The value is written as in a link, and read back, because reading checks the value.
    """
    if control.in_link(value):
        control.decode(control.encode(value))


def _check_together(parameters: Parameters) -> None:
    """Raise a ValueError if all texts of the page together are too long.

    A browser sends all texts of a page in one message, and the server limits the size of a message.
    """
    texts = (text for name in controls_of(type(parameters)) if isinstance(text := getattr(parameters, name), str))
    if sum(len(text.encode()) for text in texts) > MOST_TOGETHER:
        raise ValueError(f"shorter, because all texts of a page together may have {MOST_TOGETHER / 1e6} MB")


def _value_or_notice(parameters: Parameters, name: str, shown: Any) -> tuple[Any, str]:
    """Return the new value of the parameter `name`, and a notice, which is usually "".

    `shown` is the value of the widget. If it is refused, return the old value, and a notice that says why.
    """
    control, before = controls_of(type(parameters))[name], getattr(parameters, name)
    try:
        value = control.accept(shown, before)
        if value not in (before, getattr(type(parameters)(), name)):
            _check(control, value)
            _check_together(replace(parameters, **{name: value}))
        return value, ""
    except ValueError as error:
        return before, f"“{control.label}” must be {error}, but it was `{short(str(shown))}`. So the old value stays."
