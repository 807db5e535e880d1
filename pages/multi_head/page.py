"""The page “Multi-head and Wᴼ”: why there are several heads, and what W^O does."""

import streamlit as st

from attention_core.caching import cache_recent
from attention_core.checks import greatest_difference
from attention_core.experiments.heads import cost, run_rewired
from attention_core.heads import split_heads
from pages.multi_head.code import code
from pages.multi_head.lesson import (
    MOST_HEADS,
    TEXTS,
    add_and_norm_of_heads,
    board,
    draw_why_heads,
    lines,
    output_equation,
    price_text,
    reasons_text,
    sum_equation,
)
from pages.shared import controls, mistake_switch, panel
from pages.shared.equation import Line, equation, selected_cell
from pages.shared.equation.matrices import rewired_matrices
from pages.shared.frame import views
from pages.shared.site.page import Page
from pages.shared.state.widgets import reserve_container
from pages.shared.task_block.block import TaskParameters, try_it


@controls.declare(TEXTS)
class MultiHead(TaskParameters):
    """The parameters of the page “Multi-head and Wᴼ”."""

    heads: int = controls.heads()
    off: tuple[int, ...] = controls.heads_off()
    rewire: str = controls.choice("own", "swap", "swap_alone", "identity")
    sharing: str = controls.choice("own", "grouped", "all")
    look: str = controls.choice("number", "shares", "blocks", "attentions", "around", "price")
    mistake: str = mistake_switch.switches_of("multi_head")


def reason(parameters: MultiHead, example):
    several = _as_they_are(example, max(_n_heads(parameters, example), example.n_heads))
    one = _as_they_are(example, 1).heads.weights[0]
    with reserve_container("reason", beside=True):
        draw_why_heads(example, one, several.heads.weights, parameters.decimals)


def x_ray(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    m = rewired_matrices(example, trace)
    equation(board(parameters, m, trace), "x_ray", parameters, tools=True)


def shares(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    section = "same_as_sum_except_for_rounding" if trace.share_residual else "same_as_sum"
    st.markdown(parameters.say(TEXTS, section, difference=trace.share_residual))
    m = rewired_matrices(example, trace)
    equation([output_equation(parameters, m)], "mixed", parameters, place="view")
    equation([sum_equation(parameters, m, trace)], "shares", parameters)
    off = panel.heads_off(parameters, "off", min(_n_heads(parameters, example), MOST_HEADS))
    panel.draw(parameters, "wiring", "rewire", off)


def how_many(parameters: MultiHead, example):
    is_two = _n_heads(parameters, example) == 2
    st.markdown(parameters.say(TEXTS, "how_many_are_two" if is_two else "how_many"))


def change(parameters: MultiHead, example):
    effect = _effect(parameters, example, _trace(parameters, example))
    if effect:
        st.markdown(effect)


def arithmetic(parameters: MultiHead, example):
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)


def blocks(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    m, shape = rewired_matrices(example, trace), split_heads(example.w_q, trace.n_heads)[0].shape
    height, width = reversed(shape) if parameters.columns else shape
    n_tokens = len(example.tokens)
    st.markdown(parameters.say(TEXTS, "every_head_reads_all", height=height, width=width, n_tokens=n_tokens))
    equation([Line((m["w_q"], m["w_k"], m["w_v"])), Line((m["q"], m["k"], m["v"]))], "blocks", parameters, place="view")


def attentions(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    m, n = rewired_matrices(example, trace), min(trace.n_heads, MOST_HEADS)
    section = "weights_of_first_heads" if n < trace.n_heads else "weights_of_heads"
    st.markdown(parameters.say(TEXTS, section, n=n, n_heads=trace.n_heads))
    each = [Line((m[f"weights.{h}"],), parameters.say(TEXTS, "label_of_head", number=h + 1)) for h in range(n)]
    equation(each, "attentions", parameters, abreast=True, place="view")


def around(parameters: MultiHead, example):
    trace = _trace(parameters, example)
    layer = add_and_norm_of_heads(example, trace)
    st.markdown(reasons_text(example, layer, parameters.decimals))
    equation(lines(parameters, rewired_matrices(example, trace), layer), "around", parameters, place="view")


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
    if parameters.rewire == "own" and parameters.sharing == "own" and not parameters.off:
        return ""
    change = greatest_difference(_as_they_are(example, trace.n_heads).output, trace.output)
    return parameters.say(TEXTS, "effect", change=change)


def to_check(parameters, example):
    """Return the parameters of a link to “Check my matrix” for the output, or None if the heads are changed."""
    is_own = (parameters.off, parameters.rewire, parameters.sharing) == ((), "own", "own")
    is_own = is_own and _n_heads(parameters, example) == example.n_heads
    return {"asked": "mixed"} if is_own else None


PAGE = Page(
    module=__name__,
    texts=TEXTS,
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
            },
            of_views={"number": lambda parameters, example: (panel.heads(parameters, "heads", example), "sharing")},
        ),
    ),
    below=(mistakes, try_it),
    to_check=to_check,
    parameters=MultiHead,
    code=code,
)
