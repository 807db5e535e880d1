"""Turn a text into tokens, which are numbers of a vocabulary, and back, by byte pair encoding.

Source: Sennrich, Haddow & Birch 2016, arXiv:1508.07909; on bytes: Radford et al. 2019, "Language Models are
        Unsupervised Multitask Learners", section 2.2.
"""

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
    """Return a visible character for each of the 256 bytes.

    For byte 65 this is "A". For a byte without a visible character, it is a character with a number above 255.
    """
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
    """Cut a text into parts that are turned into tokens separately. Each digit is a separate part."""
    for is_number, run in _runs(text):
        yield from run if is_number else _PIECES.findall(run)


def _runs(text: str) -> Iterator[tuple[bool, str]]:
    """Cut a text where digits begin and end. Yield pairs: whether the part consists of digits, and the part."""
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or _is_number(text[place]) != _is_number(text[start]):
            yield _is_number(text[start]), text[start:place]
            start = place


def _is_number(character: str) -> bool:
    return unicodedata.category(character).startswith("N")


def _join_pair(parts: Sequence[str], pair: tuple[str, str]) -> Iterator[str]:
    """Join every occurrence of a pair, from left to right, and yield all parts."""
    place = 0
    while place < len(parts):
        both = tuple(parts[place : place + 2]) == pair
        yield "".join(pair) if both else parts[place]
        place += 1 + both
