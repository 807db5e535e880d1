"""Weights that replace those of the first head, to show which results depend on this head."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from attention_core.checks import Array, positive_integer


def previous_matrix(n: int) -> Array:
    """Return the weights of a head in which each token attends to the token before. The first token attends to itself.

    >>> previous_matrix(3)
    array([[1., 0., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    return np.eye(n)[np.maximum(np.arange(n) - 1, 0)]


def uniform_matrix(n: int) -> Array:
    """Return the weights of a head in which each token attends equally to all tokens so far.

    >>> uniform_matrix(2)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    return np.tri(n) / np.arange(1, n + 1)[:, None]


def weights_instead(first: str, n: int) -> Array | None:
    """Return the weights with the name `first`, which replace the weights of the first head.

    With "trained", return None: the head keeps its trained weights. With "previous", each token attends to the token
    before. With "uniform", each token attends equally to all tokens so far.

    Shapes: → (n, n).
    Raises: ValueError if first is another word.
    """
    if first not in ("trained", *_INSTEAD):
        raise ValueError(
            f"first must be one of trained, {', '.join(_INSTEAD)}; got {first}: say what the first head is to do."
        )
    return None if first == "trained" else _INSTEAD[first](positive_integer("n", n))


_INSTEAD: Mapping[str, Callable[[int], Array]] = {"previous": previous_matrix, "uniform": uniform_matrix}
