"""The small model of “The cat drank the …” on the path: its boards, its numbers, and steps of training."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.examples import Example
from attention_core.writing.costs import N_LAYERS, N_TOKENS, SMOLLM2
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
STYLE = """
<style>
.bars p { margin: 0.4rem 0; opacity: 0.85; font-size: 0.9rem; }
.bars dl { display: grid; grid-template-columns: max-content minmax(0, 26rem); gap: 0.3rem 0.7rem; margin: 0; }
.bars dd { display: flex; gap: 0.6rem; margin: 0; align-items: center; font-variant-numeric: tabular-nums; }
.bars span { position: relative; flex: 1; height: 1rem; background: color-mix(in srgb, gray 18%, transparent); }
.bars i { display: block; height: 100%; background: color-mix(in srgb, currentColor 65%, transparent); }
.bars b { position: absolute; top: -0.15rem; bottom: -0.15rem; border-left: 3px dotted currentColor; }
</style>
"""
RATE, STEPS = 0.5, 10  # of training, and how many steps one press takes
PROBABILITIES = (1.0, 0.5, 0.25, 0.125)


def next_lines(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    """Return the way from the last row to the probabilities: with attention before the guess, without it after that."""
    here = _writing(CHASED, attends=True) if tries % 2 else _writing(DRANK, attends=not revealed)
    lines = main_lines(matrices(here), here)
    added, compared, (_, *softmax) = ([_as_on_the_path(item) for item in line.items] for line in lines)
    return [
        Line(tuple(added), f"The last row of “The cat {here.trace.tokens[-2]} the …”, and what attention adds to it"),
        Line((*compared, *softmax), "Compared with the row of every word, and the softmax of the logits"),
    ]


def _writing(verb: str, *, attends: bool) -> Writing:
    return writing_of(page_named("next_word").parameters(**{"verb": verb, "attends": attends}))


def _as_on_the_path(item: Any) -> Any:
    """Return a matrix that cannot be changed; the path says *probability*."""
    if not isinstance(item, Matrix):
        return item
    return replace(item.fixed(), symbol="Probability") if item.id.startswith("chances") else item.fixed()


def block_table(*, revealed: bool, whole: bool) -> str:
    """Return the matrices of one block of SmolLM2, or of the whole model; their numbers once the answer is shown."""
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
    if whole:
        rows = [(f"{part}, {N_LAYERS} blocks", shapes, N_LAYERS * n) for part, shapes, n in rows]
        rows.append(("Table of tokens", f"{N_TOKENS}×{s.d_model}", N_TOKENS * s.d_model))
    head = ("Part of the model" if whole else "Part of the block", "Matrices", *["Numbers"] * revealed)
    return markdown_table(head, [(part, shapes, *[f"{n:,}"] * revealed) for part, shapes, n in rows], ":--")


def loss_table(decimals: int, *, revealed: bool) -> str:
    """Return the loss of some probabilities; before the guess, of the first two alone."""
    shown = PROBABILITIES if revealed else PROBABILITIES[:2]
    losses = [format_as_shown(-math.log(p), decimals) for p in shown]
    return markdown_table(("Probability $p$", *[f"{p:g}" for p in shown]), [("Loss $-\\ln p$", *losses)])


def probabilities_html(tries: int, decimals: int) -> str:
    """Return the probability of each word after some presses of ten steps as bars, with a mark where each began."""
    words, first, now = story_model().words, _trained(0).chances, _trained(tries * STEPS).chances
    rows = "".join(
        f"<dt>{html.escape(word)}</dt><dd><span><i style='width:{100 * p:.1f}%'></i>"
        f"<b style='left:{100 * began:.1f}%'></b></span>{format_as_shown(p, decimals)}</dd>"
        for word, began, p in zip(words, first, now, strict=True)
    )
    said = f"after {tries * STEPS} steps; the line shows where each began" if tries else "before training"
    return f'{STYLE}<div class="bars"><p>The probability of the next word {said}</p><dl>{rows}</dl></div>'


@cache_recent
def next_word_numbers(tries: int) -> Mapping[str, Any]:
    """Return the numbers of the small model, and what its loss is after some presses of ten steps."""
    model = story_model()
    drank, off, chased = (
        next_word(model, beginning(verb), attends=attends)
        for verb, attends in ((DRANK, True), (DRANK, False), (CHASED, True))
    )
    first = word_loss(model, beginning(DRANK), CAME, by=BY, at=AT)
    before, after, came = _trained(0), _trained(tries * STEPS), model.words.index(CAME)
    wrong = int(np.where(np.arange(len(model.words)) == came, 0, before.chances).argmax())
    return MappingProxyType(
        {
            "next_chances": drank.chances, "off_chances": off.chances, "chased_chances": chased.chances,
            "next_summed": drank.summed,
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
def _trained(steps: int) -> _Trained:
    """Return the loss and the probability of each word, after steps that move W^Q against its gradient."""
    model = story_model()
    for _ in range(steps):
        gradient = word_loss(model, beginning(DRANK), CAME, by=BY, at=AT).gradient
        model = replace(model, w_q=model.w_q - RATE * gradient)
    chances = next_word(model, beginning(DRANK), attends=True).chances[-1]
    return _Trained(word_loss(model, beginning(DRANK), CAME, by=BY, at=AT).loss, chances)
