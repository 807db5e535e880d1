"""Queries, keys, values: what a token asks, offers and hands over."""

import streamlit as st

from pages.shared import explain, frame
from pages.shared.equation import Line, Sign, equation
from pages.shared.matrices import attention_matrices


def body(parameters, example):
    trace = example.attention()
    m = attention_matrices(example, trace)
    equation(
        [
            Line((m["x"], "·", m["w_q"], "=", m["q"]), "Queries"),
            Line((m["x"], "·", m["w_k"], "=", m["k"]), "Keys"),
            Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"], Sign("softmax", arrow=True), m["weights"])),
        ],
        key="projections",
        digits=int(parameters.digits),
    )
    explain.show({"": trace}, example.tokens, example.key_tokens, int(parameters.digits))


frame.page(
    __file__,
    body,
    concept="Queries, keys, values",
    question="What does a token ask, offer, and hand over?",
    group="The pieces",
    icon="key",
    sources=["[Vaswani et al. 2017](https://arxiv.org/abs/1706.03762)"],
)
