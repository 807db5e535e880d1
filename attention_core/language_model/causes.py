"""Three experiments that show which results of SmolLM2-135M depend on which heads, and one with shifted positions.

A head that attends to the expected word may still have no effect. Only a change of the result without the head shows
that the head matters. Each experiment is repeated with control heads, for which no effect is expected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attention_core.cross_entropy import cross_entropy
from attention_core.language_model.block import RIGHT_PARTS, LayerChange, Parts
from attention_core.language_model.head import Head
from attention_core.language_model.head_changes import replace_output
from attention_core.language_model.model import LanguageModel, run_model
from attention_core.language_model.pieces import BEGIN, tokens_of
from attention_core.language_model.texts import CAPITALS, SUBJECTS, WORDS, capital_of

FACT = Head(23, 4)  # the head that attends to the country whose capital comes next
FACT_CONTROLS = tuple(Head(23, head) for head in (0, 1, 2, 3, 5))
PREVIOUS = Head(16, 0)  # the head that attends to the word before
PREVIOUS_CONTROL = Head(16, 4)
# Induction heads: if a token comes a second time, they attend to the token that followed it the first time.
INDUCTION = (Head(17, 3), Head(17, 4), Head(17, 5), Head(18, 6), Head(18, 7))
INDUCTION_CONTROLS = (Head(17, 0), Head(17, 1), Head(17, 2), Head(18, 0), Head(18, 1))
WATCHED = Head(18, 6)  # the head whose weight is measured
NUMBER = Head(26, 0)  # the head that carries whether the subject is singular or plural
NUMBER_CONTROLS = tuple(Head(26, head) for head in (1, 2, 3, 4))
N_WORDS, N_LISTS, SEED = 10, 12, 0  # the words in a list, the number of lists, the seed
SHIFT, GAP = 5000, 20  # positions


@dataclass(frozen=True, slots=True)
class Swap:
    """The difference of two logits before and after a swap of one head's output.

    A model reads a sentence about a country. In a swap, the output of one head is replaced by the output of the same
    head in the sentence about another country.
    """

    sentence_country: str  # the country in the sentence
    other_country: str  # the country that the replacing output comes from
    gap: float  # before the swap: the logit of own's capital minus the logit of other's capital
    swapped: float  # the same difference after the swap; below 0, the other country's capital wins


def measure_swap(model: LanguageModel, sentence_country: str, other_country: str, head: Head = FACT) -> Swap:
    """Measure a swap: the output of `head` for `sentence_country` is replaced by its output for `other_country`.

    The model reads a sentence whose next word is the capital of `sentence_country`. Only the output at the last
    position is replaced. The result has the logit of the capital of `sentence_country` minus the logit of the capital
    of `other_country`, before and after the swap.
    """
    here, there = (tokens_of(capital_of(country), model.vocabulary) for country in (sentence_country, other_country))
    answers = [first_token(model, CAPITALS[country]) for country in (sentence_country, other_country)]
    output = run_model(model, there, keep=[head.layer]).layers[head.layer].heads.output[head.head][-1]
    swapped = with_change(replace_output(head, output))
    gaps = (_difference_of_logits(model, here, answers, parts) for parts in (RIGHT_PARTS, swapped))
    return Swap(sentence_country, other_country, *gaps)


def countries_answered_correctly(model: LanguageModel, countries: Iterable[str] = CAPITALS) -> tuple[str, ...]:
    """Return the countries for which the model correctly predicts the first token of the capital’s name."""
    return tuple(
        country
        for country in countries
        if best_after(model, capital_of(country)) == first_token(model, CAPITALS[country])
    )


def measure_swaps(model: LanguageModel, head: Head, countries: Sequence[str]) -> tuple[Swap, ...]:
    """Swap the output of `head` between each country and the next one in the list, and measure each swap.

    The last country is paired with the first. `measure_swap` says what is measured.
    """
    return tuple(
        measure_swap(model, own, other, head) for own, other in zip(countries, swap_partners(countries), strict=True)
    )


def swap_partners(countries: Sequence[str]) -> Sequence[str]:
    """Return for each country the next country in the list, and for the last country the first."""
    return (*countries[1:], countries[0])


@dataclass(frozen=True, slots=True)
class Repetition:
    """How well a model expects a list of words that it reads for the second time."""

    loss: float  # the mean loss of the words in the second reading, without the first word
    right: float  # the fraction of these words that the model expects most
    looks: float  # the mean weight of the head `WATCHED` on the token that followed the same word the first time


def measure_repetition(model: LanguageModel, words: Sequence[str], change: LayerChange | None = None) -> Repetition:
    """Let a model read some words twice, and return how well it predicts them the second time.

    `change` may replace the outputs of heads.
    """
    once = [token for word in words for token in model.vocabulary.encode(f" {word}")]
    tokens, n = (model.vocabulary.numbers[BEGIN], *once, *once), len(once)
    trace = run_model(model, tokens, parts=with_change(change))
    places = np.arange(n + 1, 2 * n)  # the tokens of the second reading, except the last one
    logits, came = trace.logits[places], np.asarray(tokens)[places + 1]
    looks = trace.weights[WATCHED.layer, WATCHED.head, places, places - n + 1].mean()
    loss = cross_entropy(logits.astype(float), came).loss
    return Repetition(float(loss), float((logits.argmax(axis=-1) == came).mean()), float(looks))


def lists_of_words() -> Iterator[tuple[str, ...]]:
    """Yield 12 lists of 10 random words. The seed is fixed, so the lists are always the same."""
    rng = np.random.default_rng(SEED)
    for _ in range(N_LISTS):
        yield tuple(rng.choice(WORDS, N_WORDS, replace=False).tolist())


@dataclass(frozen=True, slots=True)
class Agreement:
    """How strongly a model prefers the verb that fits the number of its subject."""

    text: str  # "The keys near the cabinet"
    verb: str  # the verb that fits
    other: str  # the verb that does not
    gap: float  # the logit of the verb that fits minus that of the other


def agreements(model: LanguageModel, change: LayerChange | None = None) -> Iterator[Agreement]:
    """Yield how strongly a model prefers the correct verb, for each subject in the singular and in the plural.

    For instance, “The keys near the cabinet are”: between a plural and its verb stands a singular, or the other way
    round. `change` may replace the outputs of heads.
    """
    for one, many, near_one, near_many in SUBJECTS:
        yield agreement(model, f"The {many} near the {near_one}", ("are", "is"), change)
        yield agreement(model, f"The {one} near the {near_many}", ("is", "are"), change)


def agreement(model: LanguageModel, text: str, verbs: tuple[str, str], change: LayerChange | None = None) -> Agreement:
    """Return how strongly a model prefers the first of `verbs` to the second as the next word after `text`.

    `change` may replace the outputs of heads.
    """
    tokens = tokens_of(text, model.vocabulary)
    gap = _difference_of_logits(model, tokens, [first_token(model, verb) for verb in verbs], with_change(change))
    return Agreement(text, *verbs, gap)


def shift_effect(model: LanguageModel, tokens: Sequence[int], positions: Sequence[int]) -> tuple[float, float]:
    """Return how much the predictions of a model change if its tokens get the positions `positions`, not 0, 1, 2, ….

    The result is a pair: the greatest change of a logit, and the fraction of tokens after which the likeliest next
    token stays the same.
    """
    here, there = run_model(model, tokens).logits, run_model(model, tokens, positions=positions).logits
    return float(np.abs(here - there).max()), float((here.argmax(axis=-1) == there.argmax(axis=-1)).mean())


def with_change(change: LayerChange | None) -> Parts:
    """Return the functions that compute a layer. If `change` is given, it replaces the outputs of the heads."""
    return RIGHT_PARTS if change is None else replace(RIGHT_PARTS, change=change)


def first_token(model: LanguageModel, word: str) -> int:
    """Return the number of the first token of a word, with a space before the word."""
    return model.vocabulary.encode(f" {word}")[0]


def best_after(model: LanguageModel, text: str) -> int:
    """Return the number of the token that a model expects most after a text."""
    return int(run_model(model, tokens_of(text, model.vocabulary)).logits[-1].argmax())


def _difference_of_logits(model: LanguageModel, tokens: Sequence[int], pair: Sequence[int], parts: Parts) -> float:
    """Return the logit of the first token of `pair` minus that of the second, after the last of `tokens`."""
    first, second = run_model(model, tokens, parts=parts).logits[-1][list(pair)]
    return float(first - second)
