"""The register of this set: a function under `wrong` is a mistake, and says by its name and docstring which."""

from collections.abc import Callable

from wrong_implementations.record import Wrong

ALL: dict[str, Wrong] = {}
PAIRS: dict[str, Wrong] = {}


def wrong(*, common=False, heads="one", needs=None, source="", part=None, into=ALL) -> Callable[[Callable], Callable]:
    """List the function below: it takes a problem and returns the output, or it replaces one part of the right code.

    Raises: ValueError if the name is taken.
    """

    def enlist(function: Callable) -> Callable:
        parts, whole = ({part: function}, None) if part else ({}, lambda p: {"output": function(p)})
        says, more = function.__doc__ or "", {"heads": heads, "needs": needs, "source": source}
        add(Wrong(name=function.__name__, says=says, common=common, parts=parts, whole=whole, **more), into)
        return function

    return enlist


def pair(first: Callable, second: Callable, *, heads="one", needs=None) -> None:
    """List two mistakes of different parts as one implementation that makes both.

    Raises: ValueError if the two replace the same part, or one of them replaces none.
    """
    a, b = ALL[first.__name__], ALL[second.__name__]
    if not a.parts or not b.parts or set(a.parts) & set(b.parts):
        raise ValueError(f"a pair needs two different parts; got {[*a.parts]} and {[*b.parts]}: choose others.")
    name, says, parts = f"{a.name}, {b.name}", f"{a.says} {b.says}", {**a.parts, **b.parts}
    add(Wrong(name=name, says=says, common=True, heads=heads, needs=needs, source="", parts=parts), PAIRS)


def add(mistake: Wrong, register: dict[str, Wrong]) -> None:
    if mistake.name in register:
        raise ValueError(f"a name must be new; got {mistake.name}: choose another one.")
    register[mistake.name] = mistake
