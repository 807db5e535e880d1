"""Split Python code into statements, find the names that each assigns and reads, and run statements on values."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

import numpy as np

from attention_core.caching import read_only
from attention_core.checks import Array

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
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _single_targets(element)
    else:
        yield target


def _expressions_outside(scope: Function | Comprehension) -> list[ast.expr]:
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


Names = dict[str, Any]  # the matrices of a computation, and all other values that its code reads, by name
Memory = dict[tuple[int, ...], Names]  # the values that a line assigned, by the ids of the line and of its inputs


def softmax(scores: Array, axis: int | tuple[int, ...] = -1) -> Array:
    """Compute a softmax with the same code as on the pages.

    A row in which all scores are −∞ gets zeros, and NaN stays NaN.

    >>> softmax(np.array([[0.0, 0.0], [-np.inf, -np.inf]]))
    array([[0.5, 0.5],
           [0. , 0. ]])
    """
    greatest = scores.max(axis=axis, keepdims=True)
    powers = np.exp(scores - np.where(greatest > -np.inf, greatest, 0))
    totals = powers.sum(axis=axis, keepdims=True)
    return powers / (totals + (totals == 0))


def run(lines: Iterable[CodeLine], names: Names, memory: Memory | None = None) -> Names:
    r"""Run lines of code on the values in `names`, and return all values after the last line, by name.

    A `memory` stores the results of each line, so that no line runs twice on the same values.

    Raises: ValueError if a line needs matrices of other shapes; the error shows the line and the shapes.

    >>> from attention_core.mistakes.engine.code_lines import lines_of
    >>> run(lines_of("half = x / 2\nquarter = half / 2"), {"x": 8.0})["quarter"]
    2.0
    """
    names = names.copy()
    with np.errstate(all="ignore"):
        for line in lines:
            names |= _run_line(line, names) if memory is None else _recall_or_run(line, names, memory)
    return names


def _recall_or_run(line: CodeLine, names: Names, memory: Memory) -> Names:
    # Ids stay unique: lines are never freed, and the caller or the memory holds the values.
    read = (id(line), *map(id, map(names.get, line.reads)))
    if read not in memory:
        memory[read] = read_only(_run_line(line, names))
    return memory[read]


def _run_line(line: CodeLine, names: Names) -> Names:
    """Run a line, and return the values that it has assigned, by name. The values are also added to `names`."""
    try:
        exec(_compile_line(line.text), names)
    except NameError as error:
        known = ", ".join(name for name in names if not name.startswith("_"))
        raise ValueError(f"`{line.text}` needs {error.name}, but has only {known}. Compute it first.") from error
    except (ValueError, IndexError) as error:
        matrices = (name for name in sorted(line.reads) if isinstance(names.get(name), np.ndarray))
        shapes = (f"{name} {np.shape(names[name])}" for name in matrices)
        raise ValueError(
            f"`{line.text}` needs matrices that fit each other, but the shapes are {', '.join(shapes)}. "
            "Correct this step."
        ) from error
    return {name: names[name] for name in line.gives}


@cache
def _compile_line(text: str) -> CodeType:
    return compile(text, "<mistake>", "exec")
