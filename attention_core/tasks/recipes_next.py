"""Make tasks on the next word: its logits, its probabilities at a temperature, and the likeliest words."""

from __future__ import annotations

from attention_core.tasks.recipe import Recipe
from attention_core.tasks.task_numbers import Draw
from attention_core.tasks.word_steps import WordSteps

TEMPERATURE, TOP_K = 2.0, 3


def logits(draw: Draw) -> Recipe:
    """Draw a random row for each of two tokens and three words. The task asks for the logits of the next word."""
    steps = WordSteps(summed=draw.integers(-2, 3, 2, 3), vocabulary=draw.integers(-2, 3, 3, 3), asked="logits")
    return _recipe(steps, "vocabulary_not_turned")


def probabilities_of_words(draw: Draw) -> Recipe:
    """Draw a random row for each of two tokens and three words. The task asks for the words' probabilities."""
    summed, vocabulary = draw.integers(-2, 3, 2, 2), draw.integers(-2, 3, 3, 2)
    steps = WordSteps(summed=summed, vocabulary=vocabulary, asked="chances", temperature=TEMPERATURE)
    return _recipe(steps, "temperature_multiplied", "temperature_forgotten")


def probabilities_of_likeliest_words(draw: Draw) -> Recipe:
    """Draw a random row for each of two tokens and four words.

    The task asks for the probabilities of the words if only the three likeliest are kept.
    """
    summed, vocabulary = draw.integers(-1, 2, 2, 3), draw.integers(-1, 2, 4, 3)
    steps = WordSteps(summed=summed, vocabulary=vocabulary, asked="kept", temperature=TEMPERATURE, top_k=TOP_K)
    return _recipe(steps, "temperature_forgotten", "not_shared_out", "nothing_left_out")


def _recipe(steps: WordSteps, *mistakes: str) -> Recipe:
    """Return the recipe of a task on the next word. `mistakes` are the names of the possible mistakes."""
    given = ("summed", "vocabulary")
    return Recipe(trace=steps, given=given, done_until="", asked=steps.asked, worked=steps.worked, mistakes=mistakes)
