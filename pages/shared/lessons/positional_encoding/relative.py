"""Two views of relative positions: RoPE rotates queries and keys, and ALiBi subtracts a penalty from their scores."""

from __future__ import annotations

import streamlit as st

from attention_core import alibi_bias, alibi_slopes, distance_spread, even_width, rope_scores
from attention_core.arithmetic.position_rules import alibi_rules, rope_rules
from attention_core.checks import greatest_difference
from attention_core.experiments.moved_positions import moved_positions
from pages.shared.equation import equation, selected_cell
from pages.shared.equation.position_matrices import alibi_lines, rope_lines
from pages.shared.notation.differences import by_how_much, equal_or_not
from pages.shared.notation.numbers import number, small
from pages.shared.state import widgets

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
