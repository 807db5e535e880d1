"""Three experiments that show which results depend on which heads of SmolLM2-135M, and one with shifted positions.

A head that attends to the right word may still not matter. Only a change of the result without the head shows that it
does. Each experiment is repeated with control heads.
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

FACT = Head(23, 4)  # attends to the country
FACT_CONTROLS = tuple(Head(23, head) for head in (0, 1, 2, 3, 5))
PREVIOUS = Head(16, 0)  # attends to the word before
PREVIOUS_CONTROL = Head(16, 4)
INDUCTION = (Head(17, 3), Head(17, 4), Head(17, 5), Head(18, 6), Head(18, 7))  # attend to what followed before
INDUCTION_CONTROLS = (Head(17, 0), Head(17, 1), Head(17, 2), Head(18, 0), Head(18, 1))
WATCHED = Head(18, 6)  # the head whose weight is measured
NUMBER = Head(26, 0)  # carries the subject's number
NUMBER_CONTROLS = tuple(Head(26, head) for head in (1, 2, 3, 4))
N_WORDS, N_LISTS, SEED = 10, 12, 0  # the words in a list, the number of lists, the seed
SHIFT, GAP = 5000, 20  # positions


@dataclass(frozen=True, slots=True)
class Swap:
    """The lead of a capital's logit before and after one head's output is replaced by that for another country."""

    own: str  # the country in the sentence
    other: str
    gap: float  # the logit of its capital minus the logit of the other country's capital
    swapped: float  # the same after the swap; below 0 the other capital wins


def swap_of(model: LanguageModel, own: str, other: str, head: Head = FACT) -> Swap:
    """Replace the output of a head at the last position by its output in the same sentence about another country."""
    here, there = (tokens_of(capital_of(country), model.vocabulary) for country in (own, other))
    answers = [first_token(model, CAPITALS[country]) for country in (own, other)]
    output = run_model(model, there, keep=[head.layer]).layers[head.layer].heads.output[head.head][-1]
    swapped = with_change(replace_output(head, output))
    gaps = (_gap(model, here, answers, parts) for parts in (RIGHT_PARTS, swapped))
    return Swap(own, other, *gaps)


def countries_answered_rightly(model: LanguageModel, countries: Iterable[str] = CAPITALS) -> tuple[str, ...]:
    """Return the countries for which the model predicts the first token of the capital’s name."""
    return tuple(
        country
        for country in countries
        if best_after(model, capital_of(country)) == first_token(model, CAPITALS[country])
    )


def swaps(model: LanguageModel, head: Head, countries: Sequence[str]) -> tuple[Swap, ...]:
    """Swap each country with the next one in the list, and the last with the first."""
    return tuple(
        swap_of(model, own, other, head) for own, other in zip(countries, swap_partners(countries), strict=True)
    )


def swap_partners(countries: Sequence[str]) -> Sequence[str]:
    """Return for each country its partner in the swap: the next country in the list, and the first for the last."""
    return (*countries[1:], countries[0])


@dataclass(frozen=True, slots=True)
class Repetition:
    """How well a model continues a list of words that it reads for the second time."""

    loss: float  # the mean loss of the words in the second reading, without the first word
    right: float  # the share of these words that it expects most
    looks: float  # the mean weight of the watched head on the token that followed the same word the first time


def repetition(model: LanguageModel, words: Sequence[str], change: LayerChange | None = None) -> Repetition:
    """Let a model read words twice, and measure how well it expects them the second time."""
    once = [token for word in words for token in model.vocabulary.encode(f" {word}")]
    tokens, n = (model.vocabulary.numbers[BEGIN], *once, *once), len(once)
    trace = run_model(model, tokens, parts=with_change(change))
    places = np.arange(n + 1, 2 * n)  # the tokens of the second reading, except the last one
    logits, came = trace.logits[places], np.asarray(tokens)[places + 1]
    looks = trace.weights[WATCHED.layer, WATCHED.head, places, places - n + 1].mean()
    loss = cross_entropy(logits.astype(float), came).loss
    return Repetition(float(loss), float((logits.argmax(axis=-1) == came).mean()), float(looks))


def lists_of_words() -> Iterator[tuple[str, ...]]:
    """Yield random lists of words."""
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
    """Yield an `Agreement` for each subject, singular and plural, with a noun of the other number before the verb."""
    for one, many, near_one, near_many in SUBJECTS:
        yield agreement(model, f"The {many} near the {near_one}", ("are", "is"), change)
        yield agreement(model, f"The {one} near the {near_many}", ("is", "are"), change)


def agreement(model: LanguageModel, text: str, verbs: tuple[str, str], change: LayerChange | None = None) -> Agreement:
    """Measure how strongly a model prefers the first of two verbs after a text."""
    tokens = tokens_of(text, model.vocabulary)
    gap = _gap(model, tokens, [first_token(model, verb) for verb in verbs], with_change(change))
    return Agreement(text, *verbs, gap)


def shift_effect(model: LanguageModel, tokens: Sequence[int], places: Sequence[int]) -> tuple[float, float]:
    """Return the greatest change of a logit if all positions change, and the share of best tokens that stay."""
    here, there = run_model(model, tokens).logits, run_model(model, tokens, positions=places).logits
    return float(np.abs(here - there).max()), float((here.argmax(axis=-1) == there.argmax(axis=-1)).mean())


def with_change(change: LayerChange | None) -> Parts:
    """Return the right parts of a block, with a change of the outputs of heads unless the change is None."""
    return RIGHT_PARTS if change is None else replace(RIGHT_PARTS, change=change)


def first_token(model: LanguageModel, word: str) -> int:
    """Return the first token of a word after a space."""
    return model.vocabulary.encode(f" {word}")[0]


def best_after(model: LanguageModel, text: str) -> int:
    """Return the token that a model expects most after a text."""
    return int(run_model(model, tokens_of(text, model.vocabulary)).logits[-1].argmax())


def _gap(model: LanguageModel, tokens: Sequence[int], pair: Sequence[int], parts: Parts) -> float:
    first, second = run_model(model, tokens, parts=parts).logits[-1][list(pair)]
    return float(first - second)
