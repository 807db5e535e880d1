"""The text as the model sees it, together with the head that is shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.attention import AttentionTrace
from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.language_model.answer import Answer, Question
from attention_core.language_model.head import Head
from attention_core.language_model.pieces import UnreadableError, tokens_of
from attention_core.language_model.shipped import STEPS, ReadText, read_text, shipped_reading
from pages.shared.model_access import local_model
from pages.shared.model_access.asking import stored_answer
from pages.shared.model_access.local_model import NoModelError
from pages.shared.real_heads.choosing import OWN


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A text, one head, and the numbers of this head for the text: every step, or only its weights.

    The page uses a `Reading` in place of an example. So some fields have the names that an example has.
    """

    text: ReadText
    head: Head
    trace: AttentionTrace | None
    name: str
    source: str
    title: str = "A text read by a language model"
    about: str = "Queries and keys are those of one head of the model, turned by their places, in half precision."
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
    """Return the question that asks the model for the missing numbers of the shown text.

    Return None if no numbers are missing, or if there is no model or no text.
    """
    if parameters.text == OWN:
        return own_question(parameters)
    text = shipped_reading(parameters.text)
    if Head(*parameters.head) in text.q or not local_model.is_available():
        return None
    return _question(text.tokens)


def own_answer(parameters) -> Answer | None:
    """Return the model's answer to the visitor's own text, or None if the model has not answered yet."""
    question = own_question(parameters)
    return question and stored_answer(question)


def own_question(parameters) -> Question | None:
    """Return the question that asks the model about the visitor's own text.

    Return None if the model cannot read the text, or if there is no model.
    """
    try:
        return _question(tokens_of(parameters.own, local_model.model().vocabulary))
    except (UnreadableError, NoModelError):
        return None


@cache_recent
def _question(tokens: tuple[int, ...]) -> Question:
    return Question(tokens=tokens, weights=True, layers=tuple(range(local_model.model().n_layers)))


@cache_recent
def reading_of_file(name: str, head: Head) -> Reading:
    """Return the shipped text `name` with the shipped numbers of one head: every step, or only the weights."""
    text = shipped_reading(name)
    return Reading(text, head, text.attention(head) if head in text.q else None, name, SOURCE)


@cache_recent
def reading_of_answer(answer: Answer, head: Head, name: str) -> Reading:
    """Return the text that the model has read, with every step of one head, from the model's `answer`.

    `name` is the name of the text: that of a shipped text, or `OWN` for a visitor's own.
    """
    n_heads = len(answer.layers[0].q)
    there = Head(min(head.layer, len(answer.layers) - 1), min(head.head, n_heads - 1))  # in case of a smaller model
    text = read_text(answer, local_model.model().vocabulary, [there])
    return Reading(text, there, text.attention(there), name, SOURCE)


SOURCE = "SmolLM2-135M-Instruct, Apache-2.0; run by this app’s own core."


def last_and_most_attended(reading: Reading) -> tuple[int, int]:
    """Return the index of the last token, and the index of the token that it attends to most."""
    return len(reading.tokens) - 1, int(np.argmax(reading.weights[-1]))
