"""The task of the induction model: sequences that repeat parts of themselves, so that earlier symbols tell the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.induction.model import CONTEXT, N_SYMBOLS, Tokens

SHORTEST, LONGEST = 8, 30  # how many different symbols a sequence begins with
CHUNK = (3, 6)  # the least and the greatest length of a repeated part


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Batch:
    """Some sequences, the next symbol at each position, and the positions whose next symbol can be predicted."""

    tokens: Tokens  # (n_sequences, context) the number of each symbol
    targets: Tokens  # (n_sequences, context) the symbol that comes next
    counted: NDArray[np.bool_]  # (n_sequences, context) true: the next symbol continues a repetition
    found: NDArray[np.integer[Any]]  # (n_sequences, context) the first position of the next symbol if counted, else −1


def batch(generator: np.random.Generator, n_sequences: int) -> Batch:
    """Draw sequences that begin with different symbols, and then repeat parts of this beginning.

    The beginning has 8 to 30 symbols in any order. Each part has 3 to 6 symbols, and starts at a random place of the
    beginning. A position counts if its symbol occurred before and the same symbol follows again: the model can predict
    this symbol.

    Shapes: each array of the result is (n_sequences, context).
    """
    places = np.stack([_places(generator) for _ in range(n_sequences)])
    orders = generator.permuted(np.tile(np.arange(N_SYMBOLS), (n_sequences, 1)), axis=1)
    symbols = np.take_along_axis(orders, places, axis=1)
    here, following = places[:, :-1], places[:, 1:]
    counted = (following == here + 1) & (here < np.arange(CONTEXT))
    return Batch(
        tokens=symbols[:, :-1], targets=symbols[:, 1:], counted=counted, found=np.where(counted, following, -1)
    )


def _places(generator: np.random.Generator) -> NDArray[np.integer[Any]]:
    """Return a random sequence of indices: first 0, 1, 2 …, and then repeated parts of this beginning.

    `batch` replaces each index by a symbol.
    """
    first = int(generator.integers(SHORTEST, LONGEST, endpoint=True))
    parts = [np.arange(first)]
    while sum(map(len, parts)) <= CONTEXT:
        length = int(generator.integers(*CHUNK, endpoint=True))
        parts.append(int(generator.integers(first - length + 1)) + np.arange(length))
    return np.concatenate(parts)[: CONTEXT + 1]
