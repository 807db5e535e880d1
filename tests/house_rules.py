"""Help for tests of the rules of this project: such a test fails with a list of every breach, and says what to do."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TypeVar

import pytest

Oracle = TypeVar("Oracle")


def check_rule(breaches: Mapping[str, Collection[object]] | Collection[object], rule: str, remedy: str) -> None:
    """Fail if there are breaches of a rule, and list them with the rule and the remedy.

    If `breaches` is a mapping, it holds the breaches of each file or page. Empty collections are left out.
    """
    if isinstance(breaches, Mapping):
        lines = [f"{place}: {', '.join(map(str, found))}" for place, found in breaches.items() if found]
    else:
        lines = [*map(str, breaches)]
    if lines:
        listed = "\n".join(f"  {line}" for line in sorted(lines))
        pytest.fail(f"{rule}\n{listed}\nWhat to do: {remedy}", pytrace=False)


def oracle_of(name: str, oracles: Mapping[str, Oracle], file: str) -> Oracle:
    """Return the oracle of the mistake `name`: a function that computes the mistake's wrong output independently.

    If `oracles` has none for this mistake, fail with a message that names `file`, the test file to add it to.
    """
    if name not in oracles:
        pytest.fail(
            f"Each mistake has an oracle, and {name} has none.\nWhat to do: add its wrong output to EXPECTED of "
            f"{Path(file).name}, from the description alone, without the code of the catalogue.",
            pytrace=False,
        )
    return oracles[name]
