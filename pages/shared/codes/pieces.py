"""Parts of code that several pages share, and their form for an example."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypedDict

import numpy as np

from attention_core.caching import cache_up_to
from attention_core.examples import Example
from attention_core.mistakes.engine.code_lines import names_given, names_read, syntax_tree


@dataclass(frozen=True, slots=True)
class Change:
    """An edit of code: the bytes from `start` to `end` are replaced by `text`."""

    start: int
    end: int
    text: str = ""


class Source:
    """A text of Python code with its syntax tree. Positions are counted in bytes, as in the tree."""

    def __init__(self, code: str) -> None:
        """Parse the code.

        Raises: ValueError if the text is not Python code.
        """
        self.tree = syntax_tree(code)
        self._code = code.encode()
        self._lines = [0, *accumulate(len(line) for line in self._code.splitlines(keepends=True))]

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Return the position at which a node begins."""
        return self._lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Return the position at which a node ends."""
        return self._lines[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def text(self, start: int, end: int) -> str:
        """Return the code between two positions."""
        return self._code[start:end].decode()

    def renaming(self, node: ast.expr, name: str) -> Change:
        """Return the change that replaces a node by the name `name`."""
        return Change(self.start(node), self.end(node), name)

    def line_removal(self, statement: ast.stmt) -> Change:
        """Return the change that removes the lines of a statement, with their comments."""
        return Change(self._lines[statement.lineno - 1], self._lines[statement.end_lineno or statement.lineno])

    def with_changes(self, changes: Iterable[Change]) -> str:
        """Return the code after these changes. Two changes must not overlap, but the same change may occur twice."""
        code = self._code
        for change in sorted({*changes}, key=lambda change: (change.start, change.end), reverse=True):
            code = code[: change.start] + change.text.encode() + code[change.end :]
        return code.decode()


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
    source = Source(code)
    copies = (line for line in source.tree.body if ast.unparse(line) == f"{SCALED} = {SCALED}")
    return source.with_changes(source.line_removal(line) for line in copies)


@cache_up_to(TEXTS_KEPT)
def rename_name(code: str, name: str, other: str) -> str:
    """Return the code with the variable `name` renamed to `other`."""
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


Both = tuple[str, str]  # with tokens as rows, with tokens as columns


class Texts(TypedDict):
    """The code of a block for tokens as rows (`rows`) and for tokens as columns (`columns`)."""

    rows: str
    columns: str


PROJECT: Both = (
    "q = x @ w_q + b_q\nk = context @ w_k + b_k\nv = context @ w_v + b_v",
    "q = w_q @ x + b_q\nk = w_k @ context + b_k\nv = w_v @ context + b_v",
)
SCORES: Both = ("scores = q @ k.T", "scores = k.T @ q")
SOFTMAX: Both = (
    """\
def softmax(scores):                                                # each row sums to 1
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))    # nothing overflows
    return powers / powers.sum(axis=-1, keepdims=True)""",
    """\
def softmax(scores):                                                # each column sums to 1
    powers = np.exp(scores - scores.max(axis=-2, keepdims=True))    # nothing overflows
    return powers / powers.sum(axis=-2, keepdims=True)""",
)
OUTPUT: Both = ("output = weights @ v", "output = v @ weights")
ENTROPY: Both = (
    """\
def entropy(weights):                                               # in nats; 0 ln 0 is 0
    logs = np.log(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-1, keepdims=True)""",
    """\
def entropy(weights):                                               # in nats; 0 ln 0 is 0
    logs = np.log(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-2, keepdims=True)""",
)
SINUSOIDAL: Both = (
    """\
def encode(n, d, base=10000.0):
    even = d + d % 2                                         # an odd width leaves out the last cosine
    rates = base ** (-np.arange(0, even, 2) / even)          # 0, 2, 4 … is 2i of the paper: do not double it again
    angles = np.arange(n)[:, None] * rates
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, even)[:, :d]""",
    """\
def encode(n, d, base=10000.0):
    even = d + d % 2                                         # an odd width leaves out the last cosine
    rates = base ** (-np.arange(0, even, 2) / even)          # 0, 2, 4 … is 2i of the paper: do not double it again
    angles = rates[:, None] * np.arange(n)
    return np.stack([np.sin(angles), np.cos(angles)], axis=1).reshape(even, n)[:d]""",
)
MASKS: dict[str, Both] = {
    "causal": (
        "mask = np.tri(len(x), len(context), dtype=bool)   # no token attends to a later one\n",
        "mask = np.tri(x.shape[-1], context.shape[-1], dtype=bool).T   # no token attends to a later one\n",
    ),
    "padding": (
        "mask = np.arange(len(context)) < len(context) - 1   # the last token is a filler\n",
        "mask = (np.arange(context.shape[-1]) < context.shape[-1] - 1)[:, None]   # the last token is a filler\n",
    ),
}
SPLIT_INTO_HEADS: Both = (
    """\
def split(m):                      # (n, heads · d) -> (heads, n, d)
    return m.reshape(len(m), n_heads, -1).swapaxes(0, 1)""",
    """\
def split(m):                      # (heads · d, n) -> (heads, d, n)
    return m.reshape(n_heads, -1, m.shape[-1])""",
)
IN_HEADS: Both = (
    "q_heads, k_heads, v_heads = split(q), split(k), split(v)\nscaled = q_heads @ k_heads.swapaxes(-1, -2) * SCALE",
    "q_heads, k_heads, v_heads = split(q), split(k), split(v)\nscaled = k_heads.swapaxes(-1, -2) @ q_heads * SCALE",
)
TAKE: Both = ("heads = weights @ v_heads", "heads = v_heads @ weights")
MIX: Both = (
    """\
concat = heads.swapaxes(0, 1).reshape(len(x), -1)
output = concat @ w_o""",
    """\
concat = heads.reshape(-1, x.shape[-1])
output = w_o @ concat""",
)
D_K: Both = ("d_k = w_q.shape[-1]", "d_k = len(w_q)")
SAYS_PROJECT = (
    "The same rows of tokens times three different matrices: what each token looks for, what it can be found by, and "
    "what others take from it."
)
SAYS_SCORES = "Every query times every key: multiply feature by feature, and add."
SAYS_SOFTMAX = "Softmax makes weights from the scores: they are positive, and each row adds up to 1."
SAYS_OUTPUT = "The output of each token: all values, each times its weight, added."
SAYS_ENCODING = (
    "Each position has a row, and each pair of columns its own speed: fast waves distinguish neighbours, slow waves "
    "distinguish positions that are far apart."
)


def tailor(both: Both, example: Example) -> Texts:
    """Return the code of a block for an example, as the keyword arguments `rows` and `columns` of `Block`."""
    rows, columns = (for_example(text, example) for text in both)
    return {"rows": rows, "columns": columns}


def join(*parts: Both) -> Both:
    """Return several parts of code below each other, with an empty line after each function, for both layouts."""
    rows, columns = ("".join(_with_space(part[side]) for part in parts).rstrip("\n") for side in (0, 1))
    return rows, columns


def _with_space(text: str) -> str:
    return text + ("\n\n" if text.startswith("def ") else "\n")


def both_of(both: Both) -> Texts:
    """Return the two texts in `both` as the keyword arguments `rows` and `columns` of `Block`."""
    return {"rows": both[0], "columns": both[1]}


def same(text: str) -> Both:
    """Return the same code twice, for tokens as rows and for tokens as columns."""
    return text, text


def packed_code(reader_code: str, matrices: Mapping[str, np.ndarray], rows: int | None = None) -> str:
    """Return code that defines `matrices` from bytes: a function that reads one matrix, and a call for each matrix."""
    name = reader_code.partition("(")[0].removeprefix("def ")
    lines = (f"{id} = {name}({_write_rows(m, rows)})" for id, m in matrices.items())
    return "\n".join([reader_code, "", *lines])


def _write_rows(matrix: np.ndarray, rows: int | None) -> str:
    argument = "" if len(matrix) == rows else f", rows={len(matrix)}"
    return f'"{matrix.tobytes().hex()}"{argument}'
