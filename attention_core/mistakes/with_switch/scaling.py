"""Mistakes in the scale: a factor other than 1/√d_k."""

from __future__ import annotations

import math

from attention_core.attention import SelfAttentionTrace
from attention_core.mistakes.engine.mistake import Mistake, inner_of

SCALING_MISTAKES: tuple[Mistake[SelfAttentionTrace], ...] = (
    Mistake(
        name="not_scaled",
        concept="scaling",
        stage="scaled",
        title="The scores are not divided by √d_k",
        formula=r"Q K^\top",
        code="scaled = scores",
        why="With wider keys, the scores are larger. Divide them by √d_k. Otherwise one key in a row may get "
        "nearly all the weight.",
        sources=("000-05", "001-07"),
    ),
    Mistake(
        name="divided_by_d_k",
        concept="scaling",
        stage="scaled",
        title="The scores are divided by d_k, without the root",
        formula=r"Q K^\top / d_k",
        code="scaled = scores / d_k",
        why="The scores grow with √d_k, so divide them by √d_k. You divided by more than that, so your weights are "
        "too equal.",
        sources=("delzac/cntkx#10",),
    ),
    Mistake(
        name="divided_by_root_d_model",
        concept="scaling",
        stage="scaled",
        title="The scores are divided by √d_model",
        formula=r"Q K^\top / \sqrt{d_{\text{model}}}",
        code="scaled = scores / np.sqrt(x.shape[-1])",
        why="A score is a sum of d_k products, so divide it by √d_k. The width of a token, d_model, has no effect on "
        "a score. With several heads, d_model is the number of heads times d_k, so you divide by too much.",
        sources=("003-18", "karpathy/ng-video-lecture#6", "lucidrains/vit-pytorch#65"),
    ),
    Mistake(
        name="divided_by_root_n",
        concept="scaling",
        stage="scaled",
        title="The scores are divided by √n, the number of tokens",
        formula=r"Q K^\top / \sqrt{n}",
        code="scaled = scores / np.sqrt(len(k))",
        why="A score is a sum over the d_k features, and not over the tokens, so a longer sentence does not make it "
        "larger. If a book writes √n, check what n counts.",
        sources=("003-04",),
    ),
    Mistake(
        name="multiplied_by_root",
        concept="scaling",
        stage="scaled",
        title="The scores are multiplied by √d_k",
        formula=r"\sqrt{d_k} \; Q K^\top",
        code="scaled = scores * np.sqrt(d_k)",
        why="You multiplied the scores by √d_k instead of dividing, so they are d_k times too large. Nearly all weight "
        "of each row then goes to one key.",
        sources=("esceptico/perceiver-io#9",),
    ),
    Mistake(
        name="rounded_root",
        concept="scaling",
        stage="scaled",
        title="√d_k is cut to a whole number",
        formula=r"Q K^\top / \lfloor \sqrt{d_k} \rfloor",
        code="scaled = scores / int(np.sqrt(d_k))",
        why="You rounded the square root down to a whole number, so you divide by too little. For d_k = 3, √3 becomes "
        "1, and the scores do not change.",
        sources=("000-05", "001-07"),
        needs="Here √d_k is a whole number already. You need a d_k that is not a square.",
        state="example=book",
        shows=lambda trace: math.sqrt(inner_of(trace).k.shape[-1]) % 1 != 0,
    ),
    Mistake(
        name="scaled_after_softmax",
        concept="scaling",
        stage="scaled",
        title="The weights are divided by √d_k, not the scores",
        formula=r"A = \operatorname{softmax}(S) / \sqrt{d_k}",
        code="scaled = scores\nweights = weights / np.sqrt(d_k)",
        why="You divided the weights instead of the scores. So each row adds up to 1/√d_k instead of 1. Divide the "
        "scores, before the softmax.",
        sources=("FrancescoSaverioZuppichini/ViT#2", "000-11"),
    ),
)
