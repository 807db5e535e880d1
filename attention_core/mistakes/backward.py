"""Mistakes in the backward pass: a step is left out, not transposed, or not summed. The forward pass is correct."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from attention_core.attention import AttentionTrace, SelfAttentionTrace
from attention_core.checks import Array
from attention_core.gradients.attention import (
    AttentionGradient,
    SelfAttentionGradient,
    attention_gradient,
    self_attention_gradient,
    through_projections,
    through_scores,
)
from attention_core.gradients.parts import (
    ProjectionGradient,
    SoftmaxGradient,
    checked_upstream,
    projection_gradient,
    softmax_gradient,
    summed_to,
    swap_last_axes,
    through_softmax,
)
from attention_core.mistakes.toml_files import read_entries
from attention_core.projection import ProjectionTrace
from attention_core.softmax import SoftmaxTrace, softmax


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongGradient:
    """One usual mistake in the backward pass. The forward pass is correct, so no error is raised."""

    name: str  # in snake case, as in links
    title: str
    formula: str  # the wrong formula in LaTeX
    why: str  # why the formula is wrong, in a sentence or two
    sources: tuple[str, ...] = ()  # public threads with this mistake (owner/repository#number)
    gradient: Callable[[SelfAttentionTrace, ArrayLike], SelfAttentionGradient]  # may raise a ValueError for shapes
    needs: str = ""  # what a computation needs so that the mistake changes a number, as a sentence


def attention_gradient_without_mask(trace: AttentionTrace, upstream: ArrayLike) -> AttentionGradient:
    """Compute the gradient of attention as if there were no mask: the weights are computed again with nothing hidden.

    grad_scaled = p · (grad_weights − Σ p · grad_weights) with p = softmax(scaled) in place of softmax(masked)

    Shapes and raises: as `attention_gradient`.
    Wrong:  queries and keys learn from cells that no output has read. With a causal mask, they learn from later tokens.
    Source: triton-lang/triton#7216, ROCm/aiter#3551.
    """
    right = attention_gradient(trace, upstream)
    leaking = through_softmax(softmax(trace.scaled), right.grad_weights)
    scale = float((leaking * trace.scores).sum())
    wrong = replace(right, grad_masked=leaking, grad_scaled=leaking, grad_scale=scale)
    return _with_scores(trace, wrong, leaking * trace.scale)


def softmax_gradient_elementwise(trace: SoftmaxTrace, upstream: ArrayLike) -> SoftmaxGradient:
    """Compute the gradient of softmax as if each weight depended only on its own score, as in a sigmoid.

    grad_x = (ln base / T) · weights · (1 − weights) · grad_weights

    Shapes and raises: as `softmax_gradient`.
    Wrong:  raising one score lowers all other weights. This part is missing, so rows do not sum to 0.
    Source: Apiquet/DeepLearningFrameworkFromScratchCpp#1, HomericIntelligence/Odyssey#2134.

    >>> from attention_core.softmax import softmax_steps
    >>> softmax_gradient_elementwise(softmax_steps([0.0, 0.0]), [1.0, 1.0]).grad_x
    array([0.25, 0.25])
    """
    right = softmax_gradient(trace, upstream)
    slope = math.log(trace.base) / trace.temperature * trace.weights * (1 - trace.weights)
    return replace(right, grad_x=slope * right.grad_weights)


def attention_gradient_without_scale(trace: AttentionTrace, upstream: ArrayLike) -> AttentionGradient:
    """Compute the gradient of attention without the scale. Only the forward pass divides by √d_k.

    grad_scores = grad_scaled

    Shapes and raises: as `attention_gradient`.
    Wrong:  the gradients of queries and keys point the correct way, but are √d_k times too long. Training works, but as
            if w_q and w_k had another learning rate than w_v.
    """
    right = attention_gradient(trace, upstream)
    return _with_scores(trace, right, right.grad_scaled)


def attention_gradient_keys_transposed(trace: AttentionTrace, upstream: ArrayLike) -> AttentionGradient:
    """Compute the gradient of the keys without a transpose: dK = dS Q in place of dSᵀ Q.

    grad_k = grad_scores q

    Shapes: as `attention_gradient`, with as many queries as keys.
    Raises: ValueError for the same reasons as `attention_gradient`, or if n_q and n_k differ.
    Wrong:  row i of grad_scores belongs to query i, and column j to key j. The gradient of key i needs column i, but
            this code takes row i. If there are as many queries as keys, the shapes fit, and there is no error.
    Source: Dao-AILab/flash-attention#373.
    """
    right = attention_gradient(trace, upstream)
    if trace.q.shape[-2] != trace.k.shape[-2]:
        raise ValueError(
            f"grad_scores q needs as many queries as keys, but q is {trace.q.shape} and k is {trace.k.shape}. "
            "Write grad_scoresᵀ q, which always fits."
        )
    return replace(right, grad_k=summed_to(right.grad_scores @ trace.q, trace.k.shape))


def projection_gradient_without_sum(trace: ProjectionTrace, upstream: ArrayLike) -> ProjectionGradient:
    """Return one gradient for each sequence of a batch, in place of their sum. All sequences share one matrix.

    grad_w[…] = x[…]ᵀ grad_output[…], grad_b[…] = Σ over the rows of grad_output[…]

    Shapes: grad_w (…, d_in, d_out) and grad_b (…, d_out), which are correct only without a batch.
    Raises: ValueError for the same reasons as `projection_gradient`.
    Wrong:  w − lr · grad_w broadcasts without an error, and then each sequence has a matrix of its own.
    Source: jimfleming/differentiation#1.
    """
    right = projection_gradient(trace, upstream)
    grad_output = checked_upstream(upstream, trace.output)
    grad_b = None if trace.b is None else grad_output.sum(axis=-2)
    return replace(right, grad_w=swap_last_axes(trace.x) @ grad_output, grad_b=grad_b)


def _with_scores(trace: AttentionTrace, gradient: AttentionGradient, grad_scores: Array) -> AttentionGradient:
    grad_q, grad_k = through_scores(trace, grad_scores)
    return replace(gradient, grad_scores=grad_scores, grad_q=grad_q, grad_k=grad_k)


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
    def gradient(trace: SelfAttentionTrace, upstream: ArrayLike) -> SelfAttentionGradient:
        inner = wrong_gradient(trace, upstream)
        return SelfAttentionGradient(
            **{name: getattr(inner, name) for name in AttentionGradient.__slots__},
            **through_projections(trace.x, trace.context, trace, inner.grad_q, inner.grad_k, inner.grad_v),
        )

    return gradient


WRONG_GRADIENTS: tuple[WrongGradient, ...] = read_entries(
    "training_step.toml",
    WrongGradient,
    gradient={"last_token_alone": last_token_alone}
    | {
        function.__name__: _gradients_of_matrices(function)
        for function in (
            attention_gradient_elementwise,
            attention_gradient_without_scale,
            attention_gradient_keys_transposed,
            attention_gradient_without_mask,
        )
    },
)
