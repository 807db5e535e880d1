"""The page “Induction head”: a model of two heads learns to copy, and shows what one head needs from the other."""

import streamlit as st

from attention_core.induction.model import ALPHABET
from attention_core.induction.training import SEEDS, STEPS
from pages.induction_head import lesson, live
from pages.induction_head.code import code
from pages.induction_head.lesson import TEXTS
from pages.shared import charts, controls, panel
from pages.shared.equation import equation, selected_cell
from pages.shared.frame import views
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container


@controls.declare(TEXTS)
class InductionHead(controls.Parameters):
    """The parameters of the page “Induction head”."""

    text: str = controls.text(longest=60, default="LEARNLEA")
    seed: str = controls.choice(*map(str, SEEDS))
    layers: str = controls.choice("2", "1")
    after: str = controls.choice(*map(str, STEPS), default=str(STEPS[-1]))
    first: str = controls.choice("trained", "previous", "uniform")
    look: str = controls.choice("learned", "causes", "first", "second")


def reason(parameters: InductionHead, example):
    trace = lesson.trace_of(parameters) if example else None
    st.markdown(lesson.why(trace, lesson.letters_of(parameters)))


def letters(parameters: InductionHead, example):
    widgets.draw(parameters, "text", width=320)
    if cut := lesson.left_out_text(parameters.text):
        st.markdown(cut)


def who(parameters: InductionHead, example):
    if example is None:
        st.info(TEXTS.fill("no_letters"), icon=":material/edit:")
    else:
        equation(_who_lines(parameters), "who", parameters, abreast=True)
        selected_cell.hint_and_arithmetic(example.tokens, example.tokens, parameters)


def training(parameters: InductionHead, example):
    steps = [str(step) for step in live.steps_of(parameters)]
    after = panel.some_of(parameters, "after", str(live.shown_model(parameters).step), steps)
    panel.draw(parameters, "training", "seed", "layers", after)
    _train_button(parameters)
    with reserve_container("training"):
        live.draw(lesson.letters_of(parameters))
    which = live.shown_model(parameters)
    measured = lesson.loss_and_accuracy_text(which, live.measure_model(which, parameters.first), parameters.first)
    st.markdown(f"{measured} {lesson.missing_models_text(live.steps_of(parameters))}")


def _train_button(parameters):
    which, watched = live.asked_model(parameters), live.watched_training()
    st.button(
        TEXTS.fill("train_it_now"), icon=":material/play_arrow:", key="training.begin", disabled=watched.goes_on,
        on_click=watched.begin, args=(which.seed, which.n_layers),
    )  # fmt: skip


def _who_lines(parameters):
    trace = lesson.trace_of(parameters)
    layers = tuple(lesson.layer_of(parameters, layer) for layer, _ in enumerate(trace.layers))
    return lesson.who_lines(layers, trace, parameters.first, ALPHABET)


def what_is_learned(parameters: InductionHead, example):
    points = live.measurements_of(parameters)
    st.markdown(lesson.first_change_text(points))
    charts.learning(points, key="course")
    st.markdown(lesson.measurements_table(points, live.steps_of(parameters)))


def causes(parameters: InductionHead, example):
    st.markdown(TEXTS.fill("view_of_causes"))
    panel.draw(parameters, "first", "first")
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
        st.markdown(lesson.input_text(trace, layer, letters, head.w_k))
        lines = lesson.head_lines(head, trace, layer, parameters.first)
        equation(lines, name, parameters, place="view")


PAGE = Page(
    module=__name__,
    texts=TEXTS,
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
)
