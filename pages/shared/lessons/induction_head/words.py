"""Sentences about a trained model, each with its number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.induction.letters import ALPHABET
from attention_core.induction.measures import N_SEQUENCES, Measures
from attention_core.induction.model import CONTEXT, N_SYMBOLS, ModelTrace
from attention_core.induction.snapshots import STEPS, ModelId
from attention_core.induction.training_run import Points
from pages.shared.lessons.induction_head.boards import following, scores_from_first_head, sureness
from pages.shared.lessons.induction_head.models import measure_model
from pages.shared.notation.glossary import define
from pages.shared.notation.tables import markdown_table

HALF, QUARTER = 0.5, 0.25
FEWEST = 4  # with fewer measurements, one cannot say what was learned first
ALONE = ModelId(0, 1, STEPS[-1])
FIRST = {"trained": "its own", "previous": "one place back", "uniform": "the same to all"}  # the words of its choice
MEASURED = ("loss", "guesses right", "first head looks back", "second head finds")
MEANT = (
    "*Looks back* is the weight that the first head gives to the place before; *finds* is the weight that the second "
    "gives to the symbol that came next the first time. Both are means over the sequences, wherever a symbol comes "
    "again, which are longer than your letters."
)


def why(trace: ModelTrace | None, letters: Sequence[str]) -> str:
    """Say what the model learns, with the visitor's letters."""
    told = "" if trace is None else _what_comes(trace, letters)
    return (
        "Some letters come again. A model that copies goes on as the letters went on the first time, though nobody "
        "told it their order. **Two heads learn to do that together.** The first looks one place back, and adds to "
        "each letter the one that stands before it. The second asks: which letter has *my* letter before it? That one "
        f"comes next. A head that finds it is an *induction head*. {told}"
    )


def _what_comes(trace: ModelTrace, letters: Sequence[str]) -> str:
    best, share = ALPHABET[following(trace)[-1]], sureness(trace)[-1]
    looks = "; ".join(filter(None, (_looks_back(trace, letters), _finds(trace, letters))))
    return f"{looks and f'Here {looks}. '}What comes next? **{best}**, says the model, with a share of {share:.2f}."


def _looks_back(trace: ModelTrace, letters: Sequence[str]) -> str:
    back = np.diagonal(trace.layers[0].head.weights, offset=-1)
    return f"the first head gives {back.mean():.2f} to the place before, on average" if len(letters) > 1 else ""


def _finds(trace: ModelTrace, letters: Sequence[str]) -> str:
    here, found = letters[-1], letters.index(letters[-1]) + 1
    if found == len(letters):
        return ""
    weight = trace.layers[-1].head.weights[-1, found]
    head = "second" if len(trace.layers) > 1 else "only"
    return (
        f"in the {head} head, the last {here} gives {weight:.2f} to {letters[found]}, which followed the first {here}"
    )


def what_comes_in(trace: ModelTrace, layer: int, letters: Sequence[str], w_k: np.ndarray) -> str:
    """Say what the input of a head consists of, and which part of it the second head uses."""
    if layer == 0:
        return "$X_1$ has a row for each letter: the vector of the letter plus the vector of its place, both learned."
    return (
        "$X_2 = X_1 + Z_1 W^O_1$: what the first head has found is added to each letter. So each key is a sum too, and "
        f"each score.{_why_token_attends(trace, letters, w_k)}"
    )


def _why_token_attends(trace: ModelTrace, letters: Sequence[str], w_k: np.ndarray) -> str:
    here, found = letters[-1], letters.index(letters[-1]) + 1
    if found == len(letters):
        return ""
    score, brought = trace.layers[1].head.scores[-1, found], scores_from_first_head(trace, w_k)[-1, found]
    share = trace.layers[0].head.weights[found, found - 1]
    return (
        f" The last {here} meets the {letters[found]} that followed the first {here} with {score:.2f}. Of that, "
        f"**{brought:.2f}** comes from what the first head has brought there, {share:.2f} of it from the {here} "
        f"before, and {score - brought:.2f} from the {letters[found]} itself and its place."
    )


def where_it_stands(which: ModelId, now: Measures, first: str) -> str:
    """Say how good the shown model is."""
    instead = "" if first == "trained" else f", with other weights in the first head: {FIRST[first]}"
    return (
        f"After **{which.step} steps** of training{instead}, on {N_SEQUENCES} new sequences of {CONTEXT} symbols: a "
        f"loss of **{now.loss:.2f}** {define('nats')}, and **{now.accuracy:.0%}** of what repeats is guessed right. "
        f"Whoever knows nothing has a loss of {np.log(N_SYMBOLS):.2f}, and is right in {1 / N_SYMBOLS:.0%}: there are "
        f"{N_SYMBOLS} symbols."
    )


def missing_models_text(steps: Sequence[int]) -> str:
    """Say which models are available, if some have to be trained first."""
    if len(steps) == len(STEPS):
        return ""
    return (
        f" Of this training, the model is at hand after {_step_list(steps)} steps; **train it** to see those between."
    )


def order(points: Points) -> str:
    """Say what was learned first in a training.

    Each measurement counts when it has made a quarter of its whole change.
    """
    if len(points) < FEWEST:
        return f"Of {len(points)} measurements none tells what came first: **train it**, and watch."
    back, found, fell = (_a_quarter_on(points, name) for name in ("previous", "induction", "loss"))
    return (
        "What came when? From its first value to its last, each curve has a way to go. The first head, which looks "
        f"back, had gone a quarter of it at step **{back}**; the second, which finds what followed, at step "
        f"**{found}**; the loss, which falls, at step **{fell}**."
    )


def _a_quarter_on(points: Points, name: str) -> int:
    """Return the first step at which a measurement has made a quarter of its change from first to last."""
    values = [getattr(now, name) for _, now in points]
    way = values[-1] - values[0]
    gone = [(value - values[0]) / way if way else 1.0 for value in values]
    return next(step for (step, _), share in zip(points, gone, strict=True) if share >= QUARTER)


def measurements_table(points: Points, steps: Sequence[int]) -> str:
    """Return a table of the measurements at the steps whose models are available."""
    rows = [
        (str(step), f"{now.loss:.2f}", f"{now.accuracy:.2f}", f"{now.previous:.2f}", f"{now.induction:.2f}")
        for step, now in points
        if step in steps
    ]
    return f"{markdown_table(('step', *MEASURED), rows)}\n\n{MEANT}"


def causes_table(which: ModelId) -> str:
    """Return a table of how well the model predicts with other weights in its first head, and with one layer only."""
    rows = [(words, *_can_do(measure_model(which, first))) for first, words in FIRST.items()]
    return markdown_table(
        ("the first head’s weights", *MEASURED[:2], MEASURED[-1]),
        [*rows, (f"one layer alone, after {ALONE.step} steps", *_can_do(measure_model(ALONE)))],
    )


def causes(which: ModelId) -> str:
    """Say what follows from the table. This depends on how long the model was trained."""
    back, even = (measure_model(which, first).accuracy for first in ("previous", "uniform"))
    return f"{_of_the_head_below(which, back, even)} {_alone()}"


def _of_the_head_below(which: ModelId, back: float, even: float) -> str:
    if which.n_layers == 1:
        return "Here is a single layer: below its head there is none to be replaced."
    if back < HALF:
        return (
            f"After {which.step} steps the second head does not look for anything yet: even where the first looks "
            f"exactly one place back, only {back:.0%} is guessed right."
        )
    return (
        "**The second head needs a first one that looks one place back.** Replace the weights of the first head by "
        "hand and leave all else as it is. They look exactly one place back, as it would if it were perfect: "
        f"**{back:.0%}** is guessed right. They give the same to all: **{even:.0%}**."
    )


def _alone() -> str:
    return (
        f"**One layer alone** ends at **{measure_model(ALONE).accuracy:.0%}**: a letter’s key knows its own letter and "
        "its place, not the letter before it, so nothing can be looked up by that. Choose *One* above, and train it "
        "yourself."
    )


def _can_do(now: Measures) -> tuple[str, str, str]:
    return f"{now.loss:.2f}", f"{now.accuracy:.2f}", f"{now.induction:.2f}"


def _step_list(steps: Sequence[int]) -> str:
    *most, last = map(str, steps)
    return f"{', '.join(most)} and {last}" if most else last
