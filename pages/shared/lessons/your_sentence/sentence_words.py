"""Sentences about a visitor's words, each with its number: a repeated word, how even the rows are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from attention_core.examples import Example
from attention_core.examples.sentence import repeated_places, row_difference, row_statistics
from pages.shared.notation.differences import by_how_much
from pages.shared.notation.glossary import define
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import literal

MOST_PAIRS = 3

UNIFORM_OR_NORMAL = (
    "Drawn uniform, from 0 to 1, rows come out nearly alike. No number is negative then, so all queries point much the "
    "same way and rank the words alike: one word comes first in almost every row. How "
    "even a row looks is a matter of width: at 4 its scores lie close together, and 64 wide the same draw "
    "gives all to one word. Normal numbers have mean 0, and let each row choose for itself."
)
OF_THE_TABLE = (
    f"Without mask and positions, scores divided by $\\sqrt{{d_k}}$. Of a row, the {define('entropy')}, in "
    f"{define('nats')}, and the most it could be; how many of the words come first in some row."
)


def left_out(tokens: Sequence[str], most: int) -> str:
    """Say how many tokens are left out, and from which one on. Return "" if there are none."""
    rest = tokens[most:]
    if not rest:
        return ""
    used = f":material/content_cut: The first {most} tokens are used;"
    return f"{used} {len(rest)} more, from {literal(rest[0])} on, are left out."


def said_of_chance(
    example: Example, weights: np.ndarray, asks: int, seed: int | None = None, other: np.ndarray | None = None
) -> str:
    """Say that random weights have no meaning, with those of another seed if possible, and why they are shown anyway.

    Shapes: weights and other (n,), of the chosen word.
    """
    token, most = literal(example.tokens[asks]), _most(example, weights)
    proof = "" if other is None else f" Here {token} gives most to {most}; with seed {seed} to {_most(example, other)}."
    return (
        f"**These weights mean nothing:** vectors and weights are drawn, not learned.{proof} Why look, then? "
        "All but the numbers is as in a trained model, and trained heads are read in just such pictures."
    )


def _most(example: Example, weights: np.ndarray) -> str:
    best = int(np.argmax(weights))
    return f"{literal(example.tokens[best])} ({weights[best]:.2f})"


def said_of_words_again(example: Example, output: np.ndarray, *, positions: bool, causal: bool) -> Sequence[str]:
    """Say how much the outputs of repeated words differ, or of words that differ only in case."""
    twice, cased = repeated_places(example.tokens)[:MOST_PAIRS], repeated_places(example.tokens, fold=True)[:MOST_PAIRS]
    said = [_apart(example, output, places[0], places[-1]) for places in (*twice, *cased)]
    if twice and positions:
        said.append("Positions tell a word from itself.")
    elif twice and causal:
        said.append("The same vector asks, but the mask lets each see another past.")
    elif twice:
        said.append("Without positions, the same word is the same row: attention alone does not know where it stands.")
    if cased:
        said.append("Spelled otherwise, a word is another word, as unrelated as any two, until you fold case.")
    return said


def _apart(example: Example, output: np.ndarray, first: int, last: int) -> str:
    words = " and ".join(dict.fromkeys(literal(example.tokens[place]) for place in (first, last)))
    vectors, outputs = (by_how_much(row_difference(matrix, first, last)) for matrix in (example.x, output))
    return f"{words}, words {first + 1} and {last + 1}: their vectors differ by {vectors}, their outputs by {outputs}."


def statistics_table(draws: Mapping[str, Example]) -> str:
    """Return a table of how scores spread and how even the rows are, with one line for each example."""
    head = "| drawn | mean score | spread in a row | entropy | first |"
    return "\n".join([head, "|---|---|---|---|---|", *(_line(name, this) for name, this in draws.items())])


def _line(name: str, example: Example) -> str:
    heads = example.multi_head().heads
    found = row_statistics(heads.scaled, heads.weights)
    return (
        f"| {name} | ${number(found.mean_score)}$ | ${number(found.deviation)}$ | ${number(found.entropy)}$ of "
        f"${number(found.most_entropy)}$ | {found.favourites} of {len(example.tokens)} |"
    )
