"""The code of a mistake in the backward pass: its line and the steps after it, with names that end in `_mistake`."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from attention_core.mistakes.backward import WrongGradient
from attention_core.mistakes.engine.code_lines import names_read
from pages.shared.codes.pieces import Both, both_of
from pages.shared.codes.tailoring import for_example, rename_name
from pages.shared.equation.selected_cell import MISTAKE_SUFFIX, RIGHT_SUFFIX
from pages.shared.notation.prose import typeset
from pages.shared.takehome.code import Block

GRADIENTS = ("grad_w_q", "grad_w_k", "grad_w_v")
WRONG = "   # ✗"

# The steps of the backward pass from the softmax on, in order.
STEPS: Mapping[str, Both] = {
    "grad_scaled": (
        "weights * (grad_weights - (weights * grad_weights).sum(axis=-1, keepdims=True))",
        "weights * (grad_weights - (weights * grad_weights).sum(axis=-2, keepdims=True))",
    ),
    "grad_scores": ("grad_scaled * (times / np.sqrt(d_k))", "grad_scaled * (times / np.sqrt(d_k))"),
    "grad_q": ("grad_scores @ k", "k @ grad_scores"),
    "grad_k": ("grad_scores.T @ q", "q @ grad_scores.T"),
    "grad_w_q": ("x.T @ grad_q", "grad_q @ x.T"),
    "grad_w_k": ("context.T @ grad_k", "grad_k @ context.T"),
    "grad_w_v": ("context.T @ grad_v", "grad_v @ context.T"),
}
_EACH_ALONE = "weights * (1 - weights) * grad_weights"
# For each mistake, the wrong expressions by the names of the steps that they replace.
INSTEAD: Mapping[str, Mapping[str, Both]] = {
    "elementwise_softmax": {"grad_scaled": (_EACH_ALONE, _EACH_ALONE)},
    "scale_left_out": {"grad_scores": ("grad_scaled", "grad_scaled")},
    "keys_transposed": {"grad_k": ("grad_scores @ q", "q @ grad_scores")},
    "tokens_not_summed": {
        "grad_w_q": ("np.outer(x[-1], grad_q[-1])", "np.outer(grad_q[:, -1], x[:, -1])"),
        "grad_w_k": ("np.outer(context[-1], grad_k[-1])", "np.outer(grad_k[:, -1], context[:, -1])"),
        "grad_w_v": ("np.outer(context[-1], grad_v[-1])", "np.outer(grad_v[:, -1], context[:, -1])"),
    },
    "mask_forgotten": {
        "grad_scaled": (
            "softmax(scaled) * (grad_weights - (softmax(scaled) * grad_weights).sum(axis=-1, keepdims=True))",
            "softmax(scaled) * (grad_weights - (softmax(scaled) * grad_weights).sum(axis=-2, keepdims=True))",
        ),
    },
}


def steps_of(name: str) -> Both:
    """Return the correct line of code for the gradient `name`: for tokens as rows, and for tokens as columns."""
    rows, columns = STEPS[name]
    return f"{name} = {rows}", f"{name} = {columns}"


def mistake_block(wrong: WrongGradient, parameters, example) -> Block:
    """Return the block of code for `wrong`, a mistake in the backward pass.

    The block computes the gradients of W^Q, W^K and W^V twice: correctly, and with the mistake.
    """
    rows, columns = (for_example(_lines(wrong, side), example) for side in (0, 1))
    return Block(
        title=f"The mistake: {wrong.title}",
        key="wrong",
        says=typeset(wrong.why),
        formula=parameters.formula(wrong.formula),
        **both_of((rows, columns)),
    )


def _lines(wrong: WrongGradient, side: int) -> str:
    """Return the code that computes the wrong gradients of a mistake, after the code of the correct gradients.

    First, each correct gradient gets a second name. Then all steps that the mistake changes are computed again. A
    gradient that does not change is copied. `side` is 0 for tokens as rows and 1 for tokens as columns.
    """
    lines, changed = [f"{name}{RIGHT_SUFFIX} = {name}" for name in GRADIENTS], list[str]()
    for name, both in STEPS.items():
        instead = INSTEAD[wrong.name].get(name)
        line = f"{name} = {(instead or both)[side]}"
        if instead or not _read(line).isdisjoint(changed):
            changed.append(name)
            lines.append(_with_mistake(line, changed) + WRONG * bool(instead))
    kept = [f"{name}{MISTAKE_SUFFIX} = {name}   # as it should be" for name in GRADIENTS if name not in changed]
    return "\n".join([*lines, *kept])


def _with_mistake(line: str, changed: list[str]) -> str:
    for name in changed:
        line = rename_name(line, name, name + MISTAKE_SUFFIX)
    return line


def _read(line: str) -> set[str]:
    return {name.id for name in names_read(ast.parse(line))}
