"""The page “The next word”: from the last row to a word, in a story with small numbers and in a real model."""

import streamlit as st

from attention_core.language_model import shipped
from attention_core.language_model.tokens import LONGEST
from attention_core.mistakes.next_word import CACHE_MISTAKES, SAMPLING_MISTAKES
from attention_core.writing.story_model import TABLE, VERBS, VOCABULARY, W_K, W_O, W_Q, W_V
from pages.next_word import lesson, real
from pages.next_word.code import code
from pages.next_word.lesson import TEXTS
from pages.shared import charts, controls, panel
from pages.shared.controls.kinds import Rows
from pages.shared.equation import equation, selected_cell
from pages.shared.frame import views
from pages.shared.site.page import Page
from pages.shared.small_model.state import ALL, MOST_MORE, example_of_page, writing_of
from pages.shared.task_block.block import TaskParameters, try_it

SAMPLING = {mistake.name: mistake for mistake in SAMPLING_MISTAKES}
CACHING = {mistake.name: mistake for mistake in CACHE_MISTAKES}


@controls.declare(TEXTS)
class NextWord(TaskParameters):
    """The parameters of the page “The next word”."""

    vocabulary: Rows = controls.matrix([*VOCABULARY.values()])
    table: Rows = controls.matrix([*TABLE.values()])
    w_q_next: Rows = controls.matrix(W_Q)
    w_k_next: Rows = controls.matrix(W_K)
    w_v_next: Rows = controls.matrix(W_V)
    w_o_next: Rows = controls.matrix(W_O)
    verb: str = controls.choice({verb: verb for verb in VERBS})
    attends: bool = controls.switch(default=True)
    more: int = controls.slider(0, MOST_MORE, step=1, default=0)
    temperature: float = controls.live_slider(0.1, 4.0, step=0.1, default=1.0, setting="temperature")
    top_k: int = controls.steps((ALL, 1, 2, 3, 4, 5, 10, 20, 50), default=ALL)
    top_p: float = controls.slider(0.05, 1.0, step=0.05, default=1.0)
    seed: int = controls.slider(0, 99, step=1, default=0)
    at: int = controls.word(of_the_page=True)
    came: str = controls.choice({word: word for word in VOCABULARY})
    text: str = controls.list_choice(
        {name: text.strip() for name, text in shipped.TEXTS.items()} | {real.OWN: TEXTS.fill("own_text")},
        default="capital",
    )
    own: str = controls.text(longest=LONGEST, default="The cat drank the")
    sampling: str = controls.switches({name: each.title for name, each in SAMPLING.items()})
    caching: str = controls.switches({name: each.title for name, each in CACHING.items()})
    look: str = controls.choice("draw", "head", "block", "rows", "cache", "loss", "real")


def why(parameters: NextWord, example):
    st.markdown(lesson.why_text(parameters))
    equation(lesson.main_lines(parameters), "next", parameters, tools=True)
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)


def settings(parameters: NextWord, example):
    more, has_ended = parameters.more, writing_of(parameters).has_ended
    draw, again = TEXTS.fill("draw_a_word"), TEXTS.fill("start_again")
    ends = has_ended or more == MOST_MORE
    then = panel.button(parameters, draw, {"more": min(more + 1, MOST_MORE)}, icon="casino", disabled=ends)
    begin = panel.button(parameters, again, {"more": 0}, icon="restart_alt", disabled=not more)
    return ["verb", "attends", then, begin]


def draw_a_word(parameters: NextWord, example):
    here, wrong = writing_of(parameters), SAMPLING.get(parameters.sampling)
    st.markdown(lesson.drawing_text(parameters))
    equation([lesson.draw_line(parameters)], "draw", parameters, place="view")
    real.draw_settings(parameters, panel.LINE, "sampling")
    charts.chances(here.model.words, lesson.draw_series(here, wrong, parameters.seed), key="chances")
    lesson.draw_sampling_mistake(wrong, parameters)


def head(parameters: NextWord, example):
    st.markdown(lesson.head_text(parameters))
    equation(lesson.attention_lines(parameters), "head", parameters, place="view")
    equation([lesson.table_line(parameters)], "given", parameters)


def block(parameters: NextWord, example):
    here = writing_of(parameters)
    st.markdown(lesson.block_text(parameters))
    equation(lesson.norm_lines(here), "norm", parameters, place="view")
    st.markdown(lesson.feed_forward_text(parameters))
    first, *others = lesson.feed_lines(here)
    equation([first], "feed", parameters)
    equation(others, "fed", parameters)


def rows(parameters: NextWord, example):
    st.markdown(parameters.say(TEXTS, "why_only_last_row", n=len(example.tokens)))
    equation([lesson.rows_line(parameters)], "rows", parameters, place="view")


def cache_settings(parameters: NextWord, example):
    return panel.token(lesson.with_word_at(parameters), "at", example.tokens), panel.LINE, "caching"


def cache(parameters: NextWord, example):
    st.markdown(lesson.kept_rows_text(parameters))
    equation(lesson.cache_lines(parameters), "cache", parameters, place="view")
    lesson.draw_cache_mistake(CACHING.get(parameters.caching), parameters)
    st.markdown(lesson.costs_text())
    charts.steps(lesson.LENGTHS, lesson.cost_series(), TEXTS.fill("multiplications"), key="costs")


def loss(parameters: NextWord, example):
    st.markdown(lesson.loss_text(parameters))
    equation(lesson.loss_lines(parameters), "loss", parameters, place="view")


def in_a_real_model(parameters: NextWord, example):
    real.show(parameters)


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(
        why,
        views.part_with_views(
            {
                "draw": draw_a_word,
                "head": head,
                "block": block,
                "rows": rows,
                "cache": cache,
                "loss": loss,
                "real": in_a_real_model,
            },
            settings,
            {"cache": cache_settings, "loss": lambda parameters, example: ("came",)},
        ),
    ),
    below=(try_it,),
    parameters=NextWord,
    makes_example=example_of_page,
    code=code,
)
