"""Symbols: what each symbol means in formulas, matrices and calculations. The table of matrices is in `records.py`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pages.shared.notation.records import SYMBOLS

OF_A_PAGE = "_next"  # the end of the id of a page's own matrix, if each example has a matrix of the same name
SAME = {"bias": "mask"}  # two names in the core for the same matrix

# The symbols in formulas that are not matrices, with their meanings, by name.
LETTERS: Mapping[str, tuple[str, str]] = {
    "n": ("n", "tokens that ask: one query each"),
    "n_k": ("n_k", "tokens that answer; in self-attention the same tokens, so $n_k = n$"),
    "d_model": (r"d_{\text{model}}", "features of a token"),
    "d_k": ("d_k", "features of a query and of a key, in one head"),
    "d_v": ("d_v", "features of a value, in one head"),
    "h": ("h", "heads"),
    "n_words": (r"n_{\text{words}}", "words of a vocabulary"),
    "d_hidden": (r"d_{\text{hidden}}", "hidden units of a feed-forward network"),
    "i": ("i", "counts rows, heads or pairs of waves"),
    "j": ("j", "counts columns, or the tokens that answer"),
    "c": ("c", "counts features"),
    "scale": (r"\text{scale}", "the factor of the scores, where it is not 1/√d_k"),
    "temperature": ("T", "temperature: what scores are divided by before the powers"),
    "constant": (r"\text{constant}", "what is added to every score"),
    "base": (r"\text{base}", "what is raised to a power"),
    "pos": ("pos", "position of a token, counted from 0"),
    "shift": (r"\Delta", "the shift: a number of positions"),
    "distance": (r"\lvert i - j \rvert", "how far apart two tokens stand, in positions"),
    "maximum": (r"\max", "the greatest of the scores that compete"),
    "transpose": (r"\top", "raised: rows and columns swapped"),
    "any": ("W", "any of the learned matrices: W^Q, W^K, W^V, W^O"),
    "row": ("q_1, z_2", "a small letter: one token’s row of Q, of Z"),
    "head": ("A_1, Q_2", "a number below a matrix: that of one head"),
}


def symbol_of_id(id: str) -> str | None:
    """Return the longest name in the table `SYMBOLS` that a matrix id begins with, or None if there is none.

    >>> symbol_of_id("scaled_root"), symbol_of_id("weights.1"), symbol_of_id("tally")
    ('scaled', 'weights', None)
    """
    return max((each for each in SYMBOLS if re.match(rf"{each}(?![a-z])", id)), key=len, default=None)


def symbol_of_matrix(name: str, operands: Iterable[str]) -> str:
    """Return the name that the table `SYMBOLS` has for the matrix `name` of a trace."""
    return "mixed" if name == "output" and "concat" in operands else name


def matrix_id_of_stage(stage: str) -> str:
    """Return the id of the matrix that the page shows for a stage of a computation.

    The id is the name of the stage, such as "scores". Only the stage "encoding" has another id: "sinusoidal".
    """
    return {"encoding": "sinusoidal"}.get(stage, stage)
