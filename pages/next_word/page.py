"""The page “The next word”: from the last row to a word, in a story with small numbers and in a real model."""

import streamlit as st

from attention_core.language_model.tokens import LONGEST
from attention_core.writing.story_model import TABLE, VERBS, VOCABULARY, W_K, W_O, W_Q, W_V
from pages.next_word import boards, look, real, words
from pages.next_word.code import code
from pages.shared import charts, controls
from pages.shared.controls.kinds import Rows
from pages.shared.equation import equation, selected_cell
from pages.shared.frame import views
from pages.shared.site.page import Page
from pages.shared.small_model.matrices import matrices
from pages.shared.small_model.state import ALL, MOST_MORE, example_of_page, writing_of
from pages.shared.state import widgets
from pages.shared.task_block.block import TaskParameters, try_it


@controls.declare
class NextWord(TaskParameters):
    """The parameters of the page “The next word”."""

    vocabulary: Rows = controls.matrix([*VOCABULARY.values()])
    table: Rows = controls.matrix([*TABLE.values()])
    w_q_next: Rows = controls.matrix(W_Q)
    w_k_next: Rows = controls.matrix(W_K)
    w_v_next: Rows = controls.matrix(W_V)
    w_o_next: Rows = controls.matrix(W_O)
    verb: str = controls.choice("Verb", {verb: verb for verb in VERBS})
    attends: bool = controls.switch("Attention", default=True, help="Off: attention adds nothing to the row.")
    more: int = controls.slider("Words drawn", 0, MOST_MORE, step=1, default=0)
    temperature: float = controls.slider(
        "Temperature T", 0.1, 4.0, step=0.1, default=1.0, help="The logits are divided by the temperature."
    )
    top_k: int = controls.steps(
        "Top-k",
        (ALL, 1, 2, 3, 4, 5, 10, 20, 50),
        default=ALL,
        help="How many words are kept: the likeliest ones. 0 keeps all words.",
    )
    top_p: float = controls.slider(
        "Top-p",
        0.05,
        1.0,
        step=0.05,
        default=1.0,
        help="The likeliest words are kept until their probabilities add up to at least p. 1 keeps all words.",
    )
    seed: int = controls.slider("Seed", 0, 99, step=1, default=0, help="Another seed draws other words.")
    at: int = controls.word("The word that is new", of_the_page=True)
    came: str = controls.choice("The next word really is", {word: word for word in VOCABULARY})
    text: str = controls.list_choice("A text", real.CHOICES, default="capital")
    own: str = controls.text("Your text, up to 31 tokens", longest=LONGEST, default="The cat drank the")
    sampling: str = look.sampling_switches()
    caching: str = look.cache_switches()
    look: str = controls.choice(
        "What to look at",
        {
            "draw": "Draw a word",
            "head": "What attention brings",
            "block": "The rest of a block",
            "rows": "Only the last row",
            "cache": "The cache",
            "loss": "The loss",
            "real": "A real model",
        },
    )


def why(parameters: NextWord, example):
    here = writing_of(parameters)
    st.markdown(parameters.in_layout(words.why(here, parameters.decimals)))
    equation(boards.main_lines(matrices(here), here), "next", parameters, tools=True)
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)


def settings(parameters: NextWord, example):
    here = writing_of(parameters)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "verb", "attends")
        widgets.step_button(
            "Draw a word",
            "more",
            min(parameters.more + 1, MOST_MORE),
            icon=":material/casino:",
            disabled=here.has_ended or parameters.more == MOST_MORE,
        )
        widgets.step_button("Start again", "more", 0, icon=":material/restart_alt:", disabled=not parameters.more)


def draw_a_word(parameters: NextWord, example):
    here = writing_of(parameters)
    st.markdown(words.drawing_text(here))
    equation([boards.draw_line(matrices(here), here)], "draw", parameters)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "temperature", "top_k", "top_p", "seed", width=170)
    wrong = look.sampling_mistake(parameters.sampling)
    charts.chances(here.model.words, look.draw_series(here, wrong, parameters.seed), key="chances")
    widgets.draw(parameters, "sampling")
    look.draw_sampling_mistake(wrong, here.drawing, parameters.decimals)


def head(parameters: NextWord, example):
    here = writing_of(parameters)
    m = matrices(here)
    st.markdown(parameters.in_layout(look.head_text(here, parameters.decimals)))
    equation(boards.attention_lines(m, here), "head", parameters)
    equation([boards.table_line(m)], "given", parameters)


def block(parameters: NextWord, example):
    here = writing_of(parameters)
    normed, fed, chance = look.block_results(here)
    st.markdown(
        f"{words.block_text()}\n\n{parameters.in_layout(words.normalisation_text(normed, parameters.decimals))}"
    )
    equation(boards.norm_lines(here, normed), "norm", parameters)
    st.markdown(parameters.in_layout(words.feed_forward_text(here, fed, chance, parameters.decimals)))
    first, *others = boards.feed_lines(matrices(here))
    equation([first], "feed", parameters)
    equation(others, "fed", parameters)


def rows(parameters: NextWord, example):
    here = writing_of(parameters)
    st.markdown(parameters.in_layout(words.rows_text(here)))
    equation([boards.rows_line(matrices(here))], "rows", parameters)


def cache(parameters: NextWord, example):
    here = writing_of(parameters)
    st.markdown(parameters.in_layout(words.kept_rows_text(here, parameters.decimals)))
    widgets.draw_token(look.with_word_at(parameters, here), "at", example.tokens)
    equation(boards.cache_lines(matrices(here), look.word_at(here, parameters.at)), "cache", parameters)
    widgets.draw(parameters, "caching")
    look.draw_cache_mistake(look.cache_mistake(parameters.caching), here, parameters.decimals)
    st.markdown(words.costs_text())
    charts.steps(words.LENGTHS, words.cost_series(), "multiplications", key="costs")


def loss(parameters: NextWord, example):
    here = writing_of(parameters)
    widgets.draw(parameters, "came")
    place, found = look.loss_of(here, parameters.came, parameters.cell)
    st.markdown(words.loss_text(here, found, parameters.came, place, parameters.decimals))
    equation(boards.loss_lines(matrices(here), here, parameters.came), "loss", parameters)


def in_a_real_model(parameters: NextWord, example):
    real.show(parameters)


PAGE = Page(
    module=__name__,
    parts=(
        why,
        settings,
        views.part_with_views(
            {
                "draw": draw_a_word,
                "head": head,
                "block": block,
                "rows": rows,
                "cache": cache,
                "loss": loss,
                "real": in_a_real_model,
            }
        ),
        try_it,
    ),
    parameters=NextWord,
    makes_example=example_of_page,
    code=code,
    concept="The next word",
    question="How does a vector become a word?",
    sources=(
        "[Vaswani et al. 2017, sections 3.3 and 3.4](https://arxiv.org/abs/1706.03762)",
        "[Fan, Lewis & Dauphin 2018, on top-k](https://arxiv.org/abs/1805.04833)",
        "[Holtzman et al. 2019, on top-p](https://arxiv.org/abs/1904.09751)",
        "[Pope et al. 2022, on the key–value cache](https://arxiv.org/abs/2211.05102)",
        "[SmolLM2, Allal et al. 2025](https://arxiv.org/abs/2502.02737), Apache-2.0",
    ),
)
