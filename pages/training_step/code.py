"""The code of a mistake in the backward pass: its line and the steps after it, with names that end in `_mistake`."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

from attention_core import attention_gradient, cross_entropy_gradient, self_attention_gradient, sgd_step
from attention_core.experiments.training import LEARNING
from attention_core.mistakes.backward import WrongGradient
from attention_core.mistakes.engine.code_lines import names_read
from pages.shared.codes.pieces import (
    D_K,
    MASKS,
    PROJECT,
    SCORES,
    SOFTMAX,
    Both,
    both_of,
    for_example,
    join,
    rename_name,
    without_mask,
)
from pages.shared.equation.selected_cell import MISTAKE_SUFFIX, RIGHT_SUFFIX
from pages.shared.notation.prose import typeset
from pages.shared.takehome.code import Block, Code, given_of, start_of
from pages.training_step.board import NEXT
from pages.training_step.state import TEXTS, aim_of, chosen_mistake, is_possible, training_state

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
    """Return the block of code that computes the gradients of W^Q, W^K and W^V correctly, and with a mistake."""
    rows, columns = (for_example(_lines(wrong, side), example) for side in (0, 1))
    return Block(
        title=parameters.say(TEXTS, "code_of_mistake", title=parameters.in_layout(wrong.title)),
        key="wrong",
        says=typeset(wrong.why),
        formula=parameters.formula(wrong.formula),
        **both_of((rows, columns)),
    )


def _lines(wrong: WrongGradient, side: int) -> str:
    """Return the code that computes the wrong gradients of a mistake, after the code of the correct gradients."""
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


ATTEND: Both = (
    "scaled = scores * (times / np.sqrt(d_k))\nmasked = np.where(mask, scaled, -np.inf)\n"
    "weights = softmax(masked)\noutput = weights @ v",
    "scaled = scores * (times / np.sqrt(d_k))\nmasked = np.where(mask, scaled, -np.inf)\n"
    "weights = softmax(masked)\noutput = v @ weights",
)
LOSS: Both = (
    "probabilities = softmax(output[token:token + 1])\nloss = -np.log(probabilities[0, target])",
    "probabilities = softmax(output[:, token:token + 1])\nloss = -np.log(probabilities[target, 0])",
)
TOO_MUCH: Both = (
    """\
targets = np.eye(output.shape[-1])[target:target + 1]
asked = np.arange(len(output))[:, None] == token
grad_output = np.where(asked, probabilities - targets, 0.0)""",
    """\
targets = np.eye(len(output))[:, target:target + 1]
asked = np.arange(output.shape[-1]) == token
grad_output = np.where(asked, probabilities - targets, 0.0)""",
)
AVERAGE: Both = (
    "grad_weights = grad_output @ v.T\ngrad_v = weights.T @ grad_output",
    "grad_weights = v.T @ grad_output\ngrad_v = grad_output @ weights.T",
)
SHARES, SIZE, MEET, LEARNED = (
    join(*(steps_of(name) for name in names))
    for names in (("grad_scaled",), ("grad_scores",), ("grad_q", "grad_k"), GRADIENTS)
)
# What has another name after one more step of training.
AFTER = ("q", "k", "v", "scores", "scaled", "masked", "weights", "output", "probabilities", "loss")
JACOBIAN: Both = (
    "a = weights[token]\njacobian = np.diag(a) - np.outer(a, a)",
    "a = weights[:, token]\njacobian = np.diag(a) - np.outer(a, a)",
)
ONE_ROW: Both = (
    "dq = grad_scores[token] @ k\ndw_q = np.outer(x[token], dq)",
    "dq = k @ grad_scores[:, token]\ndw_q = np.outer(dq, x[:, token])",
)


def code(parameters, example) -> Code:
    """Return the code of the forward pass, the backward pass, and the steps of training that were taken."""
    aim = aim_of(parameters, example)
    given: dict[str, Any] = given_of(example, "w_o") | {"token": aim.token, "target": aim.target, "times": aim.times}
    further = parameters.look == "losses"
    if parameters.taken or further:
        given["lr"] = parameters.rate
    if parameters.taken:
        given["taken"] = parameters.taken
    forward = _forward(aim.mask)
    taken = _training_loop(forward, aim.learns) if parameters.taken else None

    def block(title: str, both: Both, key: str = "", says: str = "") -> Block:
        rows, columns = (for_example(text, example) for text in both)
        reason = parameters.say(TEXTS, says) if says else ""
        return Block(title=parameters.say(TEXTS, title), key=key, says=reason, rows=rows, columns=columns)

    return Code(
        name="training_step",
        given=given,
        **start_of(example),
        core=(self_attention_gradient, attention_gradient, cross_entropy_gradient, sgd_step),
        blocks=(
            block("code_of_softmax", SOFTMAX),
            *([block("code_of_steps_taken", taken)] if taken else []),
            block("code_of_forward_pass", forward),
            block("code_of_loss", join(LOSS, TOO_MUCH), "loss"),
            block("code_of_values", AVERAGE, "values", "reason_of_values"),
            block("code_back_through_softmax", SHARES, "softmax", "reason_of_scores"),
            block("code_of_jacobian", JACOBIAN, "jacobian"),
            block("code_of_division", SIZE, "size"),
            block("code_of_dot_products", MEET, "scores"),
            block("code_of_matrices", LEARNED, "projections", "reason_of_matrices"),
            block("code_of_one_row", ONE_ROW, "row", "reason_of_one_row"),
            *([block("code_of_next_step", _next_step(forward, aim.learns), "further")] if further else []),
            *_mistake(parameters, example),
        ),
        autograd=_autograd(forward, example),
    )


def _mistake(parameters, example) -> list[Block]:
    wrong = chosen_mistake(parameters.wrong)
    shown = wrong and is_possible(wrong, training_state(parameters, example).trace)
    return [mistake_block(wrong, parameters, example)] if wrong and shown else []


def _forward(mask: str) -> Both:
    attend = ATTEND if mask != "none" else (without_mask(ATTEND[0], "mask"), without_mask(ATTEND[1], "mask"))
    return join(MASKS.get(mask, ("", "")), PROJECT, D_K, SCORES, attend)


def _next_step(forward: Both, learns: str) -> Both:
    """Return the code of one more step, and of the forward pass after it, with names that end in `_next`."""
    step = "\n".join(f"{name}_next = {name} - lr * grad_{name}" for name in LEARNING[learns])
    after = join(forward, LOSS)
    rows, columns = (_renamed(text, (*LEARNING[learns], *AFTER)) for text in after)
    return f"{step}\n{rows}", f"{step}\n{columns}"


def _renamed(code: str, names: Iterable[str]) -> str:
    return reduce(lambda found, name: rename_name(found, name, name + NEXT), names, code)


def _training_loop(forward: Both, learns: str) -> Both:
    """Return the code of a function that computes all gradients, and of a loop that trains with them."""
    rows, columns = join(forward, LOSS, TOO_MUCH, AVERAGE, SHARES, SIZE, MEET, LEARNED)
    step = "\n".join(f"    {name} = {name} - lr * grad_{name}" for name in LEARNING[learns])
    loop = f"for _ in range(taken):\n    {', '.join(GRADIENTS)} = gradients(w_q, w_k, w_v)\n{step}"
    return _function("gradients", rows, ", ".join(GRADIENTS), loop), _function(
        "gradients", columns, ", ".join(GRADIENTS), loop
    )


def _function(name: str, body: str, result: str, then: str) -> str:
    lines = [line for line in body.splitlines() if line]
    inside = textwrap.indent("\n".join([*lines, f"return {result}"]), "    ")
    return f"def {name}(w_q, w_k, w_v):\n{inside}\n\n{then}"


def _autograd(forward: Both, example) -> Both:
    """Return PyTorch code that checks the three gradients of the page by automatic differentiation."""
    check = (
        "learned = [matrix.clone().requires_grad_() for matrix in (w_q, w_k, w_v)]\nloss_of(*learned).backward()\n"
        f"for ours, theirs in zip(({', '.join(GRADIENTS)}), learned):\n"
        "    torch.testing.assert_close(ours, theirs.grad, rtol=1e-9, atol=1e-12)\n"
        'print("PyTorch finds the same three gradients by itself.")'
    )
    rows, columns = (for_example(_function("loss_of", text, "loss", check), example) for text in join(forward, LOSS))
    return rows, columns
