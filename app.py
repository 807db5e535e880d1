"""Home: the map of the pipeline and the reading order."""

import streamlit as st

from pages.shared import frame


def body(parameters, example):
    st.write("…")


frame.page(
    __file__,
    body,
    concept="Home",
    question="What does attention compute?",
    group="",
    icon="home",
    sources=["[Vaswani et al. 2017](https://arxiv.org/abs/1706.03762)"],
)
