"""Several named matrices in one text, and the settings between them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from attention_core.reading.matrix_text import MatrixText, read_matrix
from attention_core.reading.named_parts import Part, named_parts
from attention_core.reading.roles import is_turned
from attention_core.reading.text_error import MatrixTextError

Setting = bool | int | float | str

_NUMBER = r"[+-]?[0-9.][0-9.eE+\-]{0,30}(?:/[0-9.]{1,20})?"
_SETTING = re.compile(
    rf"^[ \t]*([A-Za-z]\w{{0,39}})[ \t]*[=:][ \t]*({_NUMBER}|[A-Za-z]\w{{0,39}})[ \t]*(?:,[ \t]*)?$", re.MULTILINE
)
_SYNONYMS: dict[str, str] = {
    "num_heads": "n_heads", "heads": "n_heads", "n_head": "n_heads", "num_attention_heads": "n_heads",
    "num_key_value_heads": "n_kv_heads", "num_kv_heads": "n_kv_heads", "head_dim": "d_k", "is_causal": "causal",
}  # fmt: skip
_WORDS: dict[str, Setting] = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, eq=False)
class NamedMatrix:
    """A matrix in a text, with its name."""

    name: str
    role: str  # a role of `roles`: x, w_q, …, q, k, v, scores, scaled, weights, output, mask; or ""
    matrix: MatrixText
    text: str  # the part of the text that holds it
    line: int  # where it begins, counted from 1
    is_turned: bool = False  # it was transposed: a linear layer keeps its weights as outputs × inputs


def named_matrices(text: str) -> tuple[NamedMatrix, ...]:
    r"""Return every matrix of a text that has a name and can be read, in the order of the text.

    The weight of a linear layer of PyTorch, `q_proj.weight`, is transposed, because the layer computes x weightᵀ.

    >>> found = named_matrices("Q = [[1, 2]]  # queries\nattn_weights:\ntensor([[1.]])")
    >>> [(each.name, each.role, each.matrix.values.tolist(), each.line) for each in found]
    [('Q', 'q', [[1.0, 2.0]], 1), ('attn_weights', 'weights', [[1.0]], 3)]
    """
    return tuple(found for part in named_parts(text) if (found := _read(text, part)))


def settings_in(text: str) -> dict[str, Setting]:
    r"""Return the settings of a text: lines such as `mask = causal`, `scale = 0.125` and `n_heads = 4`.

    A name that is written otherwise, such as `num_heads`, is returned as n_heads, n_kv_heads, d_k or causal.

    >>> settings_in("Q = [[1, 2]]\nmask = causal\nscale = 1/8\nnum_heads = 4")
    {'mask': 'causal', 'scale': 0.125, 'n_heads': 4}
    """
    found = ((str(line[1]), str(line[2])) for line in _SETTING.finditer(text))
    return {_SYNONYMS.get(name.lower(), name): _value(written) for name, written in found}


def _read(text: str, part: Part) -> NamedMatrix | None:
    try:
        matrix = read_matrix(part.text)
    except MatrixTextError:
        return None
    turned = is_turned(part.name) and part.role.startswith("w_")
    matrix = replace(matrix, values=matrix.values.T) if turned else matrix
    line = text.replace("\r\n", "\n").replace("\r", "\n").count("\n", 0, part.offset) + 1
    return NamedMatrix(part.name, part.role, matrix, part.text, line, turned)


def _value(written: str) -> Setting:
    """Return the value of a setting. A fraction such as 1/8 becomes a number."""
    if written[0].isalpha():
        return _WORDS.get(written.lower(), written)
    try:
        top, _, below = written.partition("/")
        return int(written) if written.isdecimal() else float(top) / float(below or 1)
    except (ValueError, ZeroDivisionError):  # 1.2.3 and 1/0 are no numbers
        return written
