"""Cache results that depend on their arguments alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache, wraps
from types import MappingProxyType, NoneType
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")

MOST_KEPT = 16  # the traces of the widest example take megabytes
_WITHOUT_ARRAYS = (str, int, float, bool, NoneType)


def cached(function: Callable[P, T]) -> Callable[P, T]:
    """Cache the last 16 results of a function, shared by all visitors.

    Arguments must be hashable. Examples and traces are compared by identity, since none ever changes. The arrays of a
    result cannot be written to, because several visitors hold the same ones.

    Raises: TypeError if an argument is not hashable.
    """
    return cached_up_to(MOST_KEPT)(function)


def cached_up_to(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Cache as `cached` does, but another number of results."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def compute(*args: P.args, **kwargs: P.kwargs) -> T:
            return read_only(function(*args, **kwargs))

        return lru_cache(maxsize=most)(compute)  # type: ignore[return-value]

    return decorate


def read_only(result: T) -> T:
    """Make every array in a result read-only: in dataclasses, mappings and sequences too. Return the result itself."""
    _lock(result)
    return result


def _lock(value: Any) -> None:
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, tuple | list):
        _lock_each(cast("Iterable[Any]", value))
    elif isinstance(value, dict | MappingProxyType):
        _lock_each(cast("Mapping[Any, Any]", value).values())
    else:
        _lock_each(getattr(value, name) for name in _field_names(value.__class__))


def _lock_each(values: Iterable[Any]) -> None:
    for value in values:
        if type(value) not in _WITHOUT_ARRAYS:
            _lock(value)


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
