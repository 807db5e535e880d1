"""Cache the results of functions that depend only on their arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache, wraps
from types import MappingProxyType, NoneType
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

T = TypeVar("T")


P = ParamSpec("P")

MOST_KEPT = 16  # not more results, because the traces of the widest example take megabytes
_WITHOUT_ARRAYS = (str, int, float, bool, NoneType)
_WORD, _TEXT_AND_NUMBERS = re.compile(r"\w+"), {"str", "int", "float", "bool", "None", "tuple", "list"}


def cache_recent(function: Callable[P, T]) -> Callable[P, T]:
    """Cache the last 16 results of a function. All visitors share the cache.

    Arguments must be hashable. The arrays of a result are read-only, because several visitors use the same arrays.

    Raises: TypeError if an argument is not hashable.

    >>> ones = cache_recent(lambda n: np.ones(n))
    >>> ones(2) is ones(2), ones(2).flags.writeable
    (True, False)
    """
    return cache_up_to(MOST_KEPT)(function)


def cache_up_to(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that caches the last `most` results of a function. All visitors share the cache."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def compute(*args: P.args, **kwargs: P.kwargs) -> T:
            return read_only(function(*args, **kwargs))

        return lru_cache(maxsize=most)(compute)  # type: ignore[return-value]

    return decorate


def read_only(result: T) -> T:
    """Make every array in a result read-only, also in dataclasses, mappings and sequences. Return the same result.

    >>> read_only({"x": np.zeros(2)})["x"].flags.writeable
    False
    """
    waiting: list[Any] = [result]
    while waiting:
        value = waiting.pop()
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        elif type(value) not in _WITHOUT_ARRAYS:
            waiting.extend(_parts(value))
    return result


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, (tuple, list)):
        return cast("Iterable[Any]", value)
    if isinstance(value, (dict, MappingProxyType)):
        return cast("Mapping[str, Any]", value).values()
    return [getattr(value, name) for name in _fields_to_search(value.__class__)]


@cache
def _fields_to_search(kind: type) -> tuple[str, ...]:
    found = fields(kind) if is_dataclass(kind) else ()
    return tuple(field.name for field in found if not {*_WORD.findall(str(field.type))} <= _TEXT_AND_NUMBERS)
