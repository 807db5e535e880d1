"""The record of one wrong implementation, and the list of all of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .parts import one_head, several_heads

ALL: dict[str, "Wrong"] = {}


@dataclass(frozen=True, kw_only=True)
class Wrong:
    """One wrong implementation: call it with a problem, and it returns its matrices by name."""

    name: str
    says: str
    common: bool
    heads: str
    needs: str | None
    source: str
    parts: Mapping[str, Callable]
    whole: Callable | None = None

    def __call__(self, p):
        """Run the implementation; it may raise whatever NumPy raises."""
        if self.whole is not None:
            return self.whole(p)
        return (one_head if self.heads == "one" else several_heads)(p, **self.parts)


def record(name, says, *, common=False, heads="one", needs=None, source="", whole=None, **parts):
    """List one wrong implementation under its name. Raises: ValueError if the name is taken."""
    if name in ALL:
        raise ValueError(f"a name must be new; got {name}: choose another one.")
    if not parts and whole is None:
        raise ValueError(f"{name} must replace a part; got none: give a part or the whole.")
    ALL[name] = Wrong(
        name=name, says=says, common=common, heads=heads, needs=needs, source=source, parts=parts, whole=whole
    )
