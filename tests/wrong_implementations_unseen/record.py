"""The class of one case of this set of implementations, and the registers that hold all cases."""

from collections.abc import Callable
from dataclasses import dataclass

from wrong_implementations.parts import hide, one_head, several_heads
from wrong_implementations.record import Wrong, summary_of

ALL: dict[str, "Unseen"] = {}  # cases with one mistake
PAIRS: dict[str, "Unseen"] = {}  # cases with two mistakes
POSITIONS: dict[str, "Unseen"] = {}  # cases with a mistake in the positional encoding, or in adding it to the tokens
RIGHT: dict[str, "Unseen"] = {}  # correct numbers in an unusual form
ONE_CELL: dict[str, "Unseen"] = {}  # cases with one number that was calculated or typed wrongly
# the steps of attention in their order
STEPS = ("Q", "K", "V", "heads", "scores", "scaled", "masked", "weights", "concat", "output")


@dataclass(frozen=True, kw_only=True)
class Unseen(Wrong):
    """One implementation of attention, usually wrong. Called with a problem, it returns all of its matrices by name."""

    about: str  # the first of its matrices that the mistake changes
    decimals: int = 10  # the number of decimals to which the numbers are given
    cell: tuple[int, ...] | None = None  # the wrong cell of `about`, if only one cell is wrong
    typed: bool = False  # whether the cell was only typed wrongly, so that no other number depends on it

    def __call__(self, p):
        """Return the matrices of this implementation for the problem `p`, by name.

        The implementation may raise whatever NumPy raises.
        """
        return self.whole(p) if self.whole is not None else run(p, self.heads, **self.parts)


def run(p, heads="one", **parts):
    """Run attention on the inputs `p`, with some parts of the correct code replaced. Return all matrices by name.

    `parts` holds a function for each part to replace. `heads` is "one" or "several". The masked scores are returned
    too.
    """
    kept = {}

    def hide_and_keep(scaled, mask):
        """Return the masked scores, and store them, because `run` returns them too."""
        kept["masked"] = parts.get("hide", hide)(scaled, mask)
        return kept["masked"]

    made = (one_head if heads == "one" else several_heads)(p, **{**parts, "hide": hide_and_keep})
    return {**kept, **made}


def wrong(about, part=None, *, rare=False, heads="one", needs=None, source="", into=ALL):
    """Return a decorator that adds a function with a mistake in attention to the register `into`.

    With `part`, the function replaces that part of the correct code. Without `part`, the function takes a problem and
    returns its matrices by name. `about` is the first matrix that the mistake changes. `rare` says whether few people
    make the mistake. `needs` says what a problem must have so that the mistake shows. The first line of the function's
    docstring says the mistake.
    """

    def enlist(function: Callable) -> Callable:
        """Add `function` to the register `into` of the decorator `wrong`, and return `function` unchanged."""
        parts, whole = ({part: function}, None) if part else ({}, function)
        more = {"about": about, "common": not rare, "heads": heads, "needs": needs, "source": source}
        add(Unseen(name=function.__name__, says=summary_of(function), parts=parts, whole=whole, **more), into)
        return function

    return enlist


def right(*, decimals=10, heads="one", needs=None, about="output"):
    """Return a decorator that adds a function to `RIGHT`, the register of correct computations in an unusual form.

    The numbers that the function returns are correct to `decimals` decimals. The other arguments are fields of
    `Unseen`.
    """

    def enlist(function: Callable) -> Callable:
        """Add `function` to `RIGHT`, and return it unchanged."""
        more = {"heads": heads, "needs": needs, "decimals": decimals, "about": about, "common": True, "source": ""}
        add(Unseen(name=function.__name__, says=summary_of(function), parts={}, whole=function, **more), RIGHT)
        return function

    return enlist


def add(case, register):
    """Add `case` to `register` under its name. Raises: ValueError if the register already has that name."""
    if case.name in register:
        raise ValueError(f"a name must be new; got {case.name}: choose another one.")
    register[case.name] = case
