"""The page “Induction head”: a model of two heads learns to copy, and shows what one head needs from the other."""

import streamlit as st

from attention_core.induction.model import ALPHABET
from attention_core.induction.training import SEEDS, STEPS
from pages.induction_head import lesson, live
from pages.induction_head.code import code
from pages.shared import charts, controls
from pages.shared.equation import equation, selected_cell
from pages.shared.frame import views
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container

LAST = str(STEPS[-1])


@controls.declare
class InductionHead(controls.Parameters):
    """The parameters of the page “Induction head”."""

    text: str = controls.text(
        "Your letters, up to 20",
        longest=60,
        default="LEARNLEA",
        help="A to Z and 1 to 6. Write some letters, and then a part of them again.",
    )
    seed: str = controls.choice(
        "Seed", {str(seed): str(seed) for seed in SEEDS}, help="Another seed begins with other random numbers."
    )
    layers: str = controls.choice("Layers", {"2": "Two", "1": "One"})
    after: str = controls.choice("After how many steps", {str(step): str(step) for step in STEPS}, default=LAST)
    first: str = controls.choice(
        "The first head’s weights", {"trained": "Its own", "previous": "One place back", "uniform": "Equal weights"}
    )
    look: str = controls.choice(
        "What to look at",
        {
            "learned": "How it learns",
            "causes": "What the second head needs",
            "first": "The first head in numbers",
            "second": "The second head in numbers",
        },
    )


def reason(parameters: InductionHead, example):
    trace = lesson.trace_of(parameters) if example else None
    st.markdown(lesson.why(trace, lesson.letters_of(parameters)))


def letters(parameters: InductionHead, example):
    widgets.draw(parameters, "text", width=320)
    with reserve_container("left_out"):
        if cut := lesson.left_out_text(parameters.text):
            st.markdown(cut)


def who(parameters: InductionHead, example):
    with reserve_container("who"):
        if example is None:
            st.info("There is nothing to read yet. Write some letters.", icon=":material/edit:")
        else:
            equation(_who_lines(parameters), "who", parameters, abreast=True)
            selected_cell.hint_and_arithmetic(example.tokens, example.tokens, parameters, editable=False)


def training(parameters: InductionHead, example):
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "seed", "layers")
        steps = [str(step) for step in live.steps_of(parameters)]
        widgets.draw_choice_of(parameters, "after", str(live.shown_model(parameters).step), steps)
        _train_button(parameters)
    with reserve_container("training"):
        live.draw(lesson.letters_of(parameters))
    which = live.shown_model(parameters)
    stands = lesson.loss_and_accuracy_text(which, live.measure_model(which, parameters.first), parameters.first)
    st.markdown(stands + lesson.missing_models_text(live.steps_of(parameters)))


def _train_button(parameters):
    which = live.asked_model(parameters)
    st.button(
        "Train it now", icon=":material/play_arrow:", key="training.begin", disabled=live.watched_training().goes_on,
        on_click=live.watched_training().begin, args=(which.seed, which.n_layers),
    )  # fmt: skip


def _who_lines(parameters):
    trace = lesson.trace_of(parameters)
    layers = tuple(lesson.layer_of(parameters, layer) for layer, _ in enumerate(trace.layers))
    return lesson.who_lines(layers, trace, parameters.first, ALPHABET)


def what_is_learned(parameters: InductionHead, example):
    points = live.measurements_of(parameters)
    st.markdown(f"## What does the model learn first?\n\n{lesson.first_change_text(points)}")
    charts.learning(points, key="course")
    st.markdown(lesson.measurements_table(points, live.steps_of(parameters)))


def causes(parameters: InductionHead, example):
    st.markdown("## What does the second head need?")
    widgets.draw(parameters, "first")
    which = live.shown_model(parameters)
    st.markdown(f"{lesson.causes_text(which)}\n\n{lesson.causes_table(which)}")


def first(parameters: InductionHead, example):
    _head(parameters, 0)


def second(parameters: InductionHead, example):
    _head(parameters, -1)


def _head(parameters, which):
    if lesson.letters_of(parameters):
        trace, letters = lesson.trace_of(parameters), lesson.letters_of(parameters)
        layer = range(len(trace.layers))[which]
        name, head = lesson.NAMES[layer], lesson.layer_of(parameters, layer)
        st.markdown(f"## The {name} head in numbers\n\n{lesson.input_text(trace, layer, letters, head.w_k)}")
        lines = lesson.head_lines(head, trace, layer, parameters.first)
        equation(lines, name, parameters)


PAGE = Page(
    module=__name__,
    parts=(
        reason,
        letters,
        who,
        training,
        views.part_with_views({"learned": what_is_learned, "causes": causes, "first": first, "second": second}),
    ),
    parameters=InductionHead,
    makes_example=lesson.example_of,
    code=code,
    concept="Induction head",
    question="How does a model learn to copy?",
    sources=(
        "[Olsson et al. 2022, on induction heads](https://arxiv.org/abs/2209.11895)",
        "[Elhage et al. 2021, on models of attention alone](https://transformer-circuits.pub/2021/framework/index.html)",
        "The models are trained by this app’s own core, and so are those that it ships.",
    ),
)
