"""What a head of the real model did with a text: which head and text, and its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core.attention import AttentionTrace, attend
from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.language_model.answer import Answer, Question
from attention_core.language_model.model import Head
from attention_core.language_model.shipped import STEPS, ReadText, read_text, shipped_reading
from attention_core.language_model.tokens import UnreadableError, tokens_of
from attention_core.positions import rope
from attention_core.rotation import RopeTrace, rope_scores
from pages.shared.controls import of_kind
from pages.shared.controls.kinds import Control
from pages.shared.model_access import asking
from pages.shared.model_access.asking import NoModelError, stored_answer
from pages.shared.real_heads.tour import TEXTS

OWN = "own"
# For each text, a head that does in this text what its role says.
HEAD_OF_TEXT: Mapping[str, Head] = {
    "list": Head(18, 6), "capital": Head(23, 4), "capitals": Head(23, 4), "pronoun": Head(9, 4), "words": Head(9, 2),
    "kinds": Head(9, 4), "bracket": Head(8, 4), "quote": Head(12, 3), "cat": Head(16, 0), "park": Head(18, 8),
    "days": Head(16, 0), "code": Head(17, 4),
}  # fmt: skip
N_LAYERS, N_HEADS = 30, 9  # the layers, and the heads in each, of the model whose heads are shipped


@dataclass(frozen=True, slots=True)
class HeadInput(Control):
    """A control for a head, which is given by its layer and its number in that layer."""

    label: str
    help: str | None = None

    def encode(self, value: tuple[int, int]) -> str:
        return f"{value[0]}.{value[1]}"

    def decode(self, text: str) -> tuple[int, int]:
        layer, _, head = text.partition(".")
        known = {str(i): i for i in range(N_LAYERS)}
        if layer not in known or head not in known or known[head] >= N_HEADS:
            raise ValueError(f"a layer to {N_LAYERS - 1} and a head to {N_HEADS - 1}, counted from 0, as 18.6")
        return Head(known[layer], known[head])


def head_parameter_for(text: str) -> Mapping[str, Head]:
    """Return the head that suits a shipped text, as {"head": head}. Return {} for the visitor's own text."""
    return {"head": HEAD_OF_TEXT[text]} if text in HEAD_OF_TEXT else {}


def head(default: Head) -> Any:
    """Declare the parameter that holds the head which is shown."""
    return of_kind(HeadInput(""), default)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A text, one head, and the numbers of this head for the text: every step, or only its weights."""

    text: ReadText
    head: Head
    trace: AttentionTrace | None
    name: str
    title: str = TEXTS.fill("title")
    about: str = TEXTS.fill("about")
    source: str = TEXTS.fill("source")
    context: None = None
    context_tokens: None = None
    sentence: str = ""  # its words are its tokens

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the text as labels. No two labels are equal."""
        return self.text.pieces

    key_tokens = tokens

    @property
    def weights(self) -> Array:
        """The weights of this head. If only the weights were shipped, they are multiples of 1/255."""
        return self.text.maps[self.head] / STEPS if self.trace is None else self.trace.weights


def reading_of(parameters) -> Reading | None:
    """Return the text and the head that are shown, or None if there is no text."""
    if parameters.text == OWN:
        answer = own_answer(parameters)
        return reading_of_answer(answer, Head(*parameters.head), OWN) if answer else None
    head = Head(*parameters.head)
    if head in shipped_reading(parameters.text).q:
        return reading_of_file(parameters.text, head)
    question = question_of(parameters)
    answer = question and stored_answer(question)
    return reading_of_answer(answer, head, parameters.text) if answer else reading_of_file(parameters.text, head)


def question_of(parameters) -> Question | None:
    """Return the question for missing numbers of the shown text, or None if none are missing or nothing can answer."""
    if parameters.text == OWN:
        return own_question(parameters)
    text = shipped_reading(parameters.text)
    if Head(*parameters.head) in text.q or not asking.is_available():
        return None
    return _question(text.tokens)


def own_answer(parameters) -> Answer | None:
    """Return the model's answer to the visitor's own text, or None if the model has not answered yet."""
    question = own_question(parameters)
    return question and stored_answer(question)


def own_question(parameters) -> Question | None:
    """Return the question about the visitor's own text, or None if the model cannot read it or is not there."""
    try:
        return _question(tokens_of(parameters.own, asking.model().vocabulary))
    except (UnreadableError, NoModelError):
        return None


@cache_recent
def _question(tokens: tuple[int, ...]) -> Question:
    return Question(tokens=tokens, weights=True, layers=tuple(range(asking.model().n_layers)))


@cache_recent
def reading_of_file(name: str, head: Head) -> Reading:
    """Return the shipped text `name` with the shipped numbers of one head: every step, or only the weights."""
    text = shipped_reading(name)
    return Reading(text, head, text.attention(head) if head in text.q else None, name)


@cache_recent
def reading_of_answer(answer: Answer, head: Head, name: str) -> Reading:
    """Return the text that the model has read, with every step of one head, from the model's `answer`."""
    n_heads = len(answer.layers[0].q)
    there = Head(min(head.layer, len(answer.layers) - 1), min(head.head, n_heads - 1))  # in case of a smaller model
    text = read_text(answer, asking.model().vocabulary, [there])
    return Reading(text, there, text.attention(there), name)


def last_and_most_attended(reading: Reading) -> tuple[int, int]:
    """Return the index of the last token, and the index of the token that it attends to most."""
    return len(reading.tokens) - 1, int(np.argmax(reading.weights[-1]))


BASE = 100_000.0  # the base of RoPE in the model
N_PLACES = 8
SHIFTS = (1, 100, 5000)
GAP = 20  # how many positions are left out in the middle


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """The greatest change of a weight for each way to move the text to other positions."""

    together: tuple[float, ...]  # if all tokens are moved: one number for each of SHIFTS
    apart: float  # if only the second half of the tokens is moved


@cache_recent
def changes_if_moved(trace: AttentionTrace) -> Moved:
    """Return how much the weights change if the whole text moves, and if only its second half moves."""
    n = len(trace.q)
    half = np.where(np.arange(n) < n // 2, 0, GAP)
    return Moved(tuple(_greatest_change(trace, np.full(n, shift)) for shift in SHIFTS), _greatest_change(trace, half))


@cache_recent
def scores_at_every_position(trace: AttentionTrace, asks: int, answers: int) -> RopeTrace:
    """Return the scores of one query and one key of a head at every pair of positions."""
    q, k = (rope(row[None], [-place], BASE, interleaved=True)[0] for row, place in _query_and_key(trace, asks, answers))
    return rope_scores(q, k, N_PLACES, BASE, interleaved=True)


def _query_and_key(trace: AttentionTrace, asks: int, answers: int) -> tuple[tuple[Array, int], tuple[Array, int]]:
    return (trace.q[asks], asks), (trace.k[answers], answers)


def _greatest_change(trace: AttentionTrace, by: Array) -> float:
    q, k = (rope(each, by, BASE, interleaved=True) for each in (trace.q, trace.k))
    return float(np.abs(attend(q, k, trace.v, mask=trace.mask).weights - trace.weights).max())
