"""Compute the least and the greatest number in each cell of an answer that correct rounding of the steps can give.

Each step may be rounded to two or more decimals: √6 to 2.45, e² to 7.39. All later steps use the rounded number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import product

import numpy as np

from attention_core.arithmetic import Number, Operation, Symbol, Term, evaluate
from attention_core.arithmetic.rules import ExplainedTrace, rule_of, rules_of
from attention_core.checks import Array
from attention_core.tasks.ways import ways_to_compute

Span = tuple[float, float]  # the least and the greatest number
DECIMALS = range(2, 9)  # a step may be rounded to 2 to 8 decimals; more decimals would make no noticeable difference
HALF_A_THOUSANDTH = 0.0005  # rounding to three decimals changes a number by at most this much
TIE = 1e-9  # a number that is this near to a half of the last decimal may be rounded up or down


def range_of_correct_numbers(worked: ExplainedTrace, name: str, given: Collection[str]) -> tuple[Array, Array]:
    """Return the least and the greatest number that correct rounding of the steps can give, for each cell of a matrix.

    `worked` has the calculation of each cell, `name` is the name of the matrix, and the matrices in `given` are exact.
    All usual ways to compute a number are tried, such as division by √d_k and multiplication by 1/√d_k. An answer may
    also be rounded to two decimals at the end.

    Shapes: both have the shape of the matrix.
    Raises: ValueError if `worked` has no such matrix.
    """
    matrix, rule = rule_of(worked, name)
    spans = _Spans(worked, given)
    ends = [span_as_written(spans.of_any(rule(*place))) for place in np.ndindex(matrix.shape)]
    low, high = np.array(ends).T
    return low.reshape(matrix.shape), high.reshape(matrix.shape)


class _Spans:
    """A calculator for spans. A span is the least and the greatest value that rounding can give to a term.

    Each span is computed only once.
    """

    def __init__(self, worked: ExplainedTrace, given: Collection[str]) -> None:
        """Store the calculations in `worked`, except those of the matrices in `given`, whose numbers are exact."""
        self._rules = {name: rule for name, (_, rule) in rules_of(worked).items() if name not in given}
        self._known = dict[Term, Span]()

    def of_any(self, term: Term) -> Span:
        """Return the smallest and the greatest value that a term can have, over all usual ways to compute the term."""
        lows, highs = zip(*(self._span_of(way) for way in ways_to_compute(term)), strict=True)
        return min(lows), max(highs)

    def _span_of(self, term: Term) -> Span:
        if term not in self._known:
            self._known[term] = (
                self._span_of_number(term) if isinstance(term, Number) else self._span_of_operation(term)
            )
        return self._known[term]

    def _span_of_number(self, number: Number) -> Span:
        if number.name in self._rules and number.index:
            return self.of_any(self._rules[number.name](*number.index))
        return number.value, number.value

    def _span_of_operation(self, operation: Operation) -> Span:
        match operation:
            case Operation("quotient", (part, Operation("sum", parts))) if part in parts:
                found = _share(parts.index(part), [self._span_of(each) for each in parts])
            case _:
                spans = [self._span_of(term) for term in operation.terms]
                found = _BETWEEN.get(operation.symbol, _span_from_ends)(operation.symbol, spans)
        return span_as_written(found)


def span_as_written(span: Span) -> Span:
    """Return the least and the greatest result of rounding a number in `span` to two or more decimals.

    >>> span_as_written((6**0.5, 6**0.5))
    (2.449, 2.45)
    """
    low, high = span
    if not (math.isfinite(low) and math.isfinite(high)):
        return span
    down = (math.ceil(low * 10**d - 0.5 - TIE) / 10**d for d in DECIMALS)
    up = (math.floor(high * 10**d + 0.5 + TIE) / 10**d for d in DECIMALS)
    return min(low, *down), max(high, *up)


# --- the span of an operation, from the spans of its terms ---


def _span_from_ends(symbol: Symbol, spans: list[Span]) -> Span:
    """Return the span of an operation, computed from the least and the greatest values of its terms.

    This is correct only for operations that always rise, or always fall, with each term.
    """
    if symbol == "quotient" and spans[1][0] <= 0 <= spans[1][1]:
        return -math.inf, math.inf  # so small a divisor may be rounded to 0
    if all(low == high for low, high in spans):
        spans = [(low,) for low, _ in spans]  # type: ignore[misc]
    found = [evaluate(Operation(symbol, tuple(map(Number, ends)))) for ends in product(*spans)]
    return min(found), max(found)


def _share(which: int, parts: list[Span]) -> Span:
    """Return the span of one number divided by the sum of several numbers. `parts` has the spans of all these numbers.

    `which` is the index of the divided number. The sum contains the same rounded number, so the spans of number and sum
    depend on each other.
    """
    low, high = parts[which]
    rest_low, rest_high = _span_of_sum("sum", parts[:which] + parts[which + 1 :])
    least = (_divide(total - rest_high, up) for total, _, up in _totals(low + rest_high, high + rest_high))
    most = (_divide(total - rest_low, down) for total, down, _ in _totals(low + rest_low, high + rest_low))
    return min(least), max(most)


def _totals(low: float, high: float) -> Iterator[tuple[float, float, float]]:
    """Yield the totals from `low` to `high` at which a share can be least or greatest, each with two rounded numbers.

    The order is: the total, the least and the greatest number that rounding can make of it. The totals are `low`,
    `high`, and all numbers between them that are rounded up or down, such as 0.125. For `low` and `high`, rounding to
    more than two decimals changes a total by half a thousandth at most.
    """
    for total in (low, high):
        yield total, *span_as_written((total, total))
    if low < high:
        halves = ((cent + 0.5) / 100 for cent in range(math.ceil(low * 100 - 0.5), math.floor(high * 100 - 0.5) + 1))
        yield from ((half, *span_as_written((half, half))) for half in halves)
        yield from ((total, total - HALF_A_THOUSANDTH, total + HALF_A_THOUSANDTH) for total in (low, high))


def _divide(part: float, total: float) -> float:
    return part / total if total > 0 else math.inf  # so small a total may be rounded to 0


def _span_of_sum(_: Symbol, spans: list[Span]) -> Span:
    return math.fsum(low for low, _ in spans), math.fsum(high for _, high in spans)


def _span_of_maximum(_: Symbol, spans: list[Span]) -> Span:
    return max(low for low, _ in spans), max(high for _, high in spans)


def _span_of_wave(symbol: Symbol, spans: list[Span]) -> Span:
    """Return the span of a sine or cosine. Its maximum or minimum may lie inside the span of the angle."""
    ((low, high),) = spans
    quarter = 0.5 * math.pi * (symbol == "sin")
    turns = range(math.ceil((low - quarter) / math.pi), math.floor((high - quarter) / math.pi) + 1)
    found = [*_span_from_ends(symbol, spans), *((-1.0) ** turn for turn in turns)]
    return min(found), max(found)


_BETWEEN: Mapping[Symbol, Callable[[Symbol, list[Span]], Span]] = {
    "sum": _span_of_sum,
    "maximum": _span_of_maximum,
    "sin": _span_of_wave,
    "cos": _span_of_wave,
}
