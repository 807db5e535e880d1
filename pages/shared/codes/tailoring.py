"""Tailor code to one example: remove the biases, the context or the mask that the example lacks."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from attention_core.caching import cache_up_to
from attention_core.examples import Example
from attention_core.mistakes.engine.code_lines import names_given, names_read
from pages.shared.codes.source_edit import Change, Source

TEXTS_KEPT = 64  # how many results each function keeps, because each edit needs the same code again
BIASES = ("b_q", "b_k", "b_v", "b_o")
MASKED, SCALED = "masked", "scaled"  # the scores with a mask and without
# A LOOSE expression inside a TIGHT expression needs parentheses, and so does an expression of several lines.
TIGHT = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Attribute, ast.Subscript)
LOOSE = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda)


def for_example(code: str, example: Example) -> str:
    """Return the code without the biases that an example lacks, and with x as context if the example has none."""
    tailored = without_biases(code, example)
    return rename_name(tailored, "context", "x") if example.context is None else tailored


def without_biases(code: str, example: Example) -> str:
    """Return the code without the biases that an example lacks.

    Raises: ValueError if the code uses such a bias for anything other than an addition.
    """
    return _without(tuple(name for name in BIASES if getattr(example, name, None) is None), code)


@cache_up_to(TEXTS_KEPT)
def _without(lacking: tuple[str, ...], code: str) -> str:
    source = Source(code)
    tailored = source.with_changes(_summands(source, lacking))
    left = [name.id for name in names_read(Source(tailored).tree) if name.id in lacking]
    if left:
        raise ValueError(f"a bias must be a summand, as in x @ w_q + b_q; got {left[0]} in {tailored}: add it.")
    return tailored


@cache_up_to(TEXTS_KEPT)
def without_mask(code: str, mask: str = "allowed") -> str:
    """Return the code without the mask: np.where(allowed, seen, unseen) becomes `seen`, and `masked` becomes `scaled`.

    `mask` is the name of the mask. Raises: ValueError if the code uses the mask in another way.
    """
    source = Source(code)
    tailored = _without_copies(rename_name(source.with_changes(_choices(source, mask)), MASKED, SCALED))
    if any(name.id == mask for name in names_read(Source(tailored).tree)):
        raise ValueError(
            f"without a mask the code may only read it in np.where({mask}, …, …); got {tailored}: write it so, or let "
            "the mistake show with a mask alone, shows=has_mask."
        )
    return tailored


def _without_copies(code: str) -> str:
    """Return the code without the line “scaled = scaled”, which is left after the mask was removed from the scores."""
    source = Source(code)
    copies = (line for line in source.tree.body if ast.unparse(line) == f"{SCALED} = {SCALED}")
    return source.with_changes(source.line_removal(line) for line in copies)


@cache_up_to(TEXTS_KEPT)
def rename_name(code: str, name: str, other: str) -> str:
    """Return the code with the variable `name` renamed to `other`.

    Variables and parameters of this name inside functions of the code are not renamed.
    """
    source = Source(code)
    places = [*names_read(source.tree), *names_given(source.tree)]
    return source.with_changes(source.renaming(node, other) for node in places if node.id == name)


def _summands(source: Source, names: Sequence[str]) -> Iterator[Change]:
    """Yield the changes that remove the variables `names` from sums: `x @ w + b` becomes `x @ w`."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            start, end = source.end(node.left), source.start(node.right)
            before, _, after = source.text(start, end).partition("+")
            if _is_one_of(node.right, names):
                yield Change(start + len(before.rstrip()), source.end(node))
            elif _is_one_of(node.left, names):
                yield Change(source.start(node), end - len(after.lstrip()))


def _is_one_of(node: ast.expr, names: Sequence[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _choices(source: Source, mask: str) -> Iterator[Change]:
    """Yield the changes that replace each np.where(mask, seen, unseen) by `seen`. `mask` is the name of the mask."""
    for parent in ast.walk(source.tree):
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.Call) and _is_choice(node, mask):
                seen = node.args[1]
                start, end = source.start(seen), source.end(seen)
                yield from (Change(source.start(node), start), Change(end, source.end(node)))
                is_split = seen.lineno != seen.end_lineno
                if is_split or (isinstance(parent, TIGHT) and isinstance(seen, LOOSE)):
                    yield from (Change(start, start, "("), Change(end, end, ")"))


def _is_choice(call: ast.Call, mask: str) -> bool:
    return ast.unparse(call.func) == "np.where" and len(call.args) == 3 and _is_one_of(call.args[0], [mask])
