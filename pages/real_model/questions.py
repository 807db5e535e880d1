"""A visitor's questions: a mistake, a text, heads that are switched off."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from attention_core.language_model.answer import Question
from attention_core.language_model.causes import (
    FACT,
    MANY,
    damages,
    head_measurements,
    mistakes,
    rank_correlation,
    with_change,
)
from attention_core.language_model.mistakes import cut_heads, parts_with
from attention_core.language_model.model import Head
from attention_core.language_model.tokens import UnreadableError, capital_of, tokens_of
from attention_core.mistakes import WITHOUT_SWITCH
from pages.real_model.causes import Way, draw_comparison, guess_options, swap_with, ways_of, words_in
from pages.shared.model_access import sentence
from pages.shared.model_access.asking import ask, model, stored_answer
from pages.shared.notation.prose import what_was_written
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container

MOST_HEADS = 9
TEN = 10
NAMED = re.compile(r"[Ll](\d{1,2})\s*[Hh](\d{1,2})")


def heads_in(text: str) -> tuple[Head, ...]:
    """Return the heads that a visitor's text names, such as L18H6, as far as the model has them."""
    layers, heads = head_measurements("added").shape
    found = (Head(int(layer), int(head)) for layer, head in NAMED.findall(text))
    return tuple(dict.fromkeys(each for each in found if each.layer < layers and each.head < heads))[:MOST_HEADS]


def not_understood_text(text: str) -> str:
    """Return a text that says which words of a visitor's text are not names of heads, and how to name a head.

    Return "" if all words are names of heads.
    """
    layers, heads = head_measurements("added").shape
    named = {str(head) for head in heads_in(text)}
    strange = [word for word in re.split(r"[\s,;]+", text) if word and word.upper() not in named]
    if not strange and named:
        return ""
    rule = f"L0H0 to L{layers - 1}H{heads - 1}, at most {MOST_HEADS}"
    return f":material/info: Heads have the names {rule}, but {what_was_written(' '.join(strange))}. Write, say, L18H6."


def loss_without_heads_text(heads: Sequence[Head]) -> str:
    """Return a text that says how much the loss grows without each of the heads."""
    added, pointed, first = (head_measurements(what) for what in ("added", "pointed", "first"))
    return "\n\n".join(
        f"On average, **{head}** attends to the first token with {first[head]:.2f}, and its greatest weight for "
        f"another word is {pointed[head]:.2f}. Without this head, the loss changes by **{added[head]:+.3f}**."
        for head in heads
    )


def attention_and_loss_text() -> str:
    """Return a text that compares two orders of the heads: by how sharply they attend, and by how much they matter.

    A head is sharp if it attends to one word with a great weight. It matters if the loss grows without it.
    """
    added, pointed = head_measurements("added"), head_measurements("pointed")
    looking, mattering = (np.argsort(-np.ravel(each))[:TEN] for each in (pointed, added))
    both = len({*looking.tolist()} & {*mattering.tolist()})
    return (
        f"**A head that attends sharply does not always matter.** Take the {TEN} heads that attend most "
        "sharply to one word. If one of them is cut, the loss grows by "
        f"{np.ravel(added)[looking].mean():+.3f} on average. For the "
        f"{TEN} heads that matter most, it is {np.ravel(added)[mattering].mean():+.3f}. **{both}** heads are in both "
        f"lists. Over all {added.size} heads, the rank correlation of the two orders is "
        f"{rank_correlation(pointed, added):.2f} (1 means the same order, and 0 means no relation). Without any one of "
        f"{int((added < 0).sum())} heads, the loss even becomes smaller on these {MANY} sentences."
    )


LESSONS = {
    "softmax_axes": "Softmax", "queries_keys_values": "Queries, keys, values", "scaling": "Scaling",
    "attention": "Attention", "multi_head": "Heads", "positional_encoding": "Positions", "real_model": "This model",
}  # fmt: skip
REFERENCE = "attention_left_out"  # every chart has this mistake, in which there is no attention at all


def titles() -> Mapping[str, str]:
    """Return the text “Lesson · title” for the name of each mistake, in the order of the catalogue of mistakes."""
    return {name: f"{LESSONS[mistake.concept]} · {mistake.title}" for name, mistake in mistakes().items()}


def layers(n: int) -> Mapping[str, str]:
    """Return the options for where a mistake is made: in all layers, or in one of `n` layers."""
    return {"all": "in all layers"} | {str(layer): f"in layer {layer} alone" for layer in range(n)}


def mistakes_in_chart(among: str, chosen: str) -> Sequence[str]:
    """Return the names of the mistakes in the chart, beginning with the least damage.

    `among` is "lesson" for mistakes of the same lesson as `chosen`, "all" for all, or another word for those with a
    switch. The chart always has the mistake `chosen`, and the one that leaves out attention.
    """
    in_chart = {chosen, REFERENCE, *(name for name in mistakes() if _is_shown(among, name, chosen))}
    return [name for name in damages() if name in in_chart]


def _is_shown(among: str, name: str, chosen: str) -> bool:
    mistake = mistakes()[name]
    if among == "lesson":
        return mistake.concept == mistakes()[chosen].concept
    return among == "all" or mistake not in WITHOUT_SWITCH


def label(name: str) -> str:
    """Return the title under which the chart shows a mistake."""
    return mistakes()[name].title


def guess(parameters) -> str:
    """Return the visitor's guess in the experiment that is shown, or "" if the visitor has not guessed yet."""
    return parameters.guess if parameters.guess.startswith(f"{parameters.experiment}-") else ""


def guesses(experiment: str) -> Sequence[str]:
    """Return the names of the guesses for an experiment."""
    return [each for each in guess_options() if each.startswith(f"{experiment}-")]


FEWEST_WORDS = 2  # fewer words are not enough for an experiment


def draw_with_mistake(parameters) -> None:
    """Draw how the model reads a visitor's sentence without the chosen mistake and with it."""
    layers = None if parameters.where == "all" else [int(parameters.where)]
    wrong = Way(
        "with the mistake",
        parts_with(mistakes()[parameters.mistake], layers),
        f"{parameters.mistake}.{parameters.where}",
    )
    _draw_sentence(parameters, Way("right"), wrong)


def draw_without_heads(parameters) -> None:
    """Draw how the model reads a visitor's sentence with all heads, and without the heads that the visitor names."""
    heads = heads_in(parameters.heads)
    if not heads or not _model_has_these_heads():
        return
    names = " ".join(map(str, heads))
    _draw_sentence(parameters, Way("all heads"), Way(f"without {names}", with_change(cut_heads(heads)), f"cut.{names}"))


def _draw_sentence(parameters, *ways: Way) -> None:
    tokens = sentence.draw(parameters, "text")
    if tokens:
        draw_comparison(parameters, tokens, ways)


def _model_has_these_heads() -> bool:
    """Return whether the model has as many layers and heads as the texts say. If not, draw a warning."""
    rows, columns = head_measurements("added").shape
    have = model().n_layers, model().settings.n_heads
    if have != (rows, columns):
        st.warning(
            f"These heads belong to SmolLM2-135M, which has {rows} layers of {columns} heads. The model here has "
            f"{have[0]} layers of {have[1]} heads. Install SmolLM2-135M.",
            icon=":material/warning:",
        )
    return have == (rows, columns)


def draw_experiment(parameters) -> None:
    """Draw the chosen experiment with a visitor's own words."""
    name = parameters.experiment
    if not _model_has_these_heads():
        return
    widgets.draw(parameters, f"own_{name}")
    own = getattr(parameters, f"own_{name}")
    with reserve_container("own"):
        try:
            {"capitals": _draw_capitals, "induction": _draw_induction, "number": _draw_number}[name](parameters, own)
        except UnreadableError as error:
            st.warning(str(error), icon=":material/edit:")


def _draw_capitals(parameters, own: str) -> None:
    countries = words_in(own)
    if len(countries) != 2:
        raise UnreadableError(
            f"Two countries are needed, but {what_was_written(own)}. Write two, such as “Egypt, Italy”."
        )
    mine, other = countries
    here, there = (tokens_of(capital_of(each), model().vocabulary) for each in countries)
    question = Question(tokens=there, layers=(FACT.layer,))
    first = stored_answer(question)
    if first is None:
        ask(question)
        return
    ways = (Way(mine), swap_with(other, first.layers[FACT.layer].head_outputs[FACT.head][-1]))
    draw_comparison(parameters, here, ways, counted=0, onward=False)


def _draw_induction(parameters, own: str) -> None:
    once = " ".join(words_in(own))
    if len(words_in(own)) < FEWEST_WORDS:
        raise UnreadableError(f"At least two words are needed, but {what_was_written(own)}. Write more words.")
    tokens = tokens_of(f" {once} {once}", model().vocabulary)
    draw_comparison(parameters, tokens, ways_of("induction"), counted=len(tokens) // 2 + 2, onward=False)


def _draw_number(parameters, own: str) -> None:
    draw_comparison(parameters, tokens_of(own, model().vocabulary), ways_of("number"), counted=0, onward=False)
