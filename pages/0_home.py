"""Home: the map of the pipeline and the reading order."""

import streamlit as st

from pages.shared.codes.home import code
from pages.shared.equation import Line, Sign, equation, explain
from pages.shared.equation.matrices import attention_matrices
from pages.shared.lecture import strip
from pages.shared.notation.plain import plain
from pages.shared.site.catalogue import catalogue
from pages.shared.site.links import link
from pages.shared.site.page import Page

CHANGE = "Each token asks, offers, hands over. Change a number in X, and see all of it follow"

# What happens, in order, with what it makes, the page that shows it, and in what state.
STAGES = (
    ("Tokens", "X", "attention", {"step": "1"}),
    ("Positions", "+\\,PE", "positional_encoding", {}),
    ("Queries, keys, values", "Q, K, V", "queries_keys_values", {}),
    ("Scores and mask", "Q K^T", "attention", {"step": "4"}),
    ("Scale", "\\div\\sqrt{d_k}", "scaling", {}),
    ("Softmax", "A", "softmax_axes", {}),
    ("Mix the values", "A V", "attention", {"step": "8"}),
    ("Heads", "\\text{head}_i", "multi_head", {}),
    ("Output", "W^O", "multi_head", {"look": "attentions"}),
)


def entrances(parameters, example):
    st.write(
        "Each token looks at the others, decides how much each matters to it, and takes a mixture of what they "
        "hand over. That is arithmetic you can do by hand, and here you can touch every number of it."
    )
    with st.container(horizontal=True, vertical_alignment="center", key="entrances"):
        link("softmax_axes", "**I want to learn it:** the first page", icon="school")
        strip.offer_lecture("**I teach it:** scenes to project")
        link("check_my_matrix", "**My result looks wrong:** why?", icon="troubleshoot")


def all_of_it(parameters, example):
    m = attention_matrices(example, example.attention())
    q, k, v = m["q"], m["k"], m["v"]
    if example.context is None:
        given = [Line((m["x"], Sign("· W^Q , W^K , W^V", arrow=True), q, k, v), CHANGE)]
    else:
        given = [
            Line((m["x"], Sign("· W^Q", arrow=True), q), CHANGE),
            Line((m["context"], Sign("· W^K , W^V", arrow=True), k, v)),
        ]
    match = (q, "·", k.transpose("K^T"), "=", m["scores"], Sign("÷ √d_k → softmax", arrow=True), m["weights"])
    lines = [
        *given,
        Line(match, "Queries meet keys, and matches become shares of 1"),
        Line((m["weights"], "·", v, "=", m["output"]), "What each takes away: a mixture of the values"),
    ]
    equation(lines, "all", parameters, tools=True)


def arithmetic(parameters, example):
    explain.show(example.tokens, example.key_tokens, parameters)


def the_way(parameters, example):
    st.markdown("## The way from tokens to output")
    with st.container(horizontal=True, key="way"):
        for number, (name, makes, page, state) in enumerate(STAGES, start=1):
            link(page, f"{number} {name} ${parameters.formula(makes)}$", state)


def where_to_begin():
    st.markdown(
        "## Where to begin\n\n"
        "Each page asks one question, with numbers small enough for pencil and paper. In this order they build up:"
    )
    for page in catalogue()[1:]:
        link(page.name, f"**{page.concept}.** {plain(page.question)}", icon=page.icon)
    st.write(
        "Your edits come with you from page to page, and the address in your browser always restores what you see: "
        "keep it, or send it. The example and its source stand above; every page can also show what happens "
        "to the numbers when one of the usual mistakes is made."
        "\n\nThe **course notebooks**, numbered 000 to 004, are five that a course on attention uses. Their numbers "
        "are computed anew here, and their mistakes are exhibits."
    )


PAGE = Page(
    module=__name__,
    parts=(entrances, all_of_it, arithmetic, the_way),
    ending=where_to_begin,
    code=code,
    concept="Home",
    question="What does attention compute?",
    group="",
    icon="home",
    sources=(
        "[Vaswani et al. 2017, Attention Is All You Need](https://arxiv.org/abs/1706.03762)",
        "[Prince 2023, Understanding Deep Learning, chapter 12](https://udlbook.github.io/udlbook/)",
        "Five course notebooks, their numbers recomputed",
    ),
)
