"""Home: the map of the pipeline and the reading order."""

import streamlit as st

from pages.shared import explain, frame
from pages.shared.catalogue import catalogue
from pages.shared.codes.home import code
from pages.shared.equation import Line, Sign, equation
from pages.shared.matrices import attention_matrices

SOFTMAX, PROJECTIONS, SCALING = "pages/1_softmax_axes.py", "pages/2_queries_keys_values.py", "pages/3_scaling.py"
ATTENTION, HEADS, POSITIONS = "pages/4_attention.py", "pages/5_multi_head.py", "pages/6_positional_encoding.py"

# What happens, in order: name, formula, what it is for, the page that shows it, and in what state.
STAGES = (
    ("Tokens", "X", "A row of numbers for each word.", ATTENTION, {"step": "1"}),
    ("Positions", "X + PE", "And where each word stands.", POSITIONS, {}),
    ("Queries, keys, values", r"X W^Q,\; X W^K,\; X W^V", "What each asks, offers, hands over.", PROJECTIONS, {}),
    ("Scores and mask", r"Q K^\top,\; -\infty", "Queries meet keys, unless forbidden.", ATTENTION, {"step": "4"}),
    ("Scale", r"\div \sqrt{d_k}", "Keep the size of the scores.", SCALING, {}),
    ("Softmax", r"\textstyle e^{s} / \sum e^{s}", "Scores become shares of 1.", SOFTMAX, {}),
    ("Mix the values", "A V", "Each takes what it attends to.", ATTENTION, {"step": "8"}),
    ("Heads", r"\text{head}_1, \text{head}_2, \ldots", "Several attentions side by side.", HEADS, {}),
    ("Output", r"\operatorname{Concat} \cdot W^O", "Mixed, and back to the width of X.", HEADS, {}),
)


def all_of_it(parameters, example):
    m = attention_matrices(example, example.attention())
    asks, answers = "x[i,:]", "x[j,:]" if example.context is None else "context[j,:]"
    weights = m["weights"].reading(asks, answers)
    st.write(
        "Each token looks at the others, decides how much each matters to it, and takes a mixture of what they "
        "hand over. That is arithmetic you can do by hand, and here you can touch every number of it. "
        "**Change one in $X$** and watch what follows: type over it, or drag it sideways."
    )
    attends = "How much each row’s token attends to each column’s"
    lines = [
        Line((m["x"], Sign("queries meet keys", arrow=True), weights), attends),
        Line((weights, "·", m["v"], "=", m["output"]), "What each takes away: a mixture of the values"),
    ]
    equation(lines, "all", parameters, tools=True)


def arithmetic(parameters, example):
    explain.show({"": example.attention()}, example.tokens, example.key_tokens, parameters)


def the_way(parameters, example):
    st.markdown("## The way from tokens to output")
    with st.container(horizontal=True, key="way"):
        for name, formula, says, path, state in STAGES:
            with st.container(border=True):
                frame.link(path, f"**{name}**", state, icon="arrow_forward")
                st.markdown(f"$${parameters.formula(formula)}$$\n\n:small[{parameters.says(says)}]")


def where_to_begin():
    st.markdown(
        "## Where to begin\n\n"
        "Each page asks one question, with numbers small enough for pencil and paper. In this order they build up:"
    )
    for entry in catalogue()[1:]:
        frame.link(entry.path, f"**{entry.concept}.** {entry.question}", {}, icon=entry.icon)
    st.write(
        "Your edits come with you from page to page, and the address in your browser always restores what you see: "
        "keep it, or send it. The example and its source stand above; every page can also show what happens "
        "to the numbers when one of the usual mistakes is made."
    )


frame.page(
    __file__,
    all_of_it,
    arithmetic,
    the_way,
    ending=where_to_begin,
    code=code,
    concept="Home",
    question="What does attention compute?",
    group="",
    icon="home",
    sources=[
        "[Vaswani et al. 2017, Attention Is All You Need](https://arxiv.org/abs/1706.03762)",
        "[Prince 2023, Understanding Deep Learning, chapter 12](https://udlbook.github.io/udlbook/)",
        "Five course notebooks, their numbers recomputed",
    ],
)
