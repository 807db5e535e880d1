"""The loss of a small model at its last token, and how fast the loss grows with the numbers of W^Q."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array
from attention_core.cross_entropy import cross_entropy
from attention_core.gradients.cross_entropy import cross_entropy_gradient
from attention_core.gradients.projection import through_projection
from attention_core.gradients.self_attention import self_attention_gradient
from attention_core.writing.small_model import SmallModel, next_word


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordLoss:
    """The loss if a certain word comes next, and the effect of one number of W^Q on the loss."""

    chance: float  # the probability of this word
    loss: float  # −ln of this probability
    gradient: Array  # (d_model, d_k) how fast the loss grows with each number of w_q
    moved: float  # the loss after one number of w_q was increased
    by: float  # by how much this number was increased

    @property
    def slope(self) -> float:
        """The change of the loss divided by the change of the number of w_q."""
        return (self.moved - self.loss) / self.by


def word_loss(model: SmallModel, tokens: Sequence[str], word: str, *, by: float, at: tuple[int, int]) -> WordLoss:
    """Return the loss if `word` comes after the tokens, and two effects of w_q on this loss.

    One effect is the gradient of the loss with respect to w_q. The other is the loss after w_q[at] was increased by
    `by`.

    Shapes: gradient (d_model, d_k).
    Raises: ValueError if the model cannot write the word, or for the same reasons as `next_word`.
    Source: Bridle 1990; Rumelhart, Hinton & Williams 1986.
    """
    if word not in model.words:
        raise ValueError(f"word must be one of {', '.join(model.words)}; got {word}: choose one of these.")
    w_q = model.w_q.copy()
    w_q[at] += by
    loss, gradient, chance = _loss_and_gradient(model, tokens, model.words.index(word))
    moved, _, _ = _loss_and_gradient(replace(model, w_q=w_q), tokens, model.words.index(word))
    return WordLoss(chance=chance, loss=loss, gradient=gradient, moved=moved, by=by)


def _loss_and_gradient(model: SmallModel, tokens: Sequence[str], target: int) -> tuple[float, Array, float]:
    """Return three results if word number `target` comes next.

    They are the loss, the gradient of the loss with respect to w_q, and the probability of the word.
    """
    trace = next_word(model, tokens)
    said = cross_entropy(trace.logits[-1:], np.array([target]))
    grad_logits = np.zeros_like(trace.logits)
    grad_logits[-1] = cross_entropy_gradient(said).grad_logits[0]
    d_summed = through_projection(trace.summed, model.vocabulary.T, None, grad_logits).grad_x
    grad_output = through_projection(trace.head.output, model.w_o, None, d_summed).grad_x
    gradient = self_attention_gradient(trace.head, grad_output).grad_w_q
    return float(said.loss), gradient, float(said.probabilities[0, target])
