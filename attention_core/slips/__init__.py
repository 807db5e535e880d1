"""Mistakes, called slips: wrong formulas, kept apart so that nobody calls one by accident.

A `Slip` is an edit of the steps that lead to a right trace (of one head, of several heads or of positions): its code is
what is shown and what is run. Mistakes that are no such edit are plain functions.

The rooms tell where a mistake is met: `with_switch` has those with a switch on a page, `without_switch` those that only
the diagnosis and the page of the real model name, `rare` the tables of those that the diagnosis tries last. `engine` is
what makes a mistake run. The `rank` of a mistake tells whether the diagnosis names it first, and whether it is also
tried together with another one.
"""

from collections.abc import Iterable
from typing import Any

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import greatest_difference
from attention_core.slips.engine.named_traces import names_of, output_of, trace_of
from attention_core.slips.engine.running import Names
from attention_core.slips.engine.slip import Concept, Slip, Stage, T, names_after, with_slips
from attention_core.slips.with_switch.attention import ATTENTION_SLIPS
from attention_core.slips.with_switch.gradients import (
    attention_gradient_keys_transposed,
    attention_gradient_without_mask,
    attention_gradient_without_scale,
    projection_gradient_without_sum,
    softmax_gradient_elementwise,
)
from attention_core.slips.with_switch.heads import HEAD_SLIPS
from attention_core.slips.with_switch.positions import (
    POSITION_SLIPS,
    sinusoidal_doubled_exponent,
    sinusoidal_shifted_cosine,
)
from attention_core.slips.with_switch.projection import PROJECTION_SLIPS
from attention_core.slips.with_switch.queries_keys_values import (
    QUERIES_KEYS_VALUES_SLIPS,
    OuterAttention,
    elementwise_product,
    outer_attention,
    outer_scores,
    weigh_features,
)
from attention_core.slips.with_switch.scaling import SCALING_SLIPS
from attention_core.slips.with_switch.softmax import SOFTMAX_SLIPS, naive_softmax, naive_softmax_steps
from attention_core.slips.without_switch.heads import MERGING_SLIPS
from attention_core.slips.without_switch.masks import MASKING_SLIPS
from attention_core.slips.without_switch.positions import WAVE_SLIPS
from attention_core.slips.without_switch.projection import MIXUP_SLIPS
from attention_core.slips.without_switch.softmax import SHARING_SLIPS

HALF_A_DECIMAL = 0.005  # half a unit of the second decimal: less does not show in two decimals

# With a switch, of attention with one head.
ONE_HEAD_SLIPS: tuple[Slip[SelfAttentionTrace], ...] = (
    *SOFTMAX_SLIPS,
    *QUERIES_KEYS_VALUES_SLIPS,
    *PROJECTION_SLIPS,
    *SCALING_SLIPS,
    *ATTENTION_SLIPS,
)
# With a switch on a page. The real model has some of its own besides, `REAL_MODEL_SLIPS`.
WITH_SWITCH: tuple[Slip[Any], ...] = (*ONE_HEAD_SLIPS, *HEAD_SLIPS, *POSITION_SLIPS)
# Without a switch on a page: the diagnosis names them, and a real model can make some of them.
WITHOUT_SWITCH: tuple[Slip[Any], ...] = (*MASKING_SLIPS, *SHARING_SLIPS, *MIXUP_SLIPS, *MERGING_SLIPS, *WAVE_SLIPS)
# All that are written out one by one. Those of the room `rare` are rows of tables.
WRITTEN_OUT: tuple[Slip[Any], ...] = (*WITH_SWITCH, *WITHOUT_SWITCH)


# A page without slips of its own, and the slips of other concepts that it shows.
BORROWED = {
    "cross_attention": ("features_weighted", "scores_as_weights", "softmax_over_whole_matrix", "divided_by_root_n"),
}


def slips_of(page: str) -> tuple[Slip[Any], ...]:
    """Return the slips that a page shows, in order: those of its concept, or those that it borrows."""
    if page in BORROWED:
        return tuple(slip for name in BORROWED[page] for slip in WITH_SWITCH if slip.name == name)
    return tuple(slip for slip in WITH_SWITCH if slip.concept == page)


def blind_spots(trace: T, among: Iterable[Slip[T]]) -> tuple[Slip[T], ...]:
    """Return the slips that leave the output as it is, to two decimals: these numbers cannot reveal them.

    A slip does not count if it needs something to show, such as a mask, that is not there, or if the shapes forbid it.
    """
    try:
        names = names_of(trace)
    except ValueError:
        return ()  # no code of a mistake can start from these numbers
    return tuple(slip for slip in among if slip.shows(trace) and _unnoticed(slip, trace, names))


def _unnoticed(slip: Slip[T], trace: T, names: Names) -> bool:
    try:
        wrong = names_after(trace, names, slip)
        if not greatest_difference(trace.output, output_of(trace, wrong)) < HALF_A_DECIMAL:
            return False
        trace_of(trace, wrong)  # a matrix of another shape shows
    except ValueError:
        return False  # whoever makes it gets an error
    return True


__all__ = [
    "HEAD_SLIPS",
    "ONE_HEAD_SLIPS",
    "POSITION_SLIPS",
    "WITHOUT_SWITCH",
    "WITH_SWITCH",
    "WRITTEN_OUT",
    "Concept",
    "OuterAttention",
    "Slip",
    "Stage",
    "attention_gradient_keys_transposed",
    "attention_gradient_without_mask",
    "attention_gradient_without_scale",
    "blind_spots",
    "elementwise_product",
    "naive_softmax",
    "naive_softmax_steps",
    "outer_attention",
    "outer_scores",
    "projection_gradient_without_sum",
    "sinusoidal_doubled_exponent",
    "sinusoidal_shifted_cosine",
    "slips_of",
    "softmax_gradient_elementwise",
    "weigh_features",
    "with_slips",
]
