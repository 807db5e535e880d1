"""The record of one case of this set, and the registers of all of them."""

from collections.abc import Callable
from dataclasses import dataclass

from wrong_implementations.parts import hide, one_head, several_heads
from wrong_implementations.record import Wrong

ALL: dict[str, "Unseen"] = {}  # one mistake each
PAIRS: dict[str, "Unseen"] = {}  # two mistakes each
POSITIONS: dict[str, "Unseen"] = {}  # mistakes in the positional encoding, and in what adds it to the embeddings
RIGHT: dict[str, "Unseen"] = {}  # right numbers in an unusual form
ONE_CELL: dict[str, "Unseen"] = {}  # one wrong number, by a mistake of the hand
STEPS = ("Q", "K", "V", "heads", "scores", "scaled", "masked", "weights", "concat", "output")  # in their order


@dataclass(frozen=True, kw_only=True)
class Unseen(Wrong):
    """One case: call it with a problem, and it returns all of its matrices by name, the output among them."""

    about: str  # the first of its matrices that the mistake changes
    decimals: int = 10  # to how many decimals somebody would give the numbers
    cell: tuple[int, ...] | None = None  # which cell of `about` is wrong, if it is one
    typed: bool = False  # whether the cell was only written down wrongly, so that nothing follows from it

    def __call__(self, p):
        """Run the implementation; it may raise whatever NumPy raises."""
        return self.whole(p) if self.whole is not None else run(p, self.heads, **self.parts)


def run(p, heads="one", **parts):
    """Run attention with some parts replaced, and return every step. What is masked is a step as well."""
    kept = {}

    def hide_and_keep(scaled, mask):
        kept["masked"] = parts.get("hide", hide)(scaled, mask)
        return kept["masked"]

    made = (one_head if heads == "one" else several_heads)(p, **{**parts, "hide": hide_and_keep})
    return {**kept, **made}


def wrong(about, part=None, *, rare=False, heads="one", needs=None, source="", into=ALL):
    """List the function below under its name: its docstring says the mistake.

    It replaces the part of the right code, or it is the whole: then it returns its matrices by name.
    """

    def enlist(function: Callable) -> Callable:
        parts, whole = ({part: function}, None) if part else ({}, function)
        more = {"about": about, "common": not rare, "heads": heads, "needs": needs, "source": source}
        add(Unseen(name=function.__name__, says=function.__doc__ or "", parts=parts, whole=whole, **more), into)
        return function

    return enlist


def right(*, decimals=10, heads="one", needs=None, about="output"):
    """List the function below as a right computation in an unusual form, given to so many decimals."""

    def enlist(function: Callable) -> Callable:
        more = {"heads": heads, "needs": needs, "decimals": decimals, "about": about, "common": True, "source": ""}
        add(Unseen(name=function.__name__, says=function.__doc__ or "", parts={}, whole=function, **more), RIGHT)
        return function

    return enlist


def add(case, register):
    """List a case. Raises: ValueError if the register has its name."""
    if case.name in register:
        raise ValueError(f"a name must be new; got {case.name}: choose another one.")
    register[case.name] = case
