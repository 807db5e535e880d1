"""Count the multiplications and bytes that one layer needs to write the next token, with and without a cache."""

from __future__ import annotations

from dataclasses import dataclass

from attention_core.checks import positive_integer


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSizes:
    """The sizes of one layer of a model."""

    d_model: int
    n_heads: int
    n_kv_heads: int
    d_k: int  # the width of a query, key or value of one head
    d_hidden: int
    bytes_per_number: int = 2  # the bytes of one number in half precision

    @property
    def attention(self) -> int:
        """How many learned numbers attention has, in W^Q, W^K, W^V and W^O."""
        return 2 * self.d_model * self.d_k * (self.n_heads + self.n_kv_heads)

    @property
    def feed_forward(self) -> int:
        """How many learned numbers the feed-forward network has in its three matrices, one of which is for the gate."""
        return 3 * self.d_model * self.d_hidden

    @property
    def bytes_per_token(self) -> int:
        """How many bytes the keys and values of one token take."""
        return 2 * self.n_kv_heads * self.d_k * self.bytes_per_number


# SmolLM2-135M, according to its file: 30 layers, and a table of 49,152 tokens that is also its vocabulary.
SMOLLM2 = LayerSizes(d_model=576, n_heads=9, n_kv_heads=3, d_k=64, d_hidden=1536)
N_LAYERS, N_TOKENS = 30, 49_152


def step_multiplications(sizes: LayerSizes, n: int, *, cache: bool) -> int:
    """Return how many multiplications the attention of one layer needs to write the token after n tokens.

    With a cache, only one row is multiplied by the four matrices and compared with n keys: attention + 2 n · n_heads ·
    d_k, in which `attention` is how many numbers the matrices have. Without a cache, the same is done with n rows, so
    the result is n times as large.

    Raises: ValueError if n is not a whole number of at least 1.

    >>> tiny = LayerSizes(d_model=2, n_heads=1, n_kv_heads=1, d_k=1, d_hidden=4)
    >>> step_multiplications(tiny, 3, cache=True), step_multiplications(tiny, 3, cache=False)
    (14, 42)
    """
    n = positive_integer("n", n)
    rows = 1 if cache else n
    return rows * (sizes.attention + 2 * n * sizes.n_heads * sizes.d_k)


def attention_share(sizes: LayerSizes) -> float:
    """Return the fraction of a layer’s learned numbers that belongs to attention.

    >>> attention_share(LayerSizes(d_model=2, n_heads=1, n_kv_heads=1, d_k=1, d_hidden=4))
    0.25
    """
    return sizes.attention / (sizes.attention + sizes.feed_forward)


def model_numbers(sizes: LayerSizes, n_layers: int, n_tokens: int) -> int:
    """Return how many learned numbers a model has in its layers and its table of tokens. Its norms are not counted.

    >>> model_numbers(LayerSizes(d_model=2, n_heads=1, n_kv_heads=1, d_k=1, d_hidden=4), n_layers=2, n_tokens=10)
    84
    """
    return n_layers * (sizes.attention + sizes.feed_forward) + n_tokens * sizes.d_model
