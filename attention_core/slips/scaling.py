"""Slips of the scale: anything but 1/√d_k."""

from __future__ import annotations

from attention_core.attention import SelfAttentionTrace
from attention_core.slips.slip import Slip, with_scale

SCALING_SLIPS: tuple[Slip[SelfAttentionTrace], ...] = (
    Slip(
        name="not_scaled",
        concept="scaling",
        title="Not scaled",
        formula=r"Q K^\top",
        why="The spread of the scores grows with √d_k, so the wider your keys, the closer each row of weights comes "
        "to a single 1. Rounding √3 down to 1 does the same.",
        sources=("000-05", "001-07"),
        apply=lambda trace: with_scale(trace, 1.0),
    ),
    Slip(
        name="divided_by_d_k",
        concept="scaling",
        title="Divided by d_k, the root forgotten",
        formula=r"Q K^\top / d_k",
        why="The standard deviation of a score is √d_k, its variance d_k. Divide by the variance and the scores shrink "
        "towards 0 as the keys widen, so your weights come out nearly even.",
        sources=("delzac/cntkx#10",),
        apply=lambda trace: with_scale(trace, 1 / trace.k.shape[-1]),
    ),
    Slip(
        name="divided_by_root_d_model",
        concept="scaling",
        title="Divided by √d_model",
        formula=r"Q K^\top / \sqrt{d_{model}}",
        why="A score is a sum of d_k products, however wide the embedding is. With several heads d_model is "
        "the number of heads times d_k, and you scale down too far.",
        sources=("003-18", "karpathy/ng-video-lecture#6", "lucidrains/vit-pytorch#65"),
        apply=lambda trace: with_scale(trace, trace.x.shape[-1] ** -0.5),
    ),
    Slip(
        name="divided_by_root_n",
        concept="scaling",
        title="Divided by √n, the number of tokens",
        formula=r"Q K^\top / \sqrt{n}",
        why="A longer sentence does not make one score any larger: its sum runs over the d_k features, "
        "not over the tokens. Where a text writes √n, look up what n counts.",
        sources=("003-04",),
        apply=lambda trace: with_scale(trace, trace.k.shape[-2] ** -0.5),
    ),
)
