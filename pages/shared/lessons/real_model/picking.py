"""The options that a visitor can choose from: mistakes by title, the mistakes in the chart, layers and guesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attention_core.language_model.damage import damages, mistakes
from attention_core.mistakes import WITHOUT_SWITCH
from pages.shared.lessons.real_model.causes import guess_options

LESSONS = {
    "softmax_axes": "Softmax", "queries_keys_values": "Queries, keys, values", "scaling": "Scaling",
    "attention": "Attention", "multi_head": "Heads", "positional_encoding": "Positions", "real_model": "This model",
}  # fmt: skip
REFERENCE = "attention_left_out"  # every chart has this mistake, in which there is no attention at all


def titles() -> Mapping[str, str]:
    """Return the text “Lesson · title” for the name of each mistake, in the order of the catalogue of mistakes."""
    return {name: f"{LESSONS[mistake.concept]} · {mistake.title}" for name, mistake in mistakes().items()}


def layers(n: int) -> Mapping[str, str]:
    """Return the options for where a mistake is made: in all layers, or in one of `n` layers."""
    return {"all": "in all layers"} | {str(layer): f"in layer {layer} alone" for layer in range(n)}


def mistakes_in_chart(among: str, chosen: str) -> Sequence[str]:
    """Return the names of the mistakes in the chart, beginning with the least damage.

    `among` is "lesson" for mistakes of the same lesson as `chosen`, "all" for all, or another word for those with a
    switch. The chart always has the mistake `chosen`, and the one that leaves out attention.
    """
    in_chart = {chosen, REFERENCE, *(name for name in mistakes() if _is_shown(among, name, chosen))}
    return [name for name in damages() if name in in_chart]


def _is_shown(among: str, name: str, chosen: str) -> bool:
    mistake = mistakes()[name]
    if among == "lesson":
        return mistake.concept == mistakes()[chosen].concept
    return among == "all" or mistake not in WITHOUT_SWITCH


def label(name: str) -> str:
    """Return the title under which the chart shows a mistake."""
    return mistakes()[name].title


def guess(parameters) -> str:
    """Return the visitor's guess in the experiment that is shown, or "" if the visitor has not guessed yet."""
    return parameters.guess if parameters.guess.startswith(f"{parameters.experiment}-") else ""


def guesses(experiment: str) -> Sequence[str]:
    """Return the names of the guesses for an experiment."""
    return [each for each in guess_options() if each.startswith(f"{experiment}-")]
