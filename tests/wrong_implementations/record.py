"""The class of one wrong implementation of attention, and the dictionary `ALL` of all of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .parts import one_head, several_heads

ALL: dict[str, "Wrong"] = {}


@dataclass(frozen=True, kw_only=True)
class Wrong:
    """One wrong implementation of attention. Called with a problem, it returns its matrices by name.

    A problem holds the inputs of attention. `says` describes the mistake in a sentence. `heads` is "one" or "several".
    `needs` says what a problem must have so that the mistake shows: "mask", "bias" or "context". `parts` replaces parts
    of the correct code, and `whole` replaces all of it.
    """

    name: str
    says: str
    common: bool
    heads: str
    needs: str | None
    source: str
    parts: Mapping[str, Callable]
    whole: Callable | None = None

    def __call__(self, p):
        """Return the matrices of this implementation for the problem `p`. It may raise whatever NumPy raises."""
        if self.whole is not None:
            return self.whole(p)
        return (one_head if self.heads == "one" else several_heads)(p, **self.parts)


def record(name, says, *, common=False, heads="one", needs=None, source="", whole=None, **parts):
    """Add one wrong implementation to `ALL` under its name.

    `says` describes the mistake. `parts` holds a function for each part of the correct code to replace, and `whole`
    replaces all of it. The other arguments are the fields of `Wrong`.

    Raises: ValueError if the name is taken, or nothing is replaced.
    """
    if name in ALL:
        raise ValueError(f"a name must be new; got {name}: choose another one.")
    if not parts and whole is None:
        raise ValueError(f"{name} must replace a part; got none: give a part or the whole.")
    ALL[name] = Wrong(
        name=name, says=says, common=common, heads=heads, needs=needs, source=source, parts=parts, whole=whole
    )


def summary_of(function: Callable) -> str:
    """Return the first line of the function's docstring, or an empty text if it has none."""
    return (function.__doc__ or "").partition("\n")[0]
