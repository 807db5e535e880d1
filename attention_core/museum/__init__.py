"""Exhibits for “Spot the bug”: short cells of code, each with one wrong line, from notebooks and public threads.

The code is data, and this package never runs it. The functions of the core compute the wrong results, and a test runs
every cell and compares.
"""

from attention_core.museum.exhibit import Exhibit, Inspection, Numbers, Outcome, exhibits_in_turn, inspect
from attention_core.museum.exhibits_in_one_head import (
    ATTENTION_EXHIBITS,
    QUERIES_KEYS_VALUES_EXHIBITS,
    SCALING_EXHIBITS,
    SOFTMAX_EXHIBITS,
)
from attention_core.museum.exhibits_of_heads_and_positions import HEADS_EXHIBITS, POSITIONS_EXHIBITS

# Exhibits that follow each other are of different kinds, so that one does not reveal the mistake of the next.
EXHIBITS: tuple[Exhibit, ...] = exhibits_in_turn(
    SOFTMAX_EXHIBITS,
    QUERIES_KEYS_VALUES_EXHIBITS,
    SCALING_EXHIBITS,
    ATTENTION_EXHIBITS,
    HEADS_EXHIBITS,
    POSITIONS_EXHIBITS,
)


def exhibit(name: str) -> Exhibit:
    """Return the exhibit with this name: a cell of code with one wrong line.

    Raises: ValueError if there is no exhibit with this name.

    >>> exhibit("two_loops").lines[-1]
    '        output[i] += weight * v[i]'
    """
    for found in EXHIBITS:
        if found.name == name:
            return found
    names = ", ".join(each.name for each in EXHIBITS)
    raise ValueError(f"exhibit must be one of {names}; got {name}: choose one of these.")


__all__ = ["EXHIBITS", "Exhibit", "Inspection", "Numbers", "Outcome", "exhibit", "inspect"]
