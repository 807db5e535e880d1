"""Relative positions, and what a wrong numbering costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from attention_core import alibi_bias, alibi_slopes, distance_spread, even_width, rope_scores
from attention_core.arithmetic.position_rules import alibi_rules, numbering_rules, rope_rules
from attention_core.caching import cache_recent
from attention_core.checks import greatest_difference
from attention_core.experiments.positions import (
    NumberingTrace,
    in_bits,
    moved_positions,
    number_tokens,
    position_numbers,
    step_lengths,
)
from attention_core.positions import sinusoidal
from pages.shared import charts
from pages.shared.equation import equation, selected_cell
from pages.shared.equation.position_matrices import WAYS, alibi_lines, numbering_lines, rope_lines
from pages.shared.notation.numbers import by_how_much, equal_or_not, format_as_shown, number, small
from pages.shared.notation.prose import escape
from pages.shared.state import widgets

FAR = 1000  # a position in a long text
GPT_2 = 1024  # the number of rows that GPT-2 learned: Radford et al. 2019, section 2.3
SMALL = 4, 16  # bits, and the positions that they can number


def numbering(parameters, example) -> None:
    """Draw what the last token attends to with each way to number positions, and a picture of bits and waves."""
    found, worked = _trace_numberings(example, float(parameters.base))
    asks = len(example.tokens) - 1
    st.markdown(
        parameters.in_layout(
            "A position must become numbers that are added to the token’s row. **Why not simply 1, 2, 3 …?** Each row "
            f"below writes the positions in another way, and shows what {_quoted(example.tokens[asks])} then attends "
            "to."
        )
    )
    equation(numbering_lines(example, worked), "numbering", parameters, tools=True)
    st.markdown(parameters.in_layout(_reasons_text(found, example, asks)))
    charts.numbering(key="numbering")
    widgets.draw(parameters, "base")
    selected_cell.hint_and_arithmetic(tuple(WAYS.values()), example.key_tokens, parameters)


@cache_recent
def _trace_numberings(example, base: float):
    found = number_tokens(example, base)
    return found, numbering_rules({way: each.trace for way, each in found.items()}, len(example.tokens) - 1)


def _reasons_text(found: dict[str, NumberingTrace], example, asks: int) -> str:
    """Return a Markdown list that says what is good or bad about each way to number positions.

    `found` has the attention with each of these ways, and `asks` is the index of the token that attends.
    """
    token = _quoted(example.tokens[asks])
    most = {way: _most_attended_text(each, asks, example.key_tokens) for way, each in found.items()}
    own, far = np.linalg.norm(example.x[asks]), np.linalg.norm(position_numbers(FAR, example.x.shape[1])[-1])
    bits, n = SMALL
    jumps, swings = step_lengths(in_bits(n, bits)), step_lengths(sinusoidal(n, 2 * bits))
    worst = int(np.argmax(jumps))
    return (
        f"- **Count.** The numbers grow without end and outweigh the word: the row of {token} has length "
        f"{_format_value(own)}, and the row of position {FAR:,} has length {_format_value(far)}. Without positions, "
        f"{token} attends most to {most['nowhere']}; with counting, to {most['counted']}. Divided by the length of the "
        "text, the numbers would stay small, but one step would be a different number in each text.\n"
        f"- **Bits.** No number is above 1 now, but bits jump: from {worst} to {worst + 1} all {bits} bits change, a "
        f"step of length {_format_value(jumps[worst])}. From {worst + 1} to {worst + 2} one bit changes, a step of "
        f"{_format_value(jumps[worst + 1])}. So some neighbours are near each other, and others are far apart.\n"
        f"- **Waves.** A wave is like a bit that changes smoothly. In the picture below, each wave is half as fast as "
        f"the wave above it, as with bits. Every step from one position to the next has the same length, "
        f"{_format_value(swings[0])}, and {token} attends most to {most['in_waves']}.\n"
        "- **Learned.** The models BERT and GPT-2 learn a row for each position, as they do for each token. That works "
        f"as well, but not for longer texts: GPT-2 has {GPT_2:,} rows, and none for the next position."
    )


def _most_attended_text(found: NumberingTrace, asks: int, keys: tuple[str, ...]) -> str:
    weights = found.trace.weights[asks]
    best = int(np.argmax(weights))
    return f"{_quoted(keys[best])} ({_format_value(weights[best])})"


def _quoted(token: str) -> str:
    """Return a token in quotation marks, without Markdown in it."""
    return f"“{escape(token)}”"


def _format_value(value: Any) -> str:
    return format_as_shown(float(value), 2)


PLACES = 6  # the number of positions of the query and the key


def rope(parameters, example) -> None:
    """Draw one query and one key, rotated for each of six positions, and the scores of all pairs of positions."""
    trace, base = example.attention(), float(parameters.base)
    asks, answers, keys = parameters.asks, parameters.answers, example.key_tokens[: len(example.tokens)]
    both = {
        pairing: rope_scores(trace.q[asks], trace.k[answers], PLACES, base, pairing == "neighbours")
        for pairing in ("halves", "neighbours")
    }
    chosen = both[parameters.pairing]
    worked = rope_rules(chosen, asks, answers)
    d_k = len(chosen.q)
    st.markdown(
        "RoPE adds nothing to a token’s row. It **turns** every query and every key: each pair of features turns by an "
        "angle that grows with the position. Because both are turned, their score depends only on the *difference* of "
        "the two angles, and this difference depends only on the distance. Values are not turned."
        + (d_k != even_width(d_k))
        * f" $d_k$ is {d_k}, so the last feature has no partner and stays as it is."
    )
    equation(rope_lines(example, trace, worked, asks, answers), "rope", parameters, tools=True)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw_token(parameters, "asks", example.tokens)
        widgets.draw_token(parameters, "answers", keys)
        widgets.draw(parameters, "pairing", "base")
    selected_cell.hint_and_arithmetic(*_labels_of_cell(parameters, example, "_rope"), parameters)
    spread = max(distance_spread(t.scores) for t in both.values())
    diagonal = equal_or_not(spread, max(abs(t.scores).max() for t in both.values()))
    apart = by_how_much(greatest_difference(both["halves"].scores, both["neighbours"].scores))
    st.markdown(
        "## Only the distance counts, with both kinds of pairs\n\n"
        f"Along any diagonal, {diagonal}, with both kinds of pairs. But the two kinds give scores that differ by "
        f"{apart}, so a model must run with the kind that it was trained with.{_moved_tokens_text(example, base)}"
    )


MOVED_BY = 100  # positions


def _moved_tokens_text(example, base: float) -> str:
    """Return sentences that say what changes if all tokens move by 100 positions.

    `base` is the base of the angles. Return "" if the queries come from one text of the example, and the keys from
    another.
    """
    if example.context is not None:
        return ""
    moved = moved_positions(example, MOVED_BY, base)
    return (
        f"\n\n**Move all tokens by {MOVED_BY} positions**, and compare the numbers before and after. For the "
        f"similarity of two encodings made of sines and cosines, {equal_or_not(moved.likeness)}. But these encodings "
        f"are added to the rows, so the scores change by up to {small(moved.sinusoidal)}. For the scores with RoPE, "
        f"{equal_or_not(moved.rotary)}."
    )


def alibi(parameters, example) -> None:
    """Draw the penalty that grows with the distance, and how it changes the weights of the example."""
    heads = parameters.heads
    head = min(parameters.head, heads)
    slopes, bias = alibi_slopes(heads), alibi_bias(heads, len(example.tokens), len(example.key_tokens))
    plain, trace = example.attention(), example.attention(mask=bias[head - 1])
    worked = alibi_rules(slopes, bias, head - 1)
    st.markdown(
        "ALiBi adds nothing to a token’s row either. From each **score** it subtracts a penalty: the distance times "
        "the slope of the head. In a head with a steep slope, tokens attend mostly to near tokens; with a gentle "
        "slope, also to far tokens."
    )
    equation(alibi_lines(example, trace, plain, worked, head - 1), "alibi", parameters, tools=True)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "heads", "head")
    beyond = f"There are {heads} heads, so head {parameters.head} became the last. "
    st.caption(
        beyond
        * (parameters.head > head)
        + f"Head {head} has the slope {slopes[head - 1]:.5g}. The penalty changes a weight by up to "
        f"${number(greatest_difference(plain.weights, trace.weights))}$, and the output by up to "
        f"${number(greatest_difference(plain.output, trace.output))}$."
    )
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)


def _labels_of_cell(parameters, example, suffix: str):
    """Return labels for the rows and for the columns of the selected cell's matrix.

    If the id of this matrix ends in `suffix`, its labels are positions. Otherwise they are tokens.
    """
    if parameters.cell is None or not parameters.cell[0].endswith(suffix):
        return example.tokens, example.key_tokens
    places = tuple(f"position {place}" for place in range(PLACES))
    return places, places
