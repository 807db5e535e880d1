"""The backward pass of one row: from the gradient of one token's output to the gradient of W^Q."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attention_core.examples import Example
from attention_core.experiments.training import TrainingTrace
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.model import GAP
from pages.shared.notation.numbers import small
from pages.shared.notation.prose import escape


def row_lines(m: Mapping[str, Matrix], trace: TrainingTrace, example: Example) -> list[Line]:
    """Return the equations from the gradient of the trained token's output to the gradient of W^Q, one for each step.

    `m` holds the matrices by name.
    """
    token = trace.aim.token
    name = example.tokens[token]
    weights, arriving, scaled, scores, query = (
        m[id].row(token, symbol)
        for id, symbol in (
            ("weights", "a"), ("grad_weights", "da"), ("grad_scaled", "ds'"), ("grad_scores", "ds"), ("grad_q", "dq"),
        )
    )  # fmt: skip
    divided = Sign("÷ √d_k" if trace.aim.times == 1 else f"÷ √d_k, × {trace.aim.times:g}", arrow=True)
    return [
        Line(
            (m["grad_output"].row(token, "dz"), "·", m["v"].transpose("V^T"), "=", arriving),
            f"1. Back to the weights of “{name}”: multiply by every value",
        ),
        Line(
            (weights, GAP, arriving, Sign("back through softmax", arrow=True), scaled, divided, scores),
            "2. Back to its scores: each weight times (its gradient minus the weighted average of the row)",
        ),
        Line((scores, "·", m["k"], "=", query), "3. Back to its query: add all keys, each times its score’s gradient"),
        Line(
            (query, Sign("x^T · dq", arrow=True), m["grad_w_q"]),
            f"4. Back to W^Q: each number of “{name}” in X times each number of dq",
        ),
    ]


def row_text(trace: TrainingTrace, example: Example) -> str:
    """Return a text that says where the backward pass begins, and which attention weight should grow."""
    arriving, token = trace.back.grad_weights[trace.aim.token], escape(example.tokens[trace.aim.token])
    grow = int(np.argmin(arriving))
    answers = escape(example.key_tokens[grow])
    found = (
        f" The attention weight for “{answers}” gets the gradient **{small(arriving[grow])}**: if “{token}” attended "
        f"more to “{answers}”, the loss would fall."
    ) * bool(arriving[grow] < 0)
    return (
        f"## The gradients of one row\n\nOnly the output of “{token}” counts. So the *backward pass*, which computes "
        f"the gradients, begins in its row, and comes to $W^Q$ in four steps. $da$, $ds$ and $dq$ are the gradients of "
        f"its weights, its scores and its query.{found} *All gradients* shows all rows, and $W^K$ and $W^V$."
    )
