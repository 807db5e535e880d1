"""The matrices of a step of training."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic.training_rules import step_rules, training_rules
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.training import LEARNING, TrainingTrace, trace_after_step
from pages.shared.controls import Parameters
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.computation import Computation
from pages.shared.equation.matrices import attention_matrices
from pages.shared.equation.model import AND, GAP
from pages.shared.notation.numbers import significant
from pages.shared.notation.prose import escape
from pages.shared.state.opening import focus
from pages.training_step.state import TEXTS

BACK = Sign("←")
MOST_DECIMALS = 6  # of a gradient; a smaller one is practically 0

# Gradients that are compared with each other have the same colour scale.
_KINDS = (("w_q", "w_k", "w_v"), ("q", "k"), ("scaled", "scores"), ("output", "weights", "v"))


@cache_recent
def training_matrices(example: Example, trace: TrainingTrace) -> Mapping[str, Matrix]:
    """Return every matrix of a training step by its name, such as "grad_w_q" for the gradient of "w_q"."""
    worked = training_rules(trace)
    computation = Computation(worked)
    own = attention_matrices(example, trace.forward)
    forward = {name: replace(matrix, computation=computation) for name, matrix in own.items()}
    of_loss = _loss_matrices(forward["output"], trace, worked, computation)
    back = {
        f"grad_{name}": _gradient(name, forward[name], kind, worked, computation) for kind in _KINDS for name in kind
    }
    return MappingProxyType(forward | of_loss | back)


# What a step of training does not change. The ids of all other matrices after the step end in NEXT.
UNCHANGED = {"x", "context", "b_q", "b_k", "b_v", "targets"}
NEXT = "_next"


@cache_recent
def matrices_after_step(example: Example, trace: TrainingTrace, rate: float) -> Mapping[str, Matrix]:
    """Return the shares and the loss after one more step of training, by their names before it.

    They follow the learning rate, and every matrix before the step.
    """
    before, after = training_matrices(example, trace), trace_after_step(example, trace, rate)
    worked = step_rules(after, trace, rate)
    changed = {name.removesuffix("_before") for name in worked.rules} - UNCHANGED
    changed -= {name for name in LEARNING["all"] if name not in LEARNING[trace.aim.learns]}
    computation = Computation(worked, behind=before["output"].computation)
    found = {}
    for name in ("probabilities", "loss"):
        matrix = replace(before[name], values=worked.rules[name][0]).with_computation(computation)
        renamed = matrix.with_suffix(NEXT, changed)
        assert renamed.computation
        found[name] = replace(renamed, computation=renamed.computation.renamed(lambda id: id.removesuffix("_before")))
    return MappingProxyType(found)


def _loss_matrices(
    output: Matrix, trace: TrainingTrace, worked: CellCalculations, computation: Computation
) -> dict[str, Matrix]:
    """Return the softmax of the output of the trained token, its target, and the Jacobian of its weights, by name."""
    row = output.row_labels[trace.aim.token]
    labels = {"row_labels": (row,), "column_labels": output.column_labels}
    slope = float(np.abs(worked.rules["jacobian"][0]).max())
    return {
        "probabilities": _matrix_of("probabilities", worked, computation, **labels),
        "targets": _matrix_of("targets", worked, computation, **labels),
        "loss": _matrix_of("loss", worked, computation),
        "jacobian": _matrix_of("jacobian", worked, computation, decimals=decimals_for(slope)),
    }


def _matrix_of(name: str, worked: CellCalculations, computation: Computation, **look) -> Matrix:
    return Matrix.named(name, worked.rules[name][0], **look).with_computation(computation)


def _gradient(
    name: str, matrix: Matrix, kind: tuple[str, ...], worked: CellCalculations, computation: Computation
) -> Matrix:
    """Return the gradient of the matrix `name`, with as many decimals as the gradients of all matrices in `kind`."""
    id = f"grad_{name}"
    greatest = max(float(np.abs(worked.rules[f"grad_{each}"][0]).max()) for each in kind)
    made = Matrix.named(
        id, worked.rules[id][0], row_labels=matrix.row_labels, column_labels=matrix.column_labels,
        decimals=decimals_for(greatest),
    )  # fmt: skip
    return made.with_computation(computation)


def decimals_for(greatest: float) -> int:
    """Return how many decimals show two digits of the greatest gradient.

    >>> decimals_for(0.45), decimals_for(0.0045), decimals_for(0.0)
    (2, 4, 6)
    """
    return min(MOST_DECIMALS, max(0, 1 - math.floor(math.log10(greatest)))) if greatest else MOST_DECIMALS


def without_editing(m: Mapping[str, Matrix], names: tuple[str, ...]) -> dict[str, Matrix]:
    """Return all matrices by name; those in `names` cannot be edited, because training has changed them."""
    return {**m, **{name: m[name].read_only() for name in names}}


def learned_names(learns: str, taken: int) -> tuple[str, ...]:
    """Return the names of the matrices that training has changed, or () if no step has been taken."""
    return LEARNING[learns] if taken else ()


# --- steps ---

STEPS = ("loss", "values", "softmax", "size", "scores", "w_q", "w_k", "w_v")  # of the way back
FIRST = STEPS[0]
LEARNED = "projections"  # the name of the picture in each of the last three steps


def step_shown(parameters: Any) -> str:
    """Return the step that the page shows: the chosen one, or else the one that the open scene is about.

    A course that a lecturer has saved may have scenes from before there was a choice of the step.
    """
    about = focus().rpartition(".")[2].replace(LEARNED, "w_q")
    return about if parameters.step == FIRST and about in STEPS else parameters.step


def lines_of_step(
    step: str, m: Mapping[str, Matrix], trace: TrainingTrace, example: Example, parameters: Any
) -> tuple[str, list[Line]]:
    """Return the name of the picture of a step, and its equations: of one row or, if the visitor wants, of all rows."""
    if step == FIRST:
        return step, [loss_line(m, trace.aim.token)]
    line = row_lines(m, trace, example, parameters).get(step)
    if parameters.look == "row" and line:
        return "row", [line]
    return LEARNED if step in LEARNING["all"] else step, boards(m, trace)[step]


# --- lines ---


def learned_line(m: Mapping[str, Matrix]) -> Line:
    """Return an equation with the three matrices that the model learns."""
    return Line(tuple(m[name] for name in LEARNING["all"]))


def jacobian_line(m: Mapping[str, Matrix], token: int) -> Line:
    """Return the equation in which a Jacobian turns the gradient of a token's weights into that of its scores."""
    arrives, leaves = m["grad_weights"].row(token, "da"), m["grad_scaled"].row(token, "ds'")
    product = leaves.with_reads("grad_weights[i,:]", "jacobian[:,j]")
    return Line((arrives, "·", m["jacobian"], "=", product))


def loss_line(m: Mapping[str, Matrix], token: int) -> Line:
    """Return the equation from the output of one token to the gradient of this output."""
    output, gradient = m["output"].row(token, "z"), m["grad_output"].row(token, "dz")
    return Line(
        (output, Sign(TEXTS.fill("arrow_softmax"), arrow=True), m["probabilities"], "−", m["targets"], "=", gradient)
    )


def next_step_lines(m: Mapping[str, Matrix], after: Mapping[str, Matrix]) -> list[Line]:
    """Return two equations: the loss now, and the loss after one more step of training."""
    minus_log = Sign(TEXTS.fill("arrow_minus_log"), arrow=True)
    each = {"now": m, "after_the_step": after}
    return [Line((of["probabilities"], minus_log, of["loss"]), TEXTS.fill(label)) for label, of in each.items()]


def boards(m: Mapping[str, Matrix], trace: TrainingTrace) -> dict[str, list[Line]]:
    """Return two equations for each step of the backward pass by its name: the forward pass, and its gradients."""
    source = "x" if trace.forward.context is trace.forward.x else "context"
    return {
        "values": value_lines(m),
        "softmax": softmax_lines(m, masked=trace.aim.mask != "none"),
        "size": scaling_lines(m, trace.aim.times),
        "scores": score_lines(m),
        "w_q": projection_lines(m, "x", "q"),
        "w_k": projection_lines(m, source, "k"),
        "w_v": projection_lines(m, source, "v"),
    }


def value_lines(m: Mapping[str, Matrix]) -> list[Line]:
    """Return the weighted sum of the values, and below it the gradients of the weights and of the values."""
    return [
        Line((m["weights"], "·", m["v"], "=", m["output"]), TEXTS.fill("forwards")),
        Line((m["grad_weights"], AND, m["grad_v"], BACK, m["grad_output"]), TEXTS.fill("back")),
    ]


def softmax_lines(m: Mapping[str, Matrix], masked: bool) -> list[Line]:
    """Return the softmax of the scaled scores, with a mask if `masked`, and below it the gradient of these scores."""
    softmax = Sign(TEXTS.fill("arrow_softmax"), arrow=True)
    mask = (Sign(TEXTS.fill("arrow_mask"), arrow=True), m["masked"]) if masked else ()
    gap = (Sign(""), "") if masked else ()
    return [
        Line((m["scaled"], *mask, softmax, m["weights"]), TEXTS.fill("forwards")),
        Line((m["grad_scaled"], *gap, BACK, m["grad_weights"]), TEXTS.fill("back")),
    ]


def scaling_lines(m: Mapping[str, Matrix], times: float) -> list[Line]:
    """Return the equation in which scores are scaled, and below it the gradient of the scores."""
    return [
        Line((m["scores"], _scaling_sign(times), m["scaled"]), TEXTS.fill("forwards")),
        Line((m["grad_scores"], BACK, m["grad_scaled"]), TEXTS.fill("back")),
    ]


def score_lines(m: Mapping[str, Matrix]) -> list[Line]:
    """Return the dot products of queries and keys, and below them the gradients of both."""
    keys, back = m["k"].transpose("K^T"), m["grad_k"].transpose("dK^T")
    return [
        Line((m["q"], "·", keys, "=", m["scores"]), TEXTS.fill("forwards")),
        Line((m["grad_q"], AND, back, BACK, m["grad_scores"]), TEXTS.fill("back")),
    ]


def projection_lines(m: Mapping[str, Matrix], source: str, name: str) -> list[Line]:
    """Return the product of `source` that gives `name` ("q", "k" or "v"), and the gradients of both; no bias learns."""
    bias = f"b_{name}" in m
    plus, gap = (("+", m[f"b_{name}"]), (Sign(""), "")) if bias else ((), ())
    return [
        Line((m[source], "·", m[f"w_{name}"], *plus, "=", m[name]), TEXTS.fill("forwards")),
        Line(("", GAP, m[f"grad_w_{name}"], *gap, BACK, m[f"grad_{name}"]), TEXTS.fill("back")),
    ]


def row_lines(
    m: Mapping[str, Matrix], trace: TrainingTrace, example: Example, parameters: Parameters
) -> dict[str, Line]:
    """Return an equation for each step from the gradient of the trained token's output to the gradient of W^Q."""
    token = trace.aim.token
    name = example.tokens[token]
    weights, arriving, scaled, scores, query = (
        m[id].row(token, symbol)
        for id, symbol in (
            ("weights", "a"), ("grad_weights", "da"), ("grad_scaled", "ds'"), ("grad_scores", "ds"), ("grad_q", "dq"),
        )
    )  # fmt: skip
    softmax, divided = Sign(TEXTS.fill("arrow_back_through_softmax"), arrow=True), _scaling_sign(trace.aim.times)
    back_to_weights = (m["grad_output"].row(token, "dz"), "·", m["v"].transpose("V^T"), "=", arriving)
    return {
        "values": Line(back_to_weights, TEXTS.fill("row_to_weights", token=name)),
        "softmax": Line((weights, AND, arriving, softmax, scaled), parameters.say(TEXTS, "row_to_scaled_scores")),
        "size": Line((scaled, divided, scores), TEXTS.fill("row_to_scores")),
        "scores": Line((scores, "·", m["k"], "=", query), TEXTS.fill("row_to_query")),
        "w_q": Line((query, Sign("x^T · dq", arrow=True), m["grad_w_q"]), TEXTS.fill("row_to_matrix", token=name)),
    }


def _scaling_sign(times: float) -> Sign:
    return Sign("÷ √d_k" if times == 1 else f"÷ √d_k, × {times:g}", arrow=True)


# The sections about the steps in one row. The gradients of W^K and W^V come from several rows.
OF_ONE_ROW = {
    "values": "row_values",
    "softmax": "row_softmax",
    "size": "row_size",
    "scores": "row_scores",
    "w_q": "row_w_q",
}


def row_text(step: str, trace: TrainingTrace, example: Example, parameters: Parameters) -> str:
    """Return a text that says where the backward pass begins, and what the step of it does in one row."""
    arriving = trace.back.grad_weights[trace.aim.token]
    grow = int(np.argmin(arriving))
    section = OF_ONE_ROW[step]
    if step == "values" and arriving[grow] < 0:
        section = "row_values_and_which_weight_should_grow"
    return parameters.say(
        TEXTS, section, token=escape(example.tokens[trace.aim.token]), answers=escape(example.key_tokens[grow]),
        gradient=significant(arriving[grow]),
    )  # fmt: skip
