"""The setting of a problem: its mask, its scale, its positions, and which of several heads is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array
from attention_core.examples import Example
from attention_core.masks import Mask, causal_mask
from attention_core.positions import alibi_slopes
from attention_core.rotation import POSITION_KINDS, Places

MaskKind = Literal["none", "causal", "causal_at_end", "padding", "window", "own"]
MASKS: tuple[str, ...] = get_args(MaskKind)
LEAST_SCALE, GREATEST = 1e-9, 1e9  # a mistake may square a scale, or divide by it
FORBIDDEN = -1000.0  # a key is hidden if this number, a lower number or −∞ is added to its score


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setting:
    """The mask, the scale, the head and the positions of a problem. The default is no mask and the scale 1/√d_k.

    Raises: ValueError if the kind of mask or of positions is unknown, or the scale, the base of the rotation or the
            slope is so small or so large that the numbers of a computation would overflow.
    """

    mask: str = "none"  # one of MASKS
    hidden_keys: tuple[int, ...] = ()  # for "padding": the hidden keys, counted from 1
    window: int = 2  # for "window": how many tokens a token may attend to: itself and the tokens before it
    own_mask: Mask | None = None  # for "own": (n_q, n_k), True where a query may attend to a key
    scale: float | None = None  # the factor of the scores; None is 1/√d_k
    head: int = 0  # the head that is asked for, counted from 1; 0 means no choice
    n_kv_heads: int = 0  # the number of heads of keys and values; 0 means one for each head
    positions: str = "none"  # one of POSITION_KINDS: how positions change the scores
    base: float = 10000.0  # of the rotation, for rotary positions
    slope: float | None = None  # for "alibi" with one head; None means the usual slope of this head

    def __post_init__(self) -> None:
        """Raise an error if a kind or a number is not allowed."""
        for name, kind, kinds in (("mask", self.mask, MASKS), ("positions", self.positions, POSITION_KINDS)):
            if kind not in kinds:
                raise ValueError(f"{name} must be one of {', '.join(kinds)}; got {kind}: choose one of these.")
        if self.scale is not None and not LEAST_SCALE <= abs(self.scale) <= GREATEST:
            raise ValueError(
                f"The scale must be from a billionth to a billion, with either sign, but it is {self.scale}. Change it."
            )
        if not 1 < self.base <= GREATEST:
            raise ValueError(
                f"The base must be above 1 and at most a billion, but it is {self.base}. Give 10000, for example."
            )
        if self.slope is not None and not abs(self.slope) <= GREATEST:
            raise ValueError(f"The slope must be at most a billion, but it is {self.slope}. Give, for example, 0.5.")

    @property
    def is_usual(self) -> bool:
        """Whether the setting is possible with every example: a causal mask or none, and otherwise the defaults."""
        has_more = self.scale is not None or self.head or self.n_kv_heads or self.positions != "none"
        return self.mask in ("none", "causal") and not has_more

    def places(self, n_q: int, n_k: int, n_heads: int) -> Places:
        """Return the positions of queries and keys. The first key has the position 0.

        With a causal mask, the first query has the position 0, too. Otherwise, if there are fewer queries than keys,
        the last query has the position of the last key, because the earlier keys come from a cache.
        """
        before = 0 if self.mask == "causal" else max(n_k - n_q, 0)
        slopes = alibi_slopes(n_heads) if self.slope is None else np.array([self.slope])
        return Places(
            kind=self.positions,  # type: ignore[arg-type]
            queries=before + np.arange(n_q), keys=np.arange(n_k), base=self.base, slopes=slopes,
            head=max(self.head - 1, 0) % len(slopes),
        )  # fmt: skip

    def allowed(self, n_q: int, n_k: int) -> Mask | None:
        """Return a mask that says which query may attend to which key, or None if every query may attend to every key.

        Shapes: → (n_q, n_k).
        Raises: ValueError if the hidden keys, the window or the own mask does not fit the numbers of queries and keys.
        """
        makes = {
            "none": lambda: None,
            "causal": lambda: causal_mask(n_q, n_k),
            "causal_at_end": lambda: causal_mask(n_q, n_k, after=_queries_before(n_q, n_k)),
            "padding": lambda: _without_keys(self.hidden_keys, n_q, n_k),
            "window": lambda: _window(self.window, n_q, n_k),
            "own": lambda: _own(self.own_mask, n_q, n_k),
        }
        return makes[self.mask]()


def setting_of(setting: Setting | str) -> Setting:
    """Return `setting` if it is a `Setting`. If it is the name of a mask, return the setting with only this mask."""
    return setting if isinstance(setting, Setting) else Setting(mask=setting)


def one_head_of(example: Example, head: int, n_kv_heads: int = 0) -> Example:
    """Return an example with only the head number `head` of another example. Heads are counted from 1.

    The projections keep only the columns of this head. `n_kv_heads` is the number of heads of keys and values, which
    several heads of queries may share; 0 means one for each head of queries.

    Raises: ValueError if the example has no such head, or `n_kv_heads` does not divide the number of heads.
    """
    n_heads = example.n_heads
    if not 1 <= head <= n_heads:
        raise ValueError(f"The head must be from 1 to {n_heads}, but it is {head}. Choose a head that the problem has.")
    if n_heads == 1:
        return example
    owners = _heads_used_by(head, n_heads, n_kv_heads or n_heads)
    blocks = {name: _block(matrix, *owners[name[-1]]) for name, matrix in _split_into_heads(example).items()}
    own_rows = _columns(len(example.w_o), n_heads, head)
    names = {each: getattr(example.names, each) for each in owners}
    own_names = {each: named[_columns(len(named), *owners[each])] for each, named in names.items()}
    return replace(example, **blocks, w_o=example.w_o[own_rows], n_heads=1, names=replace(example.names, **own_names))


def _heads_used_by(head: int, n_heads: int, n_kv_heads: int) -> Mapping[str, tuple[int, int]]:
    """Return for "q", "k" and "v" how many heads there are, and the number of the head that `head` uses, from 1.

    If 4 heads share 2 heads of keys, then head 3 uses head 2 of the keys: (2, 2).
    """
    if n_heads % n_kv_heads:
        raise ValueError(
            f"The number of key heads must divide the number of heads, but {n_kv_heads} does not divide {n_heads}. "
            "Choose another number of key heads."
        )
    shared = n_kv_heads, 1 + (head - 1) // (n_heads // n_kv_heads)
    return {"q": (n_heads, head), "k": shared, "v": shared}


def read_mask(values: ArrayLike, *, ones_hide: bool = False) -> Mask:
    """Read a mask as programs print it, and return which query may attend to which key.

    In a mask of ones and zeros, 1 keeps a key, or hides the key if `ones_hide` is true. A mask of zeros and −∞, or of
    zeros and large negative numbers, is added to the scores, so 0 keeps a key.

    Raises: ValueError if the mask has other numbers.

    >>> read_mask([[0, -np.inf], [0, 0]]).tolist()
    [[True, False], [True, True]]
    """
    mask = np.asarray(values, dtype=float)
    if np.isin(mask, (0.0, 1.0)).all() and (mask == 1).any():
        return mask == (0 if ones_hide else 1)
    if ((mask == 0) | (mask <= FORBIDDEN)).all():
        return mask == 0
    odd = mask[~(np.isin(mask, (0.0, 1.0)) | (mask <= FORBIDDEN))]
    got = f"{odd.flat[0]:g}" if odd.size else "ones and negative numbers"
    raise ValueError(
        f"A mask must have ones and zeros, or zeros and −∞, but this one has {got}. Write 1 where a token may attend."
    )


def _split_into_heads(example: Example) -> Mapping[str, Array]:
    names = ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v")
    return {name: matrix for name in names if (matrix := getattr(example, name)) is not None}


def _block(matrix: Array, n_heads: int, head: int) -> Array:
    return matrix[..., _columns(matrix.shape[-1], n_heads, head)]


def _columns(width: int, n_heads: int, head: int) -> slice:
    """Return the slice of columns that belong to the head number `head`, in a matrix with `width` columns."""
    d, rest = divmod(width, n_heads)
    if rest:
        raise ValueError(
            f"The number of heads must divide the width of each projection, but {n_heads} does not divide {width}. "
            "Choose another number of heads."
        )
    return slice((head - 1) * d, head * d)


def _queries_before(n_q: int, n_k: int) -> int:
    if n_q > n_k:
        raise ValueError(
            f"A causal mask that ends with the last key needs a key for each query, but there are {n_q} queries and "
            f"{n_k} keys. Choose the causal mask that begins with the first key."
        )
    return n_k - n_q


def _without_keys(hidden: tuple[int, ...], n_q: int, n_k: int) -> Mask:
    outside = [key for key in hidden if not 1 <= key <= n_k]
    if outside or not hidden:
        got = f"you named {', '.join(map(str, outside))}" if outside else "you named none"
        raise ValueError(f"Hidden keys must be from 1 to {n_k}, but {got}. Name the keys that no query may attend to.")
    return np.tile(~np.isin(np.arange(1, n_k + 1), hidden), (n_q, 1))


def _window(width: int, n_q: int, n_k: int) -> Mask:
    if width < 1:
        raise ValueError(f"A window must have at least one token, but it has {width}. Count the token itself.")
    after = max(n_k - n_q, 0)
    return causal_mask(n_q, n_k, after=after) & ~np.tri(n_q, n_k, after - width, dtype=bool)


def _own(mask: Mask | None, n_q: int, n_k: int) -> Mask:
    if mask is None or mask.shape != (n_q, n_k):
        got = "there is none" if mask is None else f"it is {mask.shape[0]}×{mask.shape[1]}"
        raise ValueError(
            f"The mask must be {n_q}×{n_k}, with a row for each query and a column for each key, but {got}. "
            "Paste a mask of this size."
        )
    return mask
