"""Mistakes in drawing the next word from its probabilities, and mistakes with a cache of keys and values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_core.attention import AttentionTrace
from attention_core.checks import Array
from attention_core.key_value_cache import KeyValueCache
from attention_core.masks import causal_mask
from attention_core.mistakes.toml_files import read_entries
from attention_core.next_word import SampleTrace
from attention_core.positions import rope
from attention_core.softmax import softmax


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingMistake:
    """One usual mistake in drawing the next word from its probabilities."""

    name: str  # in snake case, as in links
    title: str
    code: str  # the wrong lines in NumPy: they compute `chances` from `logits` and the arguments of `sample`
    why: str  # why the lines are wrong, in a sentence or two
    sources: tuple[str, ...] = ()  # public threads with this mistake (owner/repository#number)
    chances: Callable[[SampleTrace], Array]  # computes the wrong probabilities of the words: (n_words,)
    needs: str = ""  # what the settings need so that the mistake changes a number, as a sentence


def temperature_multiplied(trace: SampleTrace) -> Array:
    """Return the probabilities of the next word if the logits are multiplied by the temperature, not divided.

    softmax(logits · T)

    Wrong: a temperature above 1 makes the probabilities less even, and a temperature below 1 makes them more even.
            Both should be the reverse.

    >>> from attention_core.next_word import sample
    >>> trace = sample([1.0, 0.0], temperature=2.0)
    >>> temperature_multiplied(trace).round(2), trace.probabilities.round(2)
    (array([0.88, 0.12]), array([0.62, 0.38]))
    """
    return _keep_likeliest(softmax(trace.logits * trace.temperature), trace)


def crossing_word_left_out(trace: SampleTrace) -> Array:
    """Return the probabilities of the words if top-p keeps only the likeliest words whose sum is at most p.

    Wrong: the next word, with which the sum reaches p, must be kept as well.
    Source: Biohub/esm#360, rasbt/reasoning-from-scratch#164.

    >>> from attention_core.next_word import sample
    >>> crossing_word_left_out(sample([1.0, 1.0, 1.0, 1.0], top_p=0.6))
    array([0.5, 0.5, 0. , 0. ])
    """
    order = np.argsort(-trace.before, kind="stable")
    inside = np.zeros(trace.kept.shape, dtype=bool)
    inside[order] = trace.before[order].cumsum() <= (1.0 if trace.top_p is None else trace.top_p)
    inside &= trace.kept
    inside[order[0]] = True
    return _divide_by_sum(np.where(inside, trace.before, 0.0))


def not_shared_out(trace: SampleTrace) -> Array:
    """Return the probabilities of the kept words without dividing them by their sum. Excluded words get 0.

    Wrong: these numbers sum to less than 1. A program that draws with them returns the last word whenever it would have
            drawn an excluded word.

    >>> from attention_core.next_word import sample
    >>> not_shared_out(sample([1.0, 1.0, 1.0, 1.0], top_k=2))
    array([0.25, 0.25, 0.  , 0.  ])
    """
    return np.where(trace.kept, trace.before, 0.0)


def softmax_again(trace: SampleTrace) -> Array:
    """Return the probabilities of the words if the excluded words get 0, and softmax is applied again.

    Wrong: e⁰ is 1, so the excluded words come back, and all probabilities are nearly even.
    """
    return softmax(np.where(trace.kept, trace.before, 0.0))


def always_the_likeliest(trace: SampleTrace) -> Array:
    """Return the probabilities if a program always takes the likeliest word: 1 for this word, 0 for all others.

    Wrong: there is no draw, so the temperature and the seed change nothing.
    Source: salesforce/ctrl#52.

    >>> from attention_core.next_word import sample
    >>> always_the_likeliest(sample([1.0, 2.0]))
    array([0., 1.])
    """
    return np.eye(trace.logits.size)[int(trace.logits.argmax())]


def drawn_from_logits(trace: SampleTrace) -> Array:
    """Return the logits as if they were probabilities, with 0 in place of negative logits, divided by their sum.

    Wrong: a logit is not a probability. A difference of logits should become a ratio of probabilities.
    Source: keras-team/keras-core#389, openai/gpt-2#51.

    >>> from attention_core.next_word import sample
    >>> drawn_from_logits(sample([3.0, 1.0, -5.0]))
    array([0.75, 0.25, 0.  ])
    """
    return _divide_by_sum(np.maximum(trace.logits, 0.0))


def _keep_likeliest(chances: Array, trace: SampleTrace) -> Array:
    kept = np.zeros(chances.shape, dtype=bool)
    kept[np.argsort(-chances, kind="stable")[: int(trace.kept.sum())]] = True
    return _divide_by_sum(np.where(kept, chances, 0.0))


def _divide_by_sum(shares: Array) -> Array:
    total = shares.sum()
    return shares / total if total else np.full(shares.shape, 1 / shares.size)


SAMPLING_MISTAKES: tuple[SamplingMistake, ...] = read_entries(
    "sampling.toml",
    SamplingMistake,
    chances={
        function.__name__: function
        for function in (
            temperature_multiplied, crossing_word_left_out, not_shared_out, softmax_again, always_the_likeliest,
            drawn_from_logits,
        )
    },
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheMistake:
    """One usual mistake with a cache of keys and values. It changes the attention of the last token."""

    name: str
    title: str
    code: str
    why: str
    sources: tuple[str, ...] = ()
    positions: bool  # whether the mistake shows only if queries and keys are rotated by their positions
    step: Callable[[Array, Array, Array], AttentionTrace]  # (q, k, v) of all tokens (n, d) → last token's attention


def mask_at_the_wrong_end(q: Array, k: Array, v: Array) -> AttentionTrace:
    """Compute the attention of the last token with a causal mask of one row that begins at the first key.

    Wrong: the new token is the last one. But the mask treats it as the first one, so it attends only to the first key.
    Source: pytorch/pytorch#103082, pytorch/pytorch#108108, Dao-AILab/flash-attention#517.

    >>> q = k = v = np.array([[1.0], [2.0], [3.0]])
    >>> mask_at_the_wrong_end(q, k, v).weights
    array([[1., 0., 0.]])
    """
    return KeyValueCache(k, v).attend(q[-1:], mask=causal_mask(1, len(k)))


def positions_from_0_again(q: Array, k: Array, v: Array) -> AttentionTrace:
    """Compute the attention of the last token, but rotate its query and its key as if this token had position 0.

    Wrong: the scores of a rotated query and key depend on their distance, and this distance is now wrong.
    Source: huggingface/transformers#32554, huggingface/transformers#37403.
    """
    places = np.arange(len(k))
    old = KeyValueCache(rope(k[:-1], places[:-1]), v[:-1])
    return old.extended(rope(k[-1:], places[:1]), v[-1:]).attend(rope(q[-1:], places[:1]))


def correct_step(q: Array, k: Array, v: Array, *, positions: bool) -> AttentionTrace:
    """Compute the attention of the last token correctly, with a cache of the keys and values before it.

    With `positions`, rotate q and k by their positions.

    Shapes: q and k (n, d_k), with an even d_k if they are rotated, v (n, d_v) → output (1, d_v).

    >>> q, k, v = np.zeros((2, 2)), np.zeros((2, 2)), np.array([[2.0], [4.0]])
    >>> correct_step(q, k, v, positions=True).output
    array([[3.]])
    """
    places = np.arange(len(k))
    if positions:
        q, k = rope(q, places), rope(k, places)
    return KeyValueCache(k[:-1], v[:-1]).extended(k[-1:], v[-1:]).attend(q[-1:])


CACHE_MISTAKES: tuple[CacheMistake, ...] = read_entries(
    "key_value_cache.toml",
    CacheMistake,
    step={function.__name__: function for function in (mask_at_the_wrong_end, positions_from_0_again)},
)
