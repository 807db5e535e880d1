"""What is said of a trained model, each sentence with its number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.induction.course import Points
from attention_core.induction.letters import ALPHABET
from attention_core.induction.measures import N_SEQUENCES, Measures
from attention_core.induction.model import ModelTrace
from attention_core.induction.snapshots import STEPS, Which
from pages.shared.lessons.induction_head.boards import following, sureness
from pages.shared.lessons.induction_head.models import measured
from pages.shared.notation.glossary import explained
from pages.shared.notation.tables import markdown_table

HALF, QUARTER = 0.5, 0.25
FEWEST = 4  # measurements that tell what came first
ALONE = Which(0, 1, STEPS[-1])
FIRST = {"trained": "as it has learned to", "previous": "exactly one place back", "uniform": "at all alike"}


def why(trace: ModelTrace | None, letters: Sequence[str]) -> str:
    """Say what is learned here, on the visitor's letters."""
    told = "" if trace is None else _what_comes(trace, letters)
    return (
        "A model that has read a word once goes on with it when it begins again, though nobody told it that word. "
        "**Two heads learn to do that together.** The first looks one place back, so that each letter carries the one "
        "before it. The second looks for the letter that carries *me*, and there stands what came next: it is an "
        f"*induction head*. {told}"
    )


def _what_comes(trace: ModelTrace, letters: Sequence[str]) -> str:
    best, share = ALPHABET[following(trace)[-1]], sureness(trace)[-1]
    looks = "; ".join(filter(None, (_looks_back(trace, letters), _finds(trace, letters))))
    return f"{looks and f'Here {looks}. '}What comes next? **{best}**, it says, with a share of {share:.2f}."


def _looks_back(trace: ModelTrace, letters: Sequence[str]) -> str:
    back = np.diagonal(trace.layers[0].head.weights, offset=-1)
    return f"the first head gives {back.mean():.2f} to the place before, on average" if len(letters) > 1 else ""


def _finds(trace: ModelTrace, letters: Sequence[str]) -> str:
    here, found = letters[-1], letters.index(letters[-1]) + 1
    if found == len(letters):
        return ""
    weight = trace.layers[-1].head.weights[-1, found]
    return f"in the last head, the last {here} gives {weight:.2f} to {letters[found]}, which followed the first {here}"


def where_it_stands(which: Which, now: Measures, first: str) -> str:
    """Say how good the model is that is shown."""
    instead = "" if first == "trained" else f", with a first head that looks {FIRST[first]}"
    return (
        f"After **{which.step} steps** of training{instead}, on {N_SEQUENCES} new sequences of 32 symbols: a loss of "
        f"**{now.loss:.2f}** {explained('nats')}, and **{now.accuracy:.0%}** of what repeats is guessed right."
    )


def not_at_hand(steps: Sequence[int]) -> str:
    """Say which models are at hand, where some have to be trained first."""
    if len(steps) == len(STEPS):
        return ""
    return f" Of this training, the model is at hand after {_listed(steps)} steps; **train it** to see those between."


def order(points: Points) -> str:
    """Say what came first in a training: each at the first measurement that has gone a quarter of its way."""
    if len(points) < FEWEST:
        return f"Of {len(points)} measurements none tells what came first: **train it**, and watch."
    back, found, fell = (_a_quarter_on(points, name) for name in ("previous", "induction", "loss"))
    return (
        "What came when? A quarter of its way was gone by the first head, which looks back, at step "
        f"**{back}**; by the last head, which finds what followed, at step **{found}**; by the loss, which falls, "
        f"at step **{fell}**."
    )


def _a_quarter_on(points: Points, name: str) -> int:
    """Return the first step at which a measure has gone a quarter of its way from the first value to the last."""
    values = [getattr(now, name) for _, now in points]
    way = values[-1] - values[0]
    gone = [(value - values[0]) / way if way else 1.0 for value in values]
    return next(step for (step, _), share in zip(points, gone, strict=True) if share >= QUARTER)


def course_table(points: Points, steps: Sequence[int]) -> str:
    """Return what was measured at the steps whose models are at hand."""
    rows = [
        (str(step), f"{now.loss:.2f}", f"{now.accuracy:.2f}", f"{now.previous:.2f}", f"{now.induction:.2f}")
        for step, now in points
        if step in steps
    ]
    head = ("step", "loss", "guesses right", "first head looks back", "last head finds")
    return markdown_table(head, rows)


def causes_table(which: Which) -> str:
    """Return what the model can do with other weights in its first head, and what one layer alone can do."""
    rows = [(words, *_can_do(measured(which, first))) for first, words in FIRST.items()]
    return markdown_table(
        ("a first head that looks", "loss", "guesses right", "last head finds"),
        [*rows, (f"one layer alone, after {ALONE.step} steps", *_can_do(measured(ALONE)))],
    )


def causes(which: Which) -> str:
    """Say what follows from the table, which depends on how far the training has come."""
    back, even = (measured(which, first).accuracy for first in ("previous", "uniform"))
    return f"{_of_the_head_below(which, back, even)} {_alone()}"


def _of_the_head_below(which: Which, back: float, even: float) -> str:
    if which.n_layers == 1:
        return "Here is a single layer: below its head there is none to be replaced."
    if back < HALF:
        return (
            f"After {which.step} steps the last head does not look for anything yet: even with a first head that looks "
            f"exactly one place back, only {back:.0%} is guessed right."
        )
    return (
        "**The last head needs a first one that looks back, and no more of it.** Give the first head by hand what it "
        f"is to learn, exactly one place back: **{back:.0%}** is guessed right. Let it look at all alike: "
        f"**{even:.0%}**."
    )


def _alone() -> str:
    return (
        f"**One layer alone** ends at **{measured(ALONE).accuracy:.0%}**: a letter’s key knows its own letter and its "
        "place, not the letter before it, so nothing can be looked up by that. Choose *One* above, and train it "
        "yourself."
    )


def _can_do(now: Measures) -> tuple[str, str, str]:
    return f"{now.loss:.2f}", f"{now.accuracy:.2f}", f"{now.induction:.2f}"


def _listed(steps: Sequence[int]) -> str:
    *most, last = map(str, steps)
    return f"{', '.join(most)} and {last}" if most else last
