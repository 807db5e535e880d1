"""Fitting: what becomes of a page's parameters where the example in use does not have as many tokens. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from attention_core.examples import Example
from pages.shared.controls import Parameters, controls_of
from pages.shared.kinds import Count, TokenInput

P = TypeVar("P", bound=Parameters)


def fitted(parameters: P, example: Example) -> tuple[P, list[str]]:
    """Put the first token in place of one that is not there, and all in place of too many; say each in a notice."""
    changed, notices = dict[str, Any](), list[str]()
    for name, control in controls_of(type(parameters)).items():
        value = getattr(parameters, name)
        if isinstance(control, TokenInput) and value >= (n := len(example.tokens)):
            notices.append(f"This example has {n} tokens, so `{name}={value}` became the first of them.")
            changed[name] = 0
        elif isinstance(control, Count) and value >= (n := len(getattr(example, control.of))):
            notices.append(f"This example has {n} of them, so `{name}={value}` became all.")
            changed[name] = 0
    return replace(parameters, **changed), notices
