"""The lesson of the page “The next word”: the numbers of each view, their equations, and what the texts say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic.training_rules import add_and_norm_rules, loss_rules
from attention_core.caching import cache_recent
from attention_core.feed_forward import FeedForwardTrace
from attention_core.mistakes.next_word import CacheMistake, SamplingMistake, correct_step
from attention_core.next_word import count_draws, unembed
from attention_core.normalization import AddAndNormTrace, add_and_norm, residual
from attention_core.softmax import softmax
from attention_core.writing.small_model import (
    N_LAYERS,
    N_TOKENS,
    SMOLLM2,
    WordLoss,
    feed_forward_trace,
    model_numbers,
    next_word,
    step_multiplications,
    word_loss,
)
from pages.shared.controls.example_kinds import LAST
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.computation import Computation
from pages.shared.equation.matrices import projection
from pages.shared.mistake_switch import source_of
from pages.shared.notation.numbers import format_as_shown, significant
from pages.shared.notation.prose import code_html, markdown_table, typeset
from pages.shared.notation.symbols import OF_A_PAGE
from pages.shared.notation.texts import texts_beside
from pages.shared.small_model.matrices import matrices, matrix_of
from pages.shared.small_model.state import Writing, writing_of
from pages.shared.state.widgets import reserve_container

TEXTS = texts_beside(__file__)

HUNDRED = 100
BY = 0.1  # how much a number of W^Q is increased
W_Q = f"w_q{OF_A_PAGE}"
ROUNDING = 1e-9  # numbers that differ by less count as equal
LENGTHS = tuple(2**i for i in range(12))  # 1 to 2048 tokens
LONG = 1024  # tokens, in a sentence about costs
MIB = 2**20


# --- from the last row to a word ---


def why_text(parameters: Any) -> str:
    """Return a text that says how a row becomes a word, and which word is the likeliest, with and without attention."""
    here = writing_of(parameters)
    chances, words, tokens = here.trace.chances[-1], here.model.words, here.trace.tokens
    if here.has_ended:
        return parameters.say(TEXTS, "sentence_has_ended", so_far=" ".join(tokens))
    likeliest = [words[i] for i in np.flatnonzero(np.isclose(chances, chances.max()))]
    section = "likeliest_words_without_attention" if len(likeliest) > 1 else "likeliest_word_without_attention"
    if here.attends:
        section, likeliest = "likeliest_word", [words[chances.argmax()]]
    without = next_word(here.model, tokens, attends=False).chances[-1]
    return parameters.say(
        TEXTS, section, so_far=" ".join(tokens), likeliest=likeliest, all_but_one=", ".join(likeliest[:-1]),
        chance=chances.max(), chance_without=without[chances.argmax()], last_token=tokens[-1],
    )  # fmt: skip


def main_lines(parameters: Any) -> list[Line]:
    """Return the equations from the last row to the probabilities of the next word."""
    here = writing_of(parameters)
    m, row, number, say = matrices(here), here.last, here.last + 1, parameters.say
    names = zip(("x", "mixed", "summed"), "xyu", strict=True)
    x, mixed, summed = (m[name].row(row, f"{letter}_{number}") for name, letter in names)
    vocabulary, logits = m["vocabulary"].transpose("Vocab^T"), m["logits"].row(row, "Logits")
    chances = m["chances"].row(row, "Probability")
    return [
        Line((x, "+", mixed, "=", summed), say(TEXTS, "last_row_and_attention")),
        Line((summed, "·", vocabulary, "=", logits), say(TEXTS, "dot_product_with_every_word")),
        Line((logits, _arrow(parameters, "arrow_softmax"), chances), say(TEXTS, "softmax_of_logits")),
    ]


def _arrow(parameters: Any, section: str) -> Sign:
    return Sign(parameters.say(TEXTS, section), arrow=True)


# --- draw a word ---


def drawing_text(parameters: Any) -> str:
    """Return a text that says what temperature, top-k and top-p do, and how many words they keep."""
    kept = writing_of(parameters).drawing.kept
    return TEXTS.fill("all_words_stay" if kept.all() else "some_words_are_left", kept=int(kept.sum()), n=kept.size)


def draw_line(parameters: Any) -> Line:
    """Return an equation with the logits of the last row, and the probabilities with which the next word is chosen.

    Between them, the logits are divided by the temperature, some words are left out, and softmax is applied.
    """
    here = writing_of(parameters)
    m = matrices(here)
    return Line((m["logits"].row(here.last, "Logits"), _arrow(parameters, "arrow_leave_out"), m["kept"]))


def draw_series(writing: Writing, wrong: SamplingMistake | None, seed: int) -> Mapping[str, np.ndarray]:
    """Return three lists for a chart, by label: each has one number for each word.

    The first two are the probabilities before and after words are left out. The third is how often each word comes in
    100 draws, as a share. If there is a mistake `wrong`, the third list has the probabilities with this mistake.
    """
    after = writing.drawing.probabilities
    series: dict[str, np.ndarray] = {
        TEXTS.fill("chances_of_softmax"): writing.trace.chances[-1],
        TEXTS.fill("chances_to_draw_from"): after,
    }
    if wrong is None:
        series[TEXTS.fill("chances_drawn", draws=HUNDRED)] = count_draws(after, HUNDRED, seed) / HUNDRED
    else:
        series[TEXTS.fill("with_the_mistake")] = wrong.chances(writing.drawing)
    return series


def draw_sampling_mistake(mistake: SamplingMistake | None, parameters: Any) -> None:
    """Draw what a mistake in the random choice of a word is, and how wrong it makes the probabilities."""
    with reserve_container("drawn_wrongly"):
        if mistake is None:
            return
        drawing = writing_of(parameters).drawing
        wrong = mistake.chances(drawing)
        off = float(np.abs(wrong - drawing.probabilities).max())
        nothing = "changes_nothing_without" if mistake.needs else "changes_nothing"
        section = nothing if off < ROUNDING else "changes_probabilities"
        _draw_mistake(mistake, parameters.say(TEXTS, section, off=off, total=wrong.sum(), needs=mistake.needs))


def _draw_mistake(mistake: SamplingMistake | CacheMistake, verdict: str) -> None:
    st.markdown(f"**{mistake.title}.** {typeset(mistake.why)} {verdict}")
    st.html(code_html(mistake.code))
    if mistake.sources:
        st.caption(TEXTS.fill("seen_in", sources=", ".join(map(source_of, mistake.sources))))


# --- what attention brings ---


def head_text(parameters: Any) -> str:
    """Return a text that says which word the last word attends to most, and what it takes from that word."""
    trace = writing_of(parameters).trace
    weights = trace.head.weights[-1]
    section = "what_attention_brings"
    return parameters.say(TEXTS, section, tokens=trace.tokens, weights=weights, best=weights.argmax())


def attention_lines(parameters: Any) -> list[Line]:
    """Return the equations of the head whose output is added to the rows: queries, keys, values, weights and output."""
    here = writing_of(parameters)
    m, mask = matrices(here), _arrow(parameters, "arrow_mask_and_softmax")
    equals = "=" if here.attends else _arrow(parameters, "arrow_switched_off")
    return [
        *(projection(m, "x", name, "") for name in "qkv"),
        Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"], mask, m["weights"])),
        Line((m["weights"], "·", m["v"], "=", m["output"])),
        Line((m["output"], "·", m["w_o"], equals, m["mixed"])),
    ]


def table_line(parameters: Any) -> Line:
    """Return an equation with the table of all tokens, from which the row of each token of the text is taken."""
    m = matrices(writing_of(parameters))
    return Line((m["table"], _arrow(parameters, "arrow_row_of_each_token"), m["x"]))


# --- the rest of a block ---


@cache_recent
def block_results(writing: Writing) -> tuple[AddAndNormTrace, FeedForwardTrace, float]:
    """Return the normalised rows, the results of the feed-forward network, and the probability of one word.

    This word is the likeliest next word without the network. Its probability is that with the network. `writing` holds
    the model and the words so far.
    """
    fed = feed_forward_trace(writing.model, writing.trace)
    after = softmax(unembed(residual(writing.trace.summed, fed.output), writing.model.vocabulary))
    best = int(writing.trace.chances[-1].argmax())
    return add_and_norm(writing.trace.head.x, writing.trace.mixed), fed, float(after[-1, best])


def block_text(parameters: Any) -> str:
    """Return a text about the parts of a block in a real model, and about the spreads of the rows."""
    s, (normed, _, _) = SMOLLM2, block_results(writing_of(parameters))
    return parameters.say(
        TEXTS, "rest_of_block", attention=s.attention, block=s.attention + s.feed_forward, blocks=N_LAYERS,
        model=model_numbers(s, N_LAYERS, N_TOKENS), d_model=s.d_model, d_hidden=s.d_hidden,
        width_of_queries=s.n_heads * s.d_k, width_of_keys=s.n_kv_heads * s.d_k, spreads=normed.norm.spread,
    )  # fmt: skip


def norm_lines(writing: Writing) -> list[Line]:
    """Return an equation in which each row is normalised: its mean is subtracted, and it is divided by its spread."""
    return _norm_lines(writing, block_results(writing)[0])


@cache_recent
def _norm_lines(writing: Writing, trace: AddAndNormTrace) -> list[Line]:
    worked = Computation(add_and_norm_rules(trace))
    values = {"means": trace.norm.mean, "spreads": trace.norm.spread, "normed": trace.output}
    made = {
        name: replace(matrix_of(name, writing, each, None), computation=worked, origin=(name,))
        for name, each in values.items()
    }
    summed = matrices(writing)["summed"]
    return [Line((summed, made["means"], made["spreads"], Sign("(U − μ) ÷ σ", arrow=True), made["normed"]))]


def feed_forward_text(parameters: Any) -> str:
    """Return a text that says why there is a feed-forward network, with its hidden units for the last row."""
    here = writing_of(parameters)
    _, fed, after = block_results(here)
    chances = here.trace.chances[-1]
    return parameters.say(
        TEXTS, "why_feed_forward", units=fed.hidden.output[-1], likeliest=here.model.words[chances.argmax()],
        before=chances.max(), after=after,
    )  # fmt: skip


def feed_lines(writing: Writing) -> list[Line]:
    """Return the equations of the feed-forward network, and the sum of its input and its output."""
    m, bend = matrices(writing), Sign("max(0, F)", arrow=True)
    return [
        Line((m["summed"], "·", m["w_up"], "=", m["widened"], bend, m["bent"])),
        Line((m["bent"], "·", m["w_down"], "=", m["fed"])),
        Line((m["summed"], "+", m["fed"], "=", m["stream"])),
    ]


# --- only the last row ---


def rows_line(parameters: Any) -> Line:
    """Return an equation with the probabilities of the next word after each word of the text."""
    m, arrow = matrices(writing_of(parameters)), _arrow(parameters, "arrow_softmax")
    return Line((m["summed"], "·", m["vocabulary"].transpose("Vocab^T"), "=", m["logits"], arrow, m["chances"]))


# --- the cache ---


def word_at(writing: Writing, at: int) -> int:
    """Return the position `at`, or the last position if the sentence has no word at `at`."""
    return writing.last if not 0 <= at <= writing.last else at


def with_word_at(parameters: Any) -> Any:
    """Return the parameters. If the sentence has no word at the position `at`, `at` is changed to the last position."""
    return parameters if parameters.at <= writing_of(parameters).last else replace(parameters, at=LAST)


def kept_rows_text(parameters: Any) -> str:
    """Return a text that says by how much a new word changes the rows of the earlier words, with and without a mask."""
    here = writing_of(parameters)
    return parameters.say(
        TEXTS, "what_a_cache_keeps", new_word=here.trace.tokens[-1], masked=_change_of_rows(here, masked=True),
        unmasked=_change_of_rows(here, masked=False),
    )  # fmt: skip


def _change_of_rows(writing: Writing, *, masked: bool) -> float:
    before, after = (
        next_word(writing.model, tokens, mask=None if masked else np.ones((len(tokens),) * 2, dtype=bool)).summed
        for tokens in (writing.trace.tokens[:-1], writing.trace.tokens)
    )
    return float(np.abs(after[:-1] - before).max())


def cache_lines(parameters: Any) -> list[Line]:
    """Return the equations of one word with a cache: the new rows, the stored rows, and the output."""
    here, say = writing_of(parameters), parameters.say
    m, at = matrices(here), word_at(here, parameters.at)
    q, k, v = (m[name].row(at, f"{name}_{at + 1}") for name in "qkv")
    first = Line((m["x"], Sign("· W^Q\u00a0, W^K\u00a0, W^V", arrow=True), q, k, v), say(TEXTS, "new_row"))
    if not at:
        return [first]
    shorter = (replace(m[name], values=m[name].values[:at], row_labels=m[name].row_labels[:at]) for name in "kv")
    kept = tuple(matrix.with_suffix("_kept", ("k", "v")) for matrix in shorter)
    weights, output = m["weights"].row(at, f"a_{at + 1}"), m["output"].row(at, f"z_{at + 1}")
    takes = Line((weights, "·", m["v"], "=", output), say(TEXTS, "new_weights_and_output"))
    return [first, Line(kept, say(TEXTS, "kept_rows")), takes]


def draw_cache_mistake(mistake: CacheMistake | None, parameters: Any) -> None:
    """Draw what a mistake in the use of a cache is, and the correct and wrong weights of the last word."""
    with reserve_container("cached_wrongly"):
        if mistake is None:
            return
        trace = writing_of(parameters).trace
        q, k, v = trace.head.q, trace.head.k, trace.head.v
        right, wrong = correct_step(q, k, v, positions=mistake.positions), mistake.step(q, k, v)
        section = "changes_output_with_positions" if mistake.positions else "changes_output"
        off = np.abs(right.output - wrong.output).max()
        _draw_mistake(mistake, parameters.say(TEXTS, section, token=trace.tokens[-1], off=off))
        rows = [
            (TEXTS.fill(name), *(format_as_shown(float(each), parameters.decimals) for each in step.weights[0]))
            for name, step in (("right", right), ("with_the_mistake", wrong))
        ]
        st.markdown(markdown_table((TEXTS.fill("weights_of_last_word"), *trace.tokens), rows))


def costs_text() -> str:
    """Return a text with a table: what a cache saves in a real model, and how many bytes it needs.

    The table has one row for each way in which heads share their keys and values.
    """
    s = SMOLLM2
    with_cache, without_cache = (step_multiplications(s, LONG, cache=cache) for cache in (True, False))
    sizes = [N_LAYERS * replace(s, n_kv_heads=n).bytes_per_token for n in (s.n_heads, s.n_kv_heads, 1)]
    return TEXTS.fill(
        "what_a_cache_saves", length=LONG, with_cache=with_cache, without_cache=without_cache,
        times=without_cache // with_cache, heads=s.n_heads, shared=s.n_kv_heads, bytes=sizes,
        mebibytes=[size * LONG / MIB for size in sizes],
    )  # fmt: skip


def cost_series() -> dict[str, list[int]]:
    """Return how many multiplications one new token needs at each length of the text, with a cache and without one."""
    ways = {"costs_without_cache": False, "costs_with_cache": True}
    return {
        TEXTS.fill(section): [step_multiplications(SMOLLM2, n, cache=cache) for n in LENGTHS]
        for section, cache in ways.items()
    }


# --- the loss ---


def loss_text(parameters: Any) -> str:
    """Return a text that explains the loss of a word, and how it changes with a number of W^Q.

    The text also says whether a step of training makes this number larger or smaller.
    """
    here = writing_of(parameters)
    row, column = _place_in_w_q(here, parameters.cell)
    found = _loss(here, parameters.came, (row, column))
    gradient, names = float(found.gradient[row, column]), here.example.names
    return parameters.say(
        TEXTS, "number_grows" if gradient < 0 else "number_shrinks" if gradient else "number_stays",
        word=parameters.came, chance=found.chance, loss=found.loss, by=found.by, feature=names.x[row],
        query=names.q[column], loss_before=significant(found.loss, 5), loss_after=significant(found.moved, 5),
        slope=significant(found.slope), gradient=significant(gradient),
    )  # fmt: skip


def _place_in_w_q(writing: Writing, cell: tuple[str, int, int] | None) -> tuple[int, int]:
    """Return the row and the column of the number of W^Q that grows: of the selected one, or else of the first."""
    rows, columns = writing.model.w_q.shape
    return cell[1:] if cell and cell[0] == W_Q and cell[1] < rows and cell[2] < columns else (0, 0)


@cache_recent
def _loss(writing: Writing, word: str, place: tuple[int, int]) -> WordLoss:
    return word_loss(writing.model, writing.trace.tokens, word, by=BY, at=place)


def loss_lines(parameters: Any) -> list[Line]:
    """Return an equation with the loss of the word that came, and an equation with W^Q, which a visitor can edit."""
    here, word = writing_of(parameters), parameters.came
    m, rules = matrices(here), loss_rules(here.trace.chances, here.model.words.index(word))
    loss = Matrix.named("word_loss", rules["word_loss"][0], column_labels=(word,)).with_computation(
        Computation(CellCalculations(rules))
    )
    return [
        Line((m["chances"].row(here.last, "Probability"), _arrow(parameters, "arrow_loss"), loss)),
        Line((m["w_q"],), parameters.say(TEXTS, "learned_matrix")),
    ]
