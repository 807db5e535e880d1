"""Draw the parameters of a page as Streamlit's widgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from attention_core.examples import Example
from pages.shared.controls import Parameters, controls_of
from pages.shared.notation.plain import plain
from pages.shared.state import session
from pages.shared.state.session import NOT_DRAWN, key_of, widget_of


@dataclass(slots=True)
class DrawnWidgets:
    """The widgets that the server has drawn: how each looked, and which of them the lesson no longer draws."""

    looks: dict[str, Any] = field(default_factory=dict)
    drawn: set[str] = field(default_factory=set)  # drawn since the lesson began
    of_the_lesson: set[str] = field(default_factory=set)
    taken_away: set[str] = field(default_factory=set)  # drawn earlier, but not in the last complete run of the lesson

    def begin(self) -> None:
        """Start a new list of the widgets that the lesson draws. Call this before the lesson is drawn."""
        self.drawn = set()

    def end(self) -> None:
        """Find the widgets that earlier runs of the lesson have drawn, but this run has not.

        The browser forgets their values. Call this only when the whole lesson is drawn, because a new press may end it
        early.
        """
        self.of_the_lesson |= self.drawn
        self.taken_away = self.of_the_lesson - self.drawn


def key_showing(widget: str, value: Any, looks: Any = None) -> str:
    """Return the key under which a widget has to be drawn so that it shows `value`.

    The key stays the same if the widget already shows `value`. The key changes if the widget shows another value, had
    disappeared, or has other `looks`, such as its options. With a new key, the browser builds the widget anew. With the
    old key, it could still remember an old value.
    """
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
    """Return whether a widget is new for the browser: it had disappeared, or it looks different now.

    `page_and_looks` has the page and the options with which the widget is drawn now.
    """
    return widget in drawn.taken_away or drawn.looks[widget] != page_and_looks


def value_if_drawn(widget: str) -> Any:
    """Return the value of a widget, or `NOT_DRAWN` if the widget was never drawn."""
    return session.value_of(widget) if widget in session.visitor_object(DrawnWidgets).looks else NOT_DRAWN


def act_on_change(key: str, act: Callable[[Any], object]) -> None:
    """Call `act` with the new value of the widget that has this key.

    Do nothing if no value is stored under this key. This happens when the widget has got another key (see
    `session.renew`).
    """
    value = st.session_state.get(key)
    if value is not None:
        session.clear_seen_notices()
        act(value)


def _are_same(shown: Any, value: Any) -> bool:
    """Return whether two values of a widget look the same. The order in a list of pressed pills does not matter."""
    return sorted(shown) == sorted(value) if isinstance(shown, list) else shown == value


def draw_token(parameters: Parameters, name: str, tokens: Sequence[str]) -> None:
    """Draw the widget of the parameter `name`, a choice of one of the tokens."""
    place, control = getattr(parameters, name), _control(parameters, name)
    _draw_with_options(parameters, name, control.option(place, len(tokens)), tokens)


def draw_heads(parameters: Parameters, name: str, example: Example) -> None:
    """Draw the widget of the parameter `name`, a choice of the number of heads.

    The widget offers only numbers that divide the widths of the example's matrices. The value 0 means the number of
    heads that the example has.
    """
    value, own = getattr(parameters, name), example.n_heads
    counts = {0 if count == own else count: str(count) for count in example.head_counts()}
    _draw_with_options(parameters, name, 0 if value == own else value, counts)


def draw_heads_off(parameters: Parameters, name: str, n_heads: int) -> None:
    """Draw the widget of the parameter `name`: a button for each head, which is pressed if the head is off."""
    off = [head for head in getattr(parameters, name) if head < n_heads]
    _draw_with_options(parameters, name, off, [f"head {h}" for h in range(1, n_heads + 1)])


def draw_count(parameters: Parameters, name: str, most: int) -> None:
    """Draw the widget of the parameter `name`, a choice of a number up to `most`."""
    _draw_with_options(parameters, name, getattr(parameters, name), most)


def _draw_with_options(parameters: Parameters, name: str, value: Any, options: Any) -> None:
    """Draw the widget of the parameter `name`, whose `options` depend on the example. It shows `value`."""
    key = key_showing(widget_of(name), value, options)
    _control(parameters, name).draw(key, options)


def _control(parameters: Parameters, name: str) -> Any:
    """Return the control of the parameter `name`, with its words for the layout."""
    return controls_of(type(parameters), parameters.columns)[name]


def draw(parameters: Parameters, *names: str, **options: Any) -> None:
    """Draw the widgets of the parameters `names`. The `options` are passed on to Streamlit."""
    for name in names:
        value, control = getattr(parameters, name), _control(parameters, name)
        key = key_showing(widget_of(name), control.widget_value(value), control)
        control.draw(key, **options)


def draw_leading(parameters: Parameters, name: str, others: Callable[[Any], Mapping[str, Any]]) -> None:
    """Draw the widget of the parameter `name`. When the visitor chooses a value, other parameters are set too.

    `others` takes the chosen value, and returns the values of the other parameters by name.
    """
    value, control = getattr(parameters, name), _control(parameters, name)
    key = key_showing(widget_of(name), control.widget_value(value), control)

    def lead(chosen: Any) -> None:
        session.set_parameters(**others(chosen))

    control.draw(key, on_change=lambda: act_on_change(key, lead))


def draw_switches(parameters: Parameters, label: str, *names: str) -> None:
    """Draw several switches as one widget: a row of pills. `names` are the parameters of the switches."""
    controls = {name: _control(parameters, name) for name in names}
    labels = {name: plain(control.label) for name, control in controls.items()}
    help = "\n\n".join(f"**{labels[name]}** {control.help}" for name, control in controls.items() if control.help)

    def switch(chosen: list[str]) -> None:
        session.set_parameters(**{name: name in chosen for name in names})

    on = [name for name in names if getattr(parameters, name)]
    key = key_showing(widget_of(names[0] + ".together"), on, labels)
    st.pills(
        label, list(names), selection_mode="multi", default=on, format_func=labels.__getitem__, key=key, help=help,
        on_change=lambda: act_on_change(key, switch),
    )  # fmt: skip


def draw_choice_of(parameters: Parameters, name: str, value: str, options: Sequence[str]) -> None:
    """Draw the choice `name` with only those of its options that are in `options`. `value` is shown as chosen."""
    control = _control(parameters, name)
    control = replace(control, options={o: control.options[o] for o in options})
    control.draw(key_showing(widget_of(name), control.widget_value(value), control))


def draw_other_choices(parameters: Parameters, name: str, options: Sequence[str]) -> None:
    """Draw further options of the choice `name` in a second widget. A press on one of them chooses it.

    The second widget never shows an option as chosen.
    """
    control = _control(parameters, name)
    labels = {option: plain(control.options[option]) for option in options}
    widget = widget_of(f"{name}.others")
    key = key_showing(widget, None, labels)
    st.pills(
        "Others", list(options), key=key, format_func=labels.__getitem__, label_visibility="collapsed",
        on_change=lambda: act_on_change(key, lambda option: session.set_parameters(**{name: option})),
    )  # fmt: skip


def step_button(label: str, name: str, value: Any, *, icon: str, disabled: bool) -> None:
    """Draw a button that sets the parameter `name` to `value`, such as the next step of a lesson."""

    def press() -> None:
        session.clear_seen_notices()
        session.set_parameters(**{name: value})

    st.button(label, icon=icon, disabled=disabled, key=f"{widget_of(name)}.{label}", on_click=press)
