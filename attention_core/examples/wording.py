"""Find the tokens of an example in its sentence, and the word of the sentence that describes features.

A sentence has its tokens in braces: "The {cat} … {it} was {thirsty|sour}.". The last braces are not a token. They name
features of the token before them, and the sentence shows those features that this token has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import Formatter

from attention_core.examples.example import Example


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a sentence: a token, a word that describes features, or the text between them."""

    text: str
    token: int | None = None  # the number of the token, if the part is a token
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
    """Return the part of a sentence that names features of a token.

    `options` are the names of some columns of x. The part names those options whose number in the token's row is above
    0.
    """
    columns = {option: example.names.x.index(option) for option in options}
    said = [option for option in options if example.x[token, columns[option]] > 0]
    instead = options[(options.index(said[0]) + 1) % len(options)] if len(said) == 1 else options[0]
    cells = tuple((token, column, float(option == instead)) for option, column in columns.items())
    return Piece(" and ".join(said) or f"neither {' nor '.join(options)}", instead=instead, cells=cells)
