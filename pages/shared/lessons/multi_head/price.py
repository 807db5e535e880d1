"""A text about the cost of several heads, compared with one wide head."""

from __future__ import annotations

from attention_core.experiments.rewiring import Cost


def price_text(one: Cost, several: Cost, n_heads: int) -> str:
    """Return a text with a table that compares the cost of `n_heads` heads with that of one wide head.

    `one` is the cost of the wide head, and `several` is the cost of the heads that the visitor has chosen.
    """
    rows = (
        ("learned numbers", one.parameters, several.parameters),
        ("additions and multiplications", one.flops, several.flops),
        ("powers of e in softmax", one.exponentials, several.exponentials),
        ("numbers to keep for each token", one.kv_cache, several.kv_cache),
    )
    table = "\n".join(f"| {name} | {wide:,} | {now:,} |" for name, wide, now in rows)
    return (
        "## What heads cost\n\n"
        "Several narrow heads cost as much as one wide head. Only softmax costs more, because each head has its own. "
        "In "
        "return, a token can attend in several ways at once. A model that writes word by word keeps the keys and "
        "values "
        "of all words so far, the *KV cache*, so that it need not compute them again. If heads share keys and values, "
        "there is less to keep. Sharing does **not** save scores: every head still compares its own queries with all "
        f"keys, which takes {several.exponentials:,} powers of $e$ here.\n\n"
        f"| what | one wide head | {n_heads} heads, as chosen |\n|---|--:|--:|\n{table}"
    )
