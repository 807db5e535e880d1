"""Mistakes in drawing the next word: a wrong temperature, wrongly excluded words, or wrong probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.sampling import SampleTrace
from attention_core.softmax import softmax


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingMistake:
    """One usual mistake in drawing the next word from its probabilities."""

    name: str  # in snake case, as in links
    title: str
    code: str  # the wrong lines in NumPy: they compute `chances` from `logits` and the arguments of `sample`
    why: str  # why the lines are wrong, in a sentence or two
    sources: tuple[str, ...]  # public threads with this mistake (owner/repository#number)
    chances: Callable[[SampleTrace], Array]  # computes the wrong probabilities of the words: (n_words,)
    needs: str = ""  # what the settings need so that the mistake changes a number, as a sentence


def temperature_multiplied(trace: SampleTrace) -> Array:
    """Return the probabilities of the next word if the logits are multiplied by the temperature, not divided.

    softmax(logits · T)

    Wrong: a temperature above 1 makes the probabilities less even, and a temperature below 1 makes them more even.
            Both should be the reverse.

    >>> from attention_core.sampling import sample
    >>> trace = sample([1.0, 0.0], temperature=2.0)
    >>> temperature_multiplied(trace).round(2), trace.probabilities.round(2)
    (array([0.88, 0.12]), array([0.62, 0.38]))
    """
    return _keep_likeliest(softmax(trace.logits * trace.temperature), trace)


def crossing_word_left_out(trace: SampleTrace) -> Array:
    """Return the probabilities of the words if top-p keeps only the likeliest words whose sum is at most p.

    Wrong: the next word, with which the sum reaches p, must be kept as well.
    Source: Biohub/esm#360, rasbt/reasoning-from-scratch#164.

    >>> from attention_core.sampling import sample
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

    >>> from attention_core.sampling import sample
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

    >>> from attention_core.sampling import sample
    >>> always_the_likeliest(sample([1.0, 2.0]))
    array([0., 1.])
    """
    return np.eye(trace.logits.size)[int(trace.logits.argmax())]


def drawn_from_logits(trace: SampleTrace) -> Array:
    """Return the logits as if they were probabilities, with 0 in place of negative logits, divided by their sum.

    Wrong: a logit is not a probability. A difference of logits should become a ratio of probabilities.
    Source: keras-team/keras-core#389, openai/gpt-2#51.

    >>> from attention_core.sampling import sample
    >>> drawn_from_logits(sample([3.0, 1.0, -5.0]))
    array([0.75, 0.25, 0.  ])
    """
    return _divide_by_sum(np.maximum(trace.logits, 0.0))


def _keep_likeliest(chances: Array, trace: SampleTrace) -> Array:
    """Return the probabilities of the likeliest words, divided by their sum. All other words get 0.

    As many words are kept as in `trace`, the correct computation.
    """
    kept = np.zeros(chances.shape, dtype=bool)
    kept[np.argsort(-chances, kind="stable")[: int(trace.kept.sum())]] = True
    return _divide_by_sum(np.where(kept, chances, 0.0))


def _divide_by_sum(shares: Array) -> Array:
    total = shares.sum()
    return shares / total if total else np.full(shares.shape, 1 / shares.size)


SAMPLING_MISTAKES: tuple[SamplingMistake, ...] = (
    SamplingMistake(
        name="temperature_multiplied",
        title="Multiplied by the temperature",
        code="chances = softmax(logits * temperature)",
        why="The temperature must divide the logits. With this mistake, a high temperature makes the likeliest word "
        "more probable instead of less probable.",
        sources=(),
        chances=temperature_multiplied,
        needs="At a temperature of 1, both give the same result: set another temperature.",
    ),
    SamplingMistake(
        name="crossing_word_left_out",
        title="Top-p without the word that reaches p",
        code="inside = np.cumsum(falling) <= top_p      # right: np.cumsum(falling) - falling < top_p",
        why="The word with which the sum reaches p must be kept too. Without this word, the sum of the kept "
        "probabilities is less than p.",
        sources=("Biohub/esm#360", "rasbt/reasoning-from-scratch#164"),
        chances=crossing_word_left_out,
        needs="It takes a top-p below 1.",
    ),
    SamplingMistake(
        name="not_shared_out",
        title="Words left out, the rest not divided by its sum",
        code="chances = np.where(kept, chances, 0)       # right: then chances / chances.sum()",
        why="The probabilities of the words that are kept no longer sum to 1. Many ways to draw then give the last "
        "word too often.",
        sources=(),
        chances=not_shared_out,
        needs="It takes a top-k or a top-p that leaves a word out.",
    ),
    SamplingMistake(
        name="softmax_again",
        title="Softmax before the cut, and again after it",
        code="chances = softmax(np.where(kept, softmax(logits / temperature), 0))",
        why="The logit of a word that is left out must be −∞ before softmax. Here the word has a 0 after softmax, and "
        "the second softmax makes a power of 1 from it. So the words that were left out come back, and all "
        "probabilities are nearly even.",
        sources=(),
        chances=softmax_again,
    ),
    SamplingMistake(
        name="always_the_likeliest",
        title="The likeliest word, called sampling",
        code="drawn = np.argmax(chances)",
        why="Nothing is drawn. The temperature and the seed change nothing, so the same beginning always continues in "
        "the same way.",
        sources=("salesforce/ctrl#52",),
        chances=always_the_likeliest,
    ),
    SamplingMistake(
        name="drawn_from_logits",
        title="Drawn from the logits",
        code="chances = np.maximum(logits, 0) / np.maximum(logits, 0).sum()",
        why="A logit is not a probability: it can be below 0. Softmax turns a difference of logits into a ratio of "
        "probabilities. Here a word with half the logit gets half the probability.",
        sources=("keras-team/keras-core#389", "openai/gpt-2#51"),
        chances=drawn_from_logits,
    ),
)
