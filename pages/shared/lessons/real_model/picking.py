"""The choices on this page: a mistake by its title, the mistakes in the chart, a layer, a guess."""

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
    """Return “Lesson · title” for each mistake that applies, in the order of the catalogue."""
    return {name: f"{LESSONS[mistake.concept]} · {mistake.title}" for name, mistake in mistakes().items()}


def layers(n: int) -> Mapping[str, str]:
    """Return the options for the layer of a mistake: all layers, or one of n."""
    return {"all": "in all layers"} | {str(layer): f"in layer {layer} alone" for layer in range(n)}


def mistakes_in_chart(among: str, chosen: str) -> Sequence[str]:
    """Return the mistakes in the chart, beginning with the least damage."""
    here = {chosen, REFERENCE, *(name for name in mistakes() if _is_shown(among, name, chosen))}
    return [name for name in damages() if name in here]


def _is_shown(among: str, name: str, chosen: str) -> bool:
    mistake = mistakes()[name]
    if among == "lesson":
        return mistake.concept == mistakes()[chosen].concept
    return among == "all" or mistake not in WITHOUT_SWITCH


def label(name: str) -> str:
    """Return the name of a mistake in the chart."""
    return mistakes()[name].title


def guess(parameters) -> str:
    """Return the visitor's guess in the experiment that is shown, or "" if there is none yet."""
    return parameters.guess if parameters.guess.startswith(f"{parameters.experiment}-") else ""


def guesses(experiment: str) -> Sequence[str]:
    """Return the guesses of an experiment."""
    return [each for each in guess_options() if each.startswith(f"{experiment}-")]
