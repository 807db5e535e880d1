"""The key–value cache: it stores the keys and values of all tokens so far, so a new token computes only its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import AttentionTrace, attend
from attention_core.checks import Array, floats
from attention_core.heads import repeat_heads
from attention_core.masks import causal_mask


@dataclass(frozen=True, slots=True, eq=False)
class KeyValueCache:
    """The keys and values of the tokens so far. A cache never changes: `extended` returns another cache.

    Stored keys and values stay correct because, under a causal mask, no row depends on later tokens. Keys that are
    rotated by their positions are stored after the rotation.

    Shapes: k (…, n, d_k), v (…, n, d_v); with heads, (…, n_kv_heads, n, …).
    Raises: ValueError if k and v are not finite, or have different n.
    Source: Shazeer 2019, arXiv:1911.02150, section 2.4; Pope et al. 2022, arXiv:2211.05102.

    >>> cache = KeyValueCache([[1.0]], [[2.0]]).extended([[1.0]], [[4.0]])
    >>> cache.n, cache.attend([[5.0]]).output.tolist()
    (2, [[3.0]])
    """

    k: Array
    v: Array

    def __post_init__(self) -> None:
        """Check the shapes of the keys and values."""
        k, v = floats("k", self.k, min_rank=2), floats("v", self.v, min_rank=2)
        if k.shape[:-1] != v.shape[:-1]:
            raise ValueError(
                f"k and v must share n and heads; got k {k.shape}, v {v.shape}: every key needs its value."
            )
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "v", v)

    @property
    def n(self) -> int:
        """The number of tokens so far."""
        return self.k.shape[-2]

    @property
    def numbers(self) -> int:
        """How many numbers the cache stores."""
        return self.k.size + self.v.size

    def extended(self, k: ArrayLike, v: ArrayLike) -> KeyValueCache:
        """Return a cache that also has the keys and values of further tokens.

        Shapes: k (…, n_new, d_k), v (…, n_new, d_v), with the leading axes and widths of the cache.
        Raises: ValueError if the new keys and values have other leading axes or widths.
        """
        return KeyValueCache(_join("k", self.k, floats("k", k)), _join("v", self.v, floats("v", v)))

    def attend(self, q: ArrayLike, *, mask: ArrayLike | None = None, scale: float | None = None) -> AttentionTrace:
        """Compute the attention of the last tokens to all tokens so far.

        Without `mask`, the mask is causal and aligned at the bottom right: the last query may attend to all keys.
        Several neighbouring query heads may share one head of keys and values.

        Shapes: q (…, n_q, d_k), the queries of the last n_q tokens, with n_heads a multiple of n_kv_heads; mask
                (…, n_q, n) → output (…, n_q, d_v): the last n_q rows of the whole output.
        Raises: ValueError if there are more queries than tokens or the heads do not fit, and the errors of
                `attention_core.attend`.
        """
        q = floats("q", q, min_rank=2)
        n_q, group = q.shape[-2], self._group(q)
        if n_q > self.n:
            raise ValueError(f"the cache must have a key for each query; got {n_q} queries, {self.n} keys: extend it.")
        k, v = (self.k, self.v) if group == 1 else (repeat_heads(self.k, group), repeat_heads(self.v, group))
        mask = causal_mask(n_q, self.n, after=self.n - n_q) if mask is None else mask
        return attend(q, k, v, mask=mask, scale=scale)

    def _group(self, q: Array) -> int:
        """Return how many query heads share each head of the cache."""
        n_heads, n_kv_heads = (each.shape[-3] if each.ndim > 2 else 1 for each in (q, self.k))
        if n_heads % n_kv_heads:
            raise ValueError(
                f"the heads of the cache must divide those of the queries; got {n_heads} query heads, {n_kv_heads} in "
                "the cache: every head of the cache serves as many as the others."
            )
        return n_heads // n_kv_heads if self.k.ndim > 2 else 1


def _join(name: str, so_far: Array, new: Array) -> Array:
    if (*so_far.shape[:-2], so_far.shape[-1]) != (*new.shape[:-2], new.shape[-1]):
        raise ValueError(
            f"new {name} must have the heads and the width of the cache; got {new.shape}, the cache has "
            f"{so_far.shape}: give one row a new token."
        )
    return np.concatenate([so_far, new], axis=-2)
