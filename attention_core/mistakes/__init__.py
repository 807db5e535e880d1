"""Mistakes: wrong formulas, in a package of their own so that nobody calls a wrong formula by accident.

A `Mistake` replaces or adds some steps of a correct computation (with one head, with several heads, or of positions).
The app shows the code of a mistake and runs it. Mistakes that cannot be written in this form are plain functions.

A file such as `scaling.toml` has the mistakes that the page "scaling" explains: those with a switch on this page, and
those that only the diagnosis and the page of the real model name. `showing.py` says in which computations a mistake
shows. The files of other mistakes (`sampling.toml`, `key_value_cache.toml`, `training_step.toml`) name the functions in
`next_word.py` and `backward.py` that compute them. `rare` has mistakes that the diagnosis tries last.
`engine` runs a mistake. The `rank` of a mistake says whether the diagnosis names this mistake first, and whether the
diagnosis also tries this mistake together with another one.
"""

from collections.abc import Iterable
from typing import Any, get_args

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import greatest_difference
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.backward import (
    attention_gradient_keys_transposed,
    attention_gradient_without_mask,
    attention_gradient_without_scale,
    projection_gradient_without_sum,
    softmax_gradient_elementwise,
)
from attention_core.mistakes.engine.code_lines import Names
from attention_core.mistakes.engine.mistake import Concept, Mistake, Stage, T, names_after, with_mistakes
from attention_core.mistakes.engine.named_traces import names_of, output_of, trace_of
from attention_core.mistakes.toml_files import read_mistakes
from attention_core.mistakes.wrong_formulas import (
    OuterAttention,
    elementwise_product,
    naive_softmax,
    naive_softmax_steps,
    outer_attention,
    outer_scores,
    sinusoidal_doubled_exponent,
    sinusoidal_shifted_cosine,
    weigh_features,
)
from attention_core.rotation import PositionTrace

HALF_A_DECIMAL = 0.005  # half a unit of the second decimal: nobody sees a smaller difference in two decimals

# The mistakes outside of the folder `rare`, by the page that explains them.
_BY_CONCEPT: dict[str, tuple[Mistake[Any], ...]] = {
    concept: read_mistakes(f"{concept}.toml") for concept in get_args(Concept)
}


def _with_switch(*concepts: Concept) -> tuple[Mistake[Any], ...]:
    return tuple(mistake for concept in concepts for mistake in _BY_CONCEPT[concept] if mistake.switch)


# Mistakes of attention with one head that have a switch on a page.
ONE_HEAD_MISTAKES: tuple[Mistake[SelfAttentionTrace], ...] = _with_switch(
    "softmax_axes", "queries_keys_values", "scaling", "attention"
)
HEAD_MISTAKES: tuple[Mistake[MultiHeadTrace], ...] = _with_switch("multi_head")
POSITION_MISTAKES: tuple[Mistake[PositionTrace], ...] = _with_switch("positional_encoding")
# All mistakes with a switch on a page. The real model has some more of its own.
WITH_SWITCH: tuple[Mistake[Any], ...] = (*ONE_HEAD_MISTAKES, *HEAD_MISTAKES, *POSITION_MISTAKES)
REAL_MODEL_MISTAKES = _with_switch("real_model")
# Mistakes without a switch on a page, in the order in which the diagnosis tries them.
WITHOUT_SWITCH: tuple[Mistake[Any], ...] = tuple(
    mistake
    for concept in ("attention", "softmax_axes", "scaling", "queries_keys_values", "multi_head", "positional_encoding")
    for mistake in _BY_CONCEPT[concept]
    if not mistake.switch
)
# All mistakes outside of the folder `rare`, without those that only a real model can have.
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
    "REAL_MODEL_MISTAKES",
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
