"""Changes to what the heads of a real model have found, which tell whether anything depends on them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np

from attention_core.checks import Array
from attention_core.language_model.block import Change
from attention_core.language_model.head import Head

ANYTHING = Callable[[Array], Array]  # of what a head has found, (n, d_k)


def changing(what: Mapping[Head, ANYTHING]) -> Change:
    """Return the change that does something to what each of some heads has found, and leaves all others."""

    def change(layer: int, heads: Array) -> Array:
        here = {head: function for (at, head), function in what.items() if at == layer}
        return np.stack([here.get(i, _as_it_is)(found) for i, found in enumerate(heads)]) if here else heads

    return change


def cut(heads: Collection[Head]) -> Change:
    """Let some heads hand over nothing."""
    return changing(dict.fromkeys(heads, np.zeros_like))


def averaged(heads: Collection[Head]) -> Change:
    """Let some heads hand over the mean of what they found at all places: no place tells from another any more."""
    return changing(dict.fromkeys(heads, lambda found: np.broadcast_to(found.mean(axis=0), found.shape)))


def handing_over(head: Head, row: Array) -> Change:
    """Let a head hand over another row at the last place, such as what it found in another text: row (d_k,)."""
    return changing({head: lambda found: np.concatenate([found[:-1], row[None].astype(found.dtype)])})


def _as_it_is(found: Array) -> Array:
    return found
