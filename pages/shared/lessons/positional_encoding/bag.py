"""The bag of words: the same tokens in two orders, without and with positions."""

from __future__ import annotations

import numpy as np
import streamlit as st

from attention_core import embed_positions, even_width, new_order, shuffle_tokens
from attention_core.arithmetic import Worked
from attention_core.arithmetic.position_rules import embedding_rules, shuffle_rules
from attention_core.caching import cache_recent
from attention_core.checks import greatest_difference
from attention_core.experiments.order import ShuffleTrace
from pages.shared.equation import equation, selected_cell
from pages.shared.equation.position_matrices import outcome_line, sum_lines
from pages.shared.notation.differences import by_how_much
from pages.shared.notation.numbers import format_as_shown
from pages.shared.state import widgets

LABELS = {
    "bag": "What each takes away from the shuffled text, less what it took away from the first",
    "placed": "The same difference, with positions",
}


def bag(parameters, example) -> None:
    """Draw the effect of a shuffle without positions, how positions are added, and the effect with them."""
    tokens = example.tokens
    order = new_order(parameters.order, len(tokens), parameters.first, parameters.second)
    shuffled = tuple(tokens[i] for i in order)
    embedding, bag, placed = _outcomes(example, order, float(parameters.base), parameters.root)
    worked = {"bag": shuffle_rules(bag), "placed": shuffle_rules(placed)}
    lines = {
        name: outcome_line(worked[name], embedding, name, shuffled, text, example) for name, text in LABELS.items()
    }
    st.markdown(
        f"“{' '.join(tokens)}” and “{' '.join(shuffled)}”: two texts, but **one bag of tokens** to attention. Without "
        f"positions, what each token takes away differs by {_off(bag)}."
    )
    equation([lines["bag"]], "shuffle", parameters, tools=True)
    _choose_order(parameters, tokens)
    second = parameters.in_layout(
        "So each token’s row gets a second one **added**, that of its position, like no other’s."
    )
    st.markdown(
        f"## Where it stands is added\n\n{second}{_odd(example.x.shape[-1])}"
        f"{_why_the_root(example, embedding, parameters)} Now what a token takes away differs by {_off(placed)}: order "
        "means something."
    )
    equation([*sum_lines(example, embedding), lines["placed"]], "embedding", parameters)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "root", "base")
    of_shuffled = parameters.cell is not None and parameters.cell[0].endswith(("_bag", "_placed"))
    selected_cell.hint_and_arithmetic(shuffled if of_shuffled else tokens, tokens, parameters)


@cache_recent
def _outcomes(example, order, base: float, root: bool) -> tuple[Worked, ShuffleTrace, ShuffleTrace]:
    """Draw how positions are added, and the effect of the shuffle without and with them."""
    bag, placed = (
        shuffle_tokens(example, order, positions=positions, base=base, root=root) for positions in (False, True)
    )
    return embedding_rules(embed_positions(example.x, base, root=root)), bag, placed


def _choose_order(parameters, tokens) -> None:
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "order")
        if parameters.order == "swapped":
            widgets.draw_token(parameters, "first", tokens)
            widgets.draw_token(parameters, "second", tokens)


def _odd(width: int) -> str:
    if width == even_width(width):
        return ""
    return (
        f" Waves come in pairs, and $X$ is {width} wide: here is the encoding of width {even_width(width)} without "
        "its last cosine."
    )


def _why_the_root(example, embedding: Worked, parameters) -> str:
    """If rows are first multiplied by √d_model, say why, with the length of a row and of a position's row."""
    if not parameters.root:
        return ""
    row, scaled, place = (
        format_as_shown(float(np.linalg.norm(matrix[0])), parameters.decimals)
        for matrix in (example.x, embedding.rules["embedded"][0], embedding.rules["sinusoidal"][0])
    )
    return (
        f" Rows are first made $\\sqrt{{d_{{\\text{{model}}}}}}$ times as long, so that their positions do not "
        f"drown them: that of “{example.tokens[0]}” is {row} long, then {scaled}, and what is added to it {place}."
    )


def _off(trace) -> str:
    return by_how_much(greatest_difference(trace.shuffled.output, trace.moved), abs(trace.moved).max())
