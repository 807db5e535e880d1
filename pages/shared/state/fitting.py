"""Fitting: what becomes of a page's parameters where the example in use does not have what they ask for. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from attention_core.examples import Example
from pages.shared.controls import Parameters, controls_of

P = TypeVar("P", bound=Parameters)


def fitted(parameters: P, example: Example) -> tuple[P, list[str]]:
    """Replace what the example does not have, such as its eleventh token; say each in a notice."""
    depending = {name: c for name, c in controls_of(type(parameters)).items() if hasattr(c, "fit")}
    fits = {name: control.fit(getattr(parameters, name), example) for name, control in depending.items()}
    gone = [name for name, value in fits.items() if value != getattr(parameters, name)]
    asked = {name: depending[name].encode(getattr(parameters, name)) for name in gone}
    notices = [
        f"This example does not have what `{name}={text}` asks for: {depending[name].instead}."
        for name, text in asked.items()
    ]
    return replace(parameters, **fits), notices
