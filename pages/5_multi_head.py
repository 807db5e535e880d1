"""Multi-head attention: what heads share, and what W^O does."""

import streamlit as st

from attention_core.caching import cached
from attention_core.checks import greatest_difference
from attention_core.experiments.rewiring import cost, rewired
from attention_core.heads import split_heads
from pages.shared import controls, slips
from pages.shared.codes.multi_head import code
from pages.shared.equation import Line, Sign, equation, explain
from pages.shared.equation.head_matrices import rewired_matrices
from pages.shared.frame import views
from pages.shared.notation.latex import number
from pages.shared.practice.block import Practised, try_it
from pages.shared.site.page import Page
from pages.shared.state import widgets

MOST_HEADS = 8  # that are drawn one by one


@controls.declare
class MultiHead(Practised):
    """What can be set on this page."""

    heads: int = controls.heads("Heads", help="Any number that divides the widths of queries and values.")
    off: tuple[int, ...] = controls.heads_off("Switch off")
    rewire: str = controls.choice(
        "Wᴼ",
        {
            "own": "As it is",
            "swap": "Heads 1, 2 swapped",
            "swap_alone": "Swapped, not their rows",
            "identity": "Identity",
        },
    )
    sharing: str = controls.choice(
        "Keys and values",
        {"own": "Each head its own", "grouped": "Two heads share", "all": "All share"},
        help="Grouped-query and multi-query attention. What is shared is the mean of what it replaces.",
    )
    look: str = controls.choice(
        "What to look at",
        {"blocks": "Whose columns are whose", "attentions": "Each head’s attention", "price": "What heads cost"},
    )
    slip: str = slips.slip_of("multi_head")


def x_ray(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    m, n = rewired_matrices(example, trace), min(trace.n_heads, MOST_HEADS)
    heads = tuple(m[f"heads.{h}"] for h in range(n))
    added = [part for h in range(n) for part in ("+", m[f"shares.{h}"])][1:]
    side_by_side, equals = Sign("side by side", arrow=True), "="
    if trace.n_heads > MOST_HEADS:
        more = f"{trace.n_heads - MOST_HEADS} more"
        side_by_side, equals = Sign(f"and {more}, side by side", arrow=True), Sign(f"+ {more} =")
    lines = [
        Line((*heads, side_by_side, m["concat"]), "Each head’s output"),
        Line((m["concat"], "·", m["w_o"], "=", m["output"]), "W^O mixes the columns of all heads"),
        Line((*added, equals, m["output"]), "The same, head by head: each times its own rows of W^O and then added"),
    ]
    equation(lines, "x_ray", parameters, tools=True)
    st.markdown(
        f"The two ways to the output differ by at most ${number(trace.share_residual)}$: **$W^O$ is where heads are "
        f"added up**, each through its own rows. {_effect(parameters, example, trace)}"
    )


def choices(parameters: MultiHead, example):
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw_heads(parameters, "heads", example)
        widgets.draw(parameters, "sharing", "rewire")
        widgets.draw_heads_off(parameters, "off", min(_n_heads(parameters, example), MOST_HEADS))


def arithmetic(parameters: MultiHead, example):
    explain.show(example.tokens, example.key_tokens, parameters)


def blocks(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    m, shape = rewired_matrices(example, trace), split_heads(example.w_q, trace.n_heads)[0].shape
    rows, columns = reversed(shape) if parameters.columns else shape
    text = (
        "## Every head reads every token whole\n\n"
        "The projections are cut, not the input: head 1 owns the first block of columns of each matrix, head 2 the "
        f"next, told apart by the line below them. $W^Q_i$ is ${rows} \\times {columns}$: as high as a token is wide, "
        f"whatever the number of tokens, {len(example.tokens)} here."
    )
    st.markdown(parameters.says(text))
    equation([Line((m["w_q"], m["w_k"], m["w_v"])), Line((m["q"], m["k"], m["v"]))], "blocks", parameters)


def attentions(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    m, n = rewired_matrices(example, trace), min(trace.n_heads, MOST_HEADS)
    only = f"\n\nThe first {n} of {trace.n_heads} heads." if n < trace.n_heads else ""
    st.markdown(f"## Each head attends in its own way{only}")
    each = [Line((m[f"weights.{h}"],), f"Head {h + 1}") for h in range(n)]
    equation(each, "attentions", parameters, abreast=True)


def price(parameters: MultiHead, example):
    one, here = cost(_as_they_are(example, 1)), cost(_trace(parameters, example))
    rows = (
        ("learned numbers", one.parameters, here.parameters),
        ("floating-point operations", one.flops, here.flops),
        ("exponentials in softmax", one.exponentials, here.exponentials),
        ("numbers kept a token (KV cache)", one.kv_cache, here.kv_cache),
    )
    table = "\n".join(f"| {name} | {wide:,} | {now:,} |" for name, wide, now in rows)
    st.markdown(
        "## What heads cost\n\n"
        "Several narrow heads cost what one wide head costs, except in softmax, which runs once a head. What they buy "
        "is several ways to look at once. Sharing keys and values shrinks what must be kept.\n\n"
        f"| what | one wide head | {_n_heads(parameters, example)} heads, as chosen |\n|---|--:|--:|\n{table}"
    )


def mistakes(parameters: MultiHead, example):
    slips.show(parameters, example, _as_they_are(example, _n_heads(parameters, example)))


def _n_heads(parameters, example):
    return parameters.heads or example.n_heads


_rewired = cached(rewired)


def _trace(parameters, example):
    n_heads = _n_heads(parameters, example)
    off = tuple(head for head in parameters.off if head < n_heads)
    return _rewired(example, n_heads, off=off, w_o=parameters.rewire, sharing=parameters.sharing)


def _as_they_are(example, n_heads):
    return _rewired(example, n_heads, off=(), w_o="own", sharing="own")


def _effect(parameters, example, trace):
    """What was rewired has changed."""
    if parameters.rewire == "own" and parameters.sharing == "own" and not parameters.off:
        return ""
    change = greatest_difference(_as_they_are(example, trace.n_heads).output, trace.output)
    return f"What you switched changes the output by up to **${number(change)}$**."


PAGE = Page(
    module=__name__,
    parts=(
        x_ray,
        arithmetic,
        choices,
        views.look_at({"blocks": blocks, "attentions": attentions, "price": price}),
        mistakes,
        try_it,
    ),
    parameters=MultiHead,
    code=code,
    concept="Multi-head and Wᴼ",
    question="What do heads share, and what does Wᴼ do?",
    group="Put together",
    icon="account_tree",
    sources=(
        "[Vaswani et al. 2017, section 3.2.2](https://arxiv.org/abs/1706.03762)",
        "[Ainslie et al. 2023, on grouped queries](https://arxiv.org/abs/2305.13245)",
        "[Michel, Levy & Neubig 2019, on heads that can be spared](https://arxiv.org/abs/1905.10650)",
        "Course notebooks 000, 001 (steps 8 to 10) and 003 (question 3)",
    ),
)
