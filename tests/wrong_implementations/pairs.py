"""Implementations of attention that make two mistakes together, each in another part."""

from dataclasses import replace
from itertools import product

from . import masks, outputs, projections, scores_and_scale, several, softmaxes  # noqa: F401
from .record import ALL, Wrong

ONE = {
    "first": (
        "softmax_over_queries",
        "sum_without_keepdims",
        "softmax_over_all",
        "no_softmax",
        "sigmoid_weights",
        "exp_not_normalised",
    ),
    "second": (
        "no_scale",
        "by_d_k",
        "times_root",
        "by_root_of_d_model",
        "keys_by_queries",
        "weights_transposed_in_mix",
        "query_key_weights_swapped",
        "values_not_projected",
        "norm_on_output",
        "causal_always",
    ),
}
SEVERAL = {
    "first": (
        "split_without_transpose",
        "split_interleaved",
        "first_keys_for_all",
        "scale_by_full_width",
        "softmax_over_heads",
    ),
    "second": (
        "merge_without_transpose",
        "merge_reversed",
        "heads_averaged_and_repeated",
        "no_output_projection",
        "residual_after_output_projection",
        "heads_mask_ignored",
    ),
}
OTHERS = (
    ("no_scale", "mask_inverted"),
    ("no_scale", "scores_times_mask"),
    ("by_d_k", "mask_transposed"),
    ("no_scale", "self_hidden"),
    ("keys_by_queries", "mask_after_softmax"),
    ("no_scale", "bias_left_out"),
    ("softmax_over_queries", "bias_left_out"),
    ("no_scale", "roles_swapped"),
    ("no_scale", "values_from_x"),
    ("softmax_over_queries", "context_ignored"),
)


def pair(one: Wrong, other: Wrong) -> Wrong:
    """Return an implementation that makes both mistakes.

    Raises: ValueError if both mistakes replace the same part, or one is for one head and the other for several.
    """
    if one.whole or other.whole or set(one.parts) & set(other.parts) or one.heads != other.heads:
        raise ValueError(f"two mistakes must replace different parts; got {one.name}, {other.name}: choose others.")
    return replace(
        one,
        name=f"{one.name}+{other.name}",
        says=f"{one.says} {other.says}",
        common=one.common and other.common,
        needs=other.needs or one.needs,
        source="",
        parts={**one.parts, **other.parts},
    )


NAMES = (*product(ONE["first"], ONE["second"]), *product(SEVERAL["first"], SEVERAL["second"]), *OTHERS)
PAIRS = {made.name: made for made in (pair(ALL[a], ALL[b]) for a, b in NAMES)}
