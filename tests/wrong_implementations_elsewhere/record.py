"""The register of this set of wrong implementations of attention.

The decorator `wrong` adds a function to the register. The name and the docstring of the function say its mistake.
"""

from collections.abc import Callable

from wrong_implementations.record import Wrong, summary_of

ALL: dict[str, Wrong] = {}
PAIRS: dict[str, Wrong] = {}


def wrong(*, common=False, heads="one", needs=None, source="", part=None, into=ALL) -> Callable[[Callable], Callable]:
    """Return a decorator that adds a function with a mistake in attention to the register `into`.

    With `part`, the function replaces that part of the correct code. Without `part`, the function takes a problem (the
    inputs of attention) and returns the output. `heads` is "one" or "several". `needs` says what a problem must have
    for the mistake to show: "mask", "bias" or "context". `common` says whether many people make the mistake.

    Raises: ValueError if the register already has a function of that name.
    """

    def enlist(function: Callable) -> Callable:
        """Add `function` to the register `into` of the decorator `wrong`, and return `function` unchanged."""
        parts, whole = ({part: function}, None) if part else ({}, lambda p: {"output": function(p)})
        says, more = summary_of(function), {"heads": heads, "needs": needs, "source": source}
        add(Wrong(name=function.__name__, says=says, common=common, parts=parts, whole=whole, **more), into)
        return function

    return enlist


def pair(first: Callable, second: Callable, *, heads="one", needs=None) -> None:
    """Add one implementation to `PAIRS` that makes two mistakes: the mistake of `first` and the mistake of `second`.

    Raises: ValueError if both mistakes replace the same part of the correct code, or one of them replaces no part.
    """
    a, b = ALL[first.__name__], ALL[second.__name__]
    if not a.parts or not b.parts or set(a.parts) & set(b.parts):
        raise ValueError(f"a pair needs two different parts; got {[*a.parts]} and {[*b.parts]}: choose others.")
    name, says, parts = f"{a.name}, {b.name}", f"{a.says} {b.says}", {**a.parts, **b.parts}
    add(Wrong(name=name, says=says, common=True, heads=heads, needs=needs, source="", parts=parts), PAIRS)


def add(mistake: Wrong, register: dict[str, Wrong]) -> None:
    """Add `mistake` to `register` under its name. Raises: ValueError if the register already has that name."""
    if mistake.name in register:
        raise ValueError(f"a name must be new; got {mistake.name}: choose another one.")
    register[mistake.name] = mistake
