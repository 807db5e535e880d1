"""The backward pass, step by step: each step has a title, a reason and a formula for its gradients."""

from __future__ import annotations

from attention_core.experiments.training import TrainingTrace
from pages.shared.controls import Parameters
from pages.shared.lessons.training_step import reasons

TITLES = {
    "values": "Back through the weighted sum of values",
    "softmax": "Back through the softmax",
    "size": "Back through the division",
    "scores": "Back through the dot products",
    "projections": "Back to the three matrices",
}
WHY = {
    "values": "$dA$ is short for the gradient of $A$: how fast the loss grows with each of its numbers. Only one "
    "token’s output counts, so only its row of $dZ$ is not zero. An attention weight gets a negative gradient, and "
    "should grow, if its value points in the direction that lowers the loss. The gradient of a value is a sum over all "
    "outputs: the gradient of the output, times the weight with which this output takes from the value.",
    "softmax": "The weights of a row share 1 unit, so they compete. The gradient of a score is its weight times (the "
    "gradient of this weight minus the weighted average of the row). A weight of 0, as under a mask, gives its score "
    "no gradient.",
    "size": "Forwards, each score is multiplied by a factor. Backwards, its gradient is multiplied by the same factor.",
    "scores": "A step subtracts the gradient. So a query moves towards the keys of the tokens that it should attend "
    "to, and away from the other keys. The keys move in the same way.",
    "projections": "One matrix makes the rows of all tokens, so its gradient is the sum over all tokens.",
}


def step_text(key: str, trace: TrainingTrace, parameters: Parameters) -> str:
    """Return the heading of the step `key` of the backward pass, its reason, and its formula."""
    why = f"{parameters.in_layout(WHY[key])} {reasons.masked_cells_text(trace) if key == 'softmax' else ''}".rstrip()
    return f"## {TITLES[key]}\n\n{why}\n\n{parameters.display(_formula(key, trace))}"


def _formula(key: str, trace: TrainingTrace) -> str:
    source = "X" if trace.forward.context is trace.forward.x else "C"
    times = "" if trace.aim.times == 1 else rf"{trace.aim.times:g} \, "
    return {
        "values": r"dA = dZ V^\top, \quad dV = A^\top dZ",
        "softmax": r"dS'_{ij} = A_{ij} \Big( dA_{ij} - \sum_c A_{ic} \, dA_{ic} \Big)",
        "size": rf"dS = {times}dS' / \sqrt{{d_k}}",
        "scores": r"dQ = dS K, \quad dK = dS^\top Q",
        "projections": rf"\begin{{gathered}} dW^Q = X^\top dQ \\ dW^K = {source}^\top dK \\ "
        rf"dW^V = {source}^\top dV \end{{gathered}}",
    }[key]
