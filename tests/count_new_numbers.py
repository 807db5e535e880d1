"""Count how many mistakes of the unseen set give other numbers than all mistakes of the two older sets.

Run it as `python tests/count_new_numbers.py`; it takes some seconds.
"""

from collections.abc import Iterable

import numpy as np

import serving  # noqa: F401  # before the core: a script of this folder is given its own folder only

# isort: split
import wrong_implementations
import wrong_implementations_elsewhere
from count_named import answers
from wrong_implementations.record import Wrong
from wrong_implementations_unseen import ALL, PAIRS

OTHERS = (wrong_implementations, wrong_implementations_elsewhere)


def comparable_answers(mistake: Wrong) -> set[tuple]:
    """Return the rounded answers of a mistake to all problems, as a set, so that two mistakes can be compared."""
    return {(mistake.heads, name, a.shape, *np.round(a + 0.0, 6).flat) for name, a, _ in answers(mistake)}


def names_of_new(mistakes: Iterable[Wrong]) -> list[str]:
    """Return the names of the mistakes with new answers: no mistake of the older sets gives one of these answers."""
    known = {given for each in OTHERS for old in (each.ALL | each.PAIRS).values() for given in comparable_answers(old)}
    return [mistake.name for mistake in mistakes if known.isdisjoint(comparable_answers(mistake))]


def main() -> None:
    common = [mistake for mistake in ALL.values() if mistake.common]
    for title, mistakes in {"common": common, "all": ALL.values(), "pairs": PAIRS.values()}.items():
        print(f"{title}: {len(names_of_new(mistakes))} of {len(mistakes)} give new numbers")


if __name__ == "__main__":
    main()
