"""Compute attention for tokens with and without their positions, and see how shuffling the tokens changes it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array, floats, positive
from attention_core.examples import Example
from attention_core.positions import sinusoidal_of_any_width


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EmbeddingTrace:
    """The rows of tokens before the first layer: embeddings, the encoding of positions, and their sum."""

    x: Array  # (n, d_model)
    factor: float  # √d_model, or 1
    base: float
    embedded: Array  # (n, d_model) x · factor
    encoding: Array  # (n, d_model) one row for each position
    positioned: Array  # (n, d_model) embedded + encoding


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShuffleTrace:
    """The attention over tokens in their order, and over the same tokens in another order."""

    order: tuple[int, ...]  # the numbers of the tokens, from 0, in the new order
    original: SelfAttentionTrace
    shuffled: SelfAttentionTrace
    moved: Array  # (n, d_v) the original outputs, in the order of the shuffled tokens
    difference: Array  # (n, d_v) the shuffled output minus `moved`: 0 if the order has no effect


def embed_positions(x: ArrayLike, base: float = 10000.0, *, root: bool = True) -> EmbeddingTrace:
    """Add to each token's embedding the encoding of the token's position.

    x · √d_model + PE, or x + PE if `root` is false

    Shapes: x (…, n, d_model) → positioned (…, n, d_model). The encoding is that of `sinusoidal_of_any_width`.
    Raises: ValueError if x is no matrix, or the base is not positive.
    Source: Vaswani et al. 2017, sections 3.4 and 3.5.

    >>> embed_positions([[1.0, 1.0]]).positioned.round(2)
    array([[1.41, 2.41]])
    """
    x, base = floats("x", x, min_rank=2), positive("base", base)
    factor = math.sqrt(x.shape[-1]) if root else 1.0
    embedded, encoding = x * factor, sinusoidal_of_any_width(x.shape[-2], x.shape[-1], base)
    return EmbeddingTrace(
        x=x, factor=factor, base=base, embedded=embedded, encoding=encoding, positioned=embedded + encoding
    )


def new_order(kind: str, n: int, first: int = 0, second: int = 1) -> tuple[int, ...]:
    """Return an order of n tokens, as a tuple of their numbers from 0.

    `kind` is "reversed", "rotated" (the first token comes last), "swapped" (the tokens `first` and `second` change
    places), or "exchanged" (the first and the third token change places; if there are only two tokens, these two).

    Raises: ValueError for any other kind, or a token that does not exist.

    >>> new_order("rotated", 3), new_order("swapped", 3, 0, 2)
    ((1, 2, 0), (2, 1, 0))
    """
    plain = list(range(n))
    if not (0 <= first < n and 0 <= second < n):
        raise ValueError(f"tokens to swap must be two of the {n}; got {first} and {second}: count from 0.")
    swapped = {first: second, second: first}
    orders = {
        "reversed": plain[::-1],
        "rotated": plain[1:] + plain[:1],
        "exchanged": [plain[min(2, n - 1)], *plain[1 : min(2, n - 1)], 0, *plain[3:]],
        "swapped": [swapped.get(i, i) for i in plain],
    }
    if kind not in orders:
        raise ValueError(f"kind must be one of {', '.join(orders)}; got {kind}: choose one of these.")
    return tuple(orders[kind])


def shuffle_tokens(
    example: Example, order: Sequence[int], *, positions: bool, base: float = 10000.0, root: bool = True
) -> ShuffleTrace:
    """Compute attention for an example's tokens in their order, and in another order, with or without positions.

    Without positions, the outputs are the same, in the new order. With positions, the outputs change,
    because each position keeps its encoding when the tokens move. In cross-attention, the tokens of the context keep
    their order and get no positions. `root` says whether embeddings are multiplied by √d_model.

    Shapes: order has the numbers 0 … n − 1 in any order.
    Raises: ValueError if a number of the order is missing or comes twice.
    Source: Prince 2023, Understanding Deep Learning, section 12.3.1; erratum 002-13.
    """
    places, n = list(order), len(example.x)
    if sorted(places) != list(range(n)):
        raise ValueError(f"order must name each of the {n} tokens once; got {places}: shuffle 0 to {n - 1}.")
    original, shuffled = (
        example.with_matrices({"x": _input_of_first_layer(x, positions, base, root)}).attention()
        for x in (example.x, example.x[places])
    )
    moved = original.output[places]
    return ShuffleTrace(
        order=tuple(places), original=original, shuffled=shuffled, moved=moved, difference=shuffled.output - moved
    )


def _input_of_first_layer(x: Array, positions: bool, base: float, root: bool) -> Array:
    trace = embed_positions(x, base, root=root)
    return trace.positioned if positions else trace.embedded
