"""What several heads cost, compared with one wide head."""

from __future__ import annotations

from attention_core.experiments.rewiring import Cost


def price_text(one: Cost, here: Cost, n_heads: int) -> str:
    """Say what several heads cost and what they give, and list it beside one wide head."""
    rows = (
        ("learned numbers", one.parameters, here.parameters),
        ("sums and products", one.flops, here.flops),
        ("powers of e in softmax", one.exponentials, here.exponentials),
        ("numbers to keep of each token", one.kv_cache, here.kv_cache),
    )
    table = "\n".join(f"| {name} | {wide:,} | {now:,} |" for name, wide, now in rows)
    return (
        "## What heads cost\n\n"
        "Several narrow heads cost what one wide head costs, except in softmax, which runs once a head. What they buy "
        "is several ways to look at once. Who writes word by word keeps the keys and values of all words so far, the "
        "*KV cache*, to compute none of them again: heads that share them leave less to keep. Sharing does **not** "
        "save scores: every head still compares its own queries with all keys, which takes "
        f"{here.exponentials:,} powers of $e$ here.\n\n"
        f"| what | one wide head | {n_heads} heads, as chosen |\n|---|--:|--:|\n{table}"
    )
