"""The damage of each mistake, and its causes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from attention_core.caching import read_only
from attention_core.checks import Array
from attention_core.language_model.answer import losses
from attention_core.language_model.mistakes import CANDIDATES, average_heads, cut_heads, replace_output
from attention_core.language_model.model import RIGHT_PARTS, Head, LanguageModel, LayerChange, Parts, run_model
from attention_core.language_model.tokens import BEGIN, CAPITALS, SENTENCES, SUBJECTS, WORDS, capital_of, tokens_of
from attention_core.mistakes import Mistake
from attention_core.next_word import cross_entropy

FILE = Path(__file__).with_name("damage.json")
FEWER = 4  # the number of sentences for a mistake in one layer alone, and for losses from prefixes
MANY = 10  # the number of sentences for a head whose output is set to 0
GOES_ON = 10  # the number of tokens with which a model continues a text
UNDAMAGED = "right"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Damage:
    """How much worse a model becomes with a mistake in all its layers, or in one layer."""

    name: str  # the name of the mistake, or "right" for the model without a mistake
    losses: Array  # (20,) nats per token, for each sentence; NaN if the mistake leads to no number
    from_prefixes: Array | None  # (4,) the losses if the model reads no later token; None if none changes a prediction
    goes_on: str  # the text with which the model continues a prompt
    layers: tuple[float | None, ...]  # the added loss if only one layer has the mistake, for each layer; () if unknown

    @property
    def loss(self) -> float:
        """The mean loss in nats per token, or NaN if the mistake leads to no number."""
        return float(self.losses.mean())


@cache
def read_measurements() -> Mapping[str, Any]:
    """Return all measurements from the file of this package, by the name of the measurement."""
    return json.loads(FILE.read_text("utf-8"))


@cache
def damages() -> Mapping[str, Damage]:
    """Return the damage of each mistake that a real model can make, and of the model without a mistake, by name.

    The damage with the smallest mean loss comes first. Mistakes that lead to no number come last.
    """
    made = [_damage(name, numbers or {}) for name, numbers in read_measurements()["mistakes"].items()]
    return {each.name: each for each in sorted(made, key=lambda each: (np.isnan(each.loss), each.loss))}


def _damage(name: str, numbers: Mapping[str, Any]) -> Damage:
    """Return the damage of one mistake from its numbers in the file. Without numbers, all its losses are NaN."""
    no_number = [float("nan")] * len(SENTENCES)
    return Damage(
        name=name,
        losses=_array(numbers.get("losses", no_number)),
        from_prefixes=_array(numbers["from_prefixes"]) if "from_prefixes" in numbers else None,
        goes_on=numbers.get("goes_on", ""),
        layers=tuple(read_measurements()["layers"].get(name, ())),
    )


def _array(values: Any) -> Array:
    return read_only(np.asarray(values, dtype=float))


@cache
def mistakes() -> Mapping[str, Mistake[Any]]:
    """Return the mistakes that a real model can make, by name, in the order of the catalogue."""
    return {mistake.name: mistake for mistake in CANDIDATES if mistake.name in damages()}


@cache
def head_measurements(measurement: str) -> Array:
    """Return one measurement of each head. `measurement` is the name of the measurement: "added", "first" or "pointed".

    "added" is how much the loss grows without the head. "first" is the head's mean weight on the first token.
    "pointed" is the mean of the head's greatest weight on any token but the first.

    Shapes: → (n_layers, n_heads).
    """
    return read_only(np.asarray(read_measurements()["heads"][measurement], dtype=float))


def rank_correlation(one: Array, other: Array) -> float:
    """Return how similar the orders of two lists of numbers are, by Spearman's rank correlation.

    It is 1 for the same order, −1 for the reverse order, and about 0 for unrelated orders.

    Source: Spearman 1904.

    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0]))
    1.0
    """
    ranks = np.stack([np.ravel(each).argsort().argsort() for each in (one, other)])
    return float(np.asarray(np.corrcoef(ranks))[0, 1])


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
    first, second = run_model(model, tokens, parts=parts).logits[-1][list(pair)]
    return float(first - second)


Measurements = dict[str, Any]


def measured_causes(model: LanguageModel) -> Measurements:
    """Run four experiments on the model, and return their numbers by the name of the experiment.

    "capitals", "induction" and "number" change the outputs of heads. "shift" changes the positions of the tokens.
    """
    return {
        "capitals": _measure_capitals(model),
        "induction": _measure_induction(model),
        "number": _measure_number(model),
        "shift": _measure_shift(model),
    }


def _measure_capitals(model: LanguageModel) -> Measurements:
    countries = countries_answered_correctly(model)
    found = {str(head): measure_swaps(model, head, countries) for head in (FACT, *FACT_CONTROLS)}
    gaps = {name: [round(each.swapped, 3) for each in all_of_it] for name, all_of_it in found.items()}
    return {"countries": countries, "gaps": [round(each.gap, 3) for each in found[str(FACT)]], "swapped": gaps}


def _measure_induction(model: LanguageModel) -> Measurements:
    texts = [tokens_of(text, model.vocabulary) for text in SENTENCES]
    changes = {
        "none": None,
        "previous": average_heads([PREVIOUS]),
        "previous_control": average_heads([PREVIOUS_CONTROL]),
        "induction": cut_heads(INDUCTION),
        "induction_control": cut_heads(INDUCTION_CONTROLS),
    }
    found: Measurements = {}
    for name, change in changes.items():
        each = [measure_repetition(model, words, change) for words in lists_of_words()]
        plain = [_mean(losses(model, text, with_change(change))) for text in texts]
        found[name] = {
            "losses": [round(one.loss, 3) for one in each],
            "right": [round(one.right, 3) for one in each],
            "looks": [round(one.looks, 3) for one in each],
            "plain": round(float(np.mean(plain)), 3),
        }
    return found


def _measure_number(model: LanguageModel) -> Measurements:
    changes = {"none": None} | {str(head): cut_heads([head]) for head in (NUMBER, *NUMBER_CONTROLS)}
    found = {name: list(agreements(model, change)) for name, change in changes.items()}
    gaps = {name: [round(each.gap, 3) for each in all_of_it] for name, all_of_it in found.items()}
    return {"texts": [f"{each.text} {each.verb}" for each in found["none"]], "gaps": gaps}


def _measure_shift(model: LanguageModel) -> Measurements:
    texts = [tokens_of(text, model.vocabulary) for text in SENTENCES]
    moved = [shift_effect(model, text, range(SHIFT, SHIFT + len(text))) for text in texts]
    torn = [shift_effect(model, text, [at + GAP * (at >= len(text) // 2) for at in range(len(text))]) for text in texts]
    return {
        name: {"most": round(max(most for most, _ in each), 5), "same": _mean([same for _, same in each])}
        for name, each in (("moved", moved), ("torn", torn))
    }


def _mean(values: Array | Sequence[float]) -> float:
    return round(float(np.mean(values)), 3)
