"""Sentences about a real head, each with its number."""

from __future__ import annotations

import math

import numpy as np

from attention_core.language_model.shipped import STEPS, ReadText
from pages.shared.lessons.real_heads import tour
from pages.shared.lessons.real_heads.moved import BASE, GAP, SHIFTS, Moved
from pages.shared.lessons.real_heads.reading import Reading
from pages.shared.notation.glossary import define
from pages.shared.notation.prose import escape, literal
from pages.shared.notation.tables import markdown_table

BYTES = 2  # the bytes of a number in half precision
NOT_KEPT = (
    "Of this head the app ships its weights alone, in steps of 1/255. Its queries and keys take the model, which one "
    "command installs:"
)


def why(reading: Reading | None) -> str:
    """Ask the question of the page, for the shown head."""
    here = "" if reading is None else f" {_here(reading)}"
    return (
        "A language model learns to guess the next word, and nobody tells its heads what to look at. "
        f"**What do they do?**{here} But a pretty map proves nothing: each role below was **measured**, beside the "
        "same texts without the cue."
    )


def _here(reading: Reading) -> str:
    asks = reading.weights[-1]
    looks = reading.tokens[int(asks.argmax())]
    role = tour.role_of(reading.head)
    return (
        f"Here {literal(reading.tokens[-1])}, the last token, gives {asks.max():.2f} to {literal(looks)} in head "
        f"{reading.head.name}{f', whose role is *{role}*' if role else ''}."
    )


def wall_text(text: ReadText) -> str:
    """Say what the wall shows."""
    n_layers, n_heads, *_ = text.maps.shape
    return (
        f"**All {n_layers * n_heads} heads on this text**: {n_layers} layers of {n_heads} heads. In each map a row is "
        "a token that looks, a column one that is looked at. Press a map to look at it closely."
    )


def numbers(reading: Reading) -> str:
    """Say where the numbers of a head come from."""
    d_k = next(iter(reading.text.q.values())).shape[1]
    return (
        f"## {reading.head.name} in numbers\n\n"
        f"Queries and keys of {d_k} features each, as the model has them in layer {reading.head.layer}; then the same "
        "steps as on every page. The features have no names: nobody chose them. They are turned by their places, "
        "which *Places* explains."
    )


# --- the sink ---


def sink(reading: Reading) -> str:
    """Say how much weight the first token gets in this text."""
    text, layer = reading.text, reading.head.layer
    to_first = text.maps[:, :, 1:, 0].mean(axis=2) / STEPS
    first, others = text.norms[layer, 0], text.norms[layer, 1:].mean()
    return (
        "## Why so many look at the first place\n\n"
        f"On this text **{(to_first > 0.5).sum()} of {to_first.size}** heads give more than half to the first place, "
        f"{to_first.mean():.0%} on average. A head that finds nothing must still give away all of its 1: what it gives "
        f"to the *sink* does little. As layer {layer} begins, the {define('norm')} of the vector that stands there "
        f"is {first:,.0f}, that of the others {others:,.0f} on average.{_short_value(reading)}\n\n"
        f"{sink_table(reading)}\n\n{tour.place_not_word()}"
    )


def _short_value(reading: Reading) -> str:
    """If the first token has the shortest value, say so."""
    first, *others = _values(reading)
    return f" Its value is the shortest of all: {first:.2f}, the others {np.mean(others):.2f}." * bool(
        first < min(others)
    )


def _values(reading: Reading) -> np.ndarray:
    """Return the length of each token's value in the head."""
    text, (layer, head) = reading.text, reading.head
    return text.value_norms[layer, head // (text.maps.shape[1] // text.value_norms.shape[1])]


def sink_table(reading: Reading) -> str:
    """Return a table of the first token and the others, in the layer of the head."""
    text, (layer, head) = reading.text, reading.head
    given = text.maps[layer, head, 1:].mean(axis=0) / STEPS
    rows = [
        (escape(piece), f"{norm:,.0f}", f"{value:.2f}", f"{share:.2f}")
        for piece, norm, value, share in zip(text.pieces, text.norms[layer], _values(reading), given, strict=True)
    ]
    return markdown_table(("token", "norm of its vector", "norm of its value", "mean share that it gets"), rows)


# --- positions ---


def positions(reading: Reading, found: Moved, asks: int, answers: int) -> str:
    """Say what changes when the text is moved."""
    rows = [(f"all by {shift}", _small(change)) for shift, change in zip(SHIFTS, found.together, strict=True)]
    rows.append((f"the second half by {GAP}", f"{found.apart:.2f}"))
    table = markdown_table(("tokens move", "greatest change of a weight"), rows)
    return (
        "## Only distances count\n\n"
        "Before they meet, each query and each key is turned by its place (RoPE, with "
        f"$\\text{{base}} = {BASE:,.0f}$). Move the whole text, and nothing changes but rounding; tear it apart, and "
        f"distances are others:\n\n{table}\n\nTake the query of "
        f"{literal(reading.tokens[asks])} and the key of {literal(reading.tokens[answers])}, and put both at every "
        "place: along each diagonal stands one number."
    )


def _small(value: float) -> str:
    """Write a small number as the next greater power of ten.

    >>> _small(4e-16), _small(0.0)
    ('less than $10^{-15}$', '0')
    """
    return f"less than $10^{{{math.ceil(math.log10(value))}}}$" if value else "0"


# --- shared keys and values ---


def shared_keys_text(reading: Reading) -> str:
    """Say which heads share their keys and values, and what that saves."""
    text, (layer, head) = reading.text, reading.head
    n_layers, n_heads, n, _ = text.maps.shape
    n_kv = text.value_norms.shape[1]
    group, d_k = n_heads // n_kv, next(iter(text.k.values())).shape[1]
    first = head // group * group
    names = ", ".join(f"L{layer}H{first + i}" for i in range(group))
    return (
        f"## {n_heads} heads ask, {n_kv} answer\n\n"
        f"In each layer {n_heads} heads have queries of their own, but only {n_kv} have keys and values: {names} share "
        "theirs (*grouped-query attention*), though each may look elsewhere. What a model has to remember while it "
        f"writes, the {define('KV cache')}, shrinks as many times: for each token a key and a value, of {d_k} "
        f"numbers with {BYTES} bytes each, in every layer.\n\n"
        f"{_looks_table(reading, range(first, first + group))}\n\n{cache_table(n_layers, d_k, n, (n_heads, n_kv, 1))}"
    )


def _looks_table(reading: Reading, heads: range) -> str:
    rows = []
    for head in heads:
        row = reading.text.maps[reading.head.layer, head, -1] / STEPS
        rows.append((f"L{reading.head.layer}H{head}", escape(reading.tokens[int(row.argmax())]), f"{row.max():.2f}"))
    return markdown_table(("head", "the last token looks at", "with"), rows)


def cache_table(n_layers: int, d_k: int, n: int, counts: tuple[int, ...]) -> str:
    """Return a table of the bytes that keys and values need, for different numbers of key heads."""
    a_token = [n_layers * count * 2 * d_k * BYTES for count in counts]
    rows = [(str(count), f"{size:,}", f"{size * n:,}") for count, size in zip(counts, a_token, strict=True)]
    return markdown_table(("heads with keys and values", "bytes a token", f"bytes of these {n} tokens"), rows)


def best(reading: Reading) -> tuple[int, int]:
    """Return the last token and the token that it attends to most."""
    return len(reading.tokens) - 1, int(np.argmax(reading.weights[-1]))
