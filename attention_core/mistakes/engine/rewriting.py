"""Rewrite the lines of a mistake for another pipeline than their own, such as attention with several heads."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial

from attention_core.mistakes.engine.code_lines import CodeLine, lines_of
from attention_core.mistakes.engine.edits import pieces_of
from attention_core.mistakes.engine.pipelines import (
    ATTENTION,
    ENCODING,
    HEADS,
    POSITIONS,
    ROTARY,
    ROTARY_KINDS,
    Pipeline,
    further_pipelines,
    pipeline_with,
)

Lines = tuple[CodeLine, ...]
Rewriting = Callable[[str], Lines]
# The name of each matrix after it was split into several heads.
IN_HEADS = {"q": "q_heads", "k": "k_heads", "v": "v_heads", "output": "heads"}
# The same if queries and keys are rotated by their positions.
IN_ROTATED_HEADS = IN_HEADS | {"q": "q_turned", "k": "k_turned"}
WIDTHS = ("d_model", "even")  # the names of the width in the steps of the encoding
TAKEN_APART = (ast.Subscript, ast.For, ast.ListComp, ast.GeneratorExp, ast.FunctionDef)
# `_FROM` has the first step at which other names stand for the matrices that plain attention reads.
# `_NAMES` has these other names. Both are grouped by the matrix that only such a pipeline has.
_FROM = {"q_turned": "scores", "biased": "masked"}
_NAMES = {
    "q_turned": {"q": "q_turned", "k": "k_turned", "q_heads": "q_turned", "k_heads": "k_turned"},
    "biased": {"scaled": "biased"},
}
_KEYS = {"k_heads", "v_heads"}


@cache
def rewrite_for_pipeline(code: str, original_pipeline: Pipeline, pipeline: Pipeline) -> Lines:
    """Rewrite the code of a mistake in the computation `original_pipeline` for another computation, `pipeline`.

    For example, `k` becomes `k_heads` if `pipeline` has several heads. Return no lines if the mistake is not possible
    there.
    """
    rewrite = lines_of if pipeline is original_pipeline else _rewritings().get((original_pipeline, pipeline))
    lines = rewrite(code) if rewrite else ()
    return lines if lines and not {*lines[-1].gives}.isdisjoint(pipeline.names) else ()


@cache
def _rewritings() -> Mapping[tuple[Pipeline, Pipeline], Rewriting]:
    plain: dict[tuple[Pipeline, Pipeline], Rewriting] = {
        (ATTENTION, HEADS): in_several_heads,
        (ATTENTION, ROTARY): in_rotated_heads,
        (HEADS, ROTARY): lines_of,
        (POSITIONS, ROTARY): angles_of_heads,
        (POSITIONS, ENCODING): lines_of,
    }
    return plain | dict(_further_rewritings())


def _further_rewritings() -> Iterator[tuple[tuple[Pipeline, Pipeline], Rewriting]]:
    for kind, several, shared, pipeline in further_pipelines():
        yield (ATTENTION, pipeline), partial(_rewrite_from_one_head, pipeline, several)
        if several:
            yield (HEADS, pipeline), partial(_rewrite_from_heads, pipeline, shared)
        if several and kind != "none":
            yield (pipeline_with(kind), pipeline), _rewrite_positions_for_heads
        if shared and kind != "none":
            yield (
                (pipeline_with("none", several=True, shared=True), pipeline),
                partial(_rewrite_from_heads, pipeline, False),
            )
        if kind in ROTARY_KINDS:
            yield (POSITIONS, pipeline), _rewrite_angles


def _rewrite_from_one_head(pipeline: Pipeline, several: bool, code: str) -> Lines:
    return _rename_in_later_steps(in_several_heads(code) if several else lines_of(code), pipeline)


def _rewrite_from_heads(pipeline: Pipeline, shared: bool, code: str) -> Lines:
    lines = lines_of(code)
    if shared and any(_KEYS & {*line.gives} and not {*line.gives} <= line.reads for line in lines):
        return ()
    return _rename_in_later_steps(lines, pipeline)


def _rename_in_later_steps(lines: Lines, pipeline: Pipeline) -> Lines:
    """Rename matrices in the lines of a mistake, so that the lines fit a computation with positions in its scores.

    For example, the later steps of such a computation read `q_turned` (rotated queries) in place of `q`.
    """
    new = next((name for name in _FROM if name in pipeline.names), None)
    if new is None or not lines:
        return lines
    first = next(place for place, line in enumerate(pipeline.lines) if _FROM[new] in line.gives)
    pieces = pieces_of(lines, pipeline.lines)
    return tuple(
        each
        for piece in pieces
        for each in (rename_matrices(piece.lines, _NAMES[new]) if piece.place >= first else piece.lines)
    )


def _rewrite_positions_for_heads(code: str) -> Lines:
    return rename_matrices(lines_of(code), IN_HEADS)


def _rewrite_angles(code: str) -> Lines:
    return () if "0 * angles" in code else with_angles_of_width(code, "width")


@cache
def in_several_heads(code: str) -> tuple[CodeLine, ...]:
    """Rewrite the code of a mistake with one head for several heads. A matrix then has one more axis in front.

    So `k.T` becomes a transpose of the last two axes, and `len(k)` becomes the length of the last axis but one. Return
    no lines if the code reads single rows or columns of a matrix.

    >>> [line.text for line in in_several_heads("scores = k @ q.T / len(k)")]
    ['scores = k_heads @ q_heads.mT / k_heads.shape[-2]']
    """
    return _rewrite_for_heads(code, _RenamingInHeads(IN_HEADS))


@cache
def in_rotated_heads(code: str) -> tuple[CodeLine, ...]:
    """Rewrite the code of a mistake with one head for several heads with rotated queries and keys.

    >>> [line.text for line in in_rotated_heads("scores = k @ q.T")]
    ['scores = k_turned @ q_turned.mT']
    """
    return _rewrite_for_heads(code, _RenamingInHeads(IN_ROTATED_HEADS))


@cache
def angles_of_heads(code: str) -> tuple[CodeLine, ...]:
    """Rewrite a mistake in the angles of the sinusoidal encoding, so that it changes the rotation of queries and keys.

    Their width is `d_k`.

    >>> [line.text for line in angles_of_heads("exponents = np.arange(d_model)[None] / even")]
    ['exponents = np.arange(d_k)[None] / d_k']
    """
    return with_angles_of_width(code, "d_k")


def with_angles_of_width(code: str, width: str) -> tuple[CodeLine, ...]:
    """Rewrite the code of a mistake in the angles of the sinusoidal encoding for rotated queries and keys.

    `width` is the name of the variable that holds the width of the queries and keys.

    >>> [line.text for line in with_angles_of_width("exponents = np.arange(d_model)[None] / even", "width")]
    ['exponents = np.arange(width)[None] / width']
    """
    return rename_matrices(lines_of(code), dict.fromkeys(WIDTHS, width))


def rename_matrices(lines: Iterable[CodeLine], names: Mapping[str, str]) -> tuple[CodeLine, ...]:
    """Return the lines with new names for some matrices. `names` has the new name for each old name.

    >>> [line.text for line in rename_matrices(lines_of("scores = q @ k.T"), {"q": "q_turned"})]
    ['scores = q_turned @ k.T']
    """
    return tuple(each for line in lines for each in lines_of(ast.unparse(_Renaming(names).visit(ast.parse(line.text)))))


def _rewrite_for_heads(code: str, renaming: _RenamingInHeads) -> tuple[CodeLine, ...]:
    lines = lines_of(code)
    if any(
        _takes_apart(node)
        for line in lines
        if not _computes_projection(line)
        for node in ast.walk(ast.parse(line.text))
    ):
        return ()
    return tuple(each for line in lines for each in _rewrite_line(line, renaming))


def _rewrite_line(line: CodeLine, renaming: _RenamingInHeads) -> tuple[CodeLine, ...]:
    return (line,) if _computes_projection(line) else lines_of(ast.unparse(renaming.visit(ast.parse(line.text))))


def _computes_projection(line: CodeLine) -> bool:
    return not {"q", "k", "v"}.isdisjoint(line.gives)


def _takes_apart(node: ast.AST) -> bool:
    return isinstance(node, TAKEN_APART) and not (isinstance(node, ast.Subscript) and _counts_from_the_end(node))


def _counts_from_the_end(node: ast.Subscript) -> bool:
    of_shape = isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
    return of_shape or (isinstance(first, ast.Constant) and first.value is ...)


class _Renaming(ast.NodeTransformer):
    """A visitor of a syntax tree that replaces the names of matrices."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Replace the name of a matrix."""
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


class _RenamingInHeads(_Renaming):
    """A visitor of a syntax tree that rewrites code for matrices with one more axis in front."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replace `.T` by `.mT`, which transposes the last two axes only."""
        self.generic_visit(node)
        return ast.Attribute(node.value, "mT" if node.attr == "T" else node.attr, node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace `len(m)` by `m.shape[-2]`, the length of the last axis but one."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "len":
            return ast.parse(f"{ast.unparse(node.args[0])}.shape[-2]", mode="eval").body
        return node
