"""Implementations of attention that make two mistakes together, each in another part."""

from .record import ALL, PAIRS, STEPS, Unseen, add

TOGETHER = {
    "forgets_to_scale": "normalizes_columns copies_keys_for_values forgets_the_mask transposes_the_weights",
    "divides_by_d_k": "normalizes_columns swaps_queries_and_keys fills_with_zero copies_the_first_output",
    "multiplies_by_the_root": "forgets_to_normalize mixes_the_embeddings stops_before_the_last_token",
    "divides_by_the_root_of_d_model": "normalizes_everything_at_once inverts_the_mask normalizes_the_output",
    "swaps_queries_and_keys": "normalizes_columns applies_the_sigmoid takes_the_mean_of_weighted_values",
    "copies_keys_for_values": "skips_the_softmax uses_base_two forgets_the_mask",
    "forgets_all_biases": "forgets_to_scale normalizes_columns",
    "normalizes_columns": "adds_the_boolean_mask does_not_reset_the_sum multiplies_by_w_o_unasked",
    "reshapes_into_heads_without_a_transpose": "forgets_w_o forgets_to_scale_in_each_head",
    "divides_each_head_by_the_root_of_d_model": "merges_without_a_transpose forgets_w_o",
    "normalizes_over_the_heads": "forgets_w_o forgets_to_scale_in_each_head",
}


def add_pair(first: str, second: str) -> None:
    """Add to `PAIRS` an implementation that makes two mistakes of `ALL`, given by their names.

    Raises: ValueError if both mistakes replace the same part, or one is for one head and the other for several.
    """
    a, b = ALL[first], ALL[second]
    if not a.parts or not b.parts or {*a.parts} & {*b.parts} or a.heads != b.heads:
        raise ValueError(f"a pair needs two different parts of one kind; got {first}, {second}: choose others.")
    more = {
        "common": True,
        "heads": a.heads,
        "needs": a.needs or b.needs,
        "source": "",
        "about": min(a.about, b.about, key=STEPS.index),
    }
    add(Unseen(name=f"{first}, {second}", says=f"{a.says} {b.says}", parts={**a.parts, **b.parts}, **more), PAIRS)


for one, others in TOGETHER.items():
    for other in others.split():
        add_pair(one, other)
