"""Exhibits for “Spot the bug”: short cells of code, each with one wrong line, from notebooks and public threads.

The cells and their words stand in `exhibits.toml`. The code is data, and this package never runs it. The functions of
the core compute the wrong results, and a test runs every cell and compares.
"""

from attention_core.museum.exhibits import Exhibit, Inspection, Numbers, Outcome, inspect, read_exhibits

EXHIBITS: tuple[Exhibit, ...] = read_exhibits()


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
