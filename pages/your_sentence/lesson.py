"""The visitor's sentence: its equations, what the page says about it, and the same in the real model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attention_core import MultiHeadTrace, SelfAttentionTrace, softmax_steps
from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic.attention_rules import softmax_rules
from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.examples import Example
from attention_core.examples.sentence import repeated_positions, row_difference, row_statistics
from attention_core.language_model import shipped
from attention_core.language_model.model import Head
from pages.shared.equation import Line, Matrix, Sign, equation, selected_cell
from pages.shared.equation.computation import Computation
from pages.shared.equation.matrices import attention_matrices, head_matrices, softmax_matrices
from pages.shared.model_access import asking, sentence
from pages.shared.notation.numbers import ROUNDING
from pages.shared.notation.prose import literal
from pages.shared.notation.texts import texts_beside
from pages.shared.real_heads import boards, tour
from pages.shared.real_heads.reading import Reading, own_answer, own_question, reading_of_answer, reading_of_file
from pages.shared.site.menu import link
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container
from pages.shared.words import words

TEXTS = texts_beside(__file__)

HeadsTrace = SelfAttentionTrace | MultiHeadTrace


# --- the equations ---


def per_head(trace: HeadsTrace, name: str) -> np.ndarray:
    """Return the matrix `name` of every head, also if there is only one; the first axis counts the heads."""
    return getattr(trace.heads, name) if isinstance(trace, MultiHeadTrace) else getattr(trace, name)[None]


def weights_lines(parameters: Any, example: Example, trace: HeadsTrace) -> Sequence[Line]:
    """Return one equation for each head: its weights, and the entropy of each row, which says how even the row is."""
    m, say = _matrices(example, trace), parameters.say
    if isinstance(trace, SelfAttentionTrace):
        arrow = Sign(say(TEXTS, "arrow_to_entropies"), arrow=True)
        return [Line((m["weights"], arrow, _entropies_of_one(example, trace)), say(TEXTS, "line_of_weights"))]
    return [
        Line((m[f"weights.{h}"], spread), say(TEXTS, "line_of_head", number=h + 1))
        for h, spread in enumerate(_entropies_of_heads(example, trace))
    ]


@cache_recent
def _entropies_of_one(example: Example, trace: SelfAttentionTrace) -> Matrix:
    made = softmax_matrices(softmax_steps(trace.masked), "head0", example.tokens, ())["entropies"]
    return made.with_reads("weights[i,:]")


def _entropies_of_heads(example: Example, trace: MultiHeadTrace) -> Iterator[Matrix]:
    steps = softmax_steps(trace.heads.masked)
    computation = Computation(CellCalculations(softmax_rules(steps)))
    for h, entropies in enumerate(steps.entropies):
        name = TEXTS.fill("name_of_entropies", number=h + 1)
        made = Matrix.named("entropies", entropies, part=h, name=name, row_labels=example.tokens)
        yield made.with_computation(computation)


def computed_lines(parameters: Any, example: Example, trace: HeadsTrace) -> Sequence[Line]:
    """Return the equations of all steps, from the input to the output."""
    m, say = _matrices(example, trace), parameters.say
    queries, keys, values = [Line((m["x"], "·", m[f"w_{name}"], "=", m[name])) for name in ("q", "k", "v")]
    if isinstance(trace, SelfAttentionTrace):
        label = say(TEXTS, SCORES[parameters.scaled, parameters.causal])
        scores = Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"]), label)
        return [queries, keys, scores, values, Line((m["weights"], "·", m["v"], "=", m["output"]))]
    heads = tuple(m[f"heads.{h}"] for h in range(trace.n_heads))
    mixed = Line((m["concat"], "·", m["w_o"], "=", m["output"]), say(TEXTS, "side_by_side"))
    return [queries, keys, values, Line(heads, say(TEXTS, "line_of_heads")), mixed]


# The label of the scores, by two settings: whether scores are divided by √d_k, and whether a mask hides later words.
SCORES = {
    (False, False): "line_of_scores",
    (True, False): "line_of_scores_divided",
    (False, True): "line_of_scores_masked",
    (True, True): "line_of_scores_divided_and_masked",
}


@cache_recent
def _matrices(example: Example, trace: HeadsTrace) -> Mapping[str, Matrix]:
    made = (
        attention_matrices(example, trace) if isinstance(trace, SelfAttentionTrace) else head_matrices(example, trace)
    )
    return {name: matrix.read_only() for name, matrix in made.items()}


# --- what the texts say of random weights ---

MOST_PAIRS = 3


def random_weights_text(
    parameters: Any, example: Example, weights: np.ndarray, asks: int, seed: int = 0, other: np.ndarray | None = None
) -> str:
    """Return a text that says that the weights of token `asks` are random, with its weights `other` by another seed."""
    if other is None:
        return parameters.say(TEXTS, "random_weights")
    asking, best, other_best = (literal(example.tokens[j]) for j in (asks, weights.argmax(), other.argmax()))
    return parameters.say(
        TEXTS, "random_weights_with_another_seed", asks=asking, best=best, share=weights.max(),
        seed=seed, other_best=other_best, other_share=other.max(),
    )  # fmt: skip


def repeated_words_text(parameters: Any, example: Example, output: np.ndarray) -> str:
    """Return a text about words that come twice: by how much their inputs and their outputs differ."""
    twice, cased = (repeated_positions(example.tokens, fold=fold)[:MOST_PAIRS] for fold in (False, True))
    said = [_differences_text(parameters, example, output, places[0], places[-1]) for places in (*twice, *cased)]
    if twice:
        why = "twice_with_mask" if parameters.causal else "twice_without_positions"
        said.append(parameters.say(TEXTS, "twice_with_positions" if parameters.positions else why))
    if cased:
        said.append(parameters.say(TEXTS, "another_spelling"))
    return "\n\n".join(said or [parameters.say(TEXTS, "no_word_twice")])


def _differences_text(parameters: Any, example: Example, output: np.ndarray, first: int, last: int) -> str:
    word, spelling = (literal(example.tokens[place]) for place in (first, last))
    words = word if word == spelling else parameters.say(TEXTS, "two_spellings", word=word, spelling=spelling)
    inputs, outputs = (row_difference(matrix, first, last) for matrix in (example.x, output))
    section = DIFFERENCES[inputs < ROUNDING, outputs < ROUNDING]
    return parameters.say(TEXTS, section, words=words, first=first + 1, last=last + 1, inputs=inputs, outputs=outputs)


# What is said of two words: by whether their inputs are the same, and whether their outputs are.
DIFFERENCES = {
    (True, True): "same_inputs_same_outputs",
    (True, False): "same_inputs_different_outputs",
    (False, True): "different_inputs_same_outputs",
    (False, False): "different_inputs_different_outputs",
}


def statistics_text(parameters: Any, draws: Mapping[str, Example]) -> str:
    """Return a text with a table: how far the scores of each example spread, and how even its rows are."""
    lines = [_statistics_line(parameters, name, example) for name, example in draws.items()]
    return parameters.say(TEXTS, "view_of_drawn", lines="\n".join(lines))


def _statistics_line(parameters: Any, name: str, example: Example) -> str:
    heads = example.multi_head().heads
    found = row_statistics(heads.scaled, heads.weights)
    return parameters.say(
        TEXTS, "line_of_statistics", name=TEXTS.fill(name), mean_score=found.mean_score, deviation=found.deviation,
        entropy=found.entropy, most_entropy=found.most_entropy, favourites=found.favourites, n=len(example.tokens),
    )  # fmt: skip


# --- the real model ---

MODEL = "model"  # the source of weights that is a real model
OWN = "own"
DEFAULT = "cat"  # the shipped sentence with which the page opens
SHIPPED = {name: text.strip() for name, text in shipped.TEXTS.items()}
# Roles that say nothing about a sentence: these heads attend to the same places in every text.
_EVERYWHERE = ("previous token", "first place", "first word")
HEADS = tuple(dict.fromkeys(role.head for role in tour.roles_of_tour() if role.name not in _EVERYWHERE))


def reading_of(parameters) -> Reading | None:
    """Return the sentence with the head that the page shows, or None while the model has not answered."""
    name = shipped_name(parameters)
    if name:
        return reading_of_file(name, head_that_shows_most(_shipped_weights(name)))
    answer = own_answer(parameters)
    if answer is None or answer.weights is None:
        return None
    return reading_of_answer(answer, head_that_shows_most(answer.weights), OWN)


def shipped_name(parameters) -> str:
    """Return the name of the shipped sentence that is shown, or "" if the visitor has written another sentence."""
    if not asking.is_available():
        return parameters.shipped
    return next((name for name, text in SHIPPED.items() if text == parameters.own.strip()), "")


@cache_recent
def _shipped_weights(name: str) -> Array:
    return shipped.shipped_reading(name).maps / shipped.STEPS


def head_that_shows_most(weights: Array) -> Head:
    """Return the head with a known role that has the greatest weight on an earlier token other than the first."""
    n_layers, n_heads, *_ = weights.shape
    there = [head for head in HEADS if head.layer < n_layers and head.head < n_heads] or [Head(0, 0)]
    return max(there, key=lambda head: weights_on_earlier(weights[head]).max())


def weights_on_earlier(weights: Array) -> Array:
    """Return the weights of one head, with 0 for each weight that is on the first token, or not on an earlier one."""
    earlier = np.tril(weights, -1)
    earlier[:, 0] = 0
    return earlier


def index_of_word(reading: Reading, word: int) -> int:
    """Return `word`, or the last word if there are fewer; if negative, the word that attends most to an earlier one."""
    last = len(reading.tokens) - 1
    return int(weights_on_earlier(reading.weights).max(axis=1).argmax()) if word < 0 else min(word, last)


def draw_text(parameters) -> None:
    """Draw a field in which the visitor writes the sentence, or without the model a list of shipped sentences."""
    with reserve_container("text"):
        if asking.is_available():
            sentence.draw(parameters, "own", pieces=False)
        else:
            widgets.draw(parameters, "shipped", width=560)
    with reserve_container("asked"):
        question = None if shipped_name(parameters) else own_question(parameters)
        if question and asking.ask(question) and reading_of(parameters) is None:
            asking.wait_for(question)  # the answer came after `reading_of` had looked for it


def show(parameters, reading: Reading) -> None:
    """Draw what one word takes from other words in the shown head, all weights of the head, and links to pages."""
    asks = index_of_word(reading, parameters.word)
    words(reading, Matrix.named("weights", reading.weights), "sentence", replace(parameters, word=asks))  # type: ignore[arg-type]
    st.markdown(attends_text(parameters, reading, asks))
    equation(boards.who_lines(reading)[:1], "who", parameters)
    selected_cell.hint_and_arithmetic(reading.tokens, reading.tokens, parameters)
    link("real_heads", parameters.say(TEXTS, "link_to_real_heads"), icon="hub")
    if not asking.is_available():
        sentence.say_how_to_install(parameters.say(TEXTS, "no_model_here"))


def attends_text(parameters, reading: Reading, asks: int) -> str:
    """Return a text that says what the word with the index `asks` attends to most, and in which head."""
    row, head, role = reading.weights[asks], reading.head, tour.role_of(reading.head)
    most = int(row.argmax())
    in_this_head = parameters.say(
        TEXTS, "attends_in_this_head_with_a_role" if role else "attends_in_this_head",
        name=head.name, layer=head.layer, head=head.head, role=role,
        asks=literal(reading.tokens[asks]), answers=literal(reading.tokens[most]), share=row[most],
    )  # fmt: skip
    first = [parameters.say(TEXTS, "first_token", first=literal(reading.tokens[0]))] if most == 0 else []
    return " ".join([in_this_head, *first, parameters.say(TEXTS, "other_heads")])
