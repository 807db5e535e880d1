"""Texts about a real head, each with its number."""

from __future__ import annotations

import math

import numpy as np

from attention_core.language_model.shipped import STEPS, ReadText
from pages.shared.notation.glossary import define
from pages.shared.notation.prose import escape, literal, markdown_table
from pages.shared.real_heads import tour
from pages.shared.real_heads.reading import BASE, GAP, SHIFTS, Moved, Reading

BYTES = 2  # the bytes of a number in half precision
NOT_KEPT = (
    "The app ships only the weights of this head, in steps of 1/255. Its queries and keys need the model. One command "
    "installs it:"
)


def why(reading: Reading | None) -> str:
    """Return a text that introduces the page. If a head is shown, the text says what its last token attends to."""
    here = "" if reading is None else f" {_last_token_text(reading)}"
    return (
        f"A language model learns to predict the next word. Nobody tells its heads what to attend to.{here} A map of "
        "one text proves nothing. So each role below was **measured**, and compared with a control: the same texts "
        "without what the head should react to."
    )


def _last_token_text(reading: Reading) -> str:
    asks = reading.weights[-1]
    looks = reading.tokens[int(asks.argmax())]
    role = tour.role_of(reading.head)
    place = f"layer {reading.head.layer}, head {reading.head.head}"
    return (
        f"In head {reading.head.name} ({place}{f'; its role is called *{role}*' if role else ''}), the last token "
        f"{literal(reading.tokens[-1])} attends to {literal(looks)} with **{asks.max():.2f}**."
    )


def wall_text(text: ReadText) -> str:
    """Return a text that explains the wall, a picture with a map of each head."""
    n_layers, n_heads, *_ = text.maps.shape
    return (
        f"**All {n_layers * n_heads} heads on this text**: {n_layers} layers of {n_heads} heads. Each map is a matrix "
        "$A$: a row shows what one token attends to. Press a map to see its numbers."
    )


def numbers_text(reading: Reading) -> str:
    """Return a text that says how to read the matrices of the shown head."""
    d_k = next(iter(reading.text.q.values())).shape[1]
    return (
        f"## {reading.head.name} in numbers\n\n"
        f"In this model, each query and each key has {d_k} features. The steps are the same as on the other pages. The "
        "features have no names, because the model learned them. Queries and keys are turned by their positions; "
        "*Positions* explains this."
    )


# --- the sink ---


def sink_text(reading: Reading) -> str:
    """Return a text that says how much weight the first token gets in this text, and why."""
    text, layer = reading.text, reading.head.layer
    to_first = text.maps[:, :, 1:, 0].mean(axis=2) / STEPS
    first, others = text.norms[layer, 0], text.norms[layer, 1:].mean()
    return (
        "## Why do so many heads attend to the first token?\n\n"
        f"On this text, **{(to_first > 0.5).sum()} of {to_first.size}** heads attend to the first token with more than "
        f"half of their weight. The average over all heads is {to_first.mean():.0%}. Each row of weights must add up "
        "to 1, even if no token fits. Then most of the weight goes to the first token, where it does little harm: "
        f"this token is a *sink*. At the input of layer {layer}, the {define('norm')} of its vector is {first:,.0f}; "
        f"for the other tokens it is {others:,.0f} on average.{_short_value_text(reading)}\n\n"
        f"{sink_table(reading)}\n\n{tour.sink_position_text()}"
    )


def _short_value_text(reading: Reading) -> str:
    """Return a sentence with the length of the first token's value if it is the shortest one, or ""."""
    first, *others = _value_lengths(reading)
    return f" Its value is the shortest: {first:.2f}, against {np.mean(others):.2f} on average." * bool(
        first < min(others)
    )


def _value_lengths(reading: Reading) -> np.ndarray:
    """Return the length of each token's value in the shown head."""
    text, (layer, head) = reading.text, reading.head
    return text.value_norms[layer, head // (text.maps.shape[1] // text.value_norms.shape[1])]


def sink_table(reading: Reading) -> str:
    """Return a Markdown table with one row for each token.

    A row holds the norm of the token's vector, the norm of its value, and the mean weight on the token.
    """
    text, (layer, head) = reading.text, reading.head
    given = text.maps[layer, head, 1:].mean(axis=0) / STEPS
    rows = [
        (escape(piece), f"{norm:,.0f}", f"{value:.2f}", f"{share:.2f}")
        for piece, norm, value, share in zip(
            text.pieces, text.norms[layer], _value_lengths(reading), given, strict=True
        )
    ]
    return markdown_table(("token", "norm of its vector", "norm of its value", "mean weight for this token"), rows)


# --- positions ---


def positions_text(reading: Reading, found: Moved, asks: int, answers: int) -> str:
    """Return a text with a table that says how the weights change when the text moves to other positions.

    `asks` and `answers` are the indices of two tokens whose query and key are compared at every position.
    """
    rows = [
        (f"all by {shift}", _upper_bound_text(change)) for shift, change in zip(SHIFTS, found.together, strict=True)
    ]
    rows.append((f"the second half by {GAP}", f"{found.apart:.2f}"))
    table = markdown_table(("tokens move", "greatest change of a weight"), rows)
    return (
        "## Only distances count\n\n"
        "Before the model multiplies a query by a key, it turns each of them by its position (RoPE, with "
        f"$\\text{{base}} = {BASE:,.0f}$). If you move the whole text, the weights stay the same up to rounding. If "
        f"you move one half, the distances change, and so do the weights:\n\n{table}\n\nTake the query of "
        f"{literal(reading.tokens[asks])} and the key of {literal(reading.tokens[answers])}, and put both at every "
        "position. All numbers of a diagonal are equal, because the distance is the same."
    )


def _upper_bound_text(value: float) -> str:
    """Return a small number as an upper bound: the next greater power of ten.

    >>> _upper_bound_text(4e-16), _upper_bound_text(0.0)
    ('less than $10^{-15}$', '0')
    """
    return f"less than $10^{{{math.ceil(math.log10(value))}}}$" if value else "0"


# --- shared keys and values ---


def shared_keys_text(reading: Reading) -> str:
    """Return a text that says which heads share their keys and values, and how much memory that saves."""
    text, (layer, head) = reading.text, reading.head
    n_layers, n_heads, n, _ = text.maps.shape
    n_kv = text.value_norms.shape[1]
    group, d_k = n_heads // n_kv, next(iter(text.k.values())).shape[1]
    first = head // group * group
    names = ", ".join(f"L{layer}H{first + i}" for i in range(group))
    return (
        f"## {n_heads} heads have queries, {n_kv} have keys and values\n\n"
        f"In each layer, {n_heads} heads have queries of their own, but there are only {n_kv} sets of keys and values: "
        f"{names} share one set (*grouped-query attention*). Each head still has its own weights. The "
        f"{define('KV cache')} becomes {group} times as small. For each token, set and layer, it holds a key and a "
        f"value of {d_k} numbers each, with {BYTES} bytes for a number.\n\n"
        f"{_last_token_table(reading, range(first, first + group))}\n\n"
        f"{cache_table(n_layers, d_k, n, (n_heads, n_kv, 1))}"
    )


def _last_token_table(reading: Reading, heads: range) -> str:
    rows = []
    for head in heads:
        row = reading.text.maps[reading.head.layer, head, -1] / STEPS
        rows.append((f"L{reading.head.layer}H{head}", escape(reading.tokens[int(row.argmax())]), f"{row.max():.2f}"))
    return markdown_table(("head", "the last token attends most to", "with"), rows)


def cache_table(n_layers: int, d_k: int, n: int, counts: tuple[int, ...]) -> str:
    """Return a Markdown table of the bytes that the keys and values of a text need.

    The table has one row for each number of sets of keys and values in `counts`. `n` is the number of tokens.
    """
    a_token = [n_layers * count * 2 * d_k * BYTES for count in counts]
    rows = [(str(count), f"{size:,}", f"{size * n:,}") for count, size in zip(counts, a_token, strict=True)]
    return markdown_table(("sets of keys and values", "bytes for each token", f"bytes of these {n} tokens"), rows)
