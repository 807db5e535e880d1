"""Mistakes of the scale: a factor other than 1/√d_k."""

from __future__ import annotations

import math

from attention_core.attention import SelfAttentionTrace
from attention_core.mistakes.engine.mistake import Mistake, inner_of

SCALING_MISTAKES: tuple[Mistake[SelfAttentionTrace], ...] = (
    Mistake(
        name="not_scaled",
        concept="scaling",
        stage="scaled",
        title="Not scaled",
        formula=r"Q K^\top",
        code="scaled = scores",
        why="The spread of the scores grows with √d_k, so the wider your keys, the closer each row of weights comes "
        "to a single 1.",
        sources=("000-05", "001-07"),
    ),
    Mistake(
        name="divided_by_d_k",
        concept="scaling",
        stage="scaled",
        title="Divided by d_k, the root forgotten",
        formula=r"Q K^\top / d_k",
        code="scaled = scores / d_k",
        why="Scores spread by √d_k. Divide by its square and they shrink towards 0 as the keys widen, so your weights "
        "come out nearly even.",
        sources=("delzac/cntkx#10",),
    ),
    Mistake(
        name="divided_by_root_d_model",
        concept="scaling",
        stage="scaled",
        title="Divided by √d_model",
        formula=r"Q K^\top / \sqrt{d_{\text{model}}}",
        code="scaled = scores / np.sqrt(x.shape[-1])",
        why="A score is a sum of d_k products, however wide the token is. With several heads d_model is "
        "the number of heads times d_k, and you divide by too much.",
        sources=("003-18", "karpathy/ng-video-lecture#6", "lucidrains/vit-pytorch#65"),
    ),
    Mistake(
        name="divided_by_root_n",
        concept="scaling",
        stage="scaled",
        title="Divided by √n, the number of tokens",
        formula=r"Q K^\top / \sqrt{n}",
        code="scaled = scores / np.sqrt(len(k))",
        why="A longer sentence does not make one score any larger: its sum runs over the d_k features, "
        "not over the tokens. Where a text writes √n, look up what n counts.",
        sources=("003-04",),
    ),
    Mistake(
        name="multiplied_by_root",
        concept="scaling",
        stage="scaled",
        title="Multiplied by √d_k",
        formula=r"\sqrt{d_k} \; Q K^\top",
        code="scaled = scores * np.sqrt(d_k)",
        why="The scores were multiplied by √d_k in place of divided, so they are d_k times too large. Then nearly all "
        "of each row goes to one key.",
        sources=("esceptico/perceiver-io#9",),
    ),
    Mistake(
        name="rounded_root",
        concept="scaling",
        stage="scaled",
        title="√d_k cut to a whole number",
        formula=r"Q K^\top / \lfloor \sqrt{d_k} \rfloor",
        code="scaled = scores / int(np.sqrt(d_k))",
        why="A root cut to a whole number divides by too little. Where d_k is 3, √3 becomes 1, and nothing is scaled.",
        sources=("000-05", "001-07"),
        needs="Here √d_k is a whole number already. It takes a d_k that is not a square.",
        state="example=book",
        shows=lambda trace: math.sqrt(inner_of(trace).k.shape[-1]) % 1 != 0,
    ),
    Mistake(
        name="scaled_after_softmax",
        concept="scaling",
        stage="scaled",
        title="Scaled after softmax",
        formula=r"A = \operatorname{softmax}(S) / \sqrt{d_k}",
        code="scaled = scores\nweights = weights / np.sqrt(d_k)",
        why="The rows sum to 1/√d_k in place of 1, so every output shrinks, and the softmax has met the scores "
        "in all their spread.",
        sources=("FrancescoSaverioZuppichini/ViT#2", "000-11"),
    ),
)
