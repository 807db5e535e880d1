"""The place of a number and the name of its matrix, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pages.shared.notation.symbols import SYMBOLS, matrix_id_of_stage

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
# The names of stages that are not in the table of symbols, or that have another name there.
STEPS = {"exponents": "exponents", "angles": "angles", "concat": "heads side by side", "heads": "outputs of the heads"}


def place_text(place: Sequence[int]) -> str:
    """Return the place of a number in words, such as “row 1, column 3”.

    `place` has the row and the column, counted from 0. If there are several heads, the head comes first.
    """
    *head, row, column = (i + 1 for i in place)
    return (f"head {head[0]}, " if head else "") + f"row {row}, column {column}"


def place_in_matrix_text(stage: str, place: Sequence[int], whose: str = "the") -> str:
    """Return where a number is, with the name of its matrix. `whose` is the word before this name, such as “your”.

    >>> place_in_matrix_text("scores", (0, 2)), place_in_matrix_text("heads", (1, 0, 2))
    ('row 1, column 3 of the scores', 'row 1, column 3 of the output of head 2')
    """
    *head, row, column = place
    if not head:
        return f"{place_text(place)} of {whose} {matrix_name(stage)}"
    matrix = "output" if stage == "heads" else matrix_name(stage)
    return f"{place_text((row, column))} of {whose} {matrix} of head {head[0] + 1}"


def matrix_name(stage: str) -> str:
    """Return the name of the matrix `stage` for a sentence: "q" gives “queries”."""
    return STEPS.get(stage) or SYMBOLS[matrix_id_of_stage(stage)][1]


def was_or_were(stage: str) -> str:
    """Return “was” or “were”, the verb for the matrix `stage`: the output was, the keys were."""
    return "was" if stage in ("output", "encoding") else "were"


def is_or_are(stage: str) -> str:
    """Return “is” or “are”, the verb for the matrix `stage`: the output is, the keys are."""
    return "is" if was_or_were(stage) == "was" else "are"


def verb_form(stage: str, verb: str) -> str:
    """Return `verb` in the form for the matrix `stage`: the output follows, the queries follow."""
    if was_or_were(stage) == "were":
        return verb
    return "has" if verb == "have" else f"{verb}s"


def it_or_them(stage: str) -> str:
    """Return “it” or “them”, the pronoun for the matrix `stage`."""
    return "it" if was_or_were(stage) == "was" else "them"


def shape_text(values: np.ndarray) -> str:
    """Return the shape of a matrix as a text, such as “3×4”."""
    return "×".join(map(str, values.shape))


def number_in_words(n: int) -> str:
    """Return a number from 0 to 10 as a word, and a greater number in digits."""
    return NUMBERS[n] if n < len(NUMBERS) else str(n)


def join_names(names: Sequence[str], word: str = "and") -> str:
    """Join names with commas, and the last two with a word.

    >>> join_names(["a"]), join_names(["a", "b"], "or"), join_names(["a", "b", "c"])
    ('a', 'a or b', 'a, b and c')
    """
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last
