"""Relative positions, and what a wrong numbering costs."""

from __future__ import annotations

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
from pages.positional_encoding.encoding import TEXTS, places
from pages.shared import charts, panel
from pages.shared.equation import equation, selected_cell
from pages.shared.equation.position_matrices import WAYS, alibi_lines, numbering_lines, rope_lines
from pages.shared.notation.numbers import by_how_much, equal_or_not, significant
from pages.shared.notation.prose import escape

FAR = 1000  # a position in a long text
GPT_2 = 1024  # the number of rows that GPT-2 learned: Radford et al. 2019, section 2.3
SMALL = 4, 16  # bits, and the positions that they can number
DECIMALS = 2  # of the lengths and weights in the text about numberings


def numbering(parameters, example) -> None:
    """Draw what the last token attends to with each way to number positions, and a picture of bits and waves."""
    found, worked = _trace_numberings(example, float(parameters.base))
    st.markdown(parameters.say(TEXTS, "why_not_1_2_3", token=escape(example.tokens[-1])))
    equation(numbering_lines(example, worked), "numbering", parameters, tools=True, place="view")
    st.markdown(_ways_text(parameters, example, found))
    charts.numbering(key="numbering")
    panel.draw(parameters, "base", "base")
    selected_cell.hint_and_arithmetic(tuple(WAYS.values()), example.key_tokens, parameters)


@cache_recent
def _trace_numberings(example, base: float):
    found = number_tokens(example, base)
    return found, numbering_rules({way: each.trace for way, each in found.items()}, len(example.tokens) - 1)


def _ways_text(parameters, example, found: dict[str, NumberingTrace]) -> str:
    """Return a list that says what is good or bad about each way to number positions, for the last token."""
    most = {way: _most_attended(example.key_tokens, each.trace.weights[-1]) for way, each in found.items()}
    bits, n = SMALL
    jumps, swings = step_lengths(in_bits(n, bits)), step_lengths(sinusoidal(n, 2 * bits))
    return TEXTS.fill(
        "ways_to_number",
        DECIMALS,
        parameters.columns,
        token=escape(example.tokens[-1]),
        own_length=np.linalg.norm(example.x[-1]),
        far=FAR,
        far_length=np.linalg.norm(position_numbers(FAR, example.x.shape[1])[-1]),
        n_bits=bits,
        jumps=jumps,
        worst=int(np.argmax(jumps)),
        swing=swings[0],
        n_learned=GPT_2,
        **most,
    )


def _most_attended(keys: tuple[str, ...], weights: np.ndarray) -> str:
    best = int(weights.argmax())
    return TEXTS.fill("most_attended", DECIMALS, key=escape(keys[best]), weight=weights[best])


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
    section = "rope_turns" if d_k == even_width(d_k) else "rope_turns_all_but_the_last"
    st.markdown(parameters.say(TEXTS, section, d_k=d_k))
    equation(rope_lines(example, trace, worked, asks, answers), "rope", parameters, tools=True, place="view")
    pair = panel.token(parameters, "asks", example.tokens), panel.token(parameters, "answers", keys)
    panel.draw(parameters, "rope", *pair, "pairing", "base")
    selected_cell.hint_and_arithmetic(*_labels_of_cell(parameters, example), parameters)
    spread = max(distance_spread(t.scores) for t in both.values())
    diagonal = equal_or_not(spread, max(abs(t.scores).max() for t in both.values()))
    apart = by_how_much(greatest_difference(both["halves"].scores, both["neighbours"].scores))
    texts = [parameters.say(TEXTS, "two_kinds_of_pairs", equal_or_not=diagonal, apart=apart)]
    if example.context is None:
        texts.append(_moved_tokens_text(parameters, example, base))
    st.markdown("\n\n".join(texts))


def _labels_of_cell(parameters, example) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return labels for the rows and columns of the selected cell's matrix: positions if it is turned, or tokens."""
    if parameters.cell is None or not parameters.cell[0].endswith("_rope"):
        return example.tokens, example.key_tokens
    named = places(parameters, PLACES)
    return named, named


MOVED_BY = 100  # positions


def _moved_tokens_text(parameters, example, base: float) -> str:
    """Return a text that says what changes if all tokens move by 100 positions. `base` is the base of the angles."""
    moved = moved_positions(example, MOVED_BY, base)
    return parameters.say(
        TEXTS,
        "move_all_tokens",
        by=MOVED_BY,
        likeness=equal_or_not(moved.likeness),
        sinusoidal=significant(moved.sinusoidal),
        rotary=equal_or_not(moved.rotary),
    )


def alibi(parameters, example) -> None:
    """Draw the penalty that grows with the distance, and how it changes the weights of the example."""
    heads = parameters.heads
    head = min(parameters.head, heads)
    slopes, bias = alibi_slopes(heads), alibi_bias(heads, len(example.tokens), len(example.key_tokens))
    plain, trace = example.attention(), example.attention(mask=bias[head - 1])
    worked = alibi_rules(slopes, bias, head - 1)
    st.markdown(parameters.say(TEXTS, "alibi_subtracts"))
    equation(alibi_lines(example, trace, plain, worked, head - 1), "alibi", parameters, tools=True, place="view")
    panel.draw(parameters, "alibi", "heads", "head")
    caption = parameters.say(
        TEXTS,
        "slope_of_last_head" if parameters.head > head else "slope_of_head",
        n_heads=heads,
        chosen=parameters.head,
        head=head,
        slope=slopes[head - 1],
        of_weights=greatest_difference(plain.weights, trace.weights),
        of_output=greatest_difference(plain.output, trace.output),
    )
    st.caption(caption)
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)
