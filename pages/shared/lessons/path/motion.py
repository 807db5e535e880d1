"""Animations: a few frames that show, in the cells of an equation, how the answer of a screen is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import streamlit.components.v2 as components

from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.examples import Example
from attention_core.experiments.path_steps import path_steps
from pages.shared.lessons.path.story_boards import IT
from pages.shared.scene_files.screens import Screen

_HERE = Path(__file__).parent
N_SMOOTH = 16  # frames of a change without natural steps

Cell = tuple[str, int, int]  # a matrix by its id, a row and a column

_player = components.component(
    "attention_lab_path_motion",
    html='<div class="motion"></div>',
    css=(_HERE / "motion.css").read_text(encoding="utf-8"),
    js=(_HERE / "motion.js").read_text(encoding="utf-8"),
)


class Frame(NamedTuple):
    """One picture of an animation: the cells that are highlighted, and the numbers that some cells show in it."""

    lit: tuple[Cell, ...]
    shown: tuple[tuple[Cell, float], ...]


def draw_motion(screen: Screen, example: Example, tries: int) -> None:
    """Draw the button that plays the animation of a screen's answer.

    Draw nothing if the screen has no animation, or if the visitor has already used the button of “Try it” (`tries`).
    """
    frames = frames_of(screen.board, example) if not tries else ()
    if frames:
        _player(key="path_motion", data=[{"frames": frames, "label": LABELS[screen.board]}])


@cache_recent
def frames_of(board: str, example: Example) -> Sequence[Frame]:
    """Return the frames of the animation for the picture `board` of a screen, or no frames if it has no animation.

    The last frame shows the answer.
    """
    return _MOTIONS[board](example) if board in _MOTIONS else ()


def _products_add_up(example: Example) -> Sequence[Frame]:
    """Return the frames in which the products of queries and keys are added, one feature after the other."""
    trace, n = path_steps(example).attention, len(example.tokens)
    sums = np.cumsum(trace.q[:, None, :] * trace.k[None, :, :], axis=-1)
    return [
        Frame(tuple((name, token, c) for name in "qk" for token in range(n)), _cells_of("scores", sums[..., c]))
        for c in range(trace.q.shape[-1])
    ]


def _powers_shrink(example: Example) -> Sequence[Frame]:
    """Return the frames in which powers are divided by a number that grows from 1 to their sum.

    The powers are those in the row of “it”.
    """
    powers = path_steps(example).powers[IT]
    total = float(powers.sum())
    if not np.isfinite(total) or total <= 0:
        return ()
    return [
        Frame((), tuple((("weights_plain", IT, j), float(p / total**t)) for j, p in enumerate(powers)))
        for t in _progress()
    ]


def _values_flow(example: Example) -> Sequence[Frame]:
    """Return the frames in which the values, each times its weight, are added one token after the other."""
    trace = path_steps(example).attention
    sums = np.cumsum(trace.weights[IT][:, None] * trace.v, axis=0)
    return [
        Frame(
            (("weights", IT, j), *(("v", j, c) for c in range(trace.v.shape[1]))),
            tuple((("output", IT, c), float(value)) for c, value in enumerate(row)),
        )
        for j, row in enumerate(sums)
    ]


def _output_is_added(example: Example) -> Sequence[Frame]:
    """Return the frames in which attention adds more and more to the row of “it”."""
    steps, width = path_steps(example), example.x.shape[1]
    lit = tuple(("mixed", IT, c) for c in range(width) if steps.mixed[IT, c])
    return [
        Frame(lit, tuple((("summed", IT, c), float(example.x[IT, c] + t * steps.mixed[IT, c])) for c in range(width)))
        for t in _progress()
    ]


_MOTIONS: Mapping[str, Callable[[Example], Sequence[Frame]]] = {
    "score": _products_add_up,
    "softmax": _powers_shrink,
    "mixture": _values_flow,
    "residual": _output_is_added,
}
LABELS: Mapping[str, str] = {
    "score": "Show the products adding up",
    "softmax": "Show the powers shrinking to weights",
    "mixture": "Show the output growing",
    "residual": "Show the output being added",
}


def _cells_of(name: str, values: Array) -> tuple[tuple[Cell, float], ...]:
    return tuple(((name, int(i), int(j)), float(values[i, j])) for i, j in np.ndindex(*values.shape))


def _progress() -> Iterable[float]:
    return (n / N_SMOOTH for n in range(N_SMOOTH + 1))
