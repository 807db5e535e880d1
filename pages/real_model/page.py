"""The page “Mistakes and causes”: what each mistake costs a real model, and which of its heads cause a result."""

import streamlit as st

from attention_core.language_model.causes import UNDAMAGED, damages, mistakes
from attention_core.language_model.tokens import LONGEST, PROMPTS
from pages.real_model import lesson, questions
from pages.real_model.code import code
from pages.real_model.lesson import TEXTS
from pages.real_model.questions import MOST_MORE, draw_model_switch
from pages.shared import charts, controls, panel
from pages.shared.equation import equation, selected_cell
from pages.shared.frame import views
from pages.shared.notation.prose import code_html
from pages.shared.site.menu import link
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container


@controls.declare(TEXTS)
class RealModel(controls.Parameters):
    """The parameters of the page “Mistakes and causes”."""

    look: str = controls.choice("mistakes", "causes", "heads")
    mistake: str = controls.list_choice(lesson.titles(), default="not_scaled")
    among: str = controls.choice("usual", "lesson", "all")
    experiment: str = controls.choice("capitals", "induction", "number")
    guess: str = controls.switches(*lesson.guesses_of(*lesson.RESULTS))
    heads: str = controls.text(longest=60, default="L11H6 L1H3")
    live: bool = controls.switch()
    text: str = controls.text(longest=LONGEST, default=PROMPTS[0])
    where: str = controls.list_choice(lesson.layers())
    more: int = controls.slider(0, MOST_MORE, step=1, default=0)
    own_capitals: str = controls.text(longest=60, default="Egypt, Italy")
    own_induction: str = controls.text(longest=80, default="lamp river seven green")
    own_number: str = controls.text(longest=LONGEST, default="The keys near the cabinet")


def why(parameters: RealModel, example):
    st.markdown(TEXTS.fill("why"))
    link("next_word", TEXTS.fill("link_to_next_word"), icon="edit")


def every_mistake(parameters: RealModel, example):
    panel.draw(parameters, "mistake", "mistake")
    equation(lesson.mistake_lines(example), "losses", parameters)
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)
    st.markdown(lesson.mistake_text(parameters.mistake))
    st.html(code_html(mistakes()[parameters.mistake].code))
    with reserve_container("caution"):
        if warning := lesson.caution_text(parameters.mistake):
            st.markdown(warning)
    st.markdown(lesson.writing_and_layers_text(parameters.mistake))
    heads_by_layer(parameters)
    if draw_model_switch(parameters):
        panel.draw(parameters, "where", "where")
        questions.draw_with_mistake(parameters)


def heads_by_layer(parameters):
    panel.draw(parameters, "among", "among")
    shown = lesson.mistakes_in_chart(parameters.among, parameters.mistake)
    labels = [mistakes()[name].title for name in shown]
    losses, label = [damages()[name].loss for name in shown], TEXTS.fill("loss")
    charts.damage(labels, losses, shown.index(parameters.mistake), damages()[UNDAMAGED].loss, label, key="damage")


def causal(parameters: RealModel, example):
    panel.draw(parameters, "experiment", "experiment")
    st.markdown(lesson.question_text(parameters.experiment))
    guesses = lesson.guesses_of(parameters.experiment)
    guess = parameters.guess if parameters.guess in guesses else ""
    panel.draw(parameters, "guess", panel.some_of(parameters, "guess", guess, guesses))
    with reserve_container("answer"):
        if guess:
            st.markdown(lesson.verdict_text(parameters.experiment, guess))
            equation(lesson.experiment_lines(example, parameters.columns), "experiment", parameters)
            selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)
            equation(lesson.measured_lines(example), "measured", parameters)
        else:
            st.info(TEXTS.fill("choose_first"), icon=":material/help:")
    st.markdown(lesson.shift_text())
    if draw_model_switch(parameters):
        questions.draw_experiment(parameters)


def heads(parameters: RealModel, example):
    st.markdown(lesson.attention_and_loss_text())
    equation(lesson.head_lines(), "heads", parameters, abreast=True)
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)
    widgets.draw(parameters, "heads", width=460)
    st.markdown(lesson.about_heads_text(parameters.heads))
    if draw_model_switch(parameters):
        questions.draw_without_heads(parameters)


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(why, views.part_with_views({"mistakes": every_mistake, "causes": causal, "heads": heads})),
    parameters=RealModel,
    makes_example=lesson.of_page,
    code=code,
)
