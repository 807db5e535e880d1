"""Texts as tokens, and tokens as texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from attention_core.language_model.gguf import ModelFile, ModelFileError

# Pieces of a text without digits: English endings such as ’ll, words, signs, white space. A word includes the space
# before it.
_PIECES = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W_]+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


def _letters() -> dict[int, str]:
    seen = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    unseen = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {byte: chr(256 + n) for n, byte in enumerate(unseen)}


LETTERS = _letters()
BYTES = {letter: byte for byte, letter in LETTERS.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The tokens of a model, and the order in which pieces of a text are joined to tokens.

    A text is first cut into bytes. Then neighbouring pieces are joined, the pair with the lowest rank first.
    """

    tokens: Sequence[str]
    numbers: Mapping[str, int]
    ranks: Mapping[tuple[str, str], int]

    def encode(self, text: str) -> list[int]:
        """Return the numbers of the tokens of a text.

        Every text is allowed, and special tokens are read as plain text.
        """
        return [self.numbers[token] for piece in _pieces(text) for token in self._merge_pairs(piece)]

    def decode(self, numbers: Iterable[int]) -> str:
        """Return the text of tokens. � replaces bytes that are no valid text."""
        letters = "".join(self.tokens[number] for number in numbers)
        return bytes(BYTES[letter] for letter in letters if letter in BYTES).decode(errors="replace")

    def _merge_pairs(self, piece: str) -> list[str]:
        parts = [LETTERS[byte] for byte in piece.encode()]
        while len(parts) > 1:
            pairs = list(pairwise(parts))
            best = min(pairs, key=lambda pair: self.ranks.get(pair, len(self.ranks)))
            if best not in self.ranks:
                break
            parts = list(_join_pair(parts, best))
        return parts


def vocabulary_of(file: ModelFile) -> Vocabulary:
    """Return the vocabulary that a model's file contains.

    Raises: ModelFileError if the file has no vocabulary, or another kind of vocabulary.
    """
    kind = file.setting("tokenizer.ggml.model")
    if kind != "gpt2":
        raise ModelFileError(
            f"Tokens must be byte pairs (“gpt2”), but these are “{kind}”. Take a model with byte pairs."
        )
    tokens = file.setting("tokenizer.ggml.tokens")
    merges = (tuple(pair.split(" ")) for pair in file.setting("tokenizer.ggml.merges"))
    return Vocabulary(
        tokens, {token: number for number, token in enumerate(tokens)}, {pair: n for n, pair in enumerate(merges)}
    )


def _pieces(text: str) -> Iterator[str]:
    for is_number, run in _runs(text):
        yield from run if is_number else _PIECES.findall(run)


def _runs(text: str) -> Iterator[tuple[bool, str]]:
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or _is_number(text[place]) != _is_number(text[start]):
            yield _is_number(text[start]), text[start:place]
            start = place


def _is_number(character: str) -> bool:
    return unicodedata.category(character).startswith("N")


def _join_pair(parts: Sequence[str], pair: tuple[str, str]) -> Iterator[str]:
    place = 0
    while place < len(parts):
        both = tuple(parts[place : place + 2]) == pair
        yield "".join(pair) if both else parts[place]
        place += 1 + both


BEGIN = "<|endoftext|>"  # the start token, which is before every text, as in training
MOST_TOKENS = 32  # how many tokens a text may have, with the start token
LONGEST = 200  # how many characters a text may have
SHOWN = {" ": "␣", "\n": "⏎", "\t": "⇥"}  # the signs for a token that is only white space


class UnreadableError(ValueError):
    """Raised for a text that is empty, too long, or has characters that the model does not know.

    The message says the rule, what was given, and what to do.
    """


def tokens_of(text: str, vocabulary: Vocabulary) -> tuple[int, ...]:
    """Return the tokens of a text, with the start token first.

    Raises: UnreadableError if the text is empty or too long, or has characters that the model does not know.
    """
    if not text.strip():
        raise UnreadableError("A text must have at least one word, but this one is empty. Write some words.")
    if strange := "".join(letter for letter in dict.fromkeys(text) if not _is_known(letter, vocabulary)):
        raise UnreadableError(
            f"The model must know every character of a text, but it does not know {strange}. Leave it out."
        )
    tokens = (vocabulary.numbers[BEGIN], *vocabulary.encode(text))
    if len(tokens) > MOST_TOKENS:
        raise UnreadableError(
            f"A text may have {MOST_TOKENS - 1} tokens here, but this one has {len(tokens) - 1}. Leave "
            f"{len(tokens) - MOST_TOKENS} tokens out. A word has one token or several."
        )
    return tokens


def _is_known(letter: str, vocabulary: Vocabulary) -> bool:
    return all(LETTERS[byte] in vocabulary.numbers for byte in letter.encode())


def pieces_of(tokens: Iterable[int], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the text of each token.

    The space before a word belongs to its token, but is not part of the returned text.
    """
    return tuple(_piece(token, vocabulary) for token in tokens)


def _piece(token: int, vocabulary: Vocabulary) -> str:
    if vocabulary.tokens[token] == BEGIN:
        return "start"
    text = vocabulary.decode([token])
    return text.strip() or "".join(SHOWN.get(letter, letter) for letter in text)


SENTENCES = (
    "The cat slept on the warm stone until the sun went down.",
    "She put the letter in a drawer and never opened it again.",
    "Water boils at a lower temperature high in the mountains.",
    "The old bridge was closed after the storm last winter.",
    "He asked the waiter for a glass of water and some bread.",
    "Many birds fly south before the first snow falls.",
    "The teacher wrote the answer on the board and smiled.",
    "My brother plays the piano every evening after dinner.",
    "The train to the coast leaves at seven in the morning.",
    "A good knife is the most important tool in a kitchen.",
    "They painted the door green because blue was too dark.",
    "The moon is smaller than the earth and has no air.",
    "Please close the window before the rain comes in.",
    "The doctor told him to rest and to drink plenty of tea.",
    "The children built a small boat from wood and paper.",
    "Our neighbours grow tomatoes and beans behind the house.",
    "The library lends books and films for three weeks.",
    "Iron becomes soft when it is heated for a long time.",
    "The judge listened to both sides and then made her decision.",
    "It was so quiet that we could hear the clock in the hall.",
)
PROMPTS = (
    "The children went to the park because the weather was",
    "In the morning the farmer opened the gate and",
)
CAPITALS = {
    "France": "Paris", "Germany": "Berlin", "Italy": "Rome", "Spain": "Madrid", "Japan": "Tokyo", "China": "Beijing",
    "Russia": "Moscow", "Egypt": "Cairo", "Greece": "Athens", "Austria": "Vienna", "Poland": "Warsaw",
    "Ireland": "Dublin", "Portugal": "Lisbon", "Cuba": "Havana", "Iran": "Tehran", "Kenya": "Nairobi",
    "Norway": "Oslo", "Sweden": "Stockholm",
}  # fmt: skip
WORDS = tuple(
    "apple river stone music garden winter window paper silver dragon orange engine pocket forest camera bridge "
    "island monkey candle letter summer market button castle ladder mirror planet rocket shadow ticket turtle valley "
    "wagon violin basket copper desert falcon guitar hammer".split()
)
# Each row has a subject in the singular and in the plural, and then another noun in the singular and the plural. This
# noun comes between subject and verb, in the other number than the subject, to mislead the model.
SUBJECTS = (
    ("key", "keys", "cabinet", "cabinets"), ("book", "books", "shelf", "shelves"),
    ("child", "children", "house", "houses"),
    ("dog", "dogs", "tree", "trees"), ("cup", "cups", "window", "windows"), ("picture", "pictures", "door", "doors"),
    ("car", "cars", "bridge", "bridges"), ("boy", "boys", "girl", "girls"),
)  # fmt: skip


def capital_of(country: str) -> str:
    """Return the beginning of a sentence whose next word is the country's capital.

    >>> capital_of("France")
    'The capital of France is'
    """
    return f"The capital of {country} is"
