"""Mistakes with sliding windows, with causal masks next to a cache, and with padding."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.masks import Mask
from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.engine.named_traces import inner_of
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake

WIDTH = "A window of w tokens is the token itself and the w − 1 tokens before it: i − w < j ≤ i."
BOTH_WAYS = "The window ends with the token itself. It hides later tokens, as a causal mask does."
ONLY_CAUSAL = (
    "The causal mask alone lets a token attend to all earlier ones. The window hides those that are too far back."
)
ALIGNED = (
    "The earlier keys come from a cache, so the last query belongs to the last key. Your mask begins at the top left, "
    "as if the first new query were the first token of all."
)
AXIS = (
    "A padding mask hides the columns of the padding tokens, in every row. Yours hides their rows, so every real "
    "token still attends to the padding."
)
LENGTH = (
    "Key j is real if j < length. If you write ≤, or count the length wrongly by 1, the mask hides one key too many "
    "or too few."
)
NO_NUMBER = " In a row with every key hidden, the softmax divides 0 by 0, which is NaN."
_BEFORE = "before = max(len(context) - len(x), 0)\n"
_WIDTH = f"{_BEFORE}width = allowed.sum(axis=-1).max()\n"
_TRI = "np.tri(len(x), len(context), {}, dtype=bool)"
_REAL = "np.reshape(allowed[..., -1, :], (-1, 1))"
_TO_NAN = "powers = np.exp(masked)\nweights = powers / powers.sum(axis=-1, keepdims=True)"


def _hide(seen: str, fill: str = "-np.inf") -> str:
    """Return the code that hides scores. `seen` is the code of the mask, `fill` the number for hidden scores."""
    return f"masked = np.where({seen}, scaled, {fill})"


def _visible_keys(trace: Any) -> Mask:
    """Return which query attends to which key, as booleans (n_q, n_k). With several heads, return the first mask."""
    seen = np.isfinite(inner_of(trace).masked)
    return seen if seen.ndim == 2 else seen[0]


def has_window(trace: Any) -> bool:
    """Return whether a trace has a sliding window: each query attends only to itself and a few tokens before itself."""
    seen = _visible_keys(trace)
    n_q, n_k = seen.shape
    width, before = int(seen.sum(axis=-1).max(initial=0)), max(n_k - n_q, 0)
    causal = np.tri(n_q, n_k, before, dtype=bool)
    window = causal & ~np.tri(n_q, n_k, before - width, dtype=bool)
    return 0 < width and np.array_equal(seen, window) and not np.array_equal(seen, causal)


def has_wide_window(trace: Any) -> bool:
    """Return whether the mask of a trace is a sliding window of two or more tokens."""
    return has_window(trace) and bool(_visible_keys(trace).sum(axis=-1).max() > 1)


def has_window_at_the_end(trace: Any) -> bool:
    """Return whether a trace has fewer queries than keys, and a sliding window that ends with the last key."""
    n_q, n_k = _visible_keys(trace).shape
    return n_q < n_k and has_window(trace)


def has_causal_mask_at_the_end(trace: Any) -> bool:
    """Return whether a trace has fewer queries than keys, and a causal mask that ends with the last key."""
    seen = _visible_keys(trace)
    n_q, n_k = seen.shape
    return n_q < n_k and np.array_equal(seen, np.tri(n_q, n_k, n_k - n_q, dtype=bool))


def has_padding(trace: Any) -> bool:
    """Return whether the mask of a trace is a padding mask: it hides only the last keys, from every query."""
    seen = _visible_keys(trace)
    n_real = int(seen[0].sum())
    return 0 < n_real < seen.shape[1] and np.array_equal(
        seen, np.tile(np.tri(1, seen.shape[1], n_real - 1, dtype=bool), (len(seen), 1))
    )


def hides_same_keys_from_all(trace: Any) -> bool:
    """Return whether a trace has as many queries as keys, and its mask hides the same keys from every query."""
    seen = _visible_keys(trace)
    hidden = ~seen.any(axis=0)
    return seen.shape[0] == seen.shape[1] and bool(hidden.any()) and bool((seen == ~hidden).all())


def has_padding_and_causal_mask(trace: Any) -> bool:
    """Return whether the mask of a trace is causal, and also hides some keys from every query."""
    seen = _visible_keys(trace)
    hidden = ~seen.any(axis=0)
    causal = np.tri(len(seen), dtype=bool)
    return seen.shape[0] == seen.shape[1] and bool(hidden.any()) and np.array_equal(seen, causal & ~hidden)


WINDOWS = (
    ("window_too_wide", "The window is one token too wide",
        _WIDTH + _hide(f"{_TRI.format('before')} & ~{_TRI.format('before - width - 1')}"), WIDTH, has_window),
    ("window_too_narrow", "The window is one token too narrow",
        _WIDTH + _hide(f"{_TRI.format('before')} & ~{_TRI.format('before - width + 1')}"), WIDTH, has_wide_window),
    ("window_both_ways", "The window covers both sides of the token",
        _WIDTH + _hide(f"{_TRI.format('before + width - 1')} & ~{_TRI.format('before - width')}"), BOTH_WAYS,
        has_wide_window),
    ("window_left_out", "Only the causal mask is used, without the window", _BEFORE + _hide(_TRI.format("before")),
        ONLY_CAUSAL, has_window),
)  # fmt: skip
CACHES = (
    ("cache_at_the_top_left", "The causal mask begins with the first key, at the top left", _hide(_TRI.format(0)),
        ALIGNED, has_causal_mask_at_the_end),
    ("window_at_the_top_left", "The window begins with the first key, at the top left",
        "width = allowed.sum(axis=-1).max()\n" + _hide(f"{_TRI.format(0)} & ~{_TRI.format('-width')}"), ALIGNED,
        has_window_at_the_end),
)  # fmt: skip
FILLERS = (
    ("padding_on_queries_to_nan", "The padding hides queries, not keys, and rows have only −∞",
        f"{_hide(_REAL)}\n{_TO_NAN}", AXIS + NO_NUMBER, hides_same_keys_from_all),
    ("padding_on_queries_beside_causal", "The padding hides queries, not keys", _hide(f"{_TRI.format(0)} & {_REAL}"),
        AXIS, has_padding_and_causal_mask),
    ("padding_on_queries_beside_causal_with_a_billion", "The padding hides queries, not keys, with −10⁹ in place of −∞",
        _hide(f"{_TRI.format(0)} & {_REAL}", "-1e9"), AXIS, has_padding_and_causal_mask),
    ("padding_on_queries_beside_causal_to_nan",
        "The padding hides queries, not keys, beside the causal mask, and gives NaN",
        f"{_hide(f'{_TRI.format(0)} & {_REAL}')}\n{_TO_NAN}", AXIS + NO_NUMBER, has_padding_and_causal_mask),
    ("filler_one_too_few", "One padding token is not hidden",
        _hide("allowed | (np.arange(len(context)) == allowed[..., -1, :].sum())"), LENGTH, has_padding),
    ("filler_one_too_many", "One real token is hidden with the padding",
        _hide("allowed & (np.arange(len(context)) < allowed[..., -1, :].sum() - 1)"), LENGTH, has_padding),
)  # fmt: skip
NEEDS = {
    "window": "It takes a mask that is a window.",
    "cache": "It takes fewer queries than keys, and a causal mask.",
    "padding": "It takes a mask that hides the keys of fillers.",
    "filler": "It takes a mask that hides the last keys from every query.",
}
SOURCES = {
    "window_too_wide": ("huggingface/transformers#26792", "microsoft/onnxruntime#25927"),
    "cache_at_the_top_left": ("pytorch/pytorch#103082", "tinygrad/tinygrad#15949"),
    "padding_on_queries_beside_causal_with_a_billion": (
        "hyunwoongko/transformer#40",
        "lsdefine/attention-is-all-you-need-keras#16",
    ),
}


def _entry(name: str, title: str, code: str, why: str, shows: Any) -> Mistake[Any]:
    return diagnosis_mistake(
        "masked", name, title, code, why, shows=shows, needs=NEEDS[name.split("_")[0]], sources=SOURCES.get(name, ())
    )


def wrong_windows() -> RareMistakes:
    """Return the mistakes with sliding windows, with causal masks if there is a cache of keys, and with padding."""
    return tuple(_entry(*row) for row in (*WINDOWS, *CACHES, *FILLERS))
