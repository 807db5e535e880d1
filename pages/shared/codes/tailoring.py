"""Tailoring: code that is written for every example, without the biases, the context or the mask that one lacks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from attention_core.examples import Example
from attention_core.slips.code_lines import names_given, names_read
from pages.shared.codes.source import Change, Source

BIASES = ("b_q", "b_k", "b_v")
MASKED, SCALED = "masked", "scaled"  # the scores with a mask and without
# Where one of these holds an expression, it stays whole only in parentheses.
TIGHT = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Attribute, ast.Subscript)
LOOSE = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda)


def for_example(code: str, example: Example) -> str:
    """Leave out the biases that an example does not have, and let x be the context where it has no other."""
    tailored = without_biases(code, example)
    return renamed(tailored, "context", "x") if example.context is None else tailored


def without_biases(code: str, example: Example) -> str:
    """Leave out the biases that an example does not have.

    Raises: ValueError if one of them is something else than a summand.
    """
    lacking = [name for name in BIASES if getattr(example, name) is None]
    source = Source(code)
    tailored = source.changed(_summands(source, lacking))
    left = [name.id for name in names_read(Source(tailored).tree) if name.id in lacking]
    if left:
        raise ValueError(f"a bias must be a summand, as in x @ w_q + b_q; got {left[0]} in {tailored}: add it.")
    return tailored


def without_mask(code: str, mask: str = "allowed") -> str:
    """Let all tokens see all: np.where(allowed, seen, unseen) becomes what is seen, and the masked scores the scaled.

    Raises: ValueError if the mask is used in another way.
    """
    source = Source(code)
    tailored = _without_copies(renamed(source.changed(_choices(source, mask)), MASKED, SCALED))
    if any(name.id == mask for name in names_read(Source(tailored).tree)):
        raise ValueError(
            f"without a mask the code may only read it in np.where({mask}, …, …); got {tailored}: write it so, or let "
            "the mistake show with a mask alone, shows=has_mask."
        )
    return tailored


def _without_copies(code: str) -> str:
    """Leave out the line that masked the scores: it would give the scaled scores their own value."""
    source = Source(code)
    copies = (line for line in source.tree.body if ast.unparse(line) == f"{SCALED} = {SCALED}")
    return source.changed(source.without_lines(line) for line in copies)


def renamed(code: str, name: str, other: str) -> str:
    """Give a name of the code another one; what a function calls its own stays."""
    source = Source(code)
    places = [*names_read(source.tree), *names_given(source.tree)]
    return source.changed(source.renamed(node, other) for node in places if node.id == name)


def _summands(source: Source, names: list[str]) -> Iterator[Change]:
    """Yield the changes that take some names out of the sums in which they stand."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            start, end = source.end(node.left), source.start(node.right)
            before, _, after = source.text(start, end).partition("+")
            if _is_one_of(node.right, names):
                yield Change(start + len(before.rstrip()), source.end(node))
            elif _is_one_of(node.left, names):
                yield Change(source.start(node), end - len(after.lstrip()))


def _is_one_of(node: ast.expr, names: list[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _choices(source: Source, mask: str) -> Iterator[Change]:
    """Yield the changes that leave of every np.where(allowed, seen, unseen) what is seen."""
    for parent in ast.walk(source.tree):
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.Call) and _is_choice(node, mask):
                seen = node.args[1]
                start, end = source.start(seen), source.end(seen)
                yield from (Change(source.start(node), start), Change(end, source.end(node)))
                if isinstance(parent, TIGHT) and isinstance(seen, LOOSE):
                    yield from (Change(start, start, "("), Change(end, end, ")"))


def _is_choice(call: ast.Call, mask: str) -> bool:
    return ast.unparse(call.func) == "np.where" and len(call.args) == 3 and _is_one_of(call.args[0], [mask])
