"""The small model of “The cat drank the …” on the path: its boards, its numbers, and steps of training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.examples import Example
from attention_core.writing.loss import word_loss
from attention_core.writing.small_model import next_word
from attention_core.writing.story_model import FEATURES, QUERIES, beginning, story_model
from pages.shared.equation import Line, Matrix
from pages.shared.lessons.next_word.boards import SOFTMAX, main_lines, matrices
from pages.shared.lessons.next_word.state import Writing, writing_of
from pages.shared.lessons.path.bars import Bar, bars_html
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.tables import markdown_table
from pages.shared.site.catalogue import page_named

DRANK, CHASED, CAME = "drank", "chased", "milk"
BY, AT = 0.1, (0, 0)  # how far a number of W^Q is moved, and which
RATE, STEPS = 0.5, 10  # of training, and how many steps one press takes
PROBABILITIES = (1.0, 0.5, 0.25, 0.125)


def next_lines(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    """Return the way from the last row to the probabilities: with attention, and after the guess without it, too."""
    here = _writing(CHASED if tries % 2 else DRANK, attends=True)
    lines = main_lines(matrices(here), here)
    added, compared, (_, *softmax) = ([_fixed(item) for item in line.items] for line in lines)
    begun = f"“The cat {here.trace.tokens[-2]} the …”"
    with_attention = [
        Line(tuple(added), f"The last row of {begun}, and what attention adds to it"),
        Line((*compared, *softmax), "With attention: the dot product with the row of every word, and softmax"),
    ]
    return [*with_attention, *[_without_attention(_writing(DRANK, attends=False))] * (revealed and not tries % 2)]


def _without_attention(here: Writing) -> Line:
    m = {name: each.with_suffix("_off", matrices(here)) for name, each in matrices(here).items()}
    row, number = here.last, here.last + 1
    logits, last = m["logits"].row(row, "Logits"), m["summed"].row(row, f"x_{number}")
    items = (
        last,
        "·",
        m["vocabulary"].transpose("Vocab^T"),
        "=",
        logits,
        SOFTMAX,
        m["chances"].row(row, "Probability"),
    )
    return Line(tuple(_fixed(item) for item in items), "Without attention: nothing is added to the last row")


def _writing(verb: str, *, attends: bool) -> Writing:
    return writing_of(page_named("next_word").parameters(**{"verb": verb, "attends": attends}))


def _fixed(item: Any) -> Any:
    """Return a matrix as one that cannot be changed, and a sign as it is."""
    return item.fixed() if isinstance(item, Matrix) else item


def loss_table(decimals: int, *, revealed: bool) -> str:
    """Return a table of the loss of some probabilities. Before the guess, it has only the first two."""
    shown = PROBABILITIES if revealed else PROBABILITIES[:2]
    losses = [format_as_shown(-math.log(p), decimals) for p in shown]
    return markdown_table(("Probability $p$", *[f"{p:g}" for p in shown]), [("Loss $-\\ln p$", *losses)])


def moved_table(decimals: int) -> str:
    """Return one number of W^Q and the loss of “milk”, before and after the number is made larger."""
    model, numbers = story_model(), next_word_numbers(1)
    number = float(model.w_q[AT])
    before, after = (format_as_shown(numbers[name], decimals) for name in ("word_loss", "word_moved"))
    name = f"Row *{FEATURES[AT[0]]}* of $W^Q$, column *{QUERIES[AT[1]]}*"
    rows = [(name, f"{number:g}", f"{number + BY:g}"), (f"Loss of “{CAME}”", before, after)]
    return markdown_table(("", "Before", "After"), rows)


def probabilities_html(tries: int, decimals: int) -> str:
    """Return the probability of each word after some presses of ten steps as bars, with a mark where each began."""
    first, now = _training_result(0).chances, _training_result(tries * STEPS).chances
    said = f"after {tries * STEPS} steps; the line shows where each began" if tries else "before training"
    bars = (
        Bar(word, p, format_as_shown(p, decimals), began)
        for word, began, p in zip(story_model().words, first, now, strict=True)
    )
    return bars_html(f"The probability of the next word {said}", bars)


@cache_recent
def next_word_numbers(tries: int) -> Mapping[str, Any]:
    """Return the numbers of the small model, and its loss after `tries` times ten steps."""
    model = story_model()
    drank, off, chased = (
        next_word(model, beginning(verb), attends=attends)
        for verb, attends in ((DRANK, True), (DRANK, False), (CHASED, True))
    )
    first = word_loss(model, beginning(DRANK), CAME, by=BY, at=AT)
    before, after, came = _training_result(0), _training_result(tries * STEPS), model.words.index(CAME)
    wrong = int(np.where(np.arange(len(model.words)) == came, 0, before.chances).argmax())
    return MappingProxyType(
        {
            "next_chances": drank.chances, "off_chances": off.chances, "chased_chances": chased.chances,
            "next_summed": drank.summed, "vocabulary": model.vocabulary,
            "word_loss": first.loss, "word_chance": first.chance, "word_by": BY, "word_moved": first.moved,
            "word_slope": first.slope, "word_gradient": float(first.gradient[AT]),
            "steps": tries * STEPS, "loss_after": after.loss, "chance_after": after.chances[came],
            "wrong_chance": before.chances[wrong], "wrong_after": after.chances[wrong],
        }
    )  # fmt: skip


class _Trained(NamedTuple):
    loss: float  # of the word that came
    chances: Array  # (n_words,)


@cache_recent
def _training_result(steps: int) -> _Trained:
    """Return the loss and the probability of each word after some steps that move W^Q against its gradient."""
    model = story_model()
    for _ in range(steps):
        gradient = word_loss(model, beginning(DRANK), CAME, by=BY, at=AT).gradient
        model = replace(model, w_q=model.w_q - RATE * gradient)
    chances = next_word(model, beginning(DRANK), attends=True).chances[-1]
    return _Trained(word_loss(model, beginning(DRANK), CAME, by=BY, at=AT).loss, chances)
