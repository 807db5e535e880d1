"""Mistakes: wrong formulas, kept apart so that nobody calls one by accident.

A `Mistake` is an edit of the steps that lead to a right trace (of one head, of several heads or of positions). The app
shows its code and runs it. Mistakes that are not such an edit are plain functions.

The rooms say where a visitor meets a mistake: `with_switch` has those with a switch on a page, `without_switch` those
that only the diagnosis and the page of the real model name, `rare` the tables of those that the diagnosis tries last.
`engine` runs a mistake. The `rank` of a mistake says whether the diagnosis names it first, and whether the diagnosis
also tries it together with another one.
"""

from collections.abc import Iterable
from typing import Any

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import greatest_difference
from attention_core.mistakes.engine.mistake import Concept, Mistake, Stage, T, names_after, with_mistakes
from attention_core.mistakes.engine.named_traces import names_of, output_of, trace_of
from attention_core.mistakes.engine.running import Names
from attention_core.mistakes.with_switch.attention import ATTENTION_MISTAKES
from attention_core.mistakes.with_switch.gradients import (
    attention_gradient_keys_transposed,
    attention_gradient_without_mask,
    attention_gradient_without_scale,
    projection_gradient_without_sum,
    softmax_gradient_elementwise,
)
from attention_core.mistakes.with_switch.heads import HEAD_MISTAKES
from attention_core.mistakes.with_switch.positions import (
    POSITION_MISTAKES,
    sinusoidal_doubled_exponent,
    sinusoidal_shifted_cosine,
)
from attention_core.mistakes.with_switch.projection import PROJECTION_MISTAKES
from attention_core.mistakes.with_switch.queries_keys_values import (
    QUERIES_KEYS_VALUES_MISTAKES,
    OuterAttention,
    elementwise_product,
    outer_attention,
    outer_scores,
    weigh_features,
)
from attention_core.mistakes.with_switch.scaling import SCALING_MISTAKES
from attention_core.mistakes.with_switch.softmax import SOFTMAX_MISTAKES, naive_softmax, naive_softmax_steps
from attention_core.mistakes.without_switch.heads import MERGING_MISTAKES
from attention_core.mistakes.without_switch.masks import MASKING_MISTAKES
from attention_core.mistakes.without_switch.positions import WAVE_MISTAKES
from attention_core.mistakes.without_switch.projection import MIXUP_MISTAKES
from attention_core.mistakes.without_switch.softmax import SHARING_MISTAKES

HALF_A_DECIMAL = 0.005  # half a unit of the second decimal: a smaller difference does not show in two decimals

# With a switch, of attention with one head.
ONE_HEAD_MISTAKES: tuple[Mistake[SelfAttentionTrace], ...] = (
    *SOFTMAX_MISTAKES,
    *QUERIES_KEYS_VALUES_MISTAKES,
    *PROJECTION_MISTAKES,
    *SCALING_MISTAKES,
    *ATTENTION_MISTAKES,
)
# With a switch on a page. The real model has some more of its own, `REAL_MODEL_MISTAKES`.
WITH_SWITCH: tuple[Mistake[Any], ...] = (*ONE_HEAD_MISTAKES, *HEAD_MISTAKES, *POSITION_MISTAKES)
# Without a switch on a page: the diagnosis names them, and a real model can make some of them.
WITHOUT_SWITCH: tuple[Mistake[Any], ...] = (
    *MASKING_MISTAKES,
    *SHARING_MISTAKES,
    *MIXUP_MISTAKES,
    *MERGING_MISTAKES,
    *WAVE_MISTAKES,
)
# All that are defined one by one. Those of the room `rare` are rows of tables.
WRITTEN_OUT: tuple[Mistake[Any], ...] = (*WITH_SWITCH, *WITHOUT_SWITCH)


# Pages without mistakes of their own, and the mistakes of other concepts that they show.
BORROWED = {
    "cross_attention": ("features_weighted", "scores_as_weights", "softmax_over_whole_matrix", "divided_by_root_n"),
}


def mistakes_of(page: str) -> tuple[Mistake[Any], ...]:
    """Return the mistakes that a page shows, in order: those of its concept, or those borrowed from other concepts.

    >>> [mistake.name for mistake in mistakes_of("cross_attention")][:2]
    ['features_weighted', 'scores_as_weights']
    """
    if page in BORROWED:
        return tuple(mistake for name in BORROWED[page] for mistake in WITH_SWITCH if mistake.name == name)
    return tuple(mistake for mistake in WITH_SWITCH if mistake.concept == page)


def blind_spots(trace: T, among: Iterable[Mistake[T]]) -> tuple[Mistake[T], ...]:
    """Return the mistakes that do not change the output to two decimals, so that these numbers cannot reveal them.

    A mistake is left out if it needs something that is missing, such as a mask, or if the shapes forbid it.
    """
    try:
        names = names_of(trace)
    except ValueError:
        return ()  # the code of a mistake cannot run on these numbers
    return tuple(mistake for mistake in among if mistake.shows_in(trace) and _is_unnoticed(mistake, trace, names))


def visible_mistakes(trace: T, among: Iterable[Mistake[T]]) -> tuple[Mistake[T], ...]:
    """Return the mistakes that can be seen in these numbers: they give numbers here, and another output.

    Left out are those that need something that is not there, such as a mask, those that the shapes forbid, and the
    blind spots.
    """
    return tuple(mistake for mistake in among if mistake.shows_in(trace) and _is_visible(mistake, trace))


def _is_visible(mistake: Mistake[T], trace: T) -> bool:
    try:
        wrong = mistake.apply(trace)
    except ValueError:
        return False  # the shapes forbid it
    return not greatest_difference(trace.output, wrong.output) < HALF_A_DECIMAL


def _is_unnoticed(mistake: Mistake[T], trace: T, names: Names) -> bool:
    try:
        wrong = names_after(trace, names, mistake)
        if not greatest_difference(trace.output, output_of(trace, wrong)) < HALF_A_DECIMAL:
            return False
        trace_of(trace, wrong)  # raises an error if a matrix has another shape, which a visitor would notice
    except ValueError:
        return False  # this mistake raises an error, so it is noticed
    return True


__all__ = [
    "HEAD_MISTAKES",
    "ONE_HEAD_MISTAKES",
    "POSITION_MISTAKES",
    "WITHOUT_SWITCH",
    "WITH_SWITCH",
    "WRITTEN_OUT",
    "Concept",
    "Mistake",
    "OuterAttention",
    "Stage",
    "attention_gradient_keys_transposed",
    "attention_gradient_without_mask",
    "attention_gradient_without_scale",
    "blind_spots",
    "elementwise_product",
    "mistakes_of",
    "naive_softmax",
    "naive_softmax_steps",
    "outer_attention",
    "outer_scores",
    "projection_gradient_without_sum",
    "sinusoidal_doubled_exponent",
    "sinusoidal_shifted_cosine",
    "softmax_gradient_elementwise",
    "visible_mistakes",
    "weigh_features",
    "with_mistakes",
]
