"""A mask says to which keys each query may attend. True at [i, j] means that query i may attend to key j."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.checks import Array, natural_number, positive_integer

Mask = NDArray[np.bool_]


def causal_mask(n_q: int, n_k: int | None = None, *, after: int = 0) -> Mask:
    """Return the mask that lets every token attend to itself and to the tokens before it.

    mask[i, j] = j ≤ i + after

    Shapes: → (n_q, n_k); n_k is n_q unless given. The first query has the position of key `after`. With 0, different
            lengths are aligned at the top left; with n_k − n_q at the bottom right, as for the last tokens of a text.
    Raises: ValueError if a length is not a whole number of at least 1, or `after` is no whole number of at least 0.
    Source: Vaswani et al. 2017, section 3.2.3.

    >>> causal_mask(2)
    array([[ True, False],
           [ True,  True]])
    """
    n_q = positive_integer("n_q", n_q)
    n_k = n_q if n_k is None else positive_integer("n_k", n_k)
    return np.tri(n_q, n_k, natural_number("after", after), dtype=bool)


def padding_mask(lengths: ArrayLike, n_k: int) -> Mask:
    """Return the mask that lets every query attend only to the real keys of its sequence, and not to padding.

    mask[…, 0, j] = j < length

    Shapes: lengths (…) → (…, 1, n_k), which broadcasts over the queries.
    Raises: ValueError if a length is not a whole number from 0 to n_k.

    >>> padding_mask([1, 2], n_k=2).tolist()
    [[[True, False]], [[True, True]]]
    """
    n_k = positive_integer("n_k", n_k)
    lengths = np.asarray(lengths)
    if lengths.dtype.kind not in "iu" or (lengths < 0).any() or (lengths > n_k).any():
        raise ValueError(
            f"lengths must be whole numbers from 0 to n_k = {n_k}; got {lengths.tolist()}: count the real tokens."
        )
    return np.arange(n_k) < lengths[..., None, None]


def apply_mask(scaled: Array, mask: ArrayLike | None) -> Array:
    """Return the scores with −∞ where a boolean mask is false, or with the numbers of an additive mask added.

    Raises: ValueError if the mask does not broadcast to the scores, or an additive mask has NaN or +∞.

    >>> apply_mask(np.array([[1.0, 2.0]]), [[True, False]])
    array([[  1., -inf]])
    """
    if mask is None:
        return scaled
    checked = _check_mask(scaled.shape, mask)
    if checked.dtype == bool:
        return np.where(checked, scaled, scaled.dtype.type(-np.inf))
    with np.errstate(over="ignore"):  # a penalty beyond the range of floats becomes −∞, which is correct
        return np.add(scaled, checked, dtype=scaled.dtype)


def _check_mask(shape: tuple[int, ...], mask: ArrayLike) -> NDArray[Any]:
    mask = np.asarray(mask)
    if mask.dtype.kind not in "bf":
        raise ValueError(f"mask must be boolean or float; got {mask.dtype}: write True for 'may attend'.")
    if mask.dtype.kind == "f" and (np.isnan(mask) | np.isposinf(mask)).any():
        raise ValueError("an additive mask must be finite or −∞; got NaN or +∞: use −∞ to forbid, 0 to allow.")
    try:
        fits = np.broadcast_shapes(shape, mask.shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"mask must broadcast to the scores; got mask {mask.shape}, scores {shape}: "
            "give it one row a query and one column a key."
        )
    return mask
