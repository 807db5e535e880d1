"""The small model of “The cat drank the …” on the path: its boards, its numbers, and steps of training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.writing.costs import SMOLLM2
from attention_core.writing.loss import word_loss
from attention_core.writing.small_model import next_word
from attention_core.writing.story_model import beginning, story_model
from pages.shared.equation import Line, Matrix
from pages.shared.lessons.next_word.boards import main_lines, matrices
from pages.shared.lessons.next_word.state import Writing, writing_of
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.tables import markdown_table
from pages.shared.site.catalogue import page_named

DRANK, CHASED, CAME = "drank", "chased", "milk"
BY, AT = 0.1, (0, 0)  # how far a number of W^Q is moved, and which
RATE, STEPS = 0.5, 10  # of training, and how many steps one press takes
CHANCES = (1.0, 0.5, 0.25, 0.125)


def next_lines(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    """Return the way from the last row to the chances: with attention before the guess, without it after that."""
    here = _writing(CHASED, attends=True) if tries % 2 else _writing(DRANK, attends=not revealed)
    lines = main_lines(matrices(here), here)
    return [replace(line, items=tuple(_fixed(item) for item in line.items)) for line in lines]


def _writing(verb: str, *, attends: bool) -> Writing:
    return writing_of(page_named("next_word").parameters(**{"verb": verb, "attends": attends}))


def _fixed(item: Any) -> Any:
    return item.fixed() if isinstance(item, Matrix) else item


def block_table(*, revealed: bool) -> str:
    """Return the matrices of one block of SmolLM2, and how many numbers they are, once the answer is shown."""
    s = SMOLLM2
    keys = s.n_kv_heads * s.d_k
    rows = [
        (
            "Attention",
            f"{s.d_model}×{s.d_model}, twice ($W^Q$, $W^O$); {s.d_model}×{keys}, twice ($W^K$, $W^V$)",
            s.attention,
        ),
        ("Feed-forward network", f"{s.d_model}×{s.d_hidden}, three times", s.feed_forward),
    ]
    head = ("Part of the block", "Matrices", *["Numbers"] * revealed)
    return markdown_table(head, [(part, shapes, *[f"{n:,}"] * revealed) for part, shapes, n in rows], ":--")


def loss_table(decimals: int, *, revealed: bool) -> str:
    """Return the loss of some chances; before the guess, of the first two alone."""
    shown = CHANCES if revealed else CHANCES[:2]
    losses = [format_as_shown(-math.log(chance), decimals) for chance in shown]
    return markdown_table(("Chance $p$", *[f"{chance:g}" for chance in shown]), [("Loss $-\\ln p$", *losses)])


@cache_recent
def next_word_numbers(tries: int) -> Mapping[str, Any]:
    """Return the numbers of the small model, and what its loss is after some presses of ten steps."""
    model = story_model()
    drank, off, chased = (
        next_word(model, beginning(verb), attends=attends)
        for verb, attends in ((DRANK, True), (DRANK, False), (CHASED, True))
    )
    first = word_loss(model, beginning(DRANK), CAME, by=BY, at=AT)
    after = _trained(tries * STEPS)
    return MappingProxyType(
        {
            "next_chances": drank.chances, "off_chances": off.chances, "chased_chances": chased.chances,
            "next_summed": drank.summed,
            "word_loss": first.loss, "word_chance": first.chance, "word_by": BY, "word_moved": first.moved,
            "word_slope": first.slope, "word_gradient": float(first.gradient[AT]),
            "steps": tries * STEPS, "loss_after": after[0], "chance_after": after[1],
        }
    )  # fmt: skip


def _trained(steps: int) -> tuple[float, float]:
    """Return the loss and the chance of the word that came, after steps that move W^Q against its gradient."""
    model = story_model()
    for _ in range(steps):
        gradient = word_loss(model, beginning(DRANK), CAME, by=BY, at=AT).gradient
        model = replace(model, w_q=model.w_q - RATE * gradient)
    found = word_loss(model, beginning(DRANK), CAME, by=BY, at=AT)
    return found.loss, found.chance
