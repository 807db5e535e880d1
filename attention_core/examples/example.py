"""An example: its tokens, its numbers, and the names of its features."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from string import Formatter
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace, self_attention
from attention_core.caching import cache_recent
from attention_core.checks import Array, floats
from attention_core.heads import MultiHeadProjections, MultiHeadTrace, multi_head_attention
from attention_core.masks import Mask, causal_mask, padding_mask

# For each field of `FeatureNames`: the matrix whose columns have these names.
_NAMED: Mapping[str, str] = {"x": "x", "context": "context", "q": "w_q", "k": "w_k", "v": "w_v"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureNames:
    """The names of the columns of x, of the context, and of queries, keys and values; () if they have no names.

    Queries and keys are multiplied column by column. Therefore the name of a column of the queries fits the name of the
    same column of the keys: “looks for somebody” and “is somebody”. With several heads, each head has a block of
    columns, and the names of these columns.
    """

    x: tuple[str, ...] = ()  # a property of a token: "alive"
    context: tuple[str, ...] = ()  # a property of a token of the context, if it is not x
    q: tuple[str, ...] = ()  # what a query looks for: "looks for somebody"
    k: tuple[str, ...] = ()  # what a key can be found by: "is somebody"
    v: tuple[str, ...] = ()  # what others take from a value: "who"

    def check(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Check that there is a name for each column. `shapes` has the shape of each matrix by name.

        Raises: ValueError if there are fewer or more names than columns, or there is no such matrix.
        """
        for field in fields(self):
            names, matrix = getattr(self, field.name), _NAMED[field.name]
            if not names:
                continue
            shape = shapes.get(matrix)
            if shape is None or len(names) != shape[-1]:
                raise ValueError(
                    f"names of {field.name} must be one a column of {matrix}; got {len(names)} names, "
                    f"{matrix} {shape or 'missing'}: give {shape[-1] if shape else 'none'}."
                )


UNNAMED = FeatureNames()


def tokens_in(sentence: str) -> tuple[str, ...]:
    """Return the texts in braces that are tokens. A text with a bar, such as {thirsty|sour}, is not a token.

    >>> tokens_in("The {cat} was {thirsty|sour}.")
    ('cat',)
    """
    return tuple(field for _, field, *_ in Formatter().parse(sentence) if field and "|" not in field)


MATRICES = ("x", "context", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "w_o")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Example:
    """The inputs of one attention: the tokens, their rows, and the learned matrices, with texts about them."""

    name: str
    title: str
    about: str  # what the example is, and which mistakes its numbers hide
    source: str
    tokens: tuple[str, ...]  # a label for each row of x
    x: Array  # (n_q, d_model)
    w_q: Array  # (d_model, d_k)
    w_k: Array  # (d_context, d_k)
    w_v: Array  # (d_context, d_v)
    w_o: Array  # (d_v, d_model)
    n_heads: int  # divides d_k and d_v
    b_q: Array | None = None
    b_k: Array | None = None
    b_v: Array | None = None
    context: Array | None = None  # (n_k, d_context) if keys and values come from other tokens
    context_tokens: tuple[str, ...] | None = None  # a label for each row of the context
    scale: float | None = None  # the factor of the scores in its source, if it is not 1/√d_k
    layout: Literal["rows", "columns"] = "rows"  # how the source of the example stores tokens; here, tokens are rows
    drawn: str = ""  # NumPy code that draws its matrices, if they are too large to be written down
    names: FeatureNames = UNNAMED  # the names of its columns, if they have a meaning
    sentence: str = ""  # the sentence with its tokens in braces, as in the module `wording`

    def __post_init__(self) -> None:
        """Check that the sentence has the tokens of the example, and that the names fit the columns.

        Raises: ValueError if the sentence has other tokens, and the errors of `FeatureNames.check`.
        """
        self.names.check({name: matrix.shape for name, matrix in self.matrices().items()})
        if self.sentence and tokens_in(self.sentence) != self.tokens:
            raise ValueError(
                f"a sentence must have the tokens in braces, in their order; got {', '.join(tokens_in(self.sentence))} "
                f"for {', '.join(self.tokens)}: write each of them once."
            )

    @property
    def key_tokens(self) -> tuple[str, ...]:
        """The tokens that keys are computed from: those of the context, or in self-attention those of x."""
        return self.tokens if self.context_tokens is None else self.context_tokens

    def matrices(self) -> dict[str, Array]:
        """Return by name the matrices of this example that a visitor can edit."""
        present = {name: getattr(self, name) for name in MATRICES}
        return {name: matrix for name, matrix in present.items() if matrix is not None}

    def with_matrices(self, edits: Mapping[str, ArrayLike]) -> Example:
        """Return the example with some matrices replaced by others of the same shape.

        `edits` has the new matrices by name.

        Raises: ValueError if the example has no such matrix, a new matrix has another shape, or a number is not finite.
        """
        if not edits:
            return self
        own = self.matrices()
        for name, values in edits.items():
            if name not in own:
                raise ValueError(f"{self.name} has no matrix {name}; got {name}: choose one of {', '.join(own)}.")
            if np.shape(values) != own[name].shape:
                raise ValueError(
                    f"{name} must keep its shape; got {np.shape(values)}, {name} {own[name].shape}: "
                    f"give {own[name].shape[0]} rows."
                )
        return replace(self, **{name: frozen_copy(floats(name, values)) for name, values in edits.items()})

    def shortened(self, n_q: int, n_k: int) -> Example:
        """Return the example with only its first n_q tokens as queries, and its first n_k tokens as keys.

        In self-attention, queries and keys come from the same tokens. If some tokens are left out, the new example has
        a separate context, with the tokens of the keys.

        Raises: ValueError if n_q or n_k is below 1, or greater than the number of tokens.
        """
        for name, n, tokens in (("n_q", n_q, self.tokens), ("n_k", n_k, self.key_tokens)):
            if not 1 <= n <= len(tokens):
                raise ValueError(f"{name} must be from 1 to {len(tokens)}; got {n}: there are no more tokens.")
        if n_q == len(self.tokens) and n_k == len(self.key_tokens):
            return self
        context = self.x if self.context is None else self.context
        asking, answering = (self.x[:n_q], self.tokens[:n_q]), (context[:n_k], self.key_tokens[:n_k])
        names = self.names if self.context is not None else replace(self.names, context=self.names.x)
        return replace(
            self, x=asking[0], tokens=asking[1], context=answering[0], context_tokens=answering[1], names=names,
            sentence="",
        )  # fmt: skip

    @property
    def can_be_self_attention(self) -> bool:
        """Whether x could replace the context: the example has a context, and x has the width that w_k needs."""
        return self.context is not None and self.w_k.shape[0] == self.x.shape[1]

    def as_self_attention(self) -> Example:
        """Return the example as self-attention, with x in place of the context.

        Raises: ValueError if x does not have the width that w_k and w_v need.
        """
        if self.context is not None and not self.can_be_self_attention:
            raise ValueError(
                f"x must be as wide as w_k is high to ask itself; got x {self.x.shape}, w_k {self.w_k.shape}: "
                "keep the context."
            )
        return replace(self, context=None, context_tokens=None, names=replace(self.names, context=()))

    def mask(self, kind: str) -> Mask | None:
        """Return a mask with the size of the example's scores.

        `kind` is "none" (the result is None), "causal", or "padding" (the mask hides the last key).

        Raises: ValueError for any other kind, or if padding would leave no key.
        """
        n_q, n_k = len(self.tokens), len(self.key_tokens)
        masks = {
            "none": lambda: None,
            "causal": lambda: causal_mask(n_q, n_k),
            "padding": lambda: padding_mask(n_k - 1, n_k),
        }
        if kind not in masks:
            raise ValueError(f"kind must be one of {', '.join(masks)}; got {kind}: choose one of these.")
        return masks[kind]()

    def attention(self, *, mask: ArrayLike | None = None, scale: float | None = None) -> SelfAttentionTrace:
        """Compute the attention of the example with one head."""
        return _unmasked(self, None, scale) if mask is None else _attention_of(self, mask, scale)

    @property
    def projections(self) -> MultiHeadProjections:
        """The learned matrices of all heads together."""
        return MultiHeadProjections(
            w_q=self.w_q, w_k=self.w_k, w_v=self.w_v, w_o=self.w_o, b_q=self.b_q, b_k=self.b_k, b_v=self.b_v
        )

    def head_counts(self) -> tuple[int, ...]:
        """Return the possible numbers of heads: the common divisors of the widths of queries and values."""
        width = math.gcd(self.w_q.shape[-1], self.w_v.shape[-1])
        return tuple(n for n in range(1, width + 1) if width % n == 0)

    def multi_head(
        self, *, mask: ArrayLike | None = None, scale: float | None = None, n_kv_heads: int | None = None
    ) -> MultiHeadTrace:
        """Compute the attention of the example with its heads and its output projection.

        If n_kv_heads is given, several query heads share each of these key and value heads.
        """
        return multi_head_attention(
            self.x, self.projections, self.n_heads, context=self.context, n_kv_heads=n_kv_heads, mask=mask, scale=scale
        )


def example_of(**fields: object) -> Example:
    """Make an example from its fields. Matrices may be given as lists.

    Each matrix becomes an array that cannot be written to.
    """
    given = {key: frozen_copy(value) if key in MATRICES else value for key, value in fields.items()}  # type: ignore[arg-type]
    return Example(**given)  # type: ignore[arg-type]


def frozen_copy(values: ArrayLike) -> Array:
    """Return a copy of an array that cannot be written to.

    >>> frozen_copy([[1, 2]]).flags.writeable
    False
    """
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def _attention_of(example: Example, mask: ArrayLike | None, scale: float | None) -> SelfAttentionTrace:
    return self_attention(
        example.x, example.w_q, example.w_k, example.w_v,
        b_q=example.b_q, b_k=example.b_k, b_v=example.b_v, context=example.context, mask=mask, scale=scale,
    )  # fmt: skip


_unmasked = cache_recent(_attention_of)  # cached, because many visitors need the attention of the same example
