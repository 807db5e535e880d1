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
from pages.shared import controls
from pages.shared.equation import equation, selected_cell
from pages.shared.frame import views
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container
from pages.shared.words import words as words_of
from pages.your_sentence import lesson
from pages.your_sentence.code import code
from pages.your_sentence.lesson import (
    OF_THE_TABLE,
    UNIFORM_OR_NORMAL,
    computed_lines,
    left_out_text,
    per_head,
    random_weights_text,
    repeated_words_text,
    statistics_table,
    weights_lines,
)

MOST_TOKENS = 24
NAMES = {"normal": "normal, mean 0", "uniform": "uniform, 0 to 1"}


@controls.declare
class YourSentence(controls.Parameters):
    """The parameters of the page “Your sentence”."""

    # A link that does not name the source is from a time when this page had no real model.
    meant_by_old_links: ClassVar[Mapping[str, Any]] = {"source": "typed"}

    source: str = controls.choice(
        "Whose weights?",
        {lesson.MODEL: "A real model’s", "typed": "Random ones", "cat": "The course notebook’s"},
    )
    own: str = controls.text(
        "Your sentence, up to 31 tokens",
        longest=LONGEST,
        default=lesson.SHIPPED[lesson.DEFAULT],
        help="The model reads English best. It takes about a second.",
    )
    shipped: str = controls.list_choice("A sentence", lesson.SHIPPED, default=lesson.DEFAULT)
    text: str = controls.text("Your sentence, in any language", longest=400, default="The cat saw the other cat")
    fold: bool = controls.switch("Fold case", help="Capital letters become small: “The” becomes “the”.")
    positions: bool = controls.switch("Add positions", help="Adds the sinusoidal encoding to the vectors of the words.")
    causal: bool = controls.switch("Causal mask", help="No word attends to a later word.")
    scaled: bool = controls.switch("Divide by √d_k", default=True)
    width: str = controls.choice("Width", {"4": "4", "8": "8", "16": "16", "64": "64"})
    heads: str = controls.choice("Heads", {"1": "1", "2": "2", "4": "4"})
    draw: str = controls.choice("Random numbers", {"normal": "Normal", "uniform": "Uniform, 0 to 1"})
    head: str = controls.choice("Head in the picture", {"1": "1", "2": "2", "3": "3", "4": "4"})
    word: int = controls.word("The word that asks", of_the_page=True)
    look: str = controls.choice(
        "What to look at",
        {"again": "The same word again", "computed": "Where the weights come from", "drawn": "Uniform or normal"},
    )
    seed: int = controls.slider("Seed", 0, 99, step=1, default=0, help="Another seed gives other random numbers.")


def words(parameters: YourSentence, example):
    widgets.draw(parameters, "source")
    if parameters.source == lesson.MODEL:
        lesson.draw_text(parameters)
        return
    with reserve_container("text"):
        widgets.draw(parameters, *["text"] * (parameters.source == "typed"))
    with reserve_container("not_shown"):
        if example is None:
            st.info(
                "There is nothing to look at yet. Write a word or two: each gets a vector.",
                icon=":material/edit:",
            )
        elif cut := left_out_text(_all_tokens(parameters), MOST_TOKENS):
            st.markdown(cut)


def what_it_shows(parameters: YourSentence, example):
    with reserve_container("lesson"):
        if parameters.source == lesson.MODEL:
            if example:
                lesson.show(parameters, example)
            return
        for part in (picture, who_looks_at_whom, arithmetic, choices, look) if example else ():
            part(parameters, example)


def picture(parameters, example):
    asks, head = _attending_index(parameters, example), min(int(parameters.head), int(parameters.heads))
    pictured = per_head(_trace(parameters, example), "weights")[head - 1]
    words_of(example, pictured, "sentence", replace(parameters, word=asks))
    st.markdown(random_weights_text(example, pictured[asks], asks, *_another_seed(parameters, example, head - 1)))


def who_looks_at_whom(parameters, example):
    equation(weights_lines(example, _trace(parameters, example)), "who", parameters, abreast=True)


def choices(parameters, example):
    typed = parameters.source == "typed"
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw_switches(parameters, "On or off", *["fold"] * typed, "positions", "causal", "scaled")
        widgets.draw(parameters, "heads", *["width", "draw", "seed"] * typed)
        if parameters.heads != "1":
            heads = [str(head + 1) for head in range(int(parameters.heads))]
            widgets.draw_choice_of(parameters, "head", min(parameters.head, heads[-1]), heads)


def arithmetic(parameters, example):
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters, editable=False)


def own_numbers(parameters, example):
    st.markdown(
        "## Where the weights come from\n\nEach word has a vector"
        + (", to which its position is added" if parameters.positions else "")
        + ". Queries, keys and values are computed from these vectors, and the weights from queries and keys."
    )
    steps = ["divide by √d_{k}"] * parameters.scaled + ["mask later words"] * parameters.causal
    how = f"Then, for the weights above: {', '.join([*steps, 'softmax of each row'])}"
    equation(computed_lines(example, _trace(parameters, example), how), "computed", parameters)


def again(parameters, example):
    output = _trace(parameters, example).output
    sentences = repeated_words_text(example, output, positions=parameters.positions, causal=parameters.causal)
    none = "No word comes twice here. Write one twice, or once with a capital letter, and compare the two."
    st.markdown("\n\n".join(["## The same word again", *sentences] if sentences else ["## The same word again", none]))


def uniform_or_normal(parameters, example):
    table = statistics_table(_examples_to_compare(parameters, example))
    text = f"{UNIFORM_OR_NORMAL}\n\n{table}\n\n:small[{OF_THE_TABLE}]"
    st.markdown(parameters.in_layout(f"## Uniform or normal\n\n{text}"))


look = views.part_with_views({"again": again, "computed": own_numbers, "drawn": uniform_or_normal})


_random_sentence, _add_positions = cache_recent(sentence), cache_recent(with_positions)


def own_example(parameters):
    """Return the visitor's sentence as an example.

    Return None if the sentence has no word, or while the language model has not answered yet.
    """
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
    """Return the position of the word that attends. If the sentence is now too short, return that of the last word."""
    last = len(example.tokens) - 1
    return last if parameters.word < 0 else min(parameters.word, last)


def _another_seed(parameters, example, head):
    """Return another seed for the random weights, and the attention weights of one token that this seed gives.

    The token is the one that attends, and `head` is the head. Return () if the weights on the page are not random.
    """
    if parameters.source != "typed":
        return ()
    changed = replace(parameters, seed=parameters.seed + 1 if parameters.seed < 99 else 0)
    return changed.seed, per_head(_trace(changed, own_example(changed)), "weights")[head][
        _attending_index(parameters, example)
    ]


def _trace(parameters, example):
    return _trace_heads(example, parameters.heads, parameters.causal, parameters.scaled)


@cache_recent
def _trace_heads(example, heads, causal, scaled):
    mask, scale = example.mask("causal" if causal else "none"), None if scaled else 1.0
    return (example.attention if heads == "1" else example.multi_head)(mask=mask, scale=scale)


def _examples_to_compare(parameters, example):
    """Return three examples to compare, by a name for their random numbers.

    All have the visitor's words: with normal weight matrices, with uniform ones, and with uniform ones of width 64. If
    the visitor has chosen the course notebook, its own example replaces the second.
    """
    of_these = partial(_random_example, parameters, example.tokens)
    draws = {name: of_these(draw, example.x.shape[1]) for draw, name in NAMES.items()}
    notebooks = {NAMES["uniform"]: _cat(parameters.heads)} if parameters.source == "cat" else {}
    return draws | notebooks | {"uniform, 64 wide": of_these("uniform", 64)}


PAGE = Page(
    module=__name__,
    parts=(words, what_it_shows),
    parameters=YourSentence,
    makes_example=own_example,
    code=code,
    concept="Your sentence",
    question="What does each word of your sentence attend to?",
    sources=(
        "[Vaswani et al. 2017, section 3.5, on positions](https://arxiv.org/abs/1706.03762)",
        "[Vig 2019, on drawing attention as lines](https://arxiv.org/abs/1906.05714)",
        "[SmolLM2, Allal et al. 2025](https://arxiv.org/abs/2502.02737), Apache-2.0",
        "Course notebook 004: its sentence, and its queries, keys and values as it prints them. Its weights, which it "
        "does not print, are recovered from these, each certain to about 0.0004",
    ),
)
