"""The values of the page's widgets, taken into the visit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from pages.shared.controls import controls_of
from pages.shared.notation.prose import short
from pages.shared.state import session
from pages.shared.state.fitting import fitted
from pages.shared.state.visit import Visit
from pages.shared.state.workspace import with_workspace

_NOT_DRAWN = object()  # the value of a widget that is not on the page


def take_in() -> Visit:
    """Take the values of the widgets into the visit, fit them to the example, and return the visit."""
    visit = session.visit()
    controls = controls_of(type(visit.parameters))
    shown = {name: st.session_state.get(session.key_of(session.widget_of(name)), _NOT_DRAWN) for name in controls}
    said = {name: _accepted(name, value) for name, value in shown.items() if value is not _NOT_DRAWN}
    parameters = with_workspace(replace(visit.parameters, **said), visit.workspace)
    fitting, notices = fitted(parameters, visit.example)
    session.update(parameters=fitting, notices=(*session.visit().notices, *notices))
    return session.visit()


def forget() -> None:
    """Forget the values of the page's widgets, so that they show the visit."""
    for name in controls_of(type(session.visit().parameters)):
        session.renew(session.widget_of(name))


def _accepted(name: str, said: Any) -> Any:
    """Return the value of a widget. If it is refused, the old value stays, and a notice says so."""
    parameters = session.visit().parameters
    control, before = controls_of(type(parameters))[name], getattr(parameters, name)
    try:
        return control.accepted(said, before)
    except ValueError as error:
        notice = f"“{control.label}” must be {error}; got `{short(said)}`, so it stays as it was."
        session.update(notices=(notice,))
        session.renew(session.widget_of(name))
        return before
