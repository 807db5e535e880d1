"""Traced arrays: NumPy code that runs on them gives formulas instead of numbers.

    x, w = Traced.given("x", x), Traced.given("w", w)
    (x @ w / 2).formula  # Σ x[i, n1] · w[n1, j] / 2

An array knows its shape, and how to write the pattern of the cell at any index. Code that chooses by the numbers in an
array has no formula: NumPy then raises a TypeError.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import accumulate
from typing import Any, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from attention_core.arithmetic.formulas import (
    Calculated,
    Choice,
    Each,
    Fixed,
    Formula,
    Greatest,
    Grid,
    Index,
    Known,
    Pattern,
    Share,
    apply,
    place_letters,
    total,
)
from attention_core.checks import Array

Place = tuple[Index | int, ...]
Shape = tuple[int, ...]


class Traced(NDArrayOperatorsMixin):
    """An array of which each cell is a pattern. `at` writes the pattern of the cell at an index."""

    def __init__(self, shape: Shape, at: Callable[[Place], Pattern]) -> None:
        self.shape, self.at = shape, at

    @classmethod
    def given(cls, name: str, values: Array) -> Traced:
        """Return an array whose cells are those of the matrix `name`."""
        return cls(values.shape, Grid(name, values).__getitem__)

    @property
    def formula(self) -> Formula:
        """The formula of the whole array."""
        letters = place_letters(len(self.shape))
        return Formula(letters, self.at(letters))

    @property
    def T(self) -> Traced:  # noqa: N802 (as in NumPy)
        """The array with its axes in the opposite order."""
        return Traced(self.shape[::-1], lambda at: self.at(at[::-1]))

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Traced]:
        return (self[n] for n in range(len(self)))

    def __getitem__(self, key: Any) -> Traced:
        """Return a part of the array. `key` has numbers, slices, None and an ellipsis, as in NumPy."""
        keys = _keys_of_axes(cast("tuple[Any, ...]", key if isinstance(key, tuple) else (key,)), len(self.shape))
        sizes = iter(self.shape)
        ranges = [None if each is None else _range(each, next(sizes)) for each in keys]
        kept = [each for each in ranges if not isinstance(each, int)]

        def at(place: Place) -> Pattern:
            own = iter(place)
            inner = [each if isinstance(each, int) else _in_range(each, next(own)) for each in ranges]
            return self.at(tuple(each for each, key in zip(inner, keys, strict=True) if key is not None))

        return Traced(tuple(1 if each is None else len(each) for each in kept), at)

    def swapaxes(self, first: int, second: int) -> Traced:
        """Return the array with two axes swapped."""
        order = list(range(len(self.shape)))
        order[first], order[second] = order[second], order[first]
        shape = tuple(self.shape[axis] for axis in order)
        return Traced(shape, lambda at: self.at(tuple(at[axis] for axis in order)))

    def reshape(self, *shape: Any) -> Traced:
        """Return the numbers of the array in another shape, row by row."""
        new = np.empty(self.shape).reshape(*shape).shape

        def at(place: Place) -> Pattern:
            number = reduce(_plus, [one * n for one, n in zip(place, _strides(new), strict=True)])
            own = zip(_strides(self.shape), self.shape, strict=True)
            return self.at(tuple(number // n % size for n, size in own))

        return Traced(new, at)

    def sum(self, axis: int, *, keepdims: bool = False) -> Traced:
        """Return the sums along an axis."""
        axis %= len(self.shape)
        kept = [1] if keepdims else []
        shape = (*self.shape[:axis], *kept, *self.shape[axis + 1 :])

        def at(place: Place) -> Pattern:
            letter, after = _new_letter(place), place[axis + len(kept) :]
            return total(letter, self.shape[axis], self.at((*place[:axis], letter, *after)))

        return Traced(shape, at)

    def mean(self, axis: int) -> Traced:
        """Return the means along an axis."""
        return self.sum(axis) / self.shape[axis]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **_: Any) -> Any:
        """Return what a function such as `np.exp` or `np.add` makes of its inputs."""
        if method == "__call__" and ufunc is np.matmul:
            return _matrix_product(*inputs)
        if method == "__call__" and ufunc in _OF_CELLS:
            return _cell_by_cell(_OF_CELLS[ufunc], *inputs)
        return NotImplemented

    def __array_function__(self, function: Any, _: Any, inputs: Any, options: Any) -> Any:
        """Return what a function such as `np.concatenate` makes of its inputs."""
        return _FUNCTIONS[function](*inputs, **options) if function in _FUNCTIONS else NotImplemented


def traced(value: Any) -> Traced:
    """Return an array whose numbers do not depend on a matrix as a traced array, and a traced array unchanged."""
    if isinstance(value, Traced):
        return value
    numbers = np.asarray(value, dtype=float)
    return Traced(numbers.shape, lambda at: Known(numbers, at) if at else Fixed(float(numbers)))


def softmax(scores: Traced, axis: int | tuple[int, ...] = -1) -> Traced:
    """Return the softmax of an array along one axis or several. A line of −∞ gets zeros."""
    along = [each % len(scores.shape) for each in ([axis] if isinstance(axis, int) else axis)]

    def line(of: Callable[[Pattern], Pattern], place: Place) -> Each:
        inner = dict[int, Index]()
        for each in along:
            inner[each] = _new_letter((*place, *inner.values()))
        found = of(scores.at(tuple(inner.get(each, one) for each, one in enumerate(place))))
        for each in along:
            found = Each(inner[each], scores.shape[each], found)
        return found  # type: ignore[return-value]

    def share(place: Place) -> Pattern:
        greatest = Greatest((line(lambda score: score, place),))
        powers = line(lambda score: apply("exp", score - greatest), place)
        return Share((apply("exp", scores.at(place) - greatest), Calculated("sum", (powers,))))

    return Traced(scores.shape, share)


def _negative(of: Pattern) -> Pattern:
    return Fixed(-1.0) * of


_OF_CELLS: Mapping[Any, Callable[..., Pattern]] = {
    np.add: Pattern.__add__,
    np.subtract: Pattern.__sub__,
    np.multiply: Pattern.__mul__,
    np.divide: Pattern.__truediv__,
    np.power: Pattern.__pow__,
    np.negative: _negative,
    np.exp: partial(apply, "exp"),
    np.sqrt: partial(apply, "root"),
    np.sin: partial(apply, "sin"),
    np.cos: partial(apply, "cos"),
}


def _cell_by_cell(function: Callable[..., Pattern], *inputs: Any) -> Traced:
    shape = np.broadcast_shapes(*(traced(each).shape for each in inputs))
    arrays = [_broadcast_to(each, shape) for each in inputs]
    return Traced(shape, lambda at: function(*(each.at(at) for each in arrays)))


def _broadcast_to(value: Any, shape: Shape) -> Traced:
    array = traced(value)
    return Traced(shape, lambda at: array.at(_broadcast(array.shape, at)))


def _broadcast(shape: Shape, at: Place) -> Place:
    """Return the index of an array of this shape that belongs to an index of the array to which it is broadcast."""
    own = at[len(at) - len(shape) :]
    return tuple(0 if size == 1 else one for size, one in zip(shape, own, strict=True))


def _matrix_product(first: Any, second: Any) -> Traced:
    a, b = traced(first), traced(second)
    width = np.matmul(np.empty(a.shape), np.empty(b.shape)).shape  # also checks that the shapes fit
    b_is_vector = len(b.shape) == 1

    def at(place: Place) -> Pattern:
        letter = _new_letter(place)
        *lead, row = place if b_is_vector else place[:-1]
        left = _broadcast(a.shape, (*lead, row, letter))
        right = (letter,) if b_is_vector else _broadcast(b.shape, (*lead, letter, place[-1]))
        return total(letter, a.shape[-1], a.at(left) * b.at(right))

    return Traced(width, at)


def _where(chosen: Any, yes: Any, no: Any) -> Traced:
    chosen = np.asarray(chosen)
    shape = np.broadcast_shapes(chosen.shape, traced(yes).shape, traced(no).shape)
    first, second = _broadcast_to(yes, shape), _broadcast_to(no, shape)
    if chosen.size == 1:
        return first if chosen.all() else second
    return Traced(shape, lambda at: Choice(chosen, _broadcast(chosen.shape, at), (first.at(at), second.at(at))))


def _concatenate(arrays: Sequence[Any], axis: int = 0) -> Traced:
    parts = [traced(each) for each in arrays]
    axis %= len(parts[0].shape)
    ends = list(accumulate(each.shape[axis] for each in parts))
    shape = (*parts[0].shape[:axis], ends[-1], *parts[0].shape[axis + 1 :])

    def at(place: Place) -> Pattern:
        def part(n: int) -> Pattern:
            start = ends[n] - parts[n].shape[axis]
            return parts[n].at((*place[:axis], _plus(place[axis], -start), *place[axis + 1 :]))

        return _choice_of(part, ends, place[axis])

    return Traced(shape, at)


def _choice_of(part: Callable[[int], Pattern], ends: Sequence[int], place: Index | int) -> Pattern:
    """Return the pattern of the part that `place` is in. Part n ends before number ends[n]."""
    if isinstance(place, int):
        return part(next(n for n, end in enumerate(ends) if place < end))
    found = part(len(ends) - 1)
    for n, end in reversed(list(enumerate(ends[:-1]))):
        found = Choice(np.arange(ends[-1]) < end, (place,), (part(n), found))
    return found


def _stack(arrays: Sequence[Any], axis: int = 0) -> Traced:
    parts = [traced(each) for each in arrays]
    axis %= len(parts[0].shape) + 1
    return _concatenate([each[(*[slice(None)] * axis, None)] for each in parts], axis)


def _split(array: Traced, sections: int, axis: int = 0) -> list[Traced]:
    size = array.shape[axis] // sections
    return [array[(*[slice(None)] * axis, slice(n * size, (n + 1) * size))] for n in range(sections)]


def _repeat(array: Traced, times: int, axis: int) -> Traced:
    shape = (*array.shape[:axis], array.shape[axis] * times, *array.shape[axis + 1 :])
    return Traced(shape, lambda at: array.at((*at[:axis], at[axis] // times, *at[axis + 1 :])))


def _outer(first: Any, second: Any) -> Traced:
    return traced(first)[:, None] * traced(second)


_FUNCTIONS: Mapping[Any, Callable[..., Any]] = {
    np.where: _where,
    np.concatenate: _concatenate,
    np.stack: _stack,
    np.split: _split,
    np.repeat: _repeat,
    np.outer: _outer,
}


# --- indices ---


def _keys_of_axes(key: tuple[Any, ...], n_axes: int) -> list[int | slice | None]:
    """Return a key for each axis, and None for each new one: an ellipsis stands for all axes that are not named."""
    named = sum(each is not None and each is not Ellipsis for each in key)
    others = [slice(None)] * (n_axes - named)
    where = key.index(Ellipsis) if Ellipsis in key else len(key)
    return [*key[:where], *others, *key[where + 1 :]]


def _range(key: int | slice, size: int) -> int | range:
    return range(size)[key]


def _in_range(numbers: range | None, place: Index | int) -> Index | int:
    return place if numbers is None else _plus(place * numbers.step, numbers.start)


def _strides(shape: Shape) -> list[int]:
    """Return how many numbers are between two neighbours along each axis, if the array is read row by row."""
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _plus(a: Index | int, b: Index | int) -> Index | int:
    return b + a if isinstance(a, int) and isinstance(b, Index) else a + b  # type: ignore[operator]


def _new_letter(place: Place) -> Index:
    """Return a letter that does not stand in an index."""
    used = {name for each in place for name in _names_in(each)}
    return Index(next(f"n{n}" for n in range(1, len(used) + 2) if f"n{n}" not in used))


def _names_in(index: Any) -> Iterator[str]:
    if not isinstance(index, Index):
        return
    if not index.of:
        yield index.symbol
    for each in index.of:
        yield from _names_in(each)
