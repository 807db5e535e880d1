"""Mistakes: wrong formulas, in a package of their own so that nobody calls a wrong formula by accident.

A `Mistake` replaces or adds some steps of a correct computation (with one head, with several heads, or of positions).
The app shows the code of a mistake and runs it. Mistakes that cannot be written in this form are plain functions.

The folders say where a visitor meets a mistake. `with_switch` has mistakes with a switch on a page. `without_switch`
has mistakes that only the diagnosis and the page of the real model name. `rare` has tables of mistakes that the
diagnosis tries last. `engine` runs a mistake. The `rank` of a mistake says whether the diagnosis names this mistake
first, and whether the diagnosis also tries this mistake together with another one.
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

HALF_A_DECIMAL = 0.005  # half a unit of the second decimal: nobody sees a smaller difference in two decimals

# Mistakes of attention with one head that have a switch on a page.
ONE_HEAD_MISTAKES: tuple[Mistake[SelfAttentionTrace], ...] = (
    *SOFTMAX_MISTAKES,
    *QUERIES_KEYS_VALUES_MISTAKES,
    *PROJECTION_MISTAKES,
    *SCALING_MISTAKES,
    *ATTENTION_MISTAKES,
)
# All mistakes with a switch on a page. The real model has some more of its own, `REAL_MODEL_MISTAKES`.
WITH_SWITCH: tuple[Mistake[Any], ...] = (*ONE_HEAD_MISTAKES, *HEAD_MISTAKES, *POSITION_MISTAKES)
# Mistakes without a switch on a page. The diagnosis names them, and a real model can make some of them.
WITHOUT_SWITCH: tuple[Mistake[Any], ...] = (
    *MASKING_MISTAKES,
    *SHARING_MISTAKES,
    *MIXUP_MISTAKES,
    *MERGING_MISTAKES,
    *WAVE_MISTAKES,
)
# All mistakes that are defined one by one. The mistakes in the folder `rare` are rows of tables.
WRITTEN_OUT: tuple[Mistake[Any], ...] = (*WITH_SWITCH, *WITHOUT_SWITCH)


# Pages without mistakes of their own, and the mistakes of other concepts that they show.
BORROWED = {
    "cross_attention": ("features_weighted", "scores_as_weights", "softmax_over_whole_matrix", "divided_by_root_n"),
}


def mistakes_of(page: str) -> tuple[Mistake[Any], ...]:
    """Return the mistakes that a page shows, in order. `page` is the name of the page, such as "scaling".

    A page without mistakes of its own shows some mistakes of other pages.

    >>> [mistake.name for mistake in mistakes_of("cross_attention")][:2]
    ['features_weighted', 'scores_as_weights']
    """
    if page in BORROWED:
        return tuple(mistake for name in BORROWED[page] for mistake in WITH_SWITCH if mistake.name == name)
    return tuple(mistake for mistake in WITH_SWITCH if mistake.concept == page)


def blind_spots(trace: T, among: Iterable[Mistake[T]]) -> tuple[Mistake[T], ...]:
    """Return the mistakes of `among` that leave the output of `trace` unchanged to two decimals.

    The numbers of this trace cannot reveal these mistakes. Mistakes that are not possible in the trace are left out,
    for example mistakes in the mask of a trace without a mask.
    """
    try:
        names = names_of(trace)
    except ValueError:
        return ()  # the code of no mistake can run on these numbers
    return tuple(mistake for mistake in among if mistake.shows_in(trace) and _is_unnoticed(mistake, trace, names))


def visible_mistakes(trace: T, among: Iterable[Mistake[T]]) -> tuple[Mistake[T], ...]:
    """Return the mistakes of `among` that change the output of `trace` in its first two decimals.

    Mistakes that are not possible in the trace are left out, for example because of its shapes.
    """
    return tuple(mistake for mistake in among if mistake.shows_in(trace) and _is_visible(mistake, trace))


def _is_visible(mistake: Mistake[T], trace: T) -> bool:
    try:
        wrong = mistake.apply(trace)
    except ValueError:
        return False  # the shapes do not allow the mistake
    return not greatest_difference(trace.output, wrong.output) < HALF_A_DECIMAL


def _is_unnoticed(mistake: Mistake[T], trace: T, names: Names) -> bool:
    try:
        wrong = names_after(trace, names, mistake)
        if not greatest_difference(trace.output, output_of(trace, wrong)) < HALF_A_DECIMAL:
            return False
        trace_of(trace, wrong)  # raises an error if the mistake changes a shape: a visitor would notice this
    except ValueError:
        return False  # the mistake raises an error, so a visitor notices the mistake
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
