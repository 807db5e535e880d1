"""The page “Your sentence”: what each of its words attends to, in a real model or with random weights."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import streamlit as st

from attention_core import sentence, tokenize
from attention_core.caching import cache_recent
from attention_core.examples import example as example_named
from attention_core.examples.sentence import with_positions
from attention_core.language_model.tokens import LONGEST
from pages.shared import controls, panel
from pages.shared.equation import Matrix, equation, selected_cell
from pages.shared.frame import views
from pages.shared.notation.prose import literal
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.words import words as words_of
from pages.your_sentence import lesson
from pages.your_sentence.code import code
from pages.your_sentence.lesson import TEXTS, per_head

MOST_TOKENS = 24


@controls.declare(TEXTS)
class YourSentence(controls.Parameters):
    """The parameters of the page “Your sentence”."""

    # A link that does not name the source is from a time when this page had no real model.
    meant_by_old_links: ClassVar[Mapping[str, Any]] = {"source": "typed"}

    source: str = controls.choice(lesson.MODEL, "typed", "cat")
    own: str = controls.text(longest=LONGEST, default=lesson.SHIPPED[lesson.DEFAULT])
    shipped: str = controls.list_choice(lesson.SHIPPED, default=lesson.DEFAULT)
    text: str = controls.text(longest=400, default="The cat saw the other cat")
    fold: bool = controls.switch()
    positions: bool = controls.switch()
    causal: bool = controls.switch()
    scaled: bool = controls.switch(default=True)
    width: str = controls.choice("4", "8", "16", "64")
    heads: str = controls.choice("1", "2", "4")
    draw: str = controls.choice("normal", "uniform")
    head: str = controls.choice("1", "2", "3", "4")
    word: int = controls.word(of_the_page=True)
    look: str = controls.choice("again", "computed", "drawn")
    seed: int = controls.slider(0, 99, step=1, default=0)


def words(parameters: YourSentence, example):
    panel.draw(parameters, "source", "source")
    if parameters.source == lesson.MODEL:
        lesson.draw_text(parameters)
        return
    widgets.draw(parameters, *["text"] * (parameters.source == "typed"))
    if example is None:
        st.info(parameters.say(TEXTS, "nothing_to_look_at"), icon=":material/edit:")
    elif left := _all_tokens(parameters)[MOST_TOKENS:]:
        st.markdown(parameters.say(TEXTS, "left_out", most=MOST_TOKENS, n=len(left), first=literal(left[0])))


def what_it_shows(parameters: YourSentence, example):
    if parameters.source == lesson.MODEL:
        if example:
            lesson.show(parameters, example)
        return
    for part in (picture, who_looks_at_whom, arithmetic, look) if example else ():
        part(parameters, example)


def picture(parameters, example):
    asks, head = _attending_index(parameters, example), min(int(parameters.head), int(parameters.heads))
    pictured = per_head(_trace(parameters, example), "weights")[head - 1]
    shown = Matrix.named("weights", pictured, part=None if parameters.heads == "1" else head - 1)
    words_of(example, shown, "sentence", replace(parameters, word=asks))
    others = _another_seed(parameters, example, head - 1)
    st.markdown(lesson.random_weights_text(parameters, example, pictured[asks], asks, *others))


def who_looks_at_whom(parameters, example):
    equation(lesson.weights_lines(parameters, example, _trace(parameters, example)), "who", parameters, abreast=True)


def choices(parameters, example):
    typed = parameters.source == "typed"
    label = parameters.say(TEXTS, "on_or_off")
    switches = panel.switches(parameters, label, *["fold"] * typed, "positions", "causal", "scaled")
    random = ["width", "draw", "seed"] * typed
    heads = [str(head + 1) for head in range(int(parameters.heads))]
    one_head = panel.some_of(parameters, "head", min(parameters.head, heads[-1]), heads)
    return [switches, "heads", *random, *[one_head] * (len(heads) > 1)]


def arithmetic(parameters, example):
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)


def own_numbers(parameters, example):
    section = "view_of_computed_with_positions" if parameters.positions else "view_of_computed"
    st.markdown(parameters.say(TEXTS, section))
    equation(lesson.computed_lines(parameters, example, _trace(parameters, example)), "computed", parameters)


def again(parameters, example):
    repeated = lesson.repeated_words_text(parameters, example, _trace(parameters, example).output)
    st.markdown(f"{parameters.say(TEXTS, 'view_of_again')}\n\n{repeated}")


def uniform_or_normal(parameters, example):
    st.markdown(lesson.statistics_text(parameters, _examples_to_compare(parameters, example)))


look = views.part_with_views({"again": again, "computed": own_numbers, "drawn": uniform_or_normal}, choices)


_random_sentence, _add_positions = cache_recent(sentence), cache_recent(with_positions)


def own_example(parameters):
    """Return the visitor's sentence as an example, or None if it has no word, or while the model has not answered."""
    if parameters.source == lesson.MODEL:
        return lesson.reading_of(parameters)
    if parameters.source == "cat":
        example = _cat(parameters.heads)
    else:
        tokens = _all_tokens(parameters)[:MOST_TOKENS]
        if not tokens:
            return None
        example = _random_example(parameters, tokens, parameters.draw, int(parameters.width))
    return _add_positions(example) if parameters.positions else example


@cache_recent
def _cat(heads):
    return replace(example_named("cat"), n_heads=int(heads))


def _random_example(parameters, tokens, draw, width):
    return _random_sentence(tokens, width, int(parameters.heads), seed=parameters.seed, draw=draw)


def _all_tokens(parameters):
    return tokenize(parameters.text, fold=parameters.fold) if parameters.source == "typed" else ()


def _attending_index(parameters, example):
    """Return the position of the word that attends, or of the last word if the sentence is now too short."""
    last = len(example.tokens) - 1
    return last if parameters.word < 0 else min(parameters.word, last)


def _another_seed(parameters, example, head):
    """Return another seed and the weights of the attending word by this seed, or () if no weights are random."""
    if parameters.source != "typed":
        return ()
    changed = replace(parameters, seed=parameters.seed + 1 if parameters.seed < 99 else 0)
    weights = per_head(_trace(changed, own_example(changed)), "weights")[head]
    return changed.seed, weights[_attending_index(parameters, example)]


def _trace(parameters, example):
    return _trace_heads(example, parameters.heads, parameters.causal, parameters.scaled)


@cache_recent
def _trace_heads(example, heads, causal, scaled):
    mask, scale = example.mask("causal" if causal else "none"), None if scaled else 1.0
    return (example.attention if heads == "1" else example.multi_head)(mask=mask, scale=scale)


def _examples_to_compare(parameters, example):
    """Return three examples with the visitor's words, or the notebook's own as the second, by how they are drawn."""
    of_these = partial(_random_example, parameters, example.tokens)
    is_notebook, width = parameters.source == "cat", example.x.shape[1]
    return {
        "normal_numbers": of_these("normal", width),
        "uniform_numbers": _cat(parameters.heads) if is_notebook else of_these("uniform", width),
        "wide_uniform_numbers": of_these("uniform", 64),
    }


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(words, what_it_shows),
    parameters=YourSentence,
    makes_example=own_example,
    code=code,
)
