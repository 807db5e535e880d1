"""Formulas: how every cell of a matrix is calculated, written once, with letters for the index of the cell.

    i, j, k = letters("i j k")
    scores = Formula((i, j), total(k, d_k, q[i, k] * keys[j, k]))
    scores(0, 2)  # the calculation of one cell, with its numbers

One formula has three uses: `term_of` writes the calculation of one cell, `as_data` gives the formula to a program in
another language, and that program can compute the whole matrix or find out which cells it reads.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.arithmetic.terms import Number, Operation, Rules, Symbol, Term, evaluate
from attention_core.checks import Array
from attention_core.rotation import rope_partners

Where = Mapping[str, int]  # the number that each letter stands for


class Index:
    """A whole number that depends on the index of a cell: a letter such as i, or a calculation such as i + 2.

    It supports +, *, // and %, and `Index.among`, which looks a number up in a list. `Index.set_by` is the place of a
    slider.
    """

    __slots__ = ("of", "symbol")

    def __init__(self, symbol: str, *of: Index | int | str | tuple[int, ...]) -> None:
        self.symbol, self.of = symbol, of

    @classmethod
    def set_by(cls, setting: str, place: int) -> Index:
        """Return the place of a slider, from 0. It is at `place` now, and a visitor can move it."""
        return cls(":", place, setting)

    def __add__(self, other: Index | int) -> Index:
        return self if isinstance(other, int) and other == 0 else Index("+", self, other)

    def __mul__(self, other: int) -> Index:
        return self if other == 1 else Index("*", self, other)

    def __floordiv__(self, other: int) -> Index:
        return self if other == 1 else Index("//", self, other)

    def __mod__(self, other: int) -> Index:
        return Index("%", self, other)

    def among(self, numbers: NDArray[Any] | Sequence[int]) -> Index:
        """Return the number at this place of a list."""
        return Index("[]", tuple(map(int, numbers)), self)


def letters(names: str) -> tuple[Index, ...]:
    """Return letters to write formulas with, from their names with spaces between them."""
    return tuple(map(Index, names.split()))


def _floored(a: int, b: int) -> int:
    return a // b


WHOLE: Mapping[str, Callable[..., int]] = {
    "+": operator.add,
    "*": operator.mul,
    "//": _floored,
    "%": operator.mod,
    "[]": operator.getitem,
}


def whole(index: Any, at: Where) -> Any:
    """Return the number of an index. `at` says what each letter stands for.

    >>> whole(Index("i") * 2 + 1, {"i": 3})
    7
    """
    if not isinstance(index, Index):
        return index
    if index.symbol == ":":
        return index.of[0]
    return WHOLE[index.symbol](*(whole(each, at) for each in index.of)) if index.of else at[index.symbol]


class Pattern:
    """A calculation with letters in it. Patterns can be added, subtracted, multiplied, divided and raised."""

    __slots__ = ()

    def __add__(self, other: Pattern) -> Pattern:
        of = self.of if isinstance(self, Calculated) and self.symbol == "sum" else (self,)
        return Calculated("sum", (*of, other))

    def __sub__(self, other: Pattern) -> Pattern:
        return Calculated("difference", (self, other))

    def __mul__(self, other: Pattern) -> Pattern:
        return Calculated("product", (self, other))

    def __truediv__(self, other: Pattern) -> Pattern:
        return Calculated("quotient", (self, other))

    def __pow__(self, other: Pattern) -> Pattern:
        return Calculated("power", (self, other))


@dataclass(frozen=True, slots=True, eq=False)
class Entry(Pattern):
    """A cell of a matrix that has a name."""

    matrix: Grid
    index: tuple[Index | int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Fixed(Pattern):
    """A number that is the same for every cell, with or without a name such as "d_k"."""

    value: float
    name: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Known(Pattern):
    """A number that depends only on the index, and not on any matrix, such as a position or a number of a mask.

    `shown` says whether the calculation names its index too.
    """

    values: NDArray[Any]
    index: tuple[Index | int, ...]
    name: str | None = None
    shown: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Calculated(Pattern):
    """An operation on patterns. An `Each` among them stands for several."""

    symbol: Symbol
    of: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Each(Pattern):
    """The same pattern for each number of a letter, from 0 to `n` − 1. If `present`, those that are 0 are left out."""

    letter: Index
    n: int
    of: Pattern
    present: Pattern | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Pattern):
    """One pattern where `chosen`, an array of booleans, is true at `index`, and another pattern where it is false.

    `follows` says whether `chosen` depends on numbers of the page: then it holds only for the present numbers.
    """

    chosen: NDArray[Any]
    index: tuple[Index | int, ...]
    of: tuple[Pattern, Pattern]
    follows: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Share(Pattern):
    """A part divided by its total, or 0 if the total is not above 0."""

    of: tuple[Pattern, Pattern]


@dataclass(frozen=True, slots=True, eq=False)
class Greatest(Pattern):
    """The greatest of several numbers, or 0 if all are −∞: then every power is 0, and not NaN."""

    of: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True, eq=False)
class UnlessNeutral(Pattern):
    """A pattern plus a number, times it or divided by it. A number that changes nothing is left out."""

    symbol: Symbol
    of: tuple[Pattern, Fixed]


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A matrix that formulas read under a name: `Grid("q", q)[i, k]` is one of its cells."""

    name: str
    values: Array

    def __getitem__(self, index: Index | int | tuple[Index | int, ...]) -> Entry:
        return Entry(self, index if isinstance(index, tuple) else (index,))


def total(letter: Index, n: int, of: Pattern, present: Pattern | None = None) -> Calculated:
    """Return the sum of a pattern over a letter that counts from 0 to `n` − 1."""
    return Calculated("sum", (Each(letter, n, of, present),))


def apply(symbol: Symbol, *of: Pattern) -> Calculated:
    """Return an operation such as "exp" or "root" on patterns."""
    return Calculated(symbol, of)


def softmax_of(score: Callable[[Index], Pattern], n: int, place: Index) -> Pattern:
    """Return one share of the softmax of n scores. `score` gives the score at a letter; `place` is that of the share.

    e^(score − max) / Σ e^(score − max), or 0 if all scores are −∞.
    """
    k, m = letters("k m")
    greatest = Greatest((Each(m, n, score(m)),))
    return Share((apply("exp", score(place) - greatest), total(k, n, apply("exp", score(k) - greatest))))


def wave_at(position: Pattern, column: Index, width: Fixed, n_columns: int, base: float) -> Pattern:
    """Return a cell of the sinusoidal encoding: the sine (even columns) or cosine of position / base^(2i / width)."""
    number = np.arange(n_columns)
    angle = angle_of(position, Known(number - number % 2, (column,), "2i"), width, base)
    return Choice(number % 2 == 1, (column,), (apply("cos", angle), apply("sin", angle)))


def angle_of(position: Pattern, double: Pattern, width: Fixed, base: float) -> Calculated:
    """Return the angle position / base^(2i / width), in which i is the number of a pair of columns: `double` is 2i."""
    return Calculated("quotient", (position, Fixed(base, "base") ** (double / width)))


def rotated(
    own: Callable[[Index], Entry], n: int, position: Pattern, column: Index, base: float, *, halves: bool
) -> Pattern:
    """Return a cell of a row after RoPE has rotated the row by its position.

    x[column] cos θ ∓ x[partner] sin θ, θ = position / base^(2i / n)

    `own` gives a cell of the row, and `n` is the width of the row. The column is one of pair i, and the partner is the
    other: half the width away if `halves`, otherwise beside it. An odd last column does not change.
    """
    even = n - n % 2
    partner, number = rope_partners(n, not halves), np.arange(n)
    first = np.minimum(number, partner)
    double = Known(2 * first if halves else first, (column,), "2i")
    angle = angle_of(position, double, Fixed(even, "d_k" if even == n else None), base)
    along, across = own(column) * apply("cos", angle), own(column.among(partner)) * apply("sin", angle)
    turned = Choice(number == first, (column,), (along - across, along + across))
    return turned if even == n else Choice(number == partner, (column,), (own(column), turned))


@dataclass(frozen=True, slots=True, eq=False)
class Formula:
    """How every cell of a matrix is calculated. `letters` stand for the index of a cell in `pattern`."""

    letters: tuple[Index, ...]
    pattern: Pattern

    def __call__(self, *index: int) -> Term:
        """Return the calculation of one cell."""
        return term_of(self.pattern, {letter.symbol: n for letter, n in zip(self.letters, index, strict=True)})


def given_rules(**matrices: Array | None) -> Rules:
    """Return the formulas of matrices that are given: each cell is its own number. A matrix that is None is left out.

    `matrices` are the matrices by name.
    """
    present = {name: np.asarray(matrix) for name, matrix in matrices.items() if matrix is not None}
    return {name: (values, _given(name, values)) for name, values in present.items()}


def _given(name: str, values: Array) -> Formula:
    own = place_letters(values.ndim)
    return Formula(own, Entry(Grid(name, values), own))


def place_letters(rank: int) -> tuple[Index, ...]:
    """Return the letters of the index of an array with `rank` axes. The last two are always i and j.

    >>> [letter.symbol for letter in place_letters(3)]
    ['h', 'i', 'j']
    """
    return letters("b g h i j"[-2 * rank + 1 :]) if rank else ()


def term_of(pattern: Pattern, at: Where) -> Term:
    """Return the calculation that a pattern stands for, with numbers. `at` says what each letter stands for.

    >>> i, k = letters("i k")
    >>> evaluate(term_of(total(k, 2, Grid("x", np.array([[1.0, 2.0]]))[i, k]), {"i": 0}))
    3.0
    """
    match pattern:
        case Entry(matrix, index):
            place = tuple(whole(each, at) for each in index)
            return Number(float(matrix.values[place]), matrix.name, place)
        case Fixed(value, name):
            return Number(value, name)
        case Known(values, index, name, shown):
            place = tuple(whole(each, at) for each in index)
            return Number(float(values[place]), name, place if shown else ())
        case Calculated(symbol, of):
            return Operation(symbol, tuple(_terms(of, at)))
        case Choice(chosen, index, of):
            return term_of(of[0] if chosen[tuple(whole(each, at) for each in index)] else of[1], at)
        case Share((part, sum_of_parts)):
            divisor = term_of(sum_of_parts, at)
            return Operation("quotient", (term_of(part, at), divisor)) if evaluate(divisor) > 0 else Number(0.0)
        case Greatest(of):
            terms = tuple(_terms(of, at))
            return Operation("maximum", terms) if any(evaluate(each) > -math.inf for each in terms) else Number(0.0)
        case UnlessNeutral(symbol, (part, number)):
            term = term_of(part, at)
            is_neutral = number.value == (0 if symbol == "sum" else 1)
            return term if is_neutral else Operation(symbol, (term, term_of(number, at)))
        case _:
            raise TypeError(f"a pattern must be one of the kinds of this module; got {pattern!r}: use these.")


def _terms(of: tuple[Pattern, ...], at: Where) -> Iterator[Term]:
    for pattern in of:
        if not isinstance(pattern, Each):
            yield term_of(pattern, at)
            continue
        for n in range(pattern.n):
            inside = {**at, pattern.letter.symbol: n}
            if pattern.present is None or evaluate(term_of(pattern.present, inside)) != 0:
                yield from _terms((pattern.of,), inside)


def entries_of(pattern: Any) -> Iterator[Entry]:
    """Yield every cell of a matrix that a pattern reads, with letters in its index."""
    if isinstance(pattern, Entry):
        yield pattern
    elif isinstance(pattern, Each):
        yield from entries_of(pattern.of)
    elif not isinstance(pattern, Fixed | Known):
        for each in pattern.of:
            yield from entries_of(each)
