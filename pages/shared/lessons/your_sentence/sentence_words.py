"""Texts about a visitor's sentence, each with its number: repeated words, and how even the rows of weights are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from attention_core.examples import Example
from attention_core.examples.sentence import repeated_positions, row_difference, row_statistics
from pages.shared.notation.differences import ROUNDING
from pages.shared.notation.glossary import define
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import literal

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
