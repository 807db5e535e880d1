"""Help for tests of the code: which modules a module imports, read from its syntax tree."""

import ast
from collections.abc import Iterator
from pathlib import Path


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
