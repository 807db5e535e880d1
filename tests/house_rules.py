"""Let a test of a house rule fail with a list of every breach, and with what to do."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TypeVar

import pytest

Oracle = TypeVar("Oracle")


def check_rule(breaches: Mapping[str, Collection[object]] | Collection[object], rule: str, remedy: str) -> None:
    """Fail if there are breaches. A mapping has the breaches of each place; a place without any is fine."""
    if isinstance(breaches, Mapping):
        lines = [f"{place}: {', '.join(map(str, found))}" for place, found in breaches.items() if found]
    else:
        lines = [*map(str, breaches)]
    if lines:
        listed = "\n".join(f"  {line}" for line in sorted(lines))
        pytest.fail(f"{rule}\n{listed}\nWhat to do: {remedy}", pytrace=False)


def oracle_of(name: str, oracles: Mapping[str, Oracle], file: str) -> Oracle:
    """Return the oracle of a mistake. Without one, fail and say where to write it."""
    if name not in oracles:
        pytest.fail(
            f"Each mistake has an oracle, and {name} has none.\nWhat to do: add its wrong output to EXPECTED of "
            f"{Path(file).name}, from the description alone, without the code of the catalogue.",
            pytrace=False,
        )
    return oracles[name]
