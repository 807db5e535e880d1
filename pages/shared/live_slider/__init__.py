"""A slider that moves the numbers of the page while the visitor moves it. The server hears of it when it rests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.kinds import LiveSlider
from pages.shared.equation import engine
from pages.shared.notation.numbers import plain
from pages.shared.state import events, session, widgets

__all__ = ["draw_controls", "live_slider"]

_HERE = Path(__file__).parent
MODULES = ("slider.js",)
SCRIPT = engine.script_of(_HERE, MODULES)
LIVE_SLIDER = engine.component_kind(
    "live_slider", (_HERE / "slider.css").read_text(encoding="utf-8"), engine.own_scope(SCRIPT)
)


def draw_controls(parameters: Parameters, *names: str, **options: Any) -> None:
    """Draw the controls of the parameters `names`, live sliders among them. The `options` go on to Streamlit."""
    for name in names:
        is_ours = isinstance(controls_of(type(parameters))[name], LiveSlider)
        (live_slider if is_ours else widgets.draw)(parameters, name, **options)


def live_slider(parameters: Parameters, name: str, *, width: Any = "stretch") -> None:
    """Draw the slider of the parameter `name`."""
    control: LiveSlider = controls_of(type(parameters), parameters.columns)[name]
    key = f"{session.visit().page}.live_slider.{name}"
    data = {
        "name": name,
        "label": plain(control.label),
        "help": plain(control.help or ""),
        "low": control.low,
        "high": control.high,
        "step": control.step,
        "value": getattr(parameters, name),
        "setting": control.setting,
        "formulas": {},
        **events.sync(key),
    }
    LIVE_SLIDER.component(
        key=key,
        data=[data],  # in a list, because Streamlit would search a mapping for tables
        width=width,
        on_events_change=lambda: events.receive(key, st.session_state[key].get("events")),
    )
