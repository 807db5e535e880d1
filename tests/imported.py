"""What a module imports, read from its syntax tree."""

import ast
from collections.abc import Iterator


def imported_modules(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported; `from pages import shared` counts as pages.shared."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
