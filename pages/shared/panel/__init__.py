"""A panel: controls that stand together, drawn as one element. A press on one of them is an event of the page.

A press costs as much as the number of elements that Streamlit sends. So choices, switches, sliders and buttons that
stand together are one component, and not one element each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from attention_core.examples import EXAMPLES, Example, example
from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.kinds import Choice, Control, Listed, LiveSlider, Slider, Steps, Switch
from pages.shared.equation import engine
from pages.shared.notation.numbers import plain
from pages.shared.state import events, session

__all__ = [
    "LINE", "Item", "button", "count", "draw", "heads", "heads_off", "of_examples", "some_of", "switches", "token",
]  # fmt: skip

_HERE = Path(__file__).parent
MODULES = (
    "options.js",
    "range.js",
    "stay.js",
    "panel.js",
)  # each follows those that it imports, and those of equations
SCRIPT = engine.script_of(_HERE, MODULES)
PANEL = engine.component_kind("panel", (_HERE / "panel.css").read_text(encoding="utf-8"), engine.own_scope(SCRIPT))

Item = Mapping[str, Any]  # a control as the browser draws it
LINE: Item = {"kind": "line", "name": ""}  # what follows begins a new line


def draw(
    parameters: Parameters,
    key: str,
    *items: str | Item,
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """Draw controls beside each other. An item is the name of a parameter, or what a function of this module returns.

    `key` is the name of this panel on the page.
    """
    name = f"{session.visit().page}.panel.{key}"
    data = {
        "items": [_item(parameters, item) if isinstance(item, str) else item for item in items],
        **events.sync(name),
    }
    PANEL.component(
        key=name,
        data=[data],  # in a list, because Streamlit would search a mapping for tables
        on_events_change=lambda: events.receive(name, st.session_state[name].get("events")),
        width=width,
    )


def of_examples(label: str, chosen: str) -> Item:
    """Return the list of all examples. Its label can only be heard."""
    options = [{"text": name, "label": example(name).title, "on": name == chosen} for name in EXAMPLES]
    return {"kind": "list", "name": "example", "label": label, "bare": True, "options": options}


def token(parameters: Parameters, name: str, tokens: Sequence[str]) -> Item:
    """Return the choice of one of the tokens, for the parameter `name`."""
    control = _control(parameters, name)
    places = [control.option(place, len(tokens)) for place in range(len(tokens))]
    chosen = control.option(getattr(parameters, name) % len(tokens), len(tokens))
    return _choice(name, control, dict(zip(places, tokens, strict=True)), chosen)


def heads(parameters: Parameters, name: str, example: Example) -> Item:
    """Return the choice of the number of heads, for the parameter `name`."""
    counts = {0 if count == example.n_heads else count: str(count) for count in example.head_counts()}
    value = getattr(parameters, name)
    return _choice(name, _control(parameters, name), counts, 0 if value == example.n_heads else value)


def heads_off(parameters: Parameters, name: str, n_heads: int) -> Item:
    """Return a button for each head, which is pressed if the head is off, for the parameter `name`."""
    control, off = _control(parameters, name), getattr(parameters, name)
    options = [(name, str(head), f"head {head + 1}", head in off) for head in range(n_heads)]
    return _options(control, options, sends="all")


def count(parameters: Parameters, name: str, most: int) -> Item:
    """Return the choice of a number up to `most`, for the parameter `name`."""
    labels = {**{n: str(n) for n in range(1, most)}, 0: f"{most}, all"}
    value = getattr(parameters, name)
    return _choice(name, _control(parameters, name), labels, value if value < most else 0)


def some_of(parameters: Parameters, name: str, value: str, options: Sequence[str]) -> Item:
    """Return the choice `name` with only those of its options that are in `options`. `value` is shown as chosen."""
    control = _control(parameters, name)
    return _choice(name, control, {option: control.options[option] for option in options}, value)


def switches(parameters: Parameters, label: str, *names: str) -> Item:
    """Return several switches as a row of buttons. `names` are the parameters of the switches."""
    controls = {name: _control(parameters, name) for name in names}
    help = "\n\n".join(f"{plain(each.label)}: {each.help}" for each in controls.values() if each.help)
    options = [(name, "on", plain(each.label), getattr(parameters, name)) for name, each in controls.items()]
    return _options(Switch(label, help or None), options, sends="each")


def button(
    parameters: Parameters, label: str, values: Mapping[str, Any], *, icon: str = "", disabled: bool = False
) -> Item:
    """Return a button that sets the parameters in `values`, such as the next step of a lesson."""
    sets = [[name, _control(parameters, name).encode(value)] for name, value in values.items()]
    return {"kind": "button", "name": "", "label": label, "icon": icon, "sets": sets, "disabled": disabled}


def _control(parameters: Parameters, name: str) -> Any:
    return controls_of(type(parameters), parameters.columns)[name]


def _item(parameters: Parameters, name: str) -> Item:
    control, value = _control(parameters, name), getattr(parameters, name)
    match control:
        case Listed():
            return {**_choice(name, control, control.options, value), "kind": "list"}
        case Choice():
            return _choice(name, control, control.options, value)
        case Steps():
            texts = [control.encode(each) for each in control.values]
            shown = [f"{each:,}" for each in control.values]
            return _range(name, control, 0, len(texts) - 1, 1, control.values.index(value)) | {
                "texts": texts, "shown": shown, "setting": control.setting,
            }  # fmt: skip
        case LiveSlider():
            numbers = _range(name, control, control.low, control.high, control.step, value)
            return {**numbers, "setting": control.setting}
        case Slider():
            return _range(name, control, control.low, control.high, control.step, value)
        case Switch():
            return {"kind": "switch", "name": name, **_words(control), "on": value}
    raise TypeError(f"a panel draws choices, switches and sliders; “{control.label}” is a {type(control).__name__}")


def _words(control: Control) -> dict[str, str]:
    return {"label": plain(control.label), "help": plain(getattr(control, "help", None) or "")}


def _choice(name: str, control: Any, labels: Mapping[Any, str], chosen: Any) -> Item:
    optional = getattr(control, "optional", False)
    options = [(name, control.encode(value), plain(label), value == chosen) for value, label in labels.items()]
    return _options(control, options, sends="one_or_none" if optional else "one")


def _options(control: Control, options: Sequence[tuple[str, str, str, bool]], *, sends: str) -> Item:
    """Return a group of buttons. `sends` says which options a press tells the server."""
    described = [{"name": name, "text": text, "label": label, "on": on} for name, text, label, on in options]
    return {"kind": "options", "name": options[0][0] if options else "", **_words(control), "sends": sends,
            "options": described}  # fmt: skip


def _range(name: str, control: Slider | Steps, low: float, high: float, step: float, value: float) -> dict[str, Any]:
    return {"kind": "range", "name": name, **_words(control), "low": low, "high": high, "step": step, "value": value}
