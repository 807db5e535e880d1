"""The small model that writes a word, and its loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.attention import SelfAttentionTrace, self_attention
from attention_core.checks import Array, positive_integer
from attention_core.feed_forward import FeedForwardTrace, feed_forward
from attention_core.gradients.attention import self_attention_gradient
from attention_core.gradients.parts import cross_entropy_gradient, through_projection
from attention_core.masks import causal_mask
from attention_core.next_word import SampleTrace, cross_entropy, sample, unembed
from attention_core.normalization import residual
from attention_core.projection import project
from attention_core.softmax import softmax


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SmallModel:
    """The matrices of a small language model. They are made by hand. The matrices of a real model are learned."""

    tokens: tuple[str, ...]  # the tokens that the model can read: a label for each row of the table
    words: tuple[str, ...]  # the words that it can write, which are also tokens: a label for each row of the vocabulary
    table: Array  # (n_tokens, d_model) the row of each token
    w_q: Array  # (d_model, d_k)
    w_k: Array  # (d_model, d_k)
    w_v: Array  # (d_model, d_v)
    w_o: Array  # (d_v, d_model)
    vocabulary: Array  # (n_words, d_model)
    w_up: Array  # (d_model, d_hidden)
    w_down: Array  # (d_hidden, d_model)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NextWordTrace:
    """Every step from tokens to the probabilities of the next word. There is one row for each token."""

    tokens: tuple[str, ...]
    head: SelfAttentionTrace
    mixed: Array  # (n, d_model) the rows that attention adds; 0 if attention is switched off
    summed: Array  # (n, d_model) x + mixed
    vocabulary: Array  # (n_words, d_model)
    logits: Array  # (n, n_words)
    chances: Array  # (n, n_words) the softmax of each row of logits


def next_word(
    model: SmallModel, tokens: Sequence[str], *, attends: bool = True, mask: ArrayLike | None = None
) -> NextWordTrace:
    """Let a small model read tokens, and predict the next word after each token.

    summed = x + softmax(q kᵀ / √d_k, causal) v w_o; logits = summed vocabularyᵀ; chances = softmax(logits)

    Shapes: n tokens → chances (n, n_words). If `attends` is false, nothing is added. `mask` replaces the causal mask.
    Raises: ValueError if the model does not have a token, or the shapes of two multiplied matrices do not fit.
    Source: Elhage et al. 2021, “A Mathematical Framework for Transformer Circuits”; Vaswani et al. 2017, section 3.4.

    >>> from attention_core.writing.story_model import beginning, story_model
    >>> trace = next_word(story_model(), beginning("drank"))
    >>> story_model().words[trace.chances[-1].argmax()]
    'milk'
    """
    x = model.table[_token_numbers(model.tokens, tokens)]
    mask = causal_mask(len(x)) if mask is None else mask
    head = self_attention(x, model.w_q, model.w_k, model.w_v, mask=mask)
    mixed = project(head.output, model.w_o)
    summed = residual(x, mixed if attends else np.zeros_like(mixed))
    logits = unembed(summed, model.vocabulary)
    return NextWordTrace(
        tokens=tuple(tokens), head=head, mixed=summed - x if attends else np.zeros_like(mixed), summed=summed,
        vocabulary=model.vocabulary, logits=logits, chances=softmax(logits),
    )  # fmt: skip


def feed_forward_trace(model: SmallModel, trace: NextWordTrace) -> FeedForwardTrace:
    """Return the trace of a small model's feed-forward network, which works on each row after attention."""
    return feed_forward(trace.summed, model.w_up, model.w_down)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The settings for drawing a word: temperature, top-k, top-p and seed."""

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0


def draw_word(drawing: Drawing, logits: Array, place: int) -> SampleTrace:
    """Draw one word with the softmax of its logits as probabilities.

    `place` is the number of words that were drawn before. The seed and `place` together determine the draw.

    Shapes: logits (n_words,).
    Raises: ValueError for the same reasons as `sample`.
    """
    return sample(
        logits, temperature=drawing.temperature, top_k=drawing.top_k, top_p=drawing.top_p, seed=(drawing.seed, place)
    )


def write_on(
    model: SmallModel, tokens: Sequence[str], n: int, drawing: Drawing, *, attends: bool = True, end: str = "."
) -> tuple[str, ...]:
    """Draw n words one after another, append them to the tokens, and return all tokens. Stop after the word `end`.

    >>> from attention_core.writing.story_model import beginning, story_model
    >>> write_on(story_model(), beginning("drank"), 1, Drawing(top_k=1))
    ('The', 'cat', 'drank', 'the', 'milk')
    """
    found = tuple(tokens)
    for place in range(n):
        if found[-1] == end:
            break
        trace = draw_word(drawing, next_word(model, found, attends=attends).logits[-1], place)
        found = (*found, model.words[int(trace.drawn)])
    return found


def _token_numbers(labels: tuple[str, ...], tokens: Sequence[str]) -> NDArray[np.integer[Any]]:
    """Return the number of each token in `labels`."""
    strange = [token for token in tokens if token not in labels]
    if strange or not tokens:
        raise ValueError(
            f"tokens must be one or more of {', '.join(labels)}; got {', '.join(strange) or 'none'}: choose of these."
        )
    return np.array([labels.index(token) for token in tokens])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordLoss:
    """The loss if a certain word comes next, and the effect of one number of W^Q on the loss."""

    chance: float  # the probability of this word
    loss: float  # −ln of this probability
    gradient: Array  # (d_model, d_k) how fast the loss grows with each number of w_q
    moved: float  # the loss after one number of w_q was increased
    by: float  # by how much this number was increased

    @property
    def slope(self) -> float:
        """The change of the loss divided by the change of the number of w_q."""
        return (self.moved - self.loss) / self.by


def word_loss(model: SmallModel, tokens: Sequence[str], word: str, *, by: float, at: tuple[int, int]) -> WordLoss:
    """Return the loss if `word` comes after the tokens, and two effects of w_q on this loss.

    One effect is the gradient of the loss with respect to w_q. The other is the loss after w_q[at] was increased by
    `by`.

    Shapes: gradient (d_model, d_k).
    Raises: ValueError if the model cannot write the word, or for the same reasons as `next_word`.
    Source: Bridle 1990; Rumelhart, Hinton & Williams 1986.
    """
    if word not in model.words:
        raise ValueError(f"word must be one of {', '.join(model.words)}; got {word}: choose one of these.")
    w_q = model.w_q.copy()
    w_q[at] += by
    loss, gradient, chance = _loss_and_gradient(model, tokens, model.words.index(word))
    moved, _, _ = _loss_and_gradient(replace(model, w_q=w_q), tokens, model.words.index(word))
    return WordLoss(chance=chance, loss=loss, gradient=gradient, moved=moved, by=by)


def _loss_and_gradient(model: SmallModel, tokens: Sequence[str], target: int) -> tuple[float, Array, float]:
    """Return three results if word number `target` comes next.

    They are the loss, the gradient of the loss with respect to w_q, and the probability of the word.
    """
    trace = next_word(model, tokens)
    said = cross_entropy(trace.logits[-1:], np.array([target]))
    grad_logits = np.zeros_like(trace.logits)
    grad_logits[-1] = cross_entropy_gradient(said).grad_logits[0]
    d_summed = through_projection(trace.summed, model.vocabulary.T, None, grad_logits).grad_x
    grad_output = through_projection(trace.head.output, model.w_o, None, d_summed).grad_x
    gradient = self_attention_gradient(trace.head, grad_output).grad_w_q
    return float(said.loss), gradient, float(said.probabilities[0, target])


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
