"""Formulas as data, for a program in another language: lists, texts and numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import NDArray

from attention_core.arithmetic.formulas import (
    WHOLE,
    Calculated,
    Choice,
    Each,
    Entry,
    Fixed,
    Greatest,
    Index,
    Known,
    Pattern,
    Share,
    UnlessNeutral,
)

MOST_SENT = 4096  # null stands for larger arrays of numbers that a formula knows
Named = Callable[[str, "int | None"], str]  # from the name of a matrix and the number of its part to its id


def as_data(pattern: Pattern, at: Mapping[str, int | str], id_of: Named) -> Any:
    """Return a pattern as lists, texts and numbers.

    A list begins with what it is: ["@", ids, part, row, column] reads a matrix, ["#", letter, n, pattern, present] is
    `Each`, ["?", array, index, …] is `Choice`, ["$", array, index] is `Known`, [":", value, name] is `Fixed` or a
    slider's place, and the rest are operations. `at` has numbers for letters that are the same in all cells, such as
    that of a head, and new names for other letters. `id_of` names a matrix of the page.
    """

    def index(each: Any) -> Any:
        if not isinstance(each, Index):
            return each
        if not each.of:
            return at.get(each.symbol, each.symbol)
        if each.symbol == ":":
            return [":", *each.of]
        parts = [index(part) for part in each.of]
        if any(isinstance(part, str | list) for part in parts):
            return [each.symbol, *parts]
        return WHOLE[each.symbol](*parts)

    def data(each: Pattern) -> Any:
        match each:
            case Entry(matrix, place):
                *lead, row, column = (0, *place) if len(place) == 1 else place
                part = index(lead[0]) if lead else None
                if part is None or isinstance(part, int):
                    return ["@", [id_of(matrix.name, part)], 0, index(row), index(column)]
                ids = [id_of(matrix.name, n) for n in range(len(matrix.values))]
                return ["@", ids, part, index(row), index(column)]
            case Fixed(value, name):
                return [":", _number(value), name] if name else _number(value)
            case Known(values, place):
                return ["$", _numbers(values), [index(one) for one in place]]
            case Calculated(symbol, of) | UnlessNeutral(symbol, of):
                return [symbol, *map(data, of)]
            case Each(letter, n, of, present):
                return ["#", letter.symbol, n, data(of), *([] if present is None else [data(present)])]
            case Choice(chosen, place, of, follows):
                known = None if follows else _numbers(chosen.astype(int))
                return ["?", known, [index(one) for one in place], *map(data, of)]
            case Share(of):
                return ["share", *map(data, of)]
            case Greatest(of):
                return ["greatest", *map(data, of)]
            case _:
                raise TypeError(f"a pattern must be one of the kinds of this module; got {each!r}: use these.")

    return data(pattern)


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _numbers(values: NDArray[Any]) -> Any:
    if values.size > MOST_SENT:
        return None
    return [_numbers(each) for each in values] if values.ndim else _number(values.item())
