"""Multi-head attention: why there are several heads, and what W^O does."""

import streamlit as st

from attention_core.caching import cache_recent
from attention_core.checks import greatest_difference
from attention_core.experiments.rewiring import cost, run_rewired
from attention_core.heads import split_heads
from pages.shared import controls, mistake_switch
from pages.shared.codes.multi_head import code
from pages.shared.equation import Line, equation, selected_cell
from pages.shared.equation.head_matrices import rewired_matrices
from pages.shared.frame import views
from pages.shared.lessons.multi_head.around import added_and_normed, lines, reasons_text
from pages.shared.lessons.multi_head.board import MOST_HEADS, board, output_equation, sum_equation
from pages.shared.lessons.multi_head.price import price_text
from pages.shared.lessons.multi_head.why_heads import why_heads
from pages.shared.notation.numbers import number
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.state.places import place
from pages.shared.task_block.block import Practised, try_it


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
        {
            "blocks": "Whose columns are whose",
            "shares": "What Wᴼ does",
            "attentions": "Each head’s attention",
            "around": "Around them",
            "price": "What heads cost",
        },
    )
    mistake: str = mistake_switch.switches_of("multi_head")


def reason(parameters: MultiHead, example):
    several = _as_they_are(example, max(_n_heads(parameters, example), example.n_heads))
    one = _as_they_are(example, 1).heads.weights[0]
    with place("reason", beside=True):
        why_heads(example, one, several.heads.weights, parameters.decimals)


def x_ray(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    m = rewired_matrices(example, trace)
    equation(board(m, trace), "x_ray", parameters, tools=True)
    equation([output_equation(m)], "mixed", parameters)


def shares(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    text = (
        "## What Wᴼ does\n\n"
        f"**$W^O$ is where heads are added up**, each through its own rows, and before it no head knows of another. "
        f"Multiplied head by head and added, they give the same output{_but_rounding(trace.share_residual)}."
    )
    st.markdown(parameters.in_layout(text))
    equation([sum_equation(rewired_matrices(example, trace), trace)], "shares", parameters)


def _but_rounding(difference):
    return " exactly" if difference == 0 else f", but for rounding (${number(difference)}$)"


def choices(parameters: MultiHead, example):
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw_heads(parameters, "heads", example)
        widgets.draw(parameters, "sharing", "rewire")
        widgets.draw_heads_off(parameters, "off", min(_n_heads(parameters, example), MOST_HEADS))
    effect = _effect(parameters, example, _trace(parameters, example))
    with place("effect"):
        if effect:
            st.markdown(effect)


def arithmetic(parameters: MultiHead, example):
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)


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
    st.markdown(parameters.in_layout(text))
    equation([Line((m["w_q"], m["w_k"], m["w_v"])), Line((m["q"], m["k"], m["v"]))], "blocks", parameters)


def attentions(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    m, n = rewired_matrices(example, trace), min(trace.n_heads, MOST_HEADS)
    only = f"\n\nThe first {n} of {trace.n_heads} heads." if n < trace.n_heads else ""
    st.markdown(f"## Each head attends in its own way{only}")
    each = [Line((m[f"weights.{h}"],), f"Head {h + 1}") for h in range(n)]
    equation(each, "attentions", parameters, abreast=True)


def around(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    layer = added_and_normed(example, trace)
    st.markdown(reasons_text(example, layer, parameters.decimals))
    equation(lines(rewired_matrices(example, trace), layer), "around", parameters)


def price(parameters: MultiHead, example):
    one, here = cost(_as_they_are(example, 1)), cost(_trace(parameters, example))
    st.markdown(price_text(one, here, _n_heads(parameters, example)))


def mistakes(parameters: MultiHead, example):
    mistake_switch.show(parameters, example, _as_they_are(example, _n_heads(parameters, example)))


def _n_heads(parameters, example):
    return parameters.heads or example.n_heads


_rewired = cache_recent(run_rewired)


def _trace(parameters, example):
    n_heads = _n_heads(parameters, example)
    off = tuple(head for head in parameters.off if head < n_heads)
    return _rewired(example, n_heads, off=off, w_o=parameters.rewire, sharing=parameters.sharing)


def _as_they_are(example, n_heads):
    return _rewired(example, n_heads, off=(), w_o="own", sharing="own")


def _effect(parameters, example, trace):
    """Say how much rewiring changes the output."""
    if parameters.rewire == "own" and parameters.sharing == "own" and not parameters.off:
        return ""
    change = greatest_difference(_as_they_are(example, trace.n_heads).output, trace.output)
    return f"What you switched changes the output by up to **${number(change)}$**."


PAGE = Page(
    module=__name__,
    parts=(
        reason,
        x_ray,
        arithmetic,
        choices,
        views.look_at({"blocks": blocks, "shares": shares, "attentions": attentions, "around": around, "price": price}),
        mistakes,
        try_it,
    ),
    parameters=MultiHead,
    code=code,
    concept="Multi-head and Wᴼ",
    question="Why several heads, and what does Wᴼ do?",
    group="Put together",
    icon="account_tree",
    sources=(
        "[Vaswani et al. 2017, section 3.2.2](https://arxiv.org/abs/1706.03762)",
        "[Ainslie et al. 2023, on grouped queries](https://arxiv.org/abs/2305.13245)",
        "[He et al. 2015, on adding what was found to what came in](https://arxiv.org/abs/1512.03385)",
        "[Ba, Kiros & Hinton 2016, on layer norm](https://arxiv.org/abs/1607.06450)",
        "[Xiong et al. 2020, on normalising before or after](https://arxiv.org/abs/2002.04745)",
        "[Michel, Levy & Neubig 2019, on heads that can be spared](https://arxiv.org/abs/1905.10650)",
        "Course notebooks 000, 001 (steps 8 to 10) and 003 (question 3)",
    ),
)
