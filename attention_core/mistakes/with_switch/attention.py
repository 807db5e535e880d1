"""Mistakes with the mask, a forgotten softmax, and single terms that are taken for the output."""

from __future__ import annotations

from attention_core.attention import SelfAttentionTrace
from attention_core.mistakes.engine.mistake import Mistake, has_mask

ATTENTION_MISTAKES: tuple[Mistake[SelfAttentionTrace], ...] = (
    Mistake(
        name="mask_after_softmax",
        concept="attention",
        stage="masked",
        title="The mask comes after the softmax",
        formula=r"A = \text{allowed} \odot \operatorname{softmax}(S')",
        code="masked = scaled\nweights = weights * allowed",
        why="You set weights to 0 after the softmax, so the other weights of the row add up to less than 1. Mask the "
        "scores before the softmax instead. Then each row adds up to 1.",
        sources=("huggingface/transformers#542", "huggingface/pytorch-image-models#2236"),
        needs="It takes a mask.",
        state="mask=causal",
        shows=has_mask,
    ),
    Mistake(
        name="mask_with_zeros",
        concept="attention",
        stage="masked",
        title="The mask sets scores to 0, not to −∞",
        formula=r"A = \operatorname{softmax}(\text{allowed} \odot S')",
        code="masked = np.where(allowed, scaled, 0)",
        why="The exponential of a score of 0 is 1. So the hidden tokens still have some weight. Only a score of −∞ "
        "gives a weight of 0.",
        sources=("huggingface/transformers#542",),
        needs="It takes a mask.",
        state="mask=causal",
        shows=has_mask,
    ),
    Mistake(
        name="mask_inverted",
        concept="attention",
        stage="masked",
        title="The mask is inverted",
        formula=r"M_{ij} = -\infty \text{ where } j \text{ is allowed}",
        code="masked = np.where(allowed, -np.inf, scaled)",
        why="You hid the tokens that should be seen, and did not hide the others. In some libraries, True means "
        "“hide”. In others, True means “keep”.",
        sources=("rasbt/LLMs-from-scratch#1061",),
        needs="It takes a mask.",
        state="mask=causal",
        shows=has_mask,
    ),
    Mistake(
        name="scores_as_weights",
        concept="attention",
        stage="weights",
        title="The scores are used as weights",
        formula=r"A = Q K^\top",
        code="weights = np.where(allowed, scores, 0)",
        why="A score can be negative or very large. Without scaling and softmax, your outputs are not averages of the "
        "values.",
        sources=("003-02",),
    ),
    Mistake(
        name="terms_taken_for_outputs",
        concept="attention",
        stage="output",
        title="The terms of one output are used as the outputs",
        formula=r"z_j = A_{1j} v_j",
        code="output = weights[0][:, None] * v",
        why="These rows are the terms of the output of the first token. They are not the outputs of all tokens. Their "
        "sum is the first row of the output.",
        sources=("000-13", "001-11"),
        state="example=story",
    ),
)
