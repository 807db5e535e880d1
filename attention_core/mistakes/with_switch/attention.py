"""Mistakes of the mask, a forgotten softmax, and terms that are taken for outputs."""

from __future__ import annotations

from attention_core.attention import SelfAttentionTrace
from attention_core.mistakes.engine.mistake import Mistake, has_mask

ATTENTION_MISTAKES: tuple[Mistake[SelfAttentionTrace], ...] = (
    Mistake(
        name="mask_after_softmax",
        concept="attention",
        stage="masked",
        title="Mask after softmax",
        formula=r"A = \text{allowed} \odot \operatorname{softmax}(S')",
        code="masked = scaled\nweights = weights * allowed",
        why="The forbidden tokens took their share before you struck them out, so the rows that lost one "
        "sum to less than 1. Mask the scores instead, then the softmax shares out all of the 1.",
        sources=("huggingface/transformers#542", "huggingface/pytorch-image-models#2236"),
        needs="It takes a mask.",
        state="mask=causal",
        shows=has_mask,
    ),
    Mistake(
        name="mask_with_zeros",
        concept="attention",
        stage="masked",
        title="Mask with zeros in place of −∞",
        formula=r"A = \operatorname{softmax}(\text{allowed} \odot S')",
        code="masked = np.where(allowed, scaled, 0)",
        why="A score of 0 is a score like any other: its exponential is 1. The tokens you wanted to hide "
        "still get weight, and more than before if their score was negative. Only −∞ gives none.",
        sources=("huggingface/transformers#542",),
        needs="It takes a mask.",
        state="mask=causal",
        shows=has_mask,
    ),
    Mistake(
        name="mask_inverted",
        concept="attention",
        stage="masked",
        title="Mask inverted",
        formula=r"M_{ij} = -\infty \text{ where } j \text{ is allowed}",
        code="masked = np.where(allowed, -np.inf, scaled)",
        why="You hid what may be seen and left what may not. In a library whose mask says “true: hide”, "
        "yours says the opposite, and a row that is hidden whole has nothing left to share out.",
        sources=("rasbt/LLMs-from-scratch#1061",),
        needs="It takes a mask.",
        state="mask=causal",
        shows=has_mask,
    ),
    Mistake(
        name="scores_as_weights",
        concept="attention",
        stage="weights",
        title="Scores used as weights",
        formula=r"A = Q K^\top",
        code="weights = np.where(allowed, scores, 0)",
        why="A raw score may be negative and has no upper limit. Without scale and softmax your outputs "
        "are not averages: they can lie far outside the values.",
        sources=("003-02",),
    ),
    Mistake(
        name="terms_taken_for_outputs",
        concept="attention",
        stage="output",
        title="The terms of one output taken for the outputs",
        formula=r"z_j = A_{1j} v_j",
        code="output = weights[0][:, None] * v",
        why="These rows are the terms of the first token's output, not the outputs of all tokens: "
        "add them up, and you have one row.",
        sources=("000-13", "001-11"),
        state="example=story",
    ),
)
