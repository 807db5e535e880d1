"""The visitor's sentence: its equations, what the page says about it, and the same in the real model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from attention_core import MultiHeadTrace, SelfAttentionTrace, softmax_steps
from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic.attention_rules import softmax_rules
from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.examples import Example
from attention_core.examples.sentence import repeated_positions, row_difference, row_statistics
from attention_core.language_model.model import Head
from attention_core.language_model.shipped import STEPS, TEXTS, shipped_reading
from pages.shared.equation import Line, Matrix, Sign, equation, selected_cell
from pages.shared.equation.computation import Computation
from pages.shared.equation.matrices import attention_matrices, head_matrices, softmax_matrices
from pages.shared.model_access import asking, sentence
from pages.shared.notation.glossary import define
from pages.shared.notation.numbers import ROUNDING, number
from pages.shared.notation.prose import literal
from pages.shared.real_heads import boards, tour
from pages.shared.real_heads.reading import Reading, own_answer, own_question, reading_of_answer, reading_of_file
from pages.shared.site.menu import link
from pages.shared.state import widgets
from pages.shared.state.session import LONGEST_EDITABLE_SIDE
from pages.shared.state.widgets import reserve_container
from pages.shared.words import words

HeadsTrace = SelfAttentionTrace | MultiHeadTrace


def per_head(trace: HeadsTrace, name: str) -> np.ndarray:
    """Return the matrix `name` of every head. The first axis counts the heads, even if there is only one head."""
    return getattr(trace.heads, name) if isinstance(trace, MultiHeadTrace) else getattr(trace, name)[None]


@cache_recent
def weights_lines(example: Example, trace: HeadsTrace) -> Sequence[Line]:
    """Return one equation for each head: its weights, and the entropy of each row, which says how even the row is."""
    m = _matrices(example, trace)
    if isinstance(trace, SelfAttentionTrace):
        weights, spread = m["weights"], _entropies_of_one(example, trace)
        items = (weights, Sign("how spread out", arrow=True), spread)
        return [Line(items, f"How much the word of each row attends to each word{_full_colour_text(weights)}")]
    return [
        Line(
            (m[f"weights.{h}"], spread),
            f"Head {h + 1}: what each word attends to{_full_colour_text(m[f'weights.{h}'])}",
        )
        for h, spread in enumerate(_entropies_of_heads(example, trace))
    ]


def _entropies_of_one(example: Example, trace: SelfAttentionTrace) -> Matrix:
    made = softmax_matrices(softmax_steps(trace.masked), "head0", example.tokens, ())["entropies"]
    return made.with_reads("weights[i,:]")


def _entropies_of_heads(example: Example, trace: MultiHeadTrace) -> Iterator[Matrix]:
    steps = softmax_steps(trace.heads.masked)
    computation = Computation(CellCalculations(softmax_rules(steps)))
    for h, entropies in enumerate(steps.entropies):
        made = Matrix.named("entropies", entropies, part=h, name=f"Entropies {h + 1}", row_labels=example.tokens)
        yield made.with_computation(computation)


@cache_recent
def computed_lines(example: Example, trace: HeadsTrace, how: str) -> Sequence[Line]:
    """Return the equations of all steps, from the input to the output.

    `how` is a text that says how scores are computed.
    """
    m = _matrices(example, trace)
    queries, keys, values = [Line((m["x"], "·", m[f"w_{name}"], "=", m[name])) for name in ("q", "k", "v")]
    if isinstance(trace, SelfAttentionTrace):
        scores = Line(
            (m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"]), f"The score of each query with each key. {how}"
        )
        return [queries, keys, scores, values, Line((m["weights"], "·", m["v"], "=", m["output"]))]
    heads = tuple(m[f"heads.{h}"] for h in range(trace.n_heads))
    return [
        queries,
        keys,
        values,
        Line(heads, "Each head adds up its own columns of V, each row times its weight"),
        Line((m["concat"], "·", m["w_o"], "=", m["output"]), "Side by side, and mixed by W^O"),
    ]


def _full_colour_text(weights: Matrix) -> str:
    """Return a phrase with the weight that gets the full colour, or "" if this weight is 1."""
    return f"; the full colour is {weights.limit:.2f}" if weights.limit < 1 else ""


def _matrices(example: Example, trace: HeadsTrace) -> dict[str, Matrix]:
    made = (
        attention_matrices(example, trace) if isinstance(trace, SelfAttentionTrace) else head_matrices(example, trace)
    )
    full = float(per_head(trace, "weights").max()) if len(example.tokens) > LONGEST_EDITABLE_SIDE else 1.0
    return {
        name: replace(matrix.read_only(), limit=full if matrix.tint == "weight" else matrix.limit)
        for name, matrix in made.items()
    }


MOST_PAIRS = 3

UNIFORM_OR_NORMAL = (
    "Random numbers from 0 to 1 (uniform) are never negative. So all queries point in nearly the same direction, and "
    "they rank the words in nearly the same order: one word has the greatest weight in almost every row. Normal "
    "numbers have mean 0, and each row can rank the words in its own way. The width decides how even a row is. With "
    "4 numbers a word, uniform scores lie close together. With 64, nearly all attention goes to one word."
)
OF_THE_TABLE = (
    f"Without mask and positions, with scores divided by $\\sqrt{{d_k}}$. The {define('entropy')} of a row is in "
    f"{define('nats')}, beside the greatest that it could be. The last column counts the words that have the greatest "
    "weight in some row."
)


def left_out_text(tokens: Sequence[str], most: int) -> str:
    """Return a text that says how many tokens after the first `most` are left out, or "" if none are."""
    rest = tokens[most:]
    if not rest:
        return ""
    used = f":material/content_cut: The first {most} tokens are used;"
    return f"{used} {len(rest)} more, from {literal(rest[0])} on, are left out."


def random_weights_text(
    example: Example, weights: np.ndarray, asks: int, seed: int | None = None, other: np.ndarray | None = None
) -> str:
    """Return a text that says that the weights are random, and what they are good for.

    The weights (n,) are those of the token with the index `asks`. If `other` is given, the text compares them with the
    weights that another seed gives.
    """
    token, most = literal(example.tokens[asks]), _most_attended_text(example, weights)
    proof = ""
    if other is not None:
        proof = f" Here {token} attends most to {most}; with seed {seed}, to {_most_attended_text(example, other)}."
    return (
        f"**These weights are random:** nobody has trained this model.{proof} Use them to see how the steps work, not "
        "what words mean."
    )


def _most_attended_text(example: Example, weights: np.ndarray) -> str:
    best = int(np.argmax(weights))
    return f"{literal(example.tokens[best])} ({weights[best]:.2f})"


def repeated_words_text(example: Example, output: np.ndarray, *, positions: bool, causal: bool) -> Sequence[str]:
    """Return sentences about words that come twice: by how much their inputs and their outputs differ.

    `positions` and `causal` say whether positions are added, and whether a mask hides later words.
    """
    twice, cased = (
        repeated_positions(example.tokens)[:MOST_PAIRS],
        repeated_positions(example.tokens, fold=True)[:MOST_PAIRS],
    )
    said = [_differences_text(example, output, places[0], places[-1]) for places in (*twice, *cased)]
    if twice and positions:
        said.append("With positions, the same word in two places has two different rows.")
    elif twice and causal:
        said.append("Both have the same query. But under the mask, the later one may attend to more words.")
    elif twice:
        said.append("Without positions, attention cannot tell the two apart, because both have the same row.")
    if cased:
        said.append("With another spelling, it is another word with another vector. *Fold case* makes them the same.")
    return said


def _differences_text(example: Example, output: np.ndarray, first: int, last: int) -> str:
    words = " and ".join(dict.fromkeys(literal(example.tokens[place]) for place in (first, last)))
    inputs, outputs = (row_difference(matrix, first, last) for matrix in (example.x, output))
    where = f"{words}, words {first + 1} and {last + 1}"
    return f"{where}: their inputs are {_difference_text(inputs)}, their outputs {_difference_text(outputs)}."


def _difference_text(difference: float) -> str:
    """Return a phrase that says by how much two rows differ, or that they are the same.

    >>> _difference_text(0.0), _difference_text(0.5)
    ('the same', 'different, by up to $0.5$')
    """
    return "the same" if difference < ROUNDING else f"different, by up to ${number(difference)}$"


def statistics_table(draws: Mapping[str, Example]) -> str:
    """Return a Markdown table with one row for each example: how far its scores spread, and how even its rows are."""
    head = "| random numbers | mean score | spread in a row | entropy | greatest |"
    return "\n".join([head, "|---|---|---|---|---|", *(_table_line(name, this) for name, this in draws.items())])


def _table_line(name: str, example: Example) -> str:
    heads = example.multi_head().heads
    found = row_statistics(heads.scaled, heads.weights)
    return (
        f"| {name} | ${number(found.mean_score)}$ | ${number(found.deviation)}$ | ${number(found.entropy)}$ of "
        f"${number(found.most_entropy)}$ | {found.favourites} of {len(example.tokens)} |"
    )


MODEL = "model"  # the source of weights that is a real model
OWN = "own"
DEFAULT = "cat"  # the shipped sentence with which the page opens
SHIPPED = {name: text.strip() for name, text in TEXTS.items()}
# Roles that say nothing about a sentence: these heads attend to the same places in every text.
_EVERYWHERE = ("previous token", "first place", "first word")
HEADS = tuple(dict.fromkeys(role.head for role in tour.roles_of_tour() if role.name not in _EVERYWHERE))
NOT_HERE = "For a sentence of your own, the model has to be on this machine (98 MB). One command installs it:"


def reading_of(parameters) -> Reading | None:
    """Return the sentence with the head that the page shows, or None while the model has not answered.

    `head_that_shows_most` chooses this head.
    """
    shipped = shipped_name(parameters)
    if shipped:
        return reading_of_file(shipped, head_that_shows_most(_shipped_weights(shipped)))
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
    return shipped_reading(name).maps / STEPS


def head_that_shows_most(weights: Array) -> Head:
    """Return the head with the greatest weight on an earlier token. Only heads with a known role are compared.

    The first token does not count. Shapes: weights (n_layers, n_heads, n, n).
    """
    n_layers, n_heads, *_ = weights.shape
    there = [head for head in HEADS if head.layer < n_layers and head.head < n_heads] or [Head(0, 0)]
    return max(there, key=lambda head: weights_on_earlier(weights[head]).max())


def weights_on_earlier(weights: Array) -> Array:
    """Return the weights of one head, with 0 in place of each weight that is not on an earlier token.

    The weights on the first token become 0 as well. Shapes: weights (n, n) → (n, n).
    """
    earlier = np.tril(weights, -1)
    earlier[:, 0] = 0
    return earlier


def index_of_word(reading: Reading, word: int) -> int:
    """Return the index of the word that the page is about.

    This is `word`, or if `word` is negative, the word that attends most strongly to an earlier one.
    """
    last = len(reading.tokens) - 1
    return int(weights_on_earlier(reading.weights).max(axis=1).argmax()) if word < 0 else min(word, last)


def draw_text(parameters) -> None:
    """Draw a field in which the visitor writes the sentence. Without the model, draw a list of shipped sentences."""
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
    words(reading, reading.weights, "sentence", replace(parameters, word=asks))  # type: ignore[arg-type]
    st.markdown(attends_text(reading, asks))
    equation(boards.who_lines(reading)[:1], "who", parameters)
    selected_cell.hint_and_arithmetic(reading.tokens, reading.tokens, parameters, editable=False)
    link("real_heads", "What do the other heads do? **Real heads**", icon="hub")
    if not asking.is_available():
        sentence.say_how_to_install(NOT_HERE)


def attends_text(reading: Reading, asks: int) -> str:
    """Return a text that says what a word attends to most, and in which head. `asks` is the index of the word."""
    row, role = reading.weights[asks], tour.role_of(reading.head)
    most = int(row.argmax())
    measured = f"; its measured role is called *{role}*" if role else ""
    first = (
        f" {literal(reading.tokens[0])} stands before every text. A head attends to it if no other token fits."
        if most == 0
        else ""
    )
    return (
        f"This is a trained model, SmolLM2. In its head {reading.head.name} (layer {reading.head.layer}, head "
        f"{reading.head.head}{measured}), {literal(reading.tokens[asks])} attends most to "
        f"{literal(reading.tokens[most])}, with **{row[most]:.2f}**.{first} The model has 270 heads, and each has its "
        "own weights. Of the heads with a measured role, this page shows the head that attends most strongly to an "
        "earlier word here."
    )
