"""The page “Attention, step by step”: the ten steps of a textbook, from tokens to the output of all heads."""

import streamlit as st

from attention_core.caching import cache_recent
from pages.attention import lesson
from pages.attention.code import code, scale_of, shown_lines
from pages.attention.lesson import STEPS, TEXTS, Walk, case_of
from pages.shared import charts, controls, mistake_switch, panel
from pages.shared.equation import Line, equation, selected_cell
from pages.shared.equation.matrices import attention_matrices, head_matrices, term_matrices
from pages.shared.frame import views
from pages.shared.notation.prose import code_html
from pages.shared.site.page import Page
from pages.shared.task_block.block import TaskParameters, try_it

FIRST_WITH_SCORES, FIRST_WITH_HEADS = 4, 9
WITH_MASK = (4, 5)  # the step that applies the mask, and the step after it
REASON_OF = {"none": "", "causal": "future", "padding": "padding"}  # the view that gives the reason for a mask
FOLLOW_ONE_TOKEN = (6, 7)
SCALED = ("scaled", "masked", "weights", "output")  # the matrices that depend on the scale
COMPARED_AT_STEP = {4: ("scaled",), 5: ("scaled", "weights"), 7: ("weights", "output"), 8: ("weights", "output")}


@controls.declare(TEXTS)
class Attention(TaskParameters):
    """The parameters of the page “Attention, step by step”."""

    step: str = controls.choice(*(str(i) for i, _ in enumerate(STEPS, start=1)))
    token: int = controls.word()
    mask: str = controls.choice("none", "causal", "padding")
    scale: str = controls.choice("source", "root", "none")
    look: str = controls.choice("shares", "future", "padding", "cost")
    mistake: str = mistake_switch.switches_of("attention")


def step(parameters: Attention, example):
    number = int(parameters.step)
    shown_step = STEPS[number - 1]
    _choose_step(parameters, number)
    case = case_of(example, parameters.mask, scale_of(parameters, example))
    explanation = shown_step.explanation(parameters, masked=case.masked)
    name = TEXTS.fill(shown_step.name)
    text = parameters.say(TEXTS, "shown_step", number=number, name=name, explanation=explanation)
    st.markdown(f"{_reason(parameters, example)}{text}\n\n{parameters.display(shown_step.formula(case))}")
    _numbers(parameters, example)


def _reason(parameters, example):
    """Return the text before a step: at step 1 the reason for all steps, at a mask its reason, otherwise ""."""
    if parameters.step == "1":
        weights = _traces(parameters, example)[0].weights
        why = lesson.ten_steps_text(parameters, example, weights, _followed_token(parameters, example))
        return f"{why}\n\n"
    if int(parameters.step) in WITH_MASK and REASON_OF[parameters.mask] not in ("", parameters.look):
        return f"{_why_masked(parameters, example, parameters.mask)}\n\n"
    return ""


def _why_masked(parameters, example, mask):
    why = {"causal": lesson.why_causal, "padding": lesson.why_padding}[mask]
    return why(example, _trace_without_mask(parameters, example).weights, parameters.decimals, parameters.columns)


def _numbers(parameters: Attention, example):
    number, (trace, heads) = int(parameters.step), _traces(parameters, example)
    matrices = dict(attention_matrices(example, trace)) | term_matrices(
        example, trace, _followed_token(parameters, example)
    )
    if number >= FIRST_WITH_HEADS:
        matrices |= head_matrices(example, heads)
    case = case_of(example, parameters.mask, scale_of(parameters, example))
    walk = Walk(example, _followed_token(parameters, example), case, heads, parameters)
    equation(STEPS[number - 1].lines(matrices, walk), f"step{number}", parameters, tools=True, place="step")


def arithmetic(parameters: Attention, example):
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)
    st.html(code_html(shown_lines(parameters, example)))


def warn_if_not_scaled(parameters: Attention, example):
    """Draw the matrices of this step as they would be with scores divided by √d_k, if they are not divided."""
    names = COMPARED_AT_STEP.get(int(parameters.step))
    if names and scale_of(parameters, example) == 1.0:
        _draw_scaled(parameters, example, names)


def _draw_scaled(parameters, example, names):
    st.markdown(parameters.say(TEXTS, "not_divided", d_k=example.w_q.shape[-1]))
    right = attention_matrices(example, _right_trace(parameters, example))
    scaled = [right[name].with_suffix("_root", SCALED) for name in names]
    equation([Line((matrix,)) for matrix in scaled], "root", parameters, abreast=True)


def shares(parameters: Attention, example):
    trace, heads = _traces(parameters, example)
    if int(parameters.step) >= FIRST_WITH_HEADS:
        lesson.draw_heads_side_by_side(example, heads.heads.weights)
    else:
        st.markdown(parameters.say(TEXTS, "view_of_shares"))
        charts.shares(trace.weights, example.tokens, example.key_tokens, key="shares")


def future(parameters: Attention, example):
    lesson.draw_future(example, _trace_without_mask(parameters, example).weights, parameters.decimals)


def padding(parameters: Attention, example):
    lesson.draw_padding(example, _trace_without_mask(parameters, example).weights, parameters.decimals)


def cost(parameters: Attention, example):
    lesson.draw_cost(example)


def mistakes(parameters: Attention, example):
    mistake_switch.show(parameters, example, _right_trace(parameters, example))


def _choose_step(parameters, number):
    """Draw the choice of a step, and buttons to the previous and the next step."""
    first, last = number == 1, number == len(STEPS)
    before, after = str(max(number - 1, 1)), str(min(number + 1, len(STEPS)))
    back = panel.button(parameters, TEXTS.fill("back"), {"step": before}, icon="arrow_back", disabled=first)
    on = panel.button(parameters, TEXTS.fill("next_step"), {"step": after}, icon="arrow_forward", disabled=last)
    panel.draw(parameters, "step", "step", panel.LINE, back, on)


def settings(parameters: Attention, example):
    of_scores = ["scale", "mask"] * (int(parameters.step) >= FIRST_WITH_SCORES)
    follows = int(parameters.step) in FOLLOW_ONE_TOKEN
    return [*of_scores, *[panel.token(parameters, "token", example.tokens)] * follows]


def _followed_token(parameters, example):
    return parameters.token % len(example.tokens)


def _right_trace(parameters, example):
    return _trace_attention(example, parameters.mask, None)[0]


def _traces(parameters, example):
    return _trace_attention(example, parameters.mask, scale_of(parameters, example))


def _trace_without_mask(parameters, example):
    return _trace_attention(example, "none", scale_of(parameters, example))[0]


@cache_recent
def _trace_attention(example, kind, scale):
    mask = example.mask(kind)
    return example.attention(mask=mask, scale=scale), example.multi_head(mask=mask, scale=scale)


def to_check(parameters, example):
    """Return the parameters with which a link opens “Check my matrix” to check the matrix of the open step."""
    stage = {"3": "q", "4": "scores", "5": "weights"}.get(parameters.step, "output")
    stage = "mixed" if int(parameters.step) >= FIRST_WITH_HEADS else stage
    masks = {"padding": {"mask": "padding", "hidden": str(len(example.key_tokens))}}
    factor = scale_of(parameters, example)
    scale = {} if factor is None else {"scale": "own", "factor": repr(factor)}
    return {"asked": stage} | masks.get(parameters.mask, {"mask": parameters.mask}) | scale


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(
        step,
        arithmetic,
        warn_if_not_scaled,
        views.part_with_views({"shares": shares, "future": future, "padding": padding, "cost": cost}, settings),
    ),
    below=(mistakes, try_it),
    has_map=False,
    to_check=to_check,
    parameters=Attention,
    code=code,
)
