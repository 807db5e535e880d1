"""The code of “Spot the bug”: a cell of code as it was written and, after the answer, the corrected cell.

The cells have tokens as rows, as their authors wrote them. With tokens as columns, their inputs and results are
transposed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from attention_core import attend, multi_head_attention, self_attention, sinusoidal
from attention_core.examples import MATRICES, Example
from attention_core.heads import MultiHeadTrace
from attention_core.museum import Exhibit, exhibit
from pages.shared.codes.pieces import MASKS, PROJECT, SINUSOIDAL, tailor
from pages.shared.equation.selected_cell import MISTAKE_SUFFIX, RIGHT_SUFFIX
from pages.shared.notation.symbols import matrix_id_of_stage
from pages.shared.takehome.code import Block, Code, given_of
from pages.spot_the_bug.lesson import TEXTS

SOFTMAX = """\
def softmax(x, axis=None):          # as SciPy has it: without an axis it runs over everything
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)"""
SPLIT = """\
def split(m):                       # (n, heads · d) -> (heads, n, d)
    return m.reshape(len(m), n_heads, -1).swapaxes(0, 1)"""
IN_HEADS = f"{SPLIT}\n\nq, k, v = split(x @ w_q), split(x @ w_k), split(x @ w_v)"
# Lines for matrices that the page shows, but to which the cell gives no name. They fit the cell and its correction.
NOT_NAMED = {
    "two_heads": "weights = softmax(scores, axis=-1)",
    "back_to_the_width": "concat = heads.swapaxes(0, 1).reshape(n, n_heads * d_v)",
    "a_loop_over_heads": "concat = np.hstack(heads)",
    "decoder_and_encoder": (
        "weights = np.array([softmax(encoder @ state / np.sqrt(state.size)) for state in decoder])"
    ),
}
FACTORS = {"v", "w_o"}  # the factors of the result, which the page shows without the mistake


def code(parameters, example) -> Code:
    """Return the code of the open exhibit, which is a cell of code with a bug."""
    name, line = parameters.exhibit
    shown = exhibit(name)
    solved = parameters.aid == "answer" or line == shown.wrong_line
    written = _mark_line(shown.code, shown.wrong_line, "✗") if solved else shown.code
    blocks = [
        *_blocks_before(shown, example),
        _block(
            TEXTS.fill("code_of_the_cell"),
            TEXTS.fill("reason_of_the_cell"),
            written,
            _renamed_results(shown, example, MISTAKE_SUFFIX),
        ),
    ]
    if solved:
        title = TEXTS.fill("code_put_right", line=shown.wrong_line)
        mended = _mark_line(shown.corrected_code, shown.wrong_line, "✓")
        blocks.append(_block(title, shown.why, mended, _renamed_results(shown, example, RIGHT_SUFFIX)))
    elif parameters.aid == "beside":
        title, says = TEXTS.fill("what_it_should_give"), TEXTS.fill("reason_of_another_way")
        names = _renamed_results(shown, example, RIGHT_SUFFIX, named=True)
        blocks.append(_block(title, says, _correct_code(shown, example), names))
    *before, last = blocks
    return Code(
        name=name,
        given=_given_matrices(shown, example),
        blocks=(*before, replace(last, key="result")),
        core=_core(shown),
        only_numpy=TEXTS.fill("only_numpy"),
    )


def _block(title: str, says: str, written: str, left: tuple[str, str]) -> Block:
    rows, columns = (f"{written}\n\n{names}" for names in left)
    return Block(title=title, says=says, rows=rows, columns=columns)


def _mark_line(cell: str, number: int, mark: str) -> str:
    return "\n".join(f"{line}   # {mark}" if i == number else line for i, line in enumerate(cell.split("\n"), start=1))


def _of_heads(shown: Exhibit) -> bool:
    return isinstance(shown.outcome().correct_trace, MultiHeadTrace)


def _core(shown: Exhibit) -> tuple:
    if "encoding" in shown.outcome().correct:
        return (sinusoidal,)
    return (multi_head_attention, attend) if _of_heads(shown) else (self_attention, attend)


# --- the start of the cell ---


def _given_matrices(shown: Exhibit, example: Example) -> dict[str, Any]:
    right = shown.outcome().correct
    if "encoding" in right:
        return {}
    without = [*["w_o"] * ("w_o" not in right), *["w_v"] * ("scores" in right)]
    return given_of(example, *without) | ({"n_heads": example.n_heads} if _of_heads(shown) else {})


def _blocks_before(shown: Exhibit, example: Example) -> list[Block]:
    """Return a list with the block of code that comes before `shown`, the cell with the bug."""
    if not shown.inputs:
        return []
    names = [
        name for name, value in _given_matrices(shown, example).items() if name in MATRICES and np.ndim(value) == 2
    ]
    turn = f"{', '.join(names)} = {', '.join(f'{name}.T' for name in names)}   # its author kept tokens as rows\n"
    lines = [SOFTMAX + "\n"]
    if "q" in shown.inputs:
        lines.append(IN_HEADS if _of_heads(shown) else _projection_lines(shown, example))
    lines += [f"{name} = {given}" for name, given in (("decoder", "x"), ("encoder", "context")) if name in shown.inputs]
    text = "\n".join(lines).rstrip("\n")
    return [Block(title=TEXTS.fill("code_of_earlier_cells"), rows=text, columns=turn + "\n" + text)]


def _projection_lines(shown: Exhibit, example: Example) -> str:
    lines = tailor(PROJECT, example)["rows"].split("\n")
    return "\n".join(lines[:2] if "scores" in shown.outcome().correct else lines)


# --- the results of the cell ---


def _renamed_results(shown: Exhibit, example: Example, suffix: str, *, named: bool = False) -> tuple[str, str]:
    """Return lines that copy the results of the cell `shown` to the names of the page's matrices, once for each layout.

    The new names end in `suffix`, which says whether the results are wrong or correct. Some cells compute a matrix
    without a name for it. If `named` is false, the first line computes this matrix again.
    """
    side = shown.outcome().wrong if suffix == MISTAKE_SUFFIX else shown.outcome().correct
    more = [] if named or shown.name not in NOT_NAMED else [NOT_NAMED[shown.name]]
    of_a_query = "scores" in side and np.ndim(side["scores"]) > 2  # the page shows the scores of the first query only
    called = {name: f"{name}[0]" if of_a_query else name for name in side if name not in FACTORS}
    lines = {
        f"{matrix_id_of_stage(name)}{suffix}": (text, _transpose_names(text, side[name]))
        for name, text in called.items()
    }
    for name in FACTORS & side.keys():
        text = "w_o" if name == "w_o" else f"{'x' if example.context is None else 'context'} @ w_v"
        lines[f"{name}{RIGHT_SUFFIX}"] = (text, f"({text}).T" if "@" in text else f"{text}.T")
    rows, columns = ("\n".join([*more, *(f"{name} = {both[i]}" for name, both in lines.items())]) for i in (0, 1))
    return rows, columns


def _transpose_names(text: str, values: np.ndarray) -> str:
    return f"{text}.T" if np.ndim(values) == 2 else f"{text}.swapaxes(-1, -2)"


def _correct_code(shown: Exhibit, example: Example) -> str:
    """Return code that computes the correct result of `shown`, the cell with the bug, in another way than the cell."""
    right = shown.outcome().correct
    if "encoding" in right:
        return f"{SINUSOIDAL[0]}\n\nencoding = encode{right['encoding'].shape}"
    start = IN_HEADS if _of_heads(shown) else _projection_lines(shown, example)
    if "scores" in right:
        return f"{start}\nscores = q @ k.T"
    scaled = "scaled = q @ k.swapaxes(-1, -2) * (1 / np.sqrt(k.shape[-1]))"
    mask = MASKS[shown.state["mask"]][0].strip() if "mask" in shown.state else ""
    masked = f"{tailor((mask, mask), example)['rows']}\nscaled = np.where(mask, scaled, -np.inf)\n" * bool(mask)
    shares = f"{masked}weights = softmax(scaled, axis=-1)"
    mixed = "heads = weights @ v" if _of_heads(shown) else "output = weights @ v"
    together = "\nconcat = np.hstack(list(heads))\noutput = concat @ w_o" * ("concat" in right)
    return f"{start}\n{scaled}\n{shares}\n{mixed}{together}"
