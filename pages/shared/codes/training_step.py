"""The code of the page “A step of training”: forward to the loss, backward to every matrix, and the steps taken."""

from __future__ import annotations

import textwrap
from typing import Any

from attention_core import attention_gradient, cross_entropy_gradient, self_attention_gradient, sgd_step
from attention_core.experiments.training import LEARNING
from pages.shared.codes.pieces import D_K, MASKS, PROJECT, SCORES, SOFTMAX, Both, join
from pages.shared.codes.tailoring import for_example, without_mask
from pages.shared.codes.training_step_mistakes import GRADIENTS, mistake_block, steps_of
from pages.shared.lessons.training_step.state import aim_of, training_state
from pages.shared.lessons.training_step.wrong_gradients import chosen_mistake, is_possible
from pages.shared.takehome.code import Block, Code, given_of, start_of

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
JACOBIAN: Both = (
    "a = weights[token]\njacobian = np.diag(a) - np.outer(a, a)",
    "a = weights[:, token]\njacobian = np.diag(a) - np.outer(a, a)",
)
ONE_ROW: Both = (
    "dq = grad_scores[token] @ k\ndw_q = np.outer(x[token], dq)",
    "dq = k @ grad_scores[:, token]\ndw_q = np.outer(dq, x[:, token])",
)
SAYS_VALUES = "An output is the sum of weights times values. So each value and each weight gets a gradient."
SAYS_SHARES = (
    "The gradient of a score is its weight times (its own incoming gradient minus the weighted average of the row)."
)
SAYS_LEARNED = "One matrix makes the rows of all tokens, so its gradient is the sum over the tokens."
SAYS_ROW = "Only one row of the output has a gradient, so this row alone gives the whole gradient of the query weights."


def code(parameters, example) -> Code:
    """Return the code of the forward pass, the backward pass, and the steps of training that were taken."""
    aim = aim_of(parameters, example)
    given: dict[str, Any] = given_of(example, "w_o") | {"token": aim.token, "target": aim.target, "times": aim.times}
    if parameters.taken:
        given |= {"lr": float(parameters.rate), "taken": parameters.taken}
    forward = _forward(aim.mask)
    start = [
        _block("Softmax", SOFTMAX, example),
        *(
            [_block("The steps that were taken", _training_loop(forward, aim.learns), example)]
            if parameters.taken
            else []
        ),
    ]
    return Code(
        name="training_step",
        given=given,
        **start_of(example),
        core=(self_attention_gradient, attention_gradient, cross_entropy_gradient, sgd_step),
        blocks=(
            *start,
            _block("Forwards", forward, example),
            _block("The loss, and the gradient of the output", join(LOSS, TOO_MUCH), example, "loss"),
            _block("Back through the average", AVERAGE, example, "values", SAYS_VALUES),
            _block("Back through the softmax", SHARES, example, "softmax", SAYS_SHARES),
            _block("The same by the Jacobian of one row", JACOBIAN, example, "jacobian"),
            _block("Back through the division", SIZE, example, "size"),
            _block("Back through the dot products", MEET, example, "scores"),
            _block("Back to the three matrices", LEARNED, example, "projections", SAYS_LEARNED),
            _block("The query weights from one row alone", ONE_ROW, example, "row", SAYS_ROW),
            *_mistake(parameters, example),
        ),
        autograd=_autograd(forward, example),
    )


def _mistake(parameters, example) -> list[Block]:
    """Return the block of the mistake that is switched on, in a list. Return [] without a possible mistake."""
    wrong = chosen_mistake(parameters.wrong)
    shown = wrong and is_possible(wrong, training_state(parameters, example).trace)
    return [mistake_block(wrong, parameters, example)] if wrong and shown else []


def _block(title: str, both: Both, example, key: str = "", says: str = "") -> Block:
    rows, columns = (for_example(text, example) for text in both)
    return Block(title=title, key=key, says=says, rows=rows, columns=columns)


def _forward(mask: str) -> Both:
    """Return the code of the forward pass to the output. `mask` is the kind of the mask."""
    attend = ATTEND if mask != "none" else (without_mask(ATTEND[0], "mask"), without_mask(ATTEND[1], "mask"))
    return join(MASKS.get(mask, ("", "")), PROJECT, D_K, SCORES, attend)


def _training_loop(forward: Both, learns: str) -> Both:
    """Return the code of a function that computes all gradients, and of a loop that trains with them, for both layouts.

    `forward` is the code of the forward pass, and `learns` says which matrices are trained.
    """
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
    """Return PyTorch code that checks the three gradients of the page by automatic differentiation, for both layouts.

    `forward` is the code of the forward pass.
    """
    check = (
        "learned = [matrix.clone().requires_grad_() for matrix in (w_q, w_k, w_v)]\nloss_of(*learned).backward()\n"
        f"for ours, theirs in zip(({', '.join(GRADIENTS)}), learned):\n"
        "    torch.testing.assert_close(ours, theirs.grad, rtol=1e-9, atol=1e-12)\n"
        'print("PyTorch finds the same three gradients by itself.")'
    )
    rows, columns = (for_example(_function("loss_of", text, "loss", check), example) for text in join(forward, LOSS))
    return rows, columns
