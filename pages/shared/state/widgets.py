"""Widgets: the parameters of a page as Streamlit's widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from attention_core.examples import Example
from pages.shared.controls import Parameters, controls_of
from pages.shared.notation.plain import plain
from pages.shared.state import session
from pages.shared.state.session import key_of

_NOTHING = object()  # no widget shows it


@dataclass(slots=True)
class Shown:
    """How each widget looked when it was drawn last, by its key."""

    looks: dict[str, Any] = field(default_factory=dict)


def let_show(key: str, value: Any, looks: Any = None) -> None:
    """Let the widget of that key show a value.

    A widget that is told its value is drawn anew by the browser. So it is told only where it shows another value, or
    where Streamlit takes it for a new widget, because its options or its page have changed (`looks`).
    """
    looked, here = session.of(Shown).looks, (session.visit().page, looks)
    if looked.get(key) != here or st.session_state.get(key, _NOTHING) != value:
        st.session_state[key] = value
    looked[key] = here


def draw_token(parameters: Parameters, name: str, tokens: Sequence[str]) -> None:
    """Draw the choice of a token."""
    _draw_among(parameters, name, getattr(parameters, name), tokens)


def draw_heads(parameters: Parameters, name: str, example: Example) -> None:
    """Draw the choice of a number of heads that divides the widths. The example's own number is 0, as in the link."""
    value, own = getattr(parameters, name), example.n_heads
    counts = {0 if count == own else count: str(count) for count in example.head_counts()}
    _draw_among(parameters, name, 0 if value == own else value, counts)


def draw_heads_off(parameters: Parameters, name: str, n_heads: int) -> None:
    """Draw a switch for each head."""
    off = [head for head in getattr(parameters, name) if head < n_heads]
    _draw_among(parameters, name, off, [f"head {h}" for h in range(1, n_heads + 1)])


def draw_count(parameters: Parameters, name: str, most: int) -> None:
    """Draw the choice of how many take part."""
    _draw_among(parameters, name, getattr(parameters, name), most)


def _draw_among(parameters: Parameters, name: str, value: Any, options: Any) -> None:
    """Draw a widget whose options depend on the example."""
    let_show(key_of(name), value, options)
    controls_of(type(parameters))[name].draw(key_of(name), options)


def draw(parameters: Parameters, *names: str, **options: Any) -> None:
    """Draw the widgets of some parameters. The options are those of Streamlit's widgets."""
    for name in names:
        value, control = getattr(parameters, name), controls_of(type(parameters))[name]
        if parameters.columns:
            control = control.turned(parameters.says)
        key = key_of(name)
        let_show(key, control.widget_value(value), control)
        control.draw(key, **options)


def draw_switches(parameters: Parameters, label: str, *names: str) -> None:
    """Draw several switches as one row of pills. It takes the time of one widget."""
    controls = {name: controls_of(type(parameters))[name] for name in names}
    labels = {name: plain(control.label) for name, control in controls.items()}
    help = "\n\n".join(f"**{labels[name]}** {control.help}" for name, control in controls.items() if control.help)
    key = key_of(names[0] + ".together")

    def switch() -> None:
        session.set_parameters(**{name: name in st.session_state[key] for name in names})

    let_show(key, [name for name in names if getattr(parameters, name)], labels)
    st.pills(
        label, list(names), selection_mode="multi", format_func=labels.__getitem__, key=key, help=help, on_change=switch
    )


def draw_among(parameters: Parameters, name: str, value: str, options: Sequence[str]) -> None:
    """Draw a choice with some of its options."""
    control = controls_of(type(parameters))[name]
    control = replace(control, options={o: parameters.says(control.options[o]) for o in options})
    let_show(key_of(name), value, control)
    control.draw(key_of(name))


def step_button(label: str, name: str, value: Any, *, icon: str, disabled: bool) -> None:
    """Draw a button that sets a parameter."""
    st.button(
        label, icon=icon, disabled=disabled, key=f"{key_of(name)}.{label}",
        on_click=lambda: st.session_state.update({key_of(name): value}),
    )  # fmt: skip
