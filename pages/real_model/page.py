"""The page “Mistakes and causes”: what each mistake costs a real model, and which of its heads cause a result."""

import streamlit as st

from attention_core.language_model.causes import UNDAMAGED, damages, head_measurements, mistakes
from attention_core.language_model.tokens import LONGEST, PROMPTS
from pages.real_model import causes, measured, questions
from pages.real_model.causes import MOST_MORE, draw_model_switch
from pages.real_model.code import code
from pages.real_model.measured import of_page
from pages.shared import charts, controls
from pages.shared.equation import equation, selected_cell
from pages.shared.frame import views
from pages.shared.notation.prose import code_html
from pages.shared.site.menu import link
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container


@controls.declare
class RealModel(controls.Parameters):
    """The parameters of the page “Mistakes and causes”."""

    look: str = controls.choice(
        "What to look at", {"mistakes": "Every mistake", "causes": "Causes", "heads": "Cut a head"}
    )
    mistake: str = controls.list_choice("The mistake", questions.titles(), default="not_scaled")
    among: str = controls.choice(
        "In the chart", {"usual": "Usual mistakes", "lesson": "Mistakes of its lesson", "all": "All mistakes"}
    )
    experiment: str = controls.choice("Experiment", {name: each.title for name, each in causes.CHOICES.items()})
    guess: str = controls.switches("What do you expect?", causes.guess_options())
    heads: str = controls.text(
        "Heads to cut",
        longest=60,
        default="L11H6 L1H3",
        help="L18H6: layer 18, head 6, from 0.",
    )
    live: bool = controls.switch("Ask the model with your own words")
    text: str = controls.text("Your sentence", longest=LONGEST, default=PROMPTS[0])
    where: str = controls.list_choice("The mistake is made", questions.layers(len(head_measurements("added"))))
    more: int = controls.slider("More words", 0, MOST_MORE, step=1, default=0)
    own_capitals: str = controls.text("Two countries", longest=60, default=causes.OWN["capitals"])
    own_induction: str = controls.text("Words that are read twice", longest=80, default=causes.OWN["induction"])
    own_number: str = controls.text("The beginning of a sentence", longest=LONGEST, default=causes.OWN["number"])


def why(parameters: RealModel, example):
    st.markdown(measured.WHY)
    link("next_word", "What is the loss, and how does a model write? **The next word**", icon="edit")


def every_mistake(parameters: RealModel, example):
    widgets.draw(parameters, "mistake", width=460)
    equation(measured.mistake_lines(example), "losses", parameters)
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters, editable=False)
    st.markdown(measured.mistake_text(parameters.mistake))
    st.html(code_html(mistakes()[parameters.mistake].code))
    with reserve_container("caution"):
        if warning := measured.caution_text(parameters.mistake):
            st.markdown(warning)
    st.markdown(measured.writing_and_layers_text(parameters.mistake))
    heads_by_layer(parameters)
    if draw_model_switch(parameters):
        widgets.draw(parameters, "where", width=300)
        questions.draw_with_mistake(parameters)


def heads_by_layer(parameters):
    widgets.draw(parameters, "among")
    shown = questions.mistakes_in_chart(parameters.among, parameters.mistake)
    labels = [questions.label(name) for name in shown]
    losses = [damages()[name].loss for name in shown]
    charts.damage(labels, losses, shown.index(parameters.mistake), damages()[UNDAMAGED].loss, "loss", key="damage")


def causal(parameters: RealModel, example):
    widgets.draw(parameters, "experiment")
    experiment = causes.CHOICES[parameters.experiment]
    st.markdown(f"## {experiment.title}\n\n{experiment.asks}")
    guess = questions.guess(parameters)
    widgets.draw_choice_of(parameters, "guess", guess, questions.guesses(parameters.experiment))
    with reserve_container("answer"):
        if guess:
            st.markdown(causes.verdict_text(parameters.experiment, guess))
            equation(measured.experiment_lines(example), "experiment", parameters)
            selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters, editable=False)
            equation(measured.measured_lines(example), "measured", parameters)
        else:
            st.info("Choose what you expect. Then the numbers appear.", icon=":material/help:")
    st.markdown(causes.shift_text())
    if draw_model_switch(parameters):
        questions.draw_experiment(parameters)


def heads(parameters: RealModel, example):
    st.markdown(f"## What happens without a head?\n\n{questions.attention_and_loss_text()}")
    equation(measured.head_lines(), "heads", parameters, abreast=True)
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters, editable=False)
    widgets.draw(parameters, "heads", width=460)
    named = questions.heads_in(parameters.heads)
    st.markdown(
        "\n\n".join(
            filter(None, (questions.not_understood_text(parameters.heads), questions.loss_without_heads_text(named)))
        )
    )
    if draw_model_switch(parameters):
        questions.draw_without_heads(parameters)


PAGE = Page(
    module=__name__,
    parts=(why, views.part_with_views({"mistakes": every_mistake, "causes": causal, "heads": heads})),
    parameters=RealModel,
    makes_example=of_page,
    code=code,
    concept="Mistakes and causes",
    question="What does each mistake cost a real model?",
    sources=(
        "[SmolLM2 135M Instruct, Apache 2.0](https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct)",
        "[Touvron et al. 2023, on its kind of layers](https://arxiv.org/abs/2302.13971)",
        "[Olsson et al. 2022, on induction heads](https://arxiv.org/abs/2209.11895)",
        "[Vig et al. 2020, on finding causes by swapping](https://arxiv.org/abs/2004.12265)",
        "The sentences, the script and the numbers are this app’s own",
    ),
)
