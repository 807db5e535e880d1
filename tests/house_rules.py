"""Help for tests of the rules of this project: which modules import which, and a failure that lists every breach."""

import ast
from collections.abc import Collection, Iterator, Mapping
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


def imported_modules(tree: ast.AST) -> Iterator[str]:
    """Yield the name of every imported module. `from pages import shared` counts as pages.shared."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules_in(root: Path, *patterns: str) -> dict[str, ast.Module]:
    """Return the syntax tree of each module whose file matches one of the patterns, by the name of the module.

    The name of a package is the name of its folder.
    """
    files = [path for pattern in patterns for path in root.glob(pattern)]
    names = [".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__") for path in files]
    return {name: ast.parse(path.read_text("utf-8")) for name, path in zip(names, files, strict=True)}
