"""Read several named matrices from one text, and the settings between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from attention_core.reading.matrix_text import MatrixText, read_matrix
from attention_core.reading.named_parts import Part, named_parts
from attention_core.reading.roles import is_divided, is_transposed, role_of
from attention_core.reading.text_error import MatrixTextError

Setting = bool | int | float | str

_NUMBER = r"[+-]?[0-9.][0-9.eE+\-]{0,30}(?:/[0-9.]{1,20})?"
_SETTING = re.compile(
    rf"^[ \t]*([A-Za-z]\w{{0,39}})[ \t]*[=:][ \t]*({_NUMBER}|[A-Za-z]\w{{0,39}})[ \t]*(?:,[ \t]*)?$", re.MULTILINE
)
_SAME = re.compile(r"^[ \t]*([A-Za-z]\w{0,39})[ \t]*=[ \t]*([A-Za-z]\w{0,39})[ \t]*(?:#.*)?$", re.MULTILINE)
_PROJECTED = re.compile(r"=[ \t]*([A-Za-z]\w{0,39})[ \t]*(?:@|%\*%|·)[ \t]*W_?[QKVqkv]\b")
_SYNONYMS: dict[str, str] = {
    "num_heads": "n_heads", "heads": "n_heads", "n_head": "n_heads", "num_attention_heads": "n_heads",
    "num_key_value_heads": "n_kv_heads", "num_kv_heads": "n_kv_heads", "head_dim": "d_k", "is_causal": "causal",
}  # fmt: skip
_WORDS: dict[str, Setting] = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, eq=False)
class NamedMatrix:
    """A matrix that was read from a text, with its name."""

    name: str
    role: str  # the matrix of attention that the name means: x, w_q, …, q, k, v, scores, weights, output, mask; or ""
    matrix: MatrixText
    text: str  # the part of the text that contains the matrix
    line: int  # the number of the line where this part begins, counted from 1
    is_transposed: bool = (
        False  # whether it was transposed, because a linear layer stores its weights as outputs × inputs
    )


def named_matrices(text: str) -> tuple[NamedMatrix, ...]:
    r"""Return every matrix of a text that has a name and can be read, in the order of the text.

    The role of a matrix says which matrix of attention its name means. The weight of a linear layer of PyTorch,
    `q_proj.weight`, is transposed, because the layer computes x weightᵀ. If the text divides the scores, their role is
    "scaled". `W_K = W_Q` gives the matrix W_Q a second name. If the text says `Q = S @ W_q`, the matrix S has the role
    x.

    >>> found = named_matrices("Q = [[1, 2]]  # queries\nattn_weights:\ntensor([[1.]])")
    >>> [(each.name, each.role, each.matrix.values.tolist(), each.line) for each in found]
    [('Q', 'q', [[1.0, 2.0]], 1), ('attn_weights', 'weights', [[1.0]], 3)]
    """
    text = text.replace("\u00a0", " ")  # a browser may copy spaces as this sign
    found = [_scaled_if_divided(text, each) for part in named_parts(text) if (each := _read(text, part))]
    found = _with_input(text, found)
    return tuple(sorted((*found, *_with_further_names(text, found)), key=lambda each: each.line))


def settings_in(text: str) -> dict[str, Setting]:
    r"""Return the settings in a text by name, from lines such as `mask = causal`, `scale = 0.125` and `n_heads = 4`.

    Other spellings of a name, such as `num_heads`, become the usual name, here `n_heads`.

    >>> settings_in("Q = [[1, 2]]\nmask = causal\nscale = 1/8\nnum_heads = 4")
    {'mask': 'causal', 'scale': 0.125, 'n_heads': 4}
    """
    found = ((str(line[1]), str(line[2])) for line in _SETTING.finditer(text))
    return {
        _SYNONYMS.get(name.lower(), name): _value(written)
        for name, written in found
        if not (role_of(name) and role_of(written))  # W_K = W_Q
    }


def _read(text: str, part: Part) -> NamedMatrix | None:
    try:
        matrix = read_matrix(part.text)
    except MatrixTextError:
        return None
    turned = is_transposed(part.name) and part.role.startswith("w_")
    matrix = replace(matrix, values=matrix.values.T) if turned else matrix
    line = text.replace("\r\n", "\n").replace("\r", "\n").count("\n", 0, part.offset) + 1
    return NamedMatrix(part.name, part.role, matrix, part.text, line, turned)


def _scaled_if_divided(text: str, found: NamedMatrix) -> NamedMatrix:
    """Return scores with the role "scaled" if the text computes them with a division: `S = (Q Kᵀ) / 2`.

    Return any other matrix unchanged.
    """
    if found.role != "scores":
        return found
    formula = re.compile(rf"(?<![\w.]){re.escape(found.name)}[ \t]{{0,9}}=[ \t]{{0,9}}([^=\n\[]{{1,200}})")
    formulas = [str(each[1]) for each in formula.finditer(text) if re.search(r"[QqKk]", each[1])]
    return replace(found, role="scaled") if formulas and all(map(is_divided, formulas)) else found


def _with_input(text: str, found: list[NamedMatrix]) -> list[NamedMatrix]:
    """Give the role x to the matrix that the text multiplies by W_q, W_k or W_v, as S in `Q = S @ W_q`."""
    names = {str(product[1]) for product in _PROJECTED.finditer(text)}
    if len(names) != 1 or any(each.role == "x" for each in found):
        return found
    return [replace(each, role="x") if each.name in names else each for each in found]


def _with_further_names(text: str, found: Sequence[NamedMatrix]) -> Iterator[NamedMatrix]:
    """Yield a copy of a matrix for each further name that the text gives the matrix: `W_K = W_Q`."""
    by_name = {each.name: each for each in found}
    for line in _SAME.finditer(text):
        name, same = str(line[1]), by_name.get(str(line[2]))
        if same and same.role and role_of(name) and name not in by_name:
            yield replace(same, name=name, role=role_of(name), line=text.count("\n", 0, line.start(1)) + 1)


def _value(written: str) -> Setting:
    """Return the value of a setting: a bool, a number or a word. A fraction such as 1/8 becomes a number."""
    if written[0].isalpha():
        return _WORDS.get(written.lower(), written)
    try:
        top, _, below = written.partition("/")
        return int(written) if written.isdecimal() else float(top) / float(below or 1)
    except (ValueError, ZeroDivisionError):  # 1.2.3 and 1/0 are no numbers
        return written
