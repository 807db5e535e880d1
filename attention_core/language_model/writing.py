"""Let a model read a text and write on.

It reads each new token alone, and stores the keys and values of earlier tokens.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.checks import Array
from attention_core.key_value_cache import KeyValueCache
from attention_core.language_model.model import LanguageModel, layers_of
from attention_core.softmax import softmax


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ReadSoFar:
    """The tokens that a model has read, with the keys and values that it needs to read more tokens."""

    tokens: tuple[int, ...]
    caches: tuple[KeyValueCache, ...]  # one for each layer
    rows: Array  # (n_layers + 1, d_model) the row of the last token at the input, and then after each layer
    logits: Array  # (size of the vocabulary,) the score of each token as the next token

    @property
    def bytes(self) -> int:
        """The memory that the stored keys and values take, in bytes."""
        return sum(cache.k.nbytes + cache.v.nbytes for cache in self.caches)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Growth:
    """The next tokens that a model would predict if it ended after 0, 1, 2, … layers."""

    best: NDArray[np.int64]  # (n_layers + 1,) the likeliest token at the input, and then after each layer
    chances: Array  # (n_layers + 1,) the probability of this token
    of_the_last: Array  # (n_layers + 1,) the probability of the last layer's likeliest token


def read_in_steps(
    model: LanguageModel, tokens: Sequence[int], so_far: ReadSoFar | None = None
) -> Generator[int, None, ReadSoFar]:
    """Let a model read `tokens` after the tokens of `so_far`, one layer at a time.

    The generator yields the number of finished layers after each layer. At the end it returns the keys and values of
    all tokens. `so_far` has the keys and values of the earlier tokens, so only the new tokens pass through the layers.

    Raises: ValueError for the same reasons as `run_model`.
    """
    caches, rows = list[KeyValueCache](), list[Array]()
    for number, trace in enumerate(layers_of(model, tokens, past=so_far.caches if so_far else ())):
        rows.extend([trace.x[-1]] * (number == 0))
        rows.append(trace.output[-1])
        caches.append(KeyValueCache(trace.k, trace.v))
        yield number + 1
    before = so_far.tokens if so_far else ()
    return ReadSoFar(
        tokens=(*before, *tokens), caches=tuple(caches), rows=np.stack(rows), logits=model.logits(rows[-1][None])[0]
    )


def read_more_tokens(model: LanguageModel, tokens: Sequence[int], so_far: ReadSoFar | None = None) -> ReadSoFar:
    """Let a model read `tokens` after the tokens of `so_far`. Return the keys and values of all these tokens.

    Raises: ValueError for the same reasons as `run_model`.
    """
    steps = read_in_steps(model, tokens, so_far)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def growth_of(model: LanguageModel, rows: Array) -> Growth:
    """Return the next tokens that a model would predict if it ended after 0, 1, 2, … layers.

    `rows` has the row of the text's last token after 0, 1, 2, … layers.

    Shapes: rows (n_layers + 1, d_model).
    Source: nostalgebraist 2020, “interpreting GPT: the logit lens”; Belrose et al. 2023, arXiv:2303.08112.
    """
    chances = softmax(model.logits(rows))
    best = chances.argmax(axis=-1)
    return Growth(best=best, chances=chances.max(axis=-1), of_the_last=chances[:, best[-1]])
