"""Make an example from a visitor's sentence: cut the text into words, and give each word a random vector."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np

from attention_core.checks import Array, greatest_difference, positive_integer
from attention_core.examples.example import Example
from attention_core.positions import sinusoidal
from attention_core.softmax import entropy

DRAWS = ("normal", "uniform")

# Each character is one of: w letter, n digit, m mark on them, h Chinese character, j joiner, a apostrophe, d point or
# comma, s space, p other. A word keeps its marks and inner apostrophes, a number its point, an emoji its parts.
_TOKEN = re.compile(r"h|[wnm](?:[wnmj]|a(?=[wn])|(?<=n)d(?=n))*|[pad]m*(?:jpm*)*")
_JOINERS = "\u200c\u200d"
_SKIN_TONES = range(0x1F3FB, 0x1F400)


@dataclass(frozen=True, slots=True)
class RowStatistics:
    """Measurements of scores and weights over all rows and heads: how much they differ within a row."""

    mean_score: float  # the mean of the scaled scores
    deviation: float  # the mean standard deviation of the scaled scores within a row
    entropy: float  # the mean entropy of a row of weights, in nats
    most_entropy: float  # ln n, the entropy of a row with equal weights
    favourites: int  # how many different words have the greatest weight in some row


def tokenize(text: str, *, fold: bool = False) -> tuple[str, ...]:
    """Cut a text into words and numbers. Every other character except spaces is a token of its own.

    This works for every script. Each Chinese character is a token, because Chinese does not mark where words end. The
    text is composed first (Unicode NFC), so that a word is the same however it was typed. With `fold`, words that
    differ only in case, such as “The” and “the”, become the same token.

    >>> tokenize("Don't: 3.14!")
    ("Don't", ':', '3.14', '!')
    """
    composed = unicodedata.normalize("NFC", text)
    kinds = "".join(map(_kind, composed))
    tokens = [composed[match.start() : match.end()] for match in _TOKEN.finditer(kinds)]
    return tuple(unicodedata.normalize("NFC", token.casefold()) if fold else token for token in tokens)


def _kind(character: str) -> str:
    """Return a letter for the kind of a character, such as "n" for a digit. The pattern `_TOKEN` uses these letters."""
    category = unicodedata.category(character)
    if unicodedata.name(character, "").startswith("CJK "):
        return "h"
    if category[0] == "M" or ord(character) in _SKIN_TONES:
        return "m"
    if category[0] in "LN":
        return "w" if category[0] == "L" else "n"
    if character in "'’.," + _JOINERS:
        return "a" if character in "'’" else "d" if character in ".," else "j"
    return "s" if category[0] in "ZC" else "p"


def token_vector(token: str, d_model: int, *, seed: int = 0, draw: str = "normal") -> Array:
    """Return the random vector of a token. The same token, seed, width and `draw` always give the same vector.

    The random generator is seeded with the SHA-256 hash of the text f"{seed} {token}".

    Shapes: → (d_model,).
    Range:  standard normal, or uniform from 0 to 1.
    Raises: ValueError if the width is not at least 1, the seed is negative, or `draw` is not "normal" or "uniform".

    >>> token_vector("cat", 2).round(2)
    array([0.4 , 1.71])
    >>> bool((token_vector("cat", 2) == token_vector("cat", 2)).all())
    True
    """
    digest = hashlib.sha256(f"{_seed(seed)} {token}".encode()).digest()
    return _draw_matrix(np.random.default_rng(int.from_bytes(digest)), (positive_integer("d_model", d_model),), draw)


def sentence(
    tokens: tuple[str, ...], d_model: int = 4, n_heads: int = 1, *, seed: int = 0, draw: str = "normal"
) -> Example:
    """Make an example from tokens. Its vectors and weights are drawn with the seed.

    With draw="normal", weights are divided by √d_model, so that queries, keys and values have the size of the vectors.
    With "uniform", weights and vectors are numbers from 0 to 1.

    Shapes: x (n, d_model), all weights (d_model, d_model).
    Raises: ValueError if there is no token, n_heads does not divide d_model, or for the same reasons as `token_vector`.

    >>> sentence(("The", "cat"), d_model=4).x.shape
    (2, 4)
    """
    if not tokens:
        raise ValueError("a sentence must have at least 1 token; got none: write a word.")
    if positive_integer("d_model", d_model) % positive_integer("n_heads", n_heads):
        raise ValueError(f"n_heads must divide d_model; got {n_heads} heads, d_model {d_model}: choose a divisor.")
    generator, shrink = np.random.default_rng(_seed(seed)), d_model**-0.5 if draw == "normal" else 1.0
    w_q, w_k, w_v, w_o = (shrink * _draw_matrix(generator, (d_model, d_model), draw) for _ in range(4))
    return Example(
        name="sentence", title="Your sentence", about="Words with drawn vectors and drawn weights: they mean nothing.",
        source=f"Drawn with seed {seed}.", tokens=tokens, n_heads=n_heads, w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o,
        x=np.stack([token_vector(token, d_model, seed=seed, draw=draw) for token in tokens]),
    )  # fmt: skip


def with_positions(example: Example) -> Example:
    """Return the example with sinusoidal positions added to x, so that a word has another vector at another position.

    x + PE

    Raises: ValueError if d_model is odd.
    Source: Vaswani et al. 2017, section 3.5.
    """
    return replace(example, x=example.x + sinusoidal(*example.x.shape))


def repeated_positions(tokens: tuple[str, ...], *, fold: bool = False) -> tuple[tuple[int, ...], ...]:
    """Return the positions of each token that occurs more than once. Positions count from 0.

    With `fold`, return instead the positions of each word that occurs with capitals and without, such as “The” and
    “the”: the first position of each spelling.

    >>> repeated_positions(("The", "cat", "the", "cat")), repeated_positions(("The", "cat", "the", "cat"), fold=True)
    (((1, 3),), ((0, 2),))
    """
    places: dict[str, list[int]] = {}
    for place, token in enumerate(tokens):
        if not fold or token not in tokens[:place]:
            places.setdefault(token.casefold() if fold else token, []).append(place)
    return tuple(tuple(found) for found in places.values() if len(found) > 1)


def row_difference(matrix: Array, i: int, j: int) -> float:
    """Return the greatest difference between the rows i and j of a matrix, over all columns.

    >>> row_difference(np.array([[1.0, 2.0], [1.0, 5.0]]), 0, 1)
    3.0
    """
    return greatest_difference(matrix[i], matrix[j])


def row_statistics(scaled: Array, weights: Array) -> RowStatistics:
    """Measure how scores spread and how weights are distributed.

    Shapes: scaled and weights (…, n_q, n_k), without −∞.
    """
    return RowStatistics(
        mean_score=float(scaled.mean()),
        deviation=float(scaled.std(axis=-1).mean()),
        entropy=float(entropy(weights).mean()),
        most_entropy=float(np.log(weights.shape[-1])),
        favourites=len(np.unique(weights.argmax(axis=-1))),
    )


def _seed(seed: object) -> int:
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise ValueError(f"seed must be a whole number of at least 0; got {seed!r}: give 0, 1, 2 ….")
    return int(seed)


def _draw_matrix(generator: np.random.Generator, shape: tuple[int, ...], draw: str) -> Array:
    if draw not in DRAWS:
        raise ValueError(f"draw must be one of {', '.join(DRAWS)}; got {draw}: choose one of these.")
    return generator.normal(size=shape) if draw == "normal" else generator.random(shape)
