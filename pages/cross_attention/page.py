"""The page “Cross-attention”: one text attends to another."""

import streamlit as st

from attention_core.caching import cache_recent
from pages.cross_attention import lesson
from pages.cross_attention.code import code
from pages.shared import charts, controls, mistake_switch
from pages.shared.equation import Line, Sign, equation, selected_cell
from pages.shared.equation.matrices import attention_matrices, projection
from pages.shared.frame import views
from pages.shared.site.menu import offer_example
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container
from pages.shared.task_block.block import TaskParameters, try_it
from pages.shared.words import words


@controls.declare
class CrossAttention(TaskParameters):
    """The parameters of the page “Cross-attention”."""

    opens_with = "french"

    word: int = controls.word("Which word asks?")
    queries: int = controls.count("How many ask?", of="tokens")
    keys: int = controls.count("How many answer?", of="key_tokens")
    itself: bool = controls.switch("Let X attend to itself", help="There is one input: the context becomes X.")
    look: str = controls.choice("What to look at", {"shares": "Which word takes from which", "all": "All at once"})
    mistake: str = mistake_switch.switches_of("cross_attention")


def why(parameters: CrossAttention, example):
    with reserve_container("other_example"):
        if example.context is None:
            offer_example(
                "french",
                "This example has one input, whose tokens attend to each other. That is self-attention, with the same "
                "equation. See an example with two inputs: **What comes next in French?**",
            )
    everyone, trace = _with_all_queries(parameters, example)
    with reserve_container("reason", beside=True):
        st.markdown(
            parameters.in_layout(
                lesson.why(everyone, trace, _attending_index(parameters, example), parameters.decimals)
            )
        )
        words(everyone, trace.weights, "asks", parameters)


def one_asks(parameters: CrossAttention, example):
    everyone, trace = _with_all_queries(parameters, example)
    m, i = attention_matrices(everyone, trace), _attending_index(parameters, example)
    scores, scaled, shares = m["scores"].row(i, "s"), m["scaled"].row(i, "s'"), m["weights"].row(i, "a")
    to_shares = (Sign("÷ √d_k", arrow=True), scaled, Sign("softmax", arrow=True), shares)
    lines = [
        Line(
            (m["q"].row(i, "q"), "·", m["k"].transpose("K^T"), "=", scores), "One word asks: its query times every key"
        ),
        Line(to_shares, "The scores, divided by √d_k, become weights"),
    ]
    equation(lines, "one", parameters, tools=True)
    handed = Line(
        (shares, "·", m["v"], "=", m["output"].row(i, "z")),
        "The output, called context vector here: all values, each times its weight, added",
    )
    equation([handed], "handed", parameters)


def arithmetic(parameters: CrossAttention, example):
    everyone, _ = _with_all_queries(parameters, example)
    selected_cell.hint_and_arithmetic(everyone.tokens, everyone.key_tokens, parameters)


def all_ask(parameters: CrossAttention, example):
    part, trace = _part(parameters, example)
    sizes = (
        f"Tokens that ask: {len(part.tokens)}. Tokens that answer: {len(part.key_tokens)}. The scores have a row for "
        "each token that asks and a column for each token that answers, so they need not be square. The size of $W^Q$, "
        "$W^K$ and $W^V$ does not depend on the length of a text, so the same matrices serve texts of any length. The "
        "output of a token does not depend on the other tokens that ask. No causal mask is needed, because the text "
        "that answers is complete."
    )
    st.markdown(f"## All at once\n\n{_inputs(parameters, example, part)}\n\n{parameters.in_layout(sizes)}")
    equation(_lines(part, trace, example), "all", parameters)


def sizes(parameters: CrossAttention, example):
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        if example.can_be_self_attention:
            widgets.draw(parameters, "itself")
        if not _has_one_input(parameters, example):
            widgets.draw_count(parameters, "queries", len(example.tokens))
            widgets.draw_count(parameters, "keys", len(example.key_tokens))


def picture(parameters: CrossAttention, example):
    part, trace = _part(parameters, example)
    st.markdown(f"## Which word takes from which\n\n{_inputs(parameters, example, part)}")
    charts.shares(trace.weights, part.tokens, part.key_tokens, key="shares")


def mistakes(parameters: CrossAttention, example):
    mistake_switch.show(parameters, *_part(parameters, example))


def _attending_index(parameters, example):
    """Return the position of the word that attends. In the page's parameters, −1 means the last word."""
    return parameters.word % len(example.tokens)


def _has_one_input(parameters, example):
    """Return whether the tokens of X attend to each other, so that there is no second input.

    This is so if the example allows it and the visitor has chosen it.
    """
    return example.can_be_self_attention and parameters.itself


def _part(parameters, example):
    """Return the example with only the query tokens and key tokens that the visitor chose, and its attention."""
    return _of(example, _has_one_input(parameters, example), parameters.queries, parameters.keys)


def _with_all_queries(parameters, example):
    """Return the example with all query tokens but only the chosen key tokens, and its attention.

    The page uses it to show the output of any token, which does not depend on other query tokens.
    """
    return _of(example, _has_one_input(parameters, example), 0, parameters.keys)


@cache_recent
def _of(example, itself, queries, keys):
    if itself:
        part = example.as_self_attention()
    else:
        part = example.shortened(queries or len(example.tokens), keys or len(example.key_tokens))
    return part, part.attention()


def _lines(part, trace, example):
    m, source = attention_matrices(part, trace), "x" if part.context is None else "context"
    if example.context is None and source == "context":
        m = dict(m) | {"context": m["context"].read_only()}  # its rows are rows of x, so they are edited in x
    return [
        projection(m, "x", "q", "Queries come from the tokens that ask"),
        projection(m, source, "k", "Keys and values come from the tokens that answer", again=source == "x"),
        projection(m, source, "v", "", again=True),
        Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"]), "Every query times every key"),
        Line((m["scores"], Sign("÷ √d_k → softmax of each row", arrow=True), m["weights"])),
        Line((m["weights"], "·", m["v"], "=", m["output"]), "One output for each token that asks"),
    ]


def _inputs(parameters, example, part):
    """Return a text that says how many inputs there are, and whether this is self-attention or cross-attention.

    `part` is the example with only the chosen tokens.
    """
    if _has_one_input(parameters, example):
        return (
            "**One input: this is self-attention.** $X$ takes the place of the context, and nothing else changes. The "
            f"equation and the matrices are the same. Now {len(part.tokens)} tokens attend to {len(part.tokens)}, so "
            "the scores are square."
        )
    if example.context is not None:
        return (
            "**Two inputs: this is cross-attention.** Queries come from $X$, the text that is written. Keys and values "
            "come from $C$, the text that is read. It is called the context."
        )
    if part.context is None:
        return "**One input: this is self-attention.** It is cross-attention with $X$ itself as the context."
    return "**One input, but not all of its tokens ask, or not all answer.** $C$ has the tokens of $X$ that answer."


def to_check(parameters, example):
    """Return the parameters with which a link opens “Check my matrix” to check the output.

    Return None if the visitor has left out some tokens, or if X attends to itself instead of the context.
    """
    whole = parameters.queries in (0, len(example.tokens)) and parameters.keys in (0, len(example.key_tokens))
    return {"asked": "output"} if whole and not _has_one_input(parameters, example) else None


PAGE = Page(
    module=__name__,
    parts=(
        why,
        one_asks,
        arithmetic,
        views.part_with_views({"shares": picture, "all": all_ask}),
        sizes,
        mistakes,
        try_it,
    ),
    to_check=to_check,
    parameters=CrossAttention,
    code=code,
    concept="Cross-attention",
    question="How does one text attend to another?",
    sources=(
        "[Vaswani et al. 2017, section 3.2.3](https://arxiv.org/abs/1706.03762)",
        "[Luong, Pham & Manning 2015, section 3.1, on the dot product as score](https://arxiv.org/abs/1508.04025)",
        "Course notebook 003, question 1. Its decoder states $h^d$ are the rows of our $X$, its encoder states $h^e$ "
        "those of $C$, its $\\alpha$ our $A$, its context vectors $c$ our $Z$; the $n$ under its root is the width of "
        "the states",
    ),
)
