"""The small model that continues “The cat drank the …”: bars, blocks, numbers and training."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.examples import Example
from attention_core.writing.small_model import N_LAYERS, N_TOKENS, SMOLLM2, next_word, word_loss
from attention_core.writing.story_model import FEATURES, QUERIES, beginning, story_model
from pages.path.story import TEXTS
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import markdown_table
from pages.shared.site.page import page_named
from pages.shared.small_model.matrices import matrices
from pages.shared.small_model.state import Writing, writing_of

STYLE = """
<style>
.bars { margin: 0; }
.bars figcaption { margin: 0.4rem 0; opacity: 0.85; font-size: 0.9rem; }
.bars dl { display: grid; grid-template-columns: max-content minmax(0, 26rem); gap: 0.3rem 0.7rem; margin: 0;
  padding: 0; }
.bars dt { margin: 0; padding: 0; }
.bars dd { display: flex; gap: 0.6rem; margin: 0; padding: 0; align-items: center; font-variant-numeric: tabular-nums; }
.bars span { position: relative; flex: 1; height: 1rem; background: color-mix(in srgb, gray 18%, transparent); }
.bars i { display: block; height: 100%; background: color-mix(in srgb, currentColor 65%, transparent); }
.bars b { position: absolute; top: -0.15rem; bottom: -0.15rem; border-left: 3px dotted currentColor; }
@media (max-width: 640px) { .bars dl { grid-template-columns: minmax(0, 1fr); } .bars dd { margin-bottom: 0.3rem; } }
</style>
"""


class Bar(NamedTuple):
    """One bar: its name, its length as a part of the whole width, the number as text, and perhaps a mark."""

    name: str
    length: float  # from 0 to 1
    said: str
    mark: float | None = None  # from 0 to 1: where a dotted line stands


def bars_html(title: str, bars: Iterable[Bar]) -> str:
    """Return bars below each other, with a title."""
    rows = "".join(
        f"<dt>{html.escape(bar.name)}</dt><dd><span><i style='width:{100 * bar.length:.1f}%'></i>{_mark(bar)}</span>"
        f"{html.escape(bar.said)}</dd>"
        for bar in bars
    )
    caption = f"<figcaption>{html.escape(title)}</figcaption>"
    return f'{STYLE}<figure class="bars">{caption}<dl>{rows}</dl></figure>'


def _mark(bar: Bar) -> str:
    return "" if bar.mark is None else f"<b style='left:{100 * bar.mark:.1f}%'></b>"


FLOW_STYLE = """
<style>
.flow ol { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.5rem; list-style: none; margin: 0.3rem 0; padding: 0; }
.flow li { margin: 0; }
.flow li + li::before { content: "→" / ""; margin-right: 0.5rem; }
.flow b { display: inline-block; border: 2px solid color-mix(in srgb, currentColor 60%, transparent); border-radius: 0.35rem; padding: 0.15rem 0.55rem; font-weight: 600; }
.flow p { margin: 0.4rem 0; opacity: 0.85; font-size: 0.9rem; }
</style>
"""  # noqa: E501


class Part(NamedTuple):
    """A part of the model: its name, its matrices, and how many learned numbers it has."""

    name: str
    matrices: str
    numbers: int


def block_flow_html() -> str:
    """Return a list of the steps of one block, and a sentence that says how many blocks and heads the model has."""
    say = TEXTS.fill
    attention, feed_forward, addition = f"<b>{say('attention')}</b>", f"<b>{say('feed_forward')}</b>", say("add_to_row")
    steps = "".join(f"<li>{step}</li>" for step in (say("each_row"), attention, addition, feed_forward, addition))
    said = say("blocks_and_heads", n_layers=N_LAYERS, n_heads=SMOLLM2.n_heads)
    begun = f'<div class="flow" role="group" aria-label="{say("steps_of_a_block")}">'
    return f"{FLOW_STYLE}{begun}<p>{said}</p><ol>{steps}</ol></div>"


def block_table(*, revealed: bool, whole: bool) -> str:
    """Return a table of the matrices in one block of SmolLM2, or in the model if `whole`; if `revealed`, with sizes."""
    parts = parts_of(whole=whole)[: None if revealed else 2]
    part = TEXTS.fill("part_of_model" if whole else "part_of_block")
    head = (part, TEXTS.fill("matrices"), *[TEXTS.fill("numbers")] * revealed)
    rows = [(part.name, part.matrices, *[f"{part.numbers:,}"] * revealed) for part in parts]
    if revealed:
        rows.append((TEXTS.fill("all_parts"), "", f"{sum(part.numbers for part in parts):,}"))
    return markdown_table(head, rows, ":--")


def block_bars_html(*, whole: bool) -> str:
    """Return bars with the share of learned numbers in each part of one block, or of the whole model if `whole`."""
    parts = parts_of(whole=whole)
    total = sum(part.numbers for part in parts)
    title = TEXTS.fill("numbers_of_model" if whole else "numbers_of_block", millions=total / 1e6)
    said = [TEXTS.fill("millions_of_numbers", millions=part.numbers / 1e6) for part in parts]
    return bars_html(title, (Bar(p.name, p.numbers / total, text) for p, text in zip(parts, said, strict=True)))


def parts_of(*, whole: bool) -> list[Part]:
    """Return the parts of one block, or of the whole model."""
    s = SMOLLM2
    d_keys = s.n_kv_heads * s.d_k
    say = partial(TEXTS.fill, d_model=s.d_model, d_hidden=s.d_hidden, d_keys=d_keys, n_layers=N_LAYERS)
    parts = [
        Part(say("attention"), say("attention_matrices"), s.attention),
        Part(say("feed_forward"), say("feed_forward_matrices"), s.feed_forward),
        Part(say("normalisation"), say("normalisation_matrices"), 2 * s.d_model),
    ]
    if not whole:
        return parts
    times = [Part(say("in_all_blocks", part=part.name), part.matrices, N_LAYERS * part.numbers) for part in parts]
    shapes, numbers = say("normalisation_matrices_of_model"), times[-1].numbers + s.d_model
    times[-1] = times[-1]._replace(matrices=shapes, numbers=numbers)
    shape = say("table_of_tokens_matrices", n_tokens=N_TOKENS)
    return [*times, Part(say("table_of_tokens"), shape, N_TOKENS * s.d_model)]


DRANK, CHASED, CAME = "drank", "chased", "milk"
BY, AT = 0.1, (0, 0)  # how far a number of W^Q is moved, and which
RATE, TRAINING_STEPS = 0.5, 10  # the learning rate, and how many steps of training one press takes
PROBABILITIES = (1.0, 0.5, 0.25)
MOST_HALVINGS = 5  # the most halvings that a visitor can add to the table of losses
DRAWS = 100  # words that one press draws
VOCABULARY = "Vocab^T"

SOFTMAX = Sign("softmax", arrow=True)


def next_lines(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    """Return the equations from the last row to the logits, and after the guess to probabilities and random draws."""
    here = _writing(DRANK, attends=True)
    m, row = matrices(here), here.last
    last, rows_of_words = _row_after_attention(m, here), m["vocabulary"].transpose(VOCABULARY).read_only()
    compared = (last, "·", rows_of_words)
    said = TEXTS.fill("last_row_and_words")
    if not revealed:
        return [Line(compared, said)]
    logits, chances = _logits_and_chances(m, row)
    drawn = Line((_drawn_words(m["chances"], tries),), TEXTS.fill("draws_of_words", draws=DRAWS))
    return [
        Line((*compared, "=", logits.read_only()), said),
        Line((logits.read_only(), SOFTMAX, chances.read_only()), TEXTS.fill("to_probabilities")),
        *[drawn] * bool(tries),
    ]


def _drawn_words(chances: Matrix, tries: int) -> Matrix:
    counts = next_word_numbers(tries)["drawn_words"][None].astype(float)
    return Matrix(
        id="drawn_words", symbol=TEXTS.fill("drawn"), name=TEXTS.fill("drawn_words"), values=counts,
        column_labels=chances.column_labels, tint="plain",
    )  # fmt: skip


def added_output_lines(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    """Return the equations that add the output of attention to the last row, and after the guess the probabilities."""
    here = _writing(CHASED if tries % 2 else DRANK, attends=True)
    m, row, number = matrices(here), here.last, here.last + 1
    weights, output = m["weights"].row(row, f"a_{number}"), m["output"].row(row, f"z_{number}")
    added, last = m["mixed"].row(row, f"y_{number}"), m["x"].row(row, f"x_{number}")
    sum_said = TEXTS.fill("output_added", verb=here.trace.tokens[-2])
    steps = [
        _line((weights, "·", m["v"], "=", output), TEXTS.fill("output_of_the")),
        _line((last, "+", added, "=", _row_after_attention(m, here)), sum_said),
    ]
    if not revealed:
        return steps
    on = _probabilities_line(here, "", TEXTS.fill("with_attention"))
    if tries % 2:
        return [*steps, on]
    off = _probabilities_line(_writing(DRANK, attends=False), "_off", TEXTS.fill("without_attention"))
    return [*steps, on, off]


def _probabilities_line(writing: Writing, suffix: str, label: str) -> Line:
    own = matrices(writing)
    m = {name: each.with_suffix(suffix, own) for name, each in own.items()} if suffix else own
    logits, chances = _logits_and_chances(m, writing.last)
    compared = Sign(TEXTS.fill("dot_products_with_words"), arrow=True)
    return _line((_row_after_attention(m, writing), compared, logits, SOFTMAX, chances), label)


def _logits_and_chances(m: Mapping[str, Matrix], row: int) -> tuple[Matrix, Matrix]:
    return m["logits"].row(row, TEXTS.fill("logits")), m["chances"].row(row, TEXTS.fill("probability"))


def _row_after_attention(m: Mapping[str, Matrix], writing: Writing) -> Matrix:
    letter = "u" if writing.attends else "x"
    return m["summed"].row(writing.last, f"{letter}_{writing.last + 1}").read_only()


def _line(items: Sequence[Any], label: str) -> Line:
    return Line(tuple(item.read_only() if isinstance(item, Matrix) else item for item in items), label)


def _writing(verb: str, *, attends: bool) -> Writing:
    return writing_of(page_named("next_word").parameters(**{"verb": verb, "attends": attends}))


def loss_table(decimals: int, *, revealed: bool, tries: int = 0) -> str:
    """Return a table of probabilities and their losses, with one more column for each of the `tries` presses."""
    shown = [*PROBABILITIES, *(PROBABILITIES[-1] / 2**n for n in range(1, _halvings(tries) + 1))]
    losses = [format_as_shown(-math.log(p), decimals) for p in shown]
    if not revealed:
        losses[-1] = "?"
    header = (TEXTS.fill("probability_of_loss"), *[f"{p:g}" for p in shown])
    return markdown_table(header, [(TEXTS.fill("loss_of_probability"), *losses)])


def _halvings(tries: int) -> int:
    return tries % (MOST_HALVINGS + 1)  # the press after the last halving begins anew


def query_matrix_lines() -> Sequence[Line]:
    """Return W^Q of the small model, with the names of its rows and columns."""
    return [_line((matrices(_writing(DRANK, attends=True))["w_q"],), TEXTS.fill("query_matrix"))]


def nudge_table(decimals: int) -> str:
    """Return a table with a number of W^Q and the loss of “milk”, before and after a change, and a sentence below."""
    model, numbers = story_model(), next_word_numbers(1)
    number = float(model.w_q[AT])
    before, after, fall = (
        format_as_shown(value, decimals + 1)
        for value in (numbers["word_loss"], numbers["word_moved"], numbers["word_loss"] - numbers["word_moved"])
    )
    name = TEXTS.fill("number_of_query_matrix", feature=FEATURES[AT[0]], looked_for=QUERIES[AT[1]])
    loss = TEXTS.fill("loss_of_word", word=CAME)
    rows = [(name, f"{number:g}", f"{number + BY:g}"), (loss, before, after)]
    said = TEXTS.fill(
        "how_loss_falls", decimals, before=number, after=number + BY, by=BY, fall=fall,
        slope=-numbers["word_slope"], gradient=-numbers["word_gradient"],
    )  # fmt: skip
    header = TEXTS.fill("number"), TEXTS.fill("now"), TEXTS.fill("if_it_grows")
    return f"{markdown_table(header, rows)}\n\n{said}"


def step_formula(decimals: int) -> str:
    """Return the formula of one step of training for one number of W^Q: old − rate · gradient = new."""
    numbers = next_word_numbers(1)
    gradient, stepped = (format_as_shown(numbers[name], decimals) for name in ("word_gradient", "word_stepped"))
    return f"${numbers['word_number']:g} - {RATE:g} \\cdot ({gradient}) = {stepped}$".replace("−", "-")


def probabilities_html(tries: int, decimals: int) -> str:
    """Return bars with the probability of each next word after `tries` presses, and marks for those before training."""
    first, now = _training_result(0).chances, _training_result(tries * TRAINING_STEPS).chances
    bars = (
        Bar(word, p, format_as_shown(p, decimals), began if tries else None)
        for word, began, p in zip(story_model().words, first, now, strict=True)
    )
    section = "after_training" if tries else "before_training"
    return bars_html(TEXTS.fill(section, steps=tries * TRAINING_STEPS), bars)


@cache_recent
def next_word_numbers(tries: int) -> Mapping[str, Any]:
    """Return the numbers of the small model that the path shows, by name, after `tries` presses of a button."""
    model = story_model()
    drank, off, chased = (
        next_word(model, beginning(verb), attends=attends)
        for verb, attends in ((DRANK, True), (DRANK, False), (CHASED, True))
    )
    first = word_loss(model, beginning(DRANK), CAME, by=BY, at=AT)
    before, after, came = _training_result(0), _training_result(tries * TRAINING_STEPS), model.words.index(CAME)
    wrong = int(np.where(np.arange(len(model.words)) == came, 0, before.chances).argmax())
    return MappingProxyType(
        {
            "next_chances": drank.chances, "off_chances": off.chances, "chased_chances": chased.chances,
            "next_summed": drank.summed, "next_mixed": drank.mixed, "next_logits": drank.logits,
            "next_weights": drank.head.weights, "next_values": drank.head.v,
            "next_scores": drank.head.scores, "vocabulary": model.vocabulary,
            "drawn_words": np.random.default_rng(tries).multinomial(DRAWS, drank.chances[-1]),
            "expected_draws": round(DRAWS * float(drank.chances[-1, came])),
            "halved_one_in": 2 ** (2 + _halvings(tries)), "halved_loss": (2 + _halvings(tries)) * math.log(2),
            "word_loss": first.loss, "word_chance": first.chance, "word_by": BY, "word_moved": first.moved,
            "word_slope": first.slope, "word_gradient": float(first.gradient[AT]), "word_number": float(model.w_q[AT]),
            "rate": RATE, "word_stepped": float(model.w_q[AT]) - RATE * float(first.gradient[AT]),
            "step_loss": _training_result(1).loss, "mouse_loss": -math.log(before.chances[wrong]),
            "steps": tries * TRAINING_STEPS, "loss_after": after.loss, "chance_after": after.chances[came],
            "wrong_chance": before.chances[wrong], "wrong_after": after.chances[wrong],
        }
    )  # fmt: skip


class _Trained(NamedTuple):
    loss: float  # the loss of the next word in the text
    chances: Array  # (n_words,)


@cache_recent
def _training_result(steps: int) -> _Trained:
    """Return the loss, and the probability of each word, after some steps of training that change only W^Q."""
    model = story_model()
    for _ in range(steps):
        gradient = word_loss(model, beginning(DRANK), CAME, by=BY, at=AT).gradient
        model = replace(model, w_q=model.w_q - RATE * gradient)
    chances = next_word(model, beginning(DRANK), attends=True).chances[-1]
    return _Trained(word_loss(model, beginning(DRANK), CAME, by=BY, at=AT).loss, chances)
