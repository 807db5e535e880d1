"""Say in a sentence what the arithmetic of each number of a training step does."""

from __future__ import annotations

from collections.abc import Mapping


def gradient_sentences(asks: str, answers: str, feature: int) -> Mapping[str, str]:
    """Return a sentence for each matrix of the loss and of the backward pass."""
    return {
        "probabilities": f"column {feature} of the output as a share: softmax of its row.",
        "grad_output": f"the gradient of column {feature} of the output of {asks}: its share minus the right share. It "
        "is 0 for all tokens whose output does not count.",
        "grad_weights": f"how fast the loss grows if {asks} attends more to {answers}: multiply the gradient of the "
        f"output of {asks} by the value of {answers}, and add.",
        "grad_v": f"the gradient of feature {feature} of the value of {asks}: the gradient of each output, times the "
        "weight with which it took this value, added.",
        "grad_scaled": f"the weight for {answers}, times (its own gradient minus the weighted average of the row of "
        f"{asks}).",
        "grad_scores": f"the gradient of the scaled score of {asks} and {answers}, multiplied by the scale once more.",
        "grad_q": f"the gradient of feature {feature} of the query of {asks}: this feature of every key, times the "
        "gradient of its score, added.",
        "grad_k": f"the gradient of feature {feature} of the key of {asks}: this feature of every query, times the "
        "gradient of its score, added.",
        "grad_w_q": "a feature of every token, times the gradient of its query, added over all tokens.",
        "grad_w_k": "a feature of every token, times the gradient of its key, added over all tokens.",
        "grad_w_v": "a feature of every token, times the gradient of its value, added over all tokens.",
        "w_v_learned": "the old number minus its gradient times the learning rate.",
        "jacobian": "how fast one weight grows with one score: the weight, times (1 or 0, minus the other weight).",
    }
