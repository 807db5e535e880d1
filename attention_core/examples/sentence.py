"""Sentences as examples: any sentence, the story and its French translation, and their wording."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from numbers import Integral
from string import Formatter

import numpy as np

from attention_core.checks import Array, greatest_difference, positive_integer
from attention_core.examples.example import Example, FeatureNames, example_of
from attention_core.positions import sinusoidal
from attention_core.softmax import entropy


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a sentence: a token, a word that describes features, or the text between them."""

    text: str
    token: int | None = None  # the number of the token, if the part is a token
    options: tuple[str, ...] = ()  # the words that could stand here, if the part describes features
    instead: str = ""  # the word that could replace this one, if the part describes features
    cells: tuple[tuple[int, int, float], ...] = ()  # the edits (row, column, number) of x that lead to `instead`


def wording(example: Example) -> tuple[Piece, ...]:
    """Return the sentence of an example, part by part. If the example has no sentence, return its tokens.

    >>> from attention_core.examples import example
    >>> [piece.text for piece in wording(example("story"))][:3]
    ['The', 'cat', 'drank']
    """
    if not example.sentence:
        return tuple(Piece(text, place) for place, text in enumerate(example.tokens))
    return tuple(_pieces(example))


def _pieces(example: Example) -> Iterator[Piece]:
    """Yield the parts of an example's sentence."""
    token = -1
    for between, field, *_ in Formatter().parse(example.sentence):
        if between.strip():
            yield Piece(between.strip())
        if field and "|" in field:
            yield _feature_names(example, token, field.split("|"))
        elif field:
            token += 1
            yield Piece(field, token)


def _feature_names(example: Example, token: int, options: Sequence[str]) -> Piece:
    columns = {option: example.names.x.index(option) for option in options}
    said = [option for option in options if example.x[token, columns[option]] > 0]
    instead = options[(options.index(said[0]) + 1) % len(options)] if len(said) == 1 else options[0]
    cells = tuple((token, column, float(option == instead)) for option, column in columns.items())
    return Piece(
        " and ".join(said) or f"neither {' nor '.join(options)}", options=tuple(options), instead=instead, cells=cells
    )


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


NAMES_OF_STORY = FeatureNames(
    x=("alive", "drinkable", "action", "refers", "thirsty", "sour"),
    # Head 1 looks for the person or thing that is meant. Head 2 looks for the drink or the action.
    q=("looks for somebody", "looks for something", "looks for a drink", "looks for an action"),
    k=("is somebody", "is something", "is a drink", "is an action"),
    v=("living", "thing"),
)
X = (
    (1, 0, 0, 0, 0, 0),  # cat
    (0, 0, 1, 0, 0, 0),  # drank
    (0, 1, 0, 0, 0, 0),  # milk
    (0, 0, 0, 1, 0, 0),  # because: it refers to everything that was said
    (0, 0, 0, 1, 1, 0),  # it: the sentence says that it was thirsty
)
# “thirsty” becomes “sour” in story().with_matrices(SOUR), and “it” no longer means the cat but the milk.
SOUR: Mapping[str, Sequence[Sequence[int]]] = {"x": (*X[:-1], (0, 0, 0, 1, 0, 1))}


@cache
def story() -> Example:
    """Return the example “story”: five words of a sentence, with a name for each feature, and two heads.

    “drank” looks for two words: for somebody who drank, and for something to drink. Both get the same score. With one
    head, they have to share the weights of one row. If two heads have the same w_q and w_k, each head attends to one of
    the two words.
    """
    return example_of(
        name="story",
        title="What does “it” refer to?",
        about=(
            "Five words of the sentence “The cat drank the milk because it was thirsty”. What the sentence says about "
            "“it” is a number in the row of “it”. Each column has a name and a meaning. We set these numbers by hand; "
            "a model would have learned them. With one head, n = 5, d_model = 6, d_k = 4 and d_v = 2 all differ, and "
            "√d_k = 2."
        ),
        source="Made for this dashboard so that every number means something. Nothing in it is trained.",
        tokens=("cat", "drank", "milk", "because", "it"),
        sentence="The {cat} {drank} the {milk} {because} {it} was {thirsty|sour}.",
        names=NAMES_OF_STORY,
        x=X,
        w_q=[
            [0, 0, 0, 2],  # a living thing looks for what it did
            [0, 0, 0, 1],  # a drink looks for what was done to it, with a smaller number
            [3, 0, 3, 0],  # an action looks for who did it, and to what
            [1, 1, 0, 1],  # a word that refers looks for anything that was said
            [2, 0, 0, 0],  # only somebody can be thirsty
            [0, 2, 0, 0],  # only something can be sour
        ],
        w_k=[[2, 0, 0, 0], [0, 2, 2, 0], [0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        w_v=[[2, 0], [0, 2], [0, 1], [0, 0], [1, 0], [0, 1]],
        w_o=[[1, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0]],  # a living being is alive; a thing can be drunk, or is an action
        n_heads=2,
    )


WORDS = ("article", "noun", "adjective", "verb", "end", "plural")
NAMES_OF_FRENCH = FeatureNames(
    x=WORDS,
    context=WORDS,
    q=("looks for a noun", "looks for an adjective", "looks for a verb", "looks for the end"),
    k=("is a noun", "is an adjective", "is a verb", "is the end"),
    v=("thing", "trait", "several"),
)
CONTEXT = (
    (1, 0, 0, 0, 0, 0),  # the
    (0, 0, 1, 0, 0, 0),  # black
    (0, 1, 0, 0, 0, 0),  # cat
    (0, 0, 0, 1, 0, 0),  # sleeps
    (0, 0, 0, 0, 1, 0),  # the mark of the end
)
# “cat” becomes “cats” in french().with_matrices(CATS). Its key stays the same, and its value gets “several” as well.
CATS: Mapping[str, Sequence[Sequence[int]]] = {"context": (*CONTEXT[:2], (0, 1, 0, 0, 0, 1), *CONTEXT[3:])}


@cache
def french() -> Example:
    """Return the example “french”: a decoder has written two words, and attends to five words of the encoder."""
    return example_of(
        name="french",
        title="What comes next in French?",
        about=(
            "The text to translate is “the black cat sleeps”. The translation so far is “le chat” (the cat). Each "
            "column has a name and a meaning. We set these numbers by hand; a model would have learned them. 2 tokens "
            "ask, 5 answer, d_model = 6, d_k = 4 and d_v = 3: all these numbers differ, and √d_k = 2. There is one "
            "head, because 4 and 3 have no common divisor."
        ),
        source="Made for this dashboard so that every number means something. Nothing in it is trained.",
        tokens=("le", "chat"),
        sentence="{le} {chat} … (the cat …)",
        context_tokens=("the", "black", "cat", "sleeps", "(end)"),
        names=NAMES_OF_FRENCH,
        x=[[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]],
        context=CONTEXT,
        w_q=[
            [3, 1, 0, 0],  # after an article comes a noun, and sometimes an adjective before it: le petit chat
            [0, 3, 2, 0],  # after a noun comes its adjective, or else the verb
            [1, 0, 3, 0],  # after an adjective comes the verb, and sometimes the noun
            [0, 0, 0, 3],  # after the verb, the end
            [0, 0, 0, 0],
            [0, 0, 0, 0],
        ],
        w_k=[[0, 0, 0, 0], [2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 2], [0, 0, 0, 0]],
        w_v=[[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 1, 0], [0, 0, 0], [0, 0, 2]],
        w_o=[[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]],  # the word that was found is written
        n_heads=1,
    )
