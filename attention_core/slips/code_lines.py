"""The lines of a piece of Python code, read from its syntax tree: the names that each gives a value or reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Function = ast.FunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One statement of a piece of code: an assignment, or a function of a few lines."""

    text: str  # as it was written, with the comments before it and at its end
    gives: tuple[str, ...]  # the names that it gives a value
    reads: frozenset[str]  # the names that it reads from outside
    is_function: bool = False


def lines_of(code: str) -> tuple[CodeLine, ...]:
    """Return the lines of a piece of code that assigns values to names and defines functions.

    Raises: ValueError if it is no Python, has another kind of statement, or has two statements on a line.
    """
    lines, done, found = code.splitlines(), 0, list[CodeLine]()
    for statement in parsed(code).body:
        if statement.lineno <= done:
            raise ValueError(f"code must have one statement a line; got {lines[done - 1]}: break it at the semicolon.")
        end = statement.end_lineno or statement.lineno
        found.append(_line("\n".join(lines[done:end]).strip("\n"), statement))
        done = end
    return tuple(found)


def parsed(code: str) -> ast.Module:
    """Return the syntax tree of a piece of code.

    Raises: ValueError if it is no Python.
    """
    try:
        return ast.parse(code)
    except SyntaxError as error:
        raise ValueError(f"code must be Python; got {code}: {error.msg} in line {error.lineno}.") from error


def names_read(node: ast.AST, own: frozenset[str] = frozenset()) -> Iterator[ast.Name]:
    """Yield each place where a name is read that comes from outside; some are yielded twice.

    A function's parameters and variables are its own, as are those of a comprehension.
    """
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in own:
        yield node
    if isinstance(node, Function | Comprehension):
        for outside in _read_outside(node):
            yield from names_read(outside, own)
        own |= {*_own_names(node)}
    for child in ast.iter_child_nodes(node):
        yield from names_read(child, own)


def names_given(module: ast.Module) -> Iterator[ast.Name]:
    """Yield each place where an assignment gives a name a value."""
    targets = (target for statement in module.body if isinstance(statement, ast.Assign) for target in statement.targets)
    return (part for target in targets for part in _parts(target) if isinstance(part, ast.Name))


def _line(text: str, statement: ast.stmt) -> CodeLine:
    reads = frozenset(name.id for name in names_read(statement))
    if isinstance(statement, ast.FunctionDef):
        return CodeLine(text, (statement.name,), reads - {statement.name}, is_function=True)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    parts = [part for target in targets for part in _parts(target)]
    if not parts or not all(isinstance(part, ast.Name) for part in parts):
        raise ValueError(
            f"code must give values to names, or define functions; got {text}: write “name = …”, and put a loop or a "
            "condition into a function."
        )
    return CodeLine(text, tuple(part.id for part in parts if isinstance(part, ast.Name)), reads)


def _parts(target: ast.expr) -> Iterator[ast.expr]:
    """Yield what a target is made of: “q, k = …” has two parts."""
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _parts(element)
    else:
        yield target


def _read_outside(scope: Function | Comprehension) -> list[ast.expr]:
    """Return what is computed before the scope is entered: default values, or what a comprehension runs over."""
    if isinstance(scope, Function):
        return [*scope.args.defaults, *(default for default in scope.args.kw_defaults if default is not None)]
    return [scope.generators[0].iter]


def _own_names(scope: Function | Comprehension) -> Iterator[str]:
    """Yield the parameters of a scope, and the names that it gives a value."""
    if isinstance(scope, ast.Lambda):
        yield from _stored([scope.args])
    elif isinstance(scope, ast.FunctionDef):
        yield from _stored([scope.args, *scope.body])
    else:
        yield from _stored(generator.target for generator in scope.generators)


def _stored(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that get a value, but not those that are a scope's own further in."""
    for node in nodes:
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif not isinstance(node, Function | Comprehension):
            yield from _stored(ast.iter_child_nodes(node))
