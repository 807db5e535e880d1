"""How a test of a house rule fails: with every breach, a line each, and with what to do."""

from collections.abc import Collection, Mapping

import pytest


def check_rule(breaches: Mapping[str, Collection[object]] | Collection[object], rule: str, remedy: str) -> None:
    """Fail if there are breaches. A mapping gives the breaches of each place; places without any are fine."""
    if isinstance(breaches, Mapping):
        lines = [f"{place}: {', '.join(map(str, found))}" for place, found in breaches.items() if found]
    else:
        lines = [*map(str, breaches)]
    if lines:
        listed = "\n".join(f"  {line}" for line in sorted(lines))
        pytest.fail(f"{rule}\n{listed}\nWhat to do: {remedy}", pytrace=False)
