"""The page “Multi-head and Wᴼ”: why there are several heads, and what W^O does."""

import streamlit as st

from attention_core.caching import cache_recent
from attention_core.checks import greatest_difference
from attention_core.experiments.heads import cost, run_rewired
from attention_core.heads import split_heads
from pages.multi_head.code import code
from pages.multi_head.lesson import (
    MOST_HEADS,
    add_and_norm_of_heads,
    board,
    draw_why_heads,
    lines,
    output_equation,
    price_text,
    reasons_text,
    sum_equation,
)
from pages.shared import controls, mistake_switch
from pages.shared.equation import Line, equation, selected_cell
from pages.shared.equation.matrices import rewired_matrices
from pages.shared.frame import views
from pages.shared.notation.numbers import number
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container
from pages.shared.task_block.block import TaskParameters, try_it


@controls.declare
class MultiHead(TaskParameters):
    """The parameters of the page “Multi-head and Wᴼ”."""

    heads: int = controls.heads("Heads", help="The number must divide the widths of the queries and of the values.")
    off: tuple[int, ...] = controls.heads_off("Switch off")
    rewire: str = controls.choice(
        "Wᴼ",
        {
            "own": "As it is",
            "swap": "Heads 1 and 2 swapped, with their rows",
            "swap_alone": "Swapped without their rows",
            "identity": "Identity",
        },
    )
    sharing: str = controls.choice(
        "Keys and values",
        {"own": "Each head has its own", "grouped": "Two heads share", "all": "All heads share"},
        help="Grouped-query and multi-query attention. The shared keys are the mean of the keys that they replace.",
    )
    look: str = controls.choice(
        "What to look at",
        {
            "number": "More or fewer heads",
            "shares": "What Wᴼ does",
            "blocks": "Which columns belong to a head",
            "attentions": "Each head’s weights",
            "around": "Add and normalise",
            "price": "What heads cost",
        },
    )
    mistake: str = mistake_switch.switches_of("multi_head")


def reason(parameters: MultiHead, example):
    several = _as_they_are(example, max(_n_heads(parameters, example), example.n_heads))
    one = _as_they_are(example, 1).heads.weights[0]
    with reserve_container("reason", beside=True):
        draw_why_heads(example, one, several.heads.weights, parameters.decimals)


def x_ray(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    m = rewired_matrices(example, trace)
    equation(board(m, trace), "x_ray", parameters, tools=True)


def shares(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    text = (
        "## What Wᴼ does\n\n"
        "**$W^O$ mixes the heads.** Before $W^O$, no head knows the output of another head. Each head has its own rows "
        "of $W^O$. We can multiply the output of each head by these rows and add the products: the result is the same"
        f"{_but_rounding(trace.share_residual)}."
    )
    st.markdown(parameters.in_layout(text))
    m = rewired_matrices(example, trace)
    equation([output_equation(m)], "mixed", parameters)
    equation([sum_equation(m, trace)], "shares", parameters)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "rewire")
        widgets.draw_heads_off(parameters, "off", min(_n_heads(parameters, example), MOST_HEADS))


def _but_rounding(difference):
    return "" if difference == 0 else f", except for rounding (${number(difference)}$)"


def how_many(parameters: MultiHead, example):
    st.markdown(
        "Each head has its own block of columns of $W^Q$, $W^K$ and $W^V$, so it has its own weights. With one head, "
        "one "
        "row of weights must serve everything that a token looks for." + _same_sharing(_n_heads(parameters, example))
    )
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw_heads(parameters, "heads", example)
        widgets.draw(parameters, "sharing")


def _same_sharing(n_heads):
    return " With two heads, the choices *Two heads share* and *All heads share* are the same." if n_heads == 2 else ""


def change(parameters: MultiHead, example):
    effect = _effect(parameters, example, _trace(parameters, example))
    with reserve_container("effect"):
        if effect:
            st.markdown(effect)


def arithmetic(parameters: MultiHead, example):
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)


def blocks(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    m, shape = rewired_matrices(example, trace), split_heads(example.w_q, trace.n_heads)[0].shape
    rows, columns = reversed(shape) if parameters.columns else shape
    text = (
        "## Every head reads all features of every token\n\n"
        "We do not cut the input $X$ into heads. We cut $Q$, $K$ and $V$: head 1 has the first block of columns of "
        "each matrix, head 2 the next block, and the line below shows which. The block of head $i$ in $W^Q$ is called "
        f"$W^Q_i$. It is ${rows} \\times {columns}$: it has a row for each feature of a token. The number of tokens, "
        f"{len(example.tokens)} here, does not matter."
    )
    st.markdown(parameters.in_layout(text))
    equation([Line((m["w_q"], m["w_k"], m["w_v"])), Line((m["q"], m["k"], m["v"]))], "blocks", parameters)


def attentions(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    m, n = rewired_matrices(example, trace), min(trace.n_heads, MOST_HEADS)
    only = f"\n\nThe first {n} of {trace.n_heads} heads." if n < trace.n_heads else ""
    st.markdown(f"## Each head has its own weights{only}")
    each = [Line((m[f"weights.{h}"],), f"Head {h + 1}") for h in range(n)]
    equation(each, "attentions", parameters, abreast=True)


def around(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    layer = add_and_norm_of_heads(example, trace)
    st.markdown(reasons_text(example, layer, parameters.decimals))
    equation(lines(rewired_matrices(example, trace), layer), "around", parameters)


def price(parameters: MultiHead, example):
    one, here = cost(_as_they_are(example, 1)), cost(_trace(parameters, example))
    st.markdown(price_text(one, here, _n_heads(parameters, example)))


def mistakes(parameters: MultiHead, example):
    mistake_switch.show(parameters, example, _as_they_are(example, _n_heads(parameters, example)))


def _n_heads(parameters, example):
    return parameters.heads or example.n_heads


_run_rewired = cache_recent(run_rewired)


def _trace(parameters, example):
    n_heads = _n_heads(parameters, example)
    off = tuple(head for head in parameters.off if head < n_heads)
    return _run_rewired(example, n_heads, off=off, w_o=parameters.rewire, sharing=parameters.sharing)


def _as_they_are(example, n_heads):
    return _run_rewired(example, n_heads, off=(), w_o="own", sharing="own")


def _effect(parameters, example, trace):
    """Return a sentence that says how much the visitor's changes to the heads change the output.

    Return "" if there are no changes.
    """
    if parameters.rewire == "own" and parameters.sharing == "own" and not parameters.off:
        return ""
    change = greatest_difference(_as_they_are(example, trace.n_heads).output, trace.output)
    return f"Your changes to the heads change the output by up to **${number(change)}$**."


def to_check(parameters, example):
    """Return the parameters with which a link opens “Check my matrix” to check the output of all heads.

    Return None if the visitor has changed the heads or their number. “Check my matrix” does not know such changes.
    """
    is_own = (parameters.off, parameters.rewire, parameters.sharing) == ((), "own", "own")
    is_own = is_own and _n_heads(parameters, example) == example.n_heads
    return {"asked": "mixed"} if is_own else None


PAGE = Page(
    module=__name__,
    parts=(
        reason,
        x_ray,
        arithmetic,
        change,
        views.part_with_views(
            {
                "number": how_many,
                "shares": shares,
                "blocks": blocks,
                "attentions": attentions,
                "around": around,
                "price": price,
            }
        ),
        mistakes,
        try_it,
    ),
    to_check=to_check,
    parameters=MultiHead,
    code=code,
    concept="Multi-head and Wᴼ",
    question="Why several heads, and what does Wᴼ do?",
    sources=(
        "[Vaswani et al. 2017, section 3.2.2](https://arxiv.org/abs/1706.03762)",
        "[Ainslie et al. 2023, on grouped queries](https://arxiv.org/abs/2305.13245)",
        "[He et al. 2015, on adding the output to the input](https://arxiv.org/abs/1512.03385)",
        "[Ba, Kiros & Hinton 2016, on layer norm](https://arxiv.org/abs/1607.06450)",
        "[Xiong et al. 2020, on normalising before or after](https://arxiv.org/abs/2002.04745)",
        "[Michel, Levy & Neubig 2019, on heads that can be spared](https://arxiv.org/abs/1905.10650)",
        "Course notebooks 000, 001 (steps 8 to 10) and 003 (question 3)",
    ),
)
