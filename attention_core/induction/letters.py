"""The letters that stand for the symbols of the induction model."""

from __future__ import annotations

import numpy as np

from attention_core.induction.model import N_SYMBOLS, Tokens

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ123456"[:N_SYMBOLS]


def letters_in(text: str) -> tuple[str, ...]:
    """Return the symbols in a text. Small letters count as capitals, and all other characters are left out.

    >>> letters_in("a, b?")
    ('A', 'B')
    """
    return tuple(letter for letter in text.upper() if letter in ALPHABET)


def symbol_numbers(letters: tuple[str, ...]) -> Tokens:
    """Return the number of each symbol, from 0.

    Shapes: → (n,).
    Raises: ValueError if a letter is not a symbol of the model.

    >>> symbol_numbers(("A", "C"))
    array([0, 2])
    """
    unknown = [letter for letter in letters if letter not in ALPHABET]
    if unknown:
        raise ValueError(f"letters must be among {ALPHABET}; got {unknown[0]}: leave it out, or write another.")
    return np.array([ALPHABET.index(letter) for letter in letters], dtype=np.intp)
