"""Split Python code into statements, and find the names that each statement assigns and reads."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

BUILTINS = frozenset(dir(builtins))
Function = ast.FunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One statement of a piece of code: an assignment, or the definition of a function."""

    text: str  # the source of the statement, with the comments before it and at its end
    gives: tuple[str, ...]  # the names that the statement assigns or defines
    reads: frozenset[str]  # the names that the statement reads and does not define itself
    is_function: bool = False


@cache
def lines_of(code: str) -> tuple[CodeLine, ...]:
    r"""Return the statements of a piece of code, which may only assign names and define functions.

    Raises: ValueError if the code is not Python, has another kind of statement, or has two statements on a line.

    >>> [line.gives for line in lines_of("scores = q @ k.T\nscaled = scores / 2")]
    [('scores',), ('scaled',)]
    """
    lines, done, found = code.splitlines(), 0, list[CodeLine]()
    for statement in syntax_tree(code).body:
        if statement.lineno <= done:
            raise ValueError(f"code must have one statement a line; got {lines[done - 1]}: break it at the semicolon.")
        end = statement.end_lineno or statement.lineno
        found.append(_code_line("\n".join(lines[done:end]).strip("\n"), statement))
        done = end
    return tuple(found)


def syntax_tree(code: str) -> ast.Module:
    """Return the syntax tree of a piece of code.

    Raises: ValueError if the code is not Python.
    """
    try:
        return ast.parse(code)
    except SyntaxError as error:
        raise ValueError(f"code must be Python; got {code}: {error.msg} in line {error.lineno}.") from error


def names_read(node: ast.AST, excluded: frozenset[str] = frozenset()) -> Iterator[ast.Name]:
    """Yield each name that the code in a syntax tree reads, but does not define, at each place where it is read.

    The names in `excluded` are left out. The same place may be yielded twice.
    """
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in excluded:
        yield node
    if isinstance(node, Function | Comprehension):
        for outside in _expressions_outside(node):
            yield from names_read(outside, excluded)
        excluded |= {*_names_of_scope(node)}
    for child in ast.iter_child_nodes(node):
        yield from names_read(child, excluded)


def names_given(module: ast.Module) -> Iterator[ast.Name]:
    """Yield each name that is assigned at the top level of `module`."""
    targets = (target for statement in module.body if isinstance(statement, ast.Assign) for target in statement.targets)
    return (part for target in targets for part in _single_targets(target) if isinstance(part, ast.Name))


def _code_line(text: str, statement: ast.stmt) -> CodeLine:
    reads = frozenset(name.id for name in names_read(statement))
    if isinstance(statement, ast.FunctionDef):
        return CodeLine(text, (statement.name,), reads - {statement.name}, is_function=True)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    parts = [part for target in targets for part in _single_targets(target)]
    if not parts or not all(isinstance(part, ast.Name) for part in parts):
        raise ValueError(
            f"code must give values to names, or define functions; got {text}: write “name = …”, and put a loop or a "
            "condition into a function."
        )
    return CodeLine(text, tuple(part.id for part in parts if isinstance(part, ast.Name)), reads)


def _single_targets(target: ast.expr) -> Iterator[ast.expr]:
    """Yield the targets of an assignment one by one: “q, k = …” has two targets."""
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _single_targets(element)
    else:
        yield target


def _expressions_outside(scope: Function | Comprehension) -> list[ast.expr]:
    """Return the expressions in a function or comprehension that Python evaluates outside of its scope.

    These are the default values of a function, or the first iterable of a comprehension.
    """
    if isinstance(scope, Function):
        return [*scope.args.defaults, *(default for default in scope.args.kw_defaults if default is not None)]
    return [scope.generators[0].iter]


def _names_of_scope(scope: Function | Comprehension) -> Iterator[str]:
    """Yield the parameters of a function or comprehension, and the names that it assigns."""
    if isinstance(scope, ast.Lambda):
        yield from _assigned_names([scope.args])
    elif isinstance(scope, ast.FunctionDef):
        yield from _assigned_names([scope.args, *scope.body])
    else:
        yield from _assigned_names(generator.target for generator in scope.generators)


def _assigned_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that `nodes` assign, but not the names that an inner function or comprehension assigns."""
    for node in nodes:
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif not isinstance(node, Function | Comprehension):
            yield from _assigned_names(ast.iter_child_nodes(node))
