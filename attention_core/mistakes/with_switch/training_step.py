"""Mistakes in the backward pass of attention, each with the wrong gradients of W^Q, W^K and W^V that result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from attention_core.attention import AttentionTrace, SelfAttentionTrace
from attention_core.checks import Array
from attention_core.gradients.attention import AttentionGradient, attention_gradient, through_scores
from attention_core.gradients.self_attention import (
    SelfAttentionGradient,
    self_attention_gradient,
    through_projections,
)
from attention_core.mistakes.with_switch.gradients import (
    attention_gradient_keys_transposed,
    attention_gradient_without_mask,
    attention_gradient_without_scale,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongGradient:
    """One usual mistake in the backward pass. The forward pass is correct, so no error is raised."""

    name: str  # in snake case, as in links
    title: str
    formula: str  # the wrong formula in LaTeX
    why: str  # why the formula is wrong, in a sentence or two
    sources: tuple[str, ...]  # public threads with this mistake (owner/repository#number)
    gradient: Callable[[SelfAttentionTrace, ArrayLike], SelfAttentionGradient]  # may raise a ValueError for shapes
    needs: str = ""  # what a computation needs so that the mistake changes a number, as a sentence


def attention_gradient_elementwise(trace: AttentionTrace, upstream: ArrayLike) -> AttentionGradient:
    """Compute the gradient of attention as if each weight depended only on its own score.

    grad_scaled = weights · (1 − weights) · grad_weights

    Shapes and raises: as `attention_gradient`.
    Wrong:  raising one score lowers all other weights, and this part is missing.
    Source: Apiquet/DeepLearningFrameworkFromScratchCpp#1, HomericIntelligence/Odyssey#2134.
    """
    right = attention_gradient(trace, upstream)
    grad_scaled = trace.weights * (1 - trace.weights) * right.grad_weights
    grad_scores = grad_scaled * trace.scale
    grad_q, grad_k = through_scores(trace, grad_scores)
    grad_scale = float((grad_scaled * trace.scores).sum())
    return replace(
        right, grad_masked=grad_scaled, grad_scaled=grad_scaled, grad_scores=grad_scores,
        grad_q=grad_q, grad_k=grad_k, grad_scale=grad_scale,
    )  # fmt: skip


def last_token_alone(trace: SelfAttentionTrace, upstream: ArrayLike) -> SelfAttentionGradient:
    """Compute the gradients of W^Q, W^K and W^V from the last token alone, in place of the sum over all tokens.

    grad_w_q = x[−1]ᵀ grad_q[−1], and likewise for w_k and w_v

    Shapes: as `self_attention_gradient`, without a batch.
    Raises: ValueError for the same reasons as `self_attention_gradient`.
    Wrong:  the matrix was used for every token, so its gradient is the sum over all tokens. The other terms are
            missing.
    Source: jimfleming/differentiation#1.
    """
    right = self_attention_gradient(trace, upstream)
    return replace(
        right,
        grad_w_q=_gradient_of_last_token(trace.x, right.grad_q),
        grad_w_k=_gradient_of_last_token(trace.context, right.grad_k),
        grad_w_v=_gradient_of_last_token(trace.context, right.grad_v),
    )


def _gradient_of_last_token(x: Array, gradient: Array) -> Array:
    return x[-1][:, None] * gradient[-1]


def _gradients_of_matrices(
    wrong_gradient: Callable[[AttentionTrace, ArrayLike], AttentionGradient],
) -> Callable[[SelfAttentionTrace, ArrayLike], SelfAttentionGradient]:
    """Return a function that computes the gradients of W^Q, W^K and W^V, beginning with a wrong gradient of attention.

    `wrong_gradient` computes this wrong gradient. Only this part of the backward pass is wrong.
    """

    def gradient(trace: SelfAttentionTrace, upstream: ArrayLike) -> SelfAttentionGradient:
        inner = wrong_gradient(trace, upstream)
        return SelfAttentionGradient(
            **{name: getattr(inner, name) for name in AttentionGradient.__slots__},
            **through_projections(trace.x, trace.context, trace, inner.grad_q, inner.grad_k, inner.grad_v),
        )

    return gradient


WRONG_GRADIENTS: tuple[WrongGradient, ...] = (
    WrongGradient(
        name="elementwise_softmax",
        title="Softmax differentiated number by number",
        formula=r"dS' = A \odot (1 - A) \odot dA",
        why="The weights of a row share 1 unit: if one score grows, all other weights shrink. This formula has the "
        "effect of a score on its own weight, but not its effect on the others.",
        sources=("Apiquet/DeepLearningFrameworkFromScratchCpp#1", "HomericIntelligence/Odyssey#2134"),
        gradient=_gradients_of_matrices(attention_gradient_elementwise),
    ),
    WrongGradient(
        name="scale_left_out",
        title="√d_k forgotten in the backward pass",
        formula=r"dS = dS'",
        why="The forward pass divides the scores by √d_k, so the backward pass must divide their gradients too. "
        "Without this division, the gradients point in the right direction but are too long. Training runs as if W^Q "
        "and W^K had a greater learning rate than W^V.",
        sources=(),
        gradient=_gradients_of_matrices(attention_gradient_without_scale),
    ),
    WrongGradient(
        name="keys_transposed",
        title="Score gradients not transposed for the keys",
        formula=r"dK = dS Q",
        why="A query has a row of the scores, and a key has a column. Without the transpose, key 2 gets the gradients "
        "of the row of query 2, which belong to all keys.",
        sources=("Dao-AILab/flash-attention#373",),
        gradient=_gradients_of_matrices(attention_gradient_keys_transposed),
    ),
    WrongGradient(
        name="tokens_not_summed",
        title="Sum forgotten: = in place of +=",
        formula=r"dW^Q = X_{n,:}^\top dQ_{n,:}",
        why="One matrix makes the rows of all tokens, so its gradient is the sum over all tokens. Here each token "
        "overwrites the gradient of the token before, and only the last token counts.",
        sources=("jimfleming/differentiation#1",),
        gradient=last_token_alone,
    ),
    WrongGradient(
        name="mask_forgotten",
        title="Mask forgotten in the backward pass",
        formula=r"dS'_{ij} = P_{ij} \Big( dA_{ij} - \sum_c P_{ic} \, dA_{ic} \Big), "
        r"\quad P = \operatorname{softmax}(S')",
        why="If the weights are computed again without the mask, queries and keys learn from cells that the mask had "
        "hidden. With a causal mask, they learn from later tokens.",
        sources=("triton-lang/triton#7216", "ROCm/aiter#3551"),
        gradient=_gradients_of_matrices(attention_gradient_without_mask),
        needs="It needs a mask that hides a token from the token whose output counts.",
    ),
)
