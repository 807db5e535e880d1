"""Claims: expressions about the numbers on the screen, in a small language.

A test checks that the claims of all scenes are true. A number is named by its matrix and its row and column, which are
counted from 0 as in links: weights[0,1], heads.1[0,:]. The language also has + − * /, comparisons, the parameters of
the page, and the functions below. Two numbers are equal if they differ by no more than rounding. All functions are
pure.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from pages.shared.equation.model import Line, Matrix, matrices_of
from pages.shared.notation.numbers import format_as_shown

OnScreen = Mapping[str, Any]

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": np.abs,
    "sum": np.sum,
    "min": np.min,
    "max": np.max,
    "mean": np.mean,
    "root": np.sqrt,
    "log": np.log,
    "exp": np.exp,
    "best": np.argmax,  # the index of the greatest number
    "rows": lambda matrix: np.shape(matrix)[0],
    "columns": lambda matrix: np.shape(matrix)[1],
    "transposed": np.transpose,
    "is_nan": lambda values: np.all(np.isnan(values)),
}
_OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
}
_COMPARISONS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Lt: np.less,
    ast.Gt: np.greater,
    ast.LtE: np.less_equal,
    ast.GtE: np.greater_equal,
}
_PART = re.compile(r"(?<![\w.])([a-z]\w*)\.(\d+)")  # heads.1, which Python would read as an attribute
_IN_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]+)\}")  # a doubled brace stands for one brace


def names_on_screen(equations: Iterable[Iterable[Line]], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a claim (a comparison in a scene, such as "a[0,1] > 0.5") can name.

    These are the matrices that the equations show, by id, and the parameters of the page that are numbers.
    """
    names: dict[str, Any] = {name: value for name, value in parameters.items() if isinstance(value, int | float)}
    matrices = [matrix for lines in equations for matrix in matrices_of(lines)]
    for matrix in sorted(matrices, key=lambda matrix: matrix.only_row is None):  # whole matrices replace single rows
        names[matrix.id] = _shown_numbers(matrix)
    return names


def _shown_numbers(matrix: Matrix) -> np.ndarray:
    """Return the numbers of a matrix. If the page shows only one of its rows, all other rows are NaN."""
    values = np.array(matrix.values, dtype=float)
    if matrix.only_row is not None:
        values[np.arange(len(values)) != matrix.only_row] = np.nan
    return values


def evaluate(text: str, names: OnScreen) -> Any:
    """Return the value of an expression in a claim or in the braces of a scene's text, such as "a[0,0] + 3".

    `names` has the values that the expression can name. Raises: ValueError if the expression uses another name, or
    something that the language of claims does not have.
    """
    try:
        tree = ast.parse(_PART.sub(r"\1__\2", text), mode="eval").body
    except SyntaxError:
        raise ValueError(f"A claim must be an expression, but it is {text}. Write it as weights[0,1] > 0.5.") from None
    known = {name.replace(".", "__"): value for name, value in names.items()}
    try:
        with np.errstate(all="ignore"):
            return _value(tree, known)
    except IndexError:
        raise ValueError(f"Places must lie within their matrix, but {text} does not. Count from 0.") from None


def holds(claim: str, names: OnScreen) -> bool:
    """Return whether a claim is true. A claim is a comparison such as "a[0,1] > 0.5".

    `names` has the numbers on the screen by name.
    """
    return bool(np.all(evaluate(claim, names)))


def fill_braces(text: str, names: OnScreen, decimals: int) -> str:
    """Return a text in which each expression in braces is replaced by its value, rounded as on the screen.

    >>> fill_braces("It gets {a[0,0]} of {a[0,0] + 3}.", {"a": np.array([[-0.256]])}, 2)
    'It gets −0.26 of 2.74.'
    """
    return _IN_BRACES.sub(
        lambda found: format_as_shown(float(evaluate(found[1], names)), decimals) if found[1] else found[0][0], text
    )


def _value(node: ast.AST, names: OnScreen) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.UnaryOp(op=ast.USub()):
            return np.negative(_value(node.operand, names))
        case ast.BinOp() if type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](_value(node.left, names), _value(node.right, names))
        case ast.BoolOp(op=ast.And()):
            return all(np.all(_value(part, names)) for part in node.values)
        case ast.Compare():
            return _are_compared(node, names)
        case ast.Subscript():
            return _value(node.value, names)[_place(node.slice, names)]
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_value(argument, names) for argument in node.args))
    raise ValueError(
        f"You can use {', '.join(sorted(names))} and {', '.join(FUNCTIONS)}, but not {ast.unparse(node)}. "
        "Use the names of what the page shows in this state."
    )


def _are_compared(node: ast.Compare, names: OnScreen) -> bool:
    sides = [_value(side, names) for side in (node.left, *node.comparators)]
    return all(_holds(op, a, b) for op, (a, b) in zip(node.ops, pairwise(sides), strict=True))


def _holds(op: ast.cmpop, a: Any, b: Any) -> bool:
    if isinstance(op, ast.Eq | ast.NotEq):
        return bool(np.allclose(a, b, rtol=1e-9, atol=1e-9)) == isinstance(op, ast.Eq)
    return bool(np.all(_COMPARISONS[type(op)](a, b)))


def _place(node: ast.expr, names: OnScreen) -> Any:
    if isinstance(node, ast.Tuple):
        return tuple(_place(part, names) for part in node.elts)
    if isinstance(node, ast.Slice):
        return slice(*(None if end is None else _place(end, names) for end in (node.lower, node.upper)))
    return int(_value(node, names))
