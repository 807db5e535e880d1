"""The way back (the backward pass), step by step: a title, a reason for the gradient, and its formula."""

from __future__ import annotations

from attention_core.experiments.training import TrainingTrace
from pages.shared.controls import Parameters
from pages.shared.lessons.training_step import reasons

TITLES = {
    "values": "Back through the average",
    "softmax": "Back through the softmax",
    "size": "Back through the division",
    "scores": "Back through the dot products",
    "projections": "Back to what is learned",
}
WHY = {
    "values": "$dA$ is short for how fast the loss grows with each number of $A$, and so for all others. Only the row "
    "of the token whose output counts has a gradient to begin with. A weight should grow, and so has a minus, where "
    "its value has what is asked for; a value gets as much of what arrives as it had of the share.",
    "softmax": "Shares compete: a score gets its share, times what is asked of it beyond the average of its row, in "
    "which each counts by its share. A score without a share, as one that is masked, gets nothing.",
    "size": "The factor of the way there is the factor of the way back.",
    "scores": "Against its gradient, a query moves towards the keys that it should have found and away from the "
    "others, and so do they.",
    "projections": "One matrix served all tokens, so its gradient is the sum over them.",
}


def step_text(key: str, trace: TrainingTrace, parameters: Parameters) -> str:
    """Return the heading of a step, its reason, and its formula."""
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
