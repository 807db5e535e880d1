"""The small language of expressions: in the claims of scenes, and in the braces of texts.

A number is named by its matrix and its row and column, which are counted from 0 as in links: weights[0,1],
heads.1[0,:]. The language also has + − * /, comparisons, and the functions below. Two numbers are equal if they differ
by no more than rounding. All functions are pure.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

GREATEST_WHOLE = 2**53  # up to here, every whole number is a float
Names = Mapping[str, Any]  # the values that an expression can name
Compiled = Callable[[Names], Any]
Functions = Mapping[str, Callable[..., Any]]

FUNCTIONS: Functions = {
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
    ast.Eq: lambda a, b: np.allclose(a, b, rtol=1e-9, atol=1e-9),
    ast.NotEq: lambda a, b: not np.allclose(a, b, rtol=1e-9, atol=1e-9),
}
_PART = re.compile(r"(?<![\w.])([a-z]\w*)\.(\d+)")  # heads.1, which Python would read as an attribute
_PART_IN_PYTHON = re.compile(r"__(\d+)$")


def evaluate(text: str, names: Names) -> Any:
    """Return the value of an expression such as "a[0,0] + 3".

    `names` has the values that the expression can name. Raises: ValueError if the expression uses another name, or
    something that the language does not have.
    """
    with np.errstate(all="ignore"):
        return _compiled_once(text)(names)


def compiled(text: str, functions: Functions = FUNCTIONS) -> Compiled:
    """Return a function that takes names with their values, and returns the value of an expression.

    The expression can call `functions`. Those that are not in `FUNCTIONS` also take texts in quotation marks.

    Raises: ValueError if the expression uses something that the language does not have, or later, if it names something
    that has no value.
    """
    try:
        tree = ast.parse(_PART.sub(r"\1__\2", text.strip()), mode="eval").body
        value = _compiled(tree, functions)
    except SyntaxError:
        raise ValueError(f"This must be an expression, but it is {text}. Write it as weights[0,1] > 0.5.") from None
    except RecursionError:
        raise ValueError(_too_deep(text)) from None

    def calculate(names: Names) -> Any:
        try:
            return value(names)
        except IndexError:
            raise ValueError(f"Places must lie within their matrix, but {text} does not. Count from 0.") from None
        except RecursionError:
            raise ValueError(_too_deep(text)) from None

    return calculate


def _too_deep(text: str) -> str:
    return f"An expression must not have so many parts in one another, but {text} has. Leave out brackets and signs."


_compiled_once = lru_cache(maxsize=4096)(compiled)


def _compiled(node: ast.AST, functions: Functions) -> Compiled:
    def part(node: ast.AST) -> Compiled:
        return _compiled(node, functions)

    match node:
        case ast.Constant(value=int() | float() as number):
            if abs(number) > GREATEST_WHOLE:  # NumPy would compute such a whole number with Python's own rules
                number = float(number)
            return lambda names: number
        case ast.Name(id=name):
            return _named(_PART_IN_PYTHON.sub(r".\1", name), functions)
        case ast.UnaryOp(op=ast.USub()):
            operand = part(node.operand)
            return lambda names: np.negative(operand(names))
        case ast.BinOp() if type(node.op) in _OPERATORS:
            operator, left, right = _OPERATORS[type(node.op)], part(node.left), part(node.right)
            return lambda names: operator(left(names), right(names))
        case ast.BoolOp(op=ast.And()):
            conditions = [part(each) for each in node.values]
            return lambda names: all(np.all(each(names)) for each in conditions)
        case ast.Compare() if all(type(op) in _COMPARISONS for op in node.ops):
            sides = [part(side) for side in (node.left, *node.comparators)]
            return _compared([_COMPARISONS[type(op)] for op in node.ops], sides)
        case ast.Subscript():
            whole, place = part(node.value), _place(node.slice, functions)
            return lambda names: whole(names)[place(names)]
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in functions:
            function, arguments = functions[name], [_argument(each, name, functions) for each in node.args]
            return lambda names: function(*(each(names) for each in arguments))
    raise ValueError(
        "You can use names, numbers, places such as weights[0,1], + − * /, comparisons and "
        f"{', '.join(functions)}, but not {ast.unparse(node)}."
    )


def _named(name: str, functions: Functions) -> Compiled:
    def look_up(names: Names) -> Any:
        try:
            return names[name]
        except KeyError:
            raise ValueError(
                f"You can use {', '.join(sorted(names))} and {', '.join(functions)}, but not {name}. "
                "Use the names of what the page shows in this state."
            ) from None

    return look_up


def _compared(comparisons: list[Callable[[Any, Any], Any]], sides: list[Compiled]) -> Compiled:
    def compare(names: Names) -> bool:
        pairs = pairwise([side(names) for side in sides])
        return all(np.all(comparison(a, b)) for comparison, (a, b) in zip(comparisons, pairs, strict=True))

    return compare


def _argument(node: ast.expr, function: str, functions: Functions) -> Compiled:
    match node:
        case ast.Constant(value=str() as text) if function not in FUNCTIONS:
            return lambda names: text
    return _compiled(node, functions)


def _place(node: ast.expr, functions: Functions) -> Compiled:
    if isinstance(node, ast.Tuple):
        parts = [_place(part, functions) for part in node.elts]
        return lambda names: tuple(part(names) for part in parts)
    if isinstance(node, ast.Slice):
        ends = [None if end is None else _place(end, functions) for end in (node.lower, node.upper)]
        return lambda names: slice(*(None if end is None else end(names) for end in ends))
    index = _compiled(node, functions)
    return lambda names: int(index(names))
