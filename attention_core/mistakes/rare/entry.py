"""Make a mistake from a row of a table, and list the names of the mistakes that are not of rank "rare"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from attention_core.mistakes.engine.mistake import Concept, Mistake, Rank, Stage
from attention_core.mistakes.engine.pipelines import Pipeline

RareMistakes = tuple[Mistake[Any], ...]
CONCEPTS: dict[str, Concept] = {
    "q": "queries_keys_values", "k": "queries_keys_values", "v": "queries_keys_values",
    "scores": "queries_keys_values", "scaled": "scaling", "masked": "attention", "weights": "softmax_axes",
    "output": "attention", "heads": "multi_head", "concat": "multi_head",
}  # fmt: skip
USUAL = (  # mistakes in the tables that are as usual as the mistakes outside of the tables
    "powers_from_the_maximum_by_flat_sums", "powers_from_the_maximum_by_columns", "k_of_the_first_head",
    "v_of_the_first_head", "kv_of_the_first_head", "empty_row_to_nan", "fill_of_a_billion", "fill_of_ten_thousand",
    "billion_added", "alibi_left_out", "alibi_added", "alibi_slopes_from_nought", "alibi_before_scaling",
    "alibi_cache_forgotten", "shared_tiled_kv", "shared_tiled_k", "shared_tiled_v", "shared_columns_repeated",
    "window_too_wide", "window_too_narrow", "window_both_ways", "window_left_out", "cache_at_the_top_left",
    "window_at_the_top_left", "padding_on_queries_to_nan", "padding_on_queries_beside_causal",
    "padding_on_queries_beside_causal_with_a_billion", "padding_on_queries_beside_causal_to_nan", "filler_one_too_few",
    "filler_one_too_many", "softmax_over_columns_to_nan", "heads_sums_without_keepdims",
    "heads_sums_from_the_maximum_without_keepdims", *(
        f"{name}_of_{kind}" for kind in ("pairs", "halves")
        for name in ("rotation_left_out", "other_columns", "other_frequencies", "turned_backwards", "cache_forgotten")
    ),
)  # fmt: skip
PAIRED = (  # less usual mistakes that the diagnosis also looks for together with another one
    "all_but_last_token_out_of_output", "last_token_out_of_output", "summed_down_on_output", "first_row_on_q",
    "merged_first_alone", "layer_norm_on_output", "layer_norm_on_output_of_heads", "exponent_of_an_odd_width",
    "exponent_to_one",
)  # fmt: skip
RANKS: Mapping[str, Rank] = {**dict.fromkeys(USUAL, "usual"), **dict.fromkeys(PAIRED, "paired")}  # all others are rare


def shows_always(_: Any) -> bool:
    """Return True. As the field `shows` of a mistake, this means that the mistake changes a number in every trace."""
    return True


def diagnosis_mistake(
    stage: str,
    name: str,
    title: str,
    code: str,
    why: str,
    *,
    concept: Concept | None = None,
    shows: Callable[[Any], bool] = shows_always,
    needs: str = "",
    edits: Pipeline | None = None,
    sources: tuple[str, ...] = (),
) -> Mistake[Any]:
    """Return a mistake that only the diagnosis names.

    `stage` is the first matrix that the mistake changes. `concept` is the page that explains the mistake. If it is
    None, the stage determines the page. The other arguments are fields of `Mistake`.
    """
    return Mistake(
        name=name, concept=concept or CONCEPTS[stage], stage=cast(Stage, stage), title=title, code=code, why=why,
        shows=shows, needs=needs, rank=RANKS.get(name, "rare"), edits=edits, sources=sources,
    )  # fmt: skip
