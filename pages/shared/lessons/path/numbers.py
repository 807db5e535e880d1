"""The numbers that the texts of the path can name in braces. They are computed from the shown example."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.path_steps import (
    attention_in_two_orders,
    median_largest_weights,
    path_steps,
    random_scores,
    share_of_large_weights,
)
from pages.shared.controls import Parameters
from pages.shared.lessons.path.model_numbers import model_numbers
from pages.shared.lessons.path.next_word import next_word_numbers
from pages.shared.lessons.path.places import screen_numbers
from pages.shared.scene_files.screens import Screen, edits_of
from pages.shared.state.link_text import decode

WIDTH = 64  # the width of the random keys
NEARLY = 0.9  # a weight above this is called nearly 1
SCREEN = "screen_"  # begins the number of a screen, so that no text types it: {screen_table}
PRESSED = ("next", "loss", "step")  # boards whose numbers depend on how often the button was pressed
BEFORE = "was_"  # begins the name of a matrix as it was before the visitor’s edits


@cache_recent
def numbers_of(example: Example) -> Mapping[str, Any]:
    """Return the matrices of an example that the path shows, by name. The texts of the path use these names."""
    steps = path_steps(example)
    found = {name: matrix for name, matrix in example.matrices().items()}
    found |= {name: getattr(steps.attention, name) for name in ("q", "k", "v", "scores", "scaled", "weights", "output")}
    own = {each.name: getattr(steps, each.name) for each in fields(steps)}
    found |= {name: matrix for name, matrix in own.items() if isinstance(matrix, np.ndarray)}
    found["weights_plain"] = steps.plain.weights
    found["weights_masked"] = steps.masked.weights
    heads = example.multi_head()
    found |= {f"weights.{h}": weights for h, weights in enumerate(heads.heads.weights)} | {"concat": heads.concat}
    placed = attention_in_two_orders(example, positions=True)
    found["swapped"] = attention_in_two_orders(example, positions=False).shuffled.output
    found |= {"placed": placed.original.output, "placed_swapped": placed.shuffled.output}
    return MappingProxyType(found)


def names_on(screen: Screen, example: Example, tries: int) -> Mapping[str, Any]:
    """Return all numbers that the texts of a screen can use, by name. `tries` counts the presses of “Try it”.

    A name that begins with `was_` is a matrix before the visitor's own edits.
    """
    before = {f"{BEFORE}{name}": matrix for name, matrix in numbers_of(story_with_answer(screen)).items()}
    return {
        **before,
        **numbers_of(example),
        **_random_numbers(tries if screen.board == "random" else 0),
        **model_numbers(),
        **next_word_numbers(max(tries, 1) if screen.board in PRESSED else 1),
        **{f"{SCREEN}{name}": number for name, number in screen_numbers().items()},
    }


def story_with_answer(screen: Screen) -> Example:
    """Return “story”, the example of the path, as a screen shows it after the guess.

    It has no edits of the visitor's own.
    """
    return _with_edits(screen.then)


def the_story() -> Example:
    """Return “story”, the example of the path, without any edits."""
    return _with_edits("")


@cache_recent
def _with_edits(state: str) -> Example:
    return decode(edits_of(state), Parameters)[0].edited_example


def _random_numbers(draw: int) -> dict[str, Any]:
    drawn = random_scores(draw)
    plain, divided = median_largest_weights()
    often_plain, often_divided = (round(100 * share) for share in share_of_large_weights(NEARLY))
    return {
        "drawn": drawn.scores, "drawn_plain": drawn.weights_plain, "drawn_divided": drawn.weights,
        "half_plain": plain, "half_divided": divided, "width": WIDTH,
        "nearly": NEARLY, "often_plain": often_plain, "often_divided": often_divided,
    }  # fmt: skip
