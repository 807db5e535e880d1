"""Changes to the outputs of heads of a real model. They show whether a result depends on these heads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np

from attention_core.checks import Array
from attention_core.language_model.block import LayerChange
from attention_core.language_model.head import Head

HeadChange = Callable[[Array], Array]  # output of a head (n, d_k) → the output to use instead


def change_of_heads(changes: Mapping[Head, HeadChange]) -> LayerChange:
    """Return a change that replaces the output of each head in `changes` by the result of the head's function.

    The function takes the output of its head, and returns the new output. The outputs of all other heads stay the same.
    """

    def change(layer: int, heads: Array) -> Array:
        here = {head: function for (at, head), function in changes.items() if at == layer}
        return np.stack([here.get(i, _unchanged)(output) for i, output in enumerate(heads)]) if here else heads

    return change


def cut_heads(heads: Collection[Head]) -> LayerChange:
    """Return a change that sets the outputs of some heads to 0.

    >>> from attention_core.language_model.head import Head
    >>> cut_heads([Head(0, 1)])(0, np.ones((2, 1, 1))).tolist()
    [[[1.0]], [[0.0]]]
    """
    return change_of_heads(dict.fromkeys(heads, np.zeros_like))


def average_heads(heads: Collection[Head]) -> LayerChange:
    """Return a change that replaces the outputs of some heads by their mean over all positions.

    Then every position gets the same output.

    >>> from attention_core.language_model.head import Head
    >>> average_heads([Head(0, 0)])(0, np.array([[[1.0], [3.0]]])).tolist()
    [[[2.0], [2.0]]]
    """
    return change_of_heads(dict.fromkeys(heads, lambda output: np.broadcast_to(output.mean(axis=0), output.shape)))


def replace_output(head: Head, row: Array) -> LayerChange:
    """Return a change that replaces the output of a head at the last position by `row` (d_k,).

    This row may be the output of the same head in another text.
    """
    return change_of_heads({head: lambda output: np.concatenate([output[:-1], row[None].astype(output.dtype)])})


def _unchanged(output: Array) -> Array:
    return output
