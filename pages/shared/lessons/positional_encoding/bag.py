"""The view that compares the same tokens in two orders, without and with the encoding of their positions."""

from __future__ import annotations

import numpy as np
import streamlit as st

from attention_core import embed_positions, even_width, new_order, shuffle_tokens
from attention_core.arithmetic import CellCalculations
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
    "bag": "Each token’s new output, minus its old one",
    "placed": "The same difference, with positions added",
}


def bag(parameters, example) -> None:
    """Draw two equations: how much the outputs change if the tokens change their order, without and with positions."""
    tokens = example.tokens
    order = new_order(parameters.order, len(tokens), parameters.first, parameters.second)
    shuffled = tuple(tokens[i] for i in order)
    embedding, bag, placed = _shuffle_outcomes(example, order, float(parameters.base), parameters.root)
    worked = {"bag": shuffle_rules(bag), "placed": shuffle_rules(placed)}
    lines = {
        name: outcome_line(worked[name], embedding, name, shuffled, text, example) for name, text in LABELS.items()
    }
    st.markdown(
        f"“{' '.join(tokens)}” and “{' '.join(shuffled)}” are two texts with the same tokens. **Without positions, "
        f"every token has the same output in both**{_exception_text(bag)}. So attention alone does not know the order "
        "of the words."
    )
    equation([lines["bag"]], "shuffle", parameters, tools=True)
    _choose_order(parameters, tokens)
    second = parameters.in_layout(
        "So we **add** a second row to each token’s row: the encoding of its position. Every position has a different "
        "one."
    )
    st.markdown(
        f"## Add the position\n\n{second}{_odd_width_text(example.x.shape[-1])}"
        f"{_root_text(example, embedding, parameters)} Now the outputs differ by {_difference_text(placed)}, "
        "so the order matters."
    )
    equation([*sum_lines(example, embedding), lines["placed"]], "embedding", parameters)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "root", "base")
    of_shuffled = parameters.cell is not None and parameters.cell[0].endswith(("_bag", "_placed"))
    selected_cell.hint_and_arithmetic(shuffled if of_shuffled else tokens, tokens, parameters)


@cache_recent
def _shuffle_outcomes(example, order, base: float, root: bool) -> tuple[CellCalculations, ShuffleTrace, ShuffleTrace]:
    """Return the sum of embeddings and positions, and the effect of a new order of tokens without and with positions.

    The sum has the arithmetic of its cells. If `root`, embeddings are first multiplied by √d_model.
    """
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


def _odd_width_text(width: int) -> str:
    if width == even_width(width):
        return ""
    return (
        f" The waves come in pairs, but $X$ has {width} columns. So here is the encoding of width {even_width(width)} "
        "without its last cosine."
    )


def _root_text(example, embedding: CellCalculations, parameters) -> str:
    """Return a text that says why the page multiplies rows by √d_model before it adds positions.

    Return "" if the visitor has switched this off.
    """
    if not parameters.root:
        return ""
    row, scaled, place = (
        format_as_shown(float(np.linalg.norm(matrix[0])), parameters.decimals)
        for matrix in (example.x, embedding.rules["embedded"][0], embedding.rules["sinusoidal"][0])
    )
    return (
        f" Before that, each row is multiplied by $\\sqrt{{d_{{\\text{{model}}}}}}$, so that the encoding does not "
        f"outweigh it: the row of “{example.tokens[0]}” has length {row}, then {scaled}. Its encoding has length "
        f"{place}."
    )


def _exception_text(trace: ShuffleTrace) -> str:
    """Return a phrase that says by how much the outputs differ between the two orders, or "" if they do not differ."""
    off = _difference_text(trace)
    return "" if off == "nothing" else " (up to rounding)" if off == "nothing but rounding" else f" except for {off}"


def _difference_text(trace) -> str:
    return by_how_much(greatest_difference(trace.shuffled.output, trace.moved), abs(trace.moved).max())
