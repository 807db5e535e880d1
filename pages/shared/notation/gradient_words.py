"""What the arithmetic of each number of a step of training does, as a sentence."""

from __future__ import annotations

from collections.abc import Mapping


def gradient_sentences(asks: str, answers: str, feature: int) -> Mapping[str, str]:
    """Return a sentence for each matrix of the loss and of the way back."""
    return {
        "probabilities": f"column {feature} of the output, as a share: softmax of its row.",
        "grad_output": f"column {feature} of {asks}: its share less what is right. Where nothing is asked, it is 0.",
        "grad_weights": f"what would change if {asks} took more from {answers}: multiply the row of what the output is "
        f"asked for by the value of {answers}, and add.",
        "grad_v": f"feature {feature} of the value of {asks}: what each output is asked for, by the share it took.",
        "grad_scaled": f"the share of {answers}, times what it is asked for beyond the average of the row of {asks}.",
        "grad_scores": f"what reaches the scaled score of {asks} and {answers}, scaled once more.",
        "grad_q": f"feature {feature} of the query of {asks}: that feature of every key, by what reaches its score.",
        "grad_k": f"feature {feature} of the key of {asks}: that feature of every query, by what reaches its score.",
        "grad_w_q": "a feature of every token, times what reaches its query, added over all tokens.",
        "grad_w_k": "a feature of every token, times what reaches its key, added over all tokens.",
        "grad_w_v": "a feature of every token, times what reaches its value, added over all tokens.",
        "w_v_learned": "the number as it was, less its gradient times the learning rate.",
        "jacobian": "how far one share moves with one score: the share, times 1 or 0, less the other share.",
    }
