"""Replace values of parameters that the example does not have, such as the index of an eleventh token. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from attention_core.examples import Example
from pages.shared.controls import Parameters, controls_of

P = TypeVar("P", bound=Parameters)


def fit_to_example(parameters: P, example: Example) -> tuple[P, list[str]]:
    """Return the parameters with values that fit the example, and a notice for each value that was replaced.

    A value does not fit if it names something that the example does not have, such as its eleventh token.
    """
    controls = controls_of(type(parameters))
    wanted = {name: getattr(parameters, name) for name in controls}
    fits = {name: control.fit(wanted[name], example) for name, control in controls.items()}
    notices = [
        f"This example does not have what `{name}={control.encode(wanted[name])}` asks for, so {control.instead}."
        for name, control in controls.items()
        if fits[name] != wanted[name]
    ]
    return replace(parameters, **fits), notices
