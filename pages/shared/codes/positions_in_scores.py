"""Parts of the code of “Check my matrix”: positions that change the scores, and heads that share keys and values."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from attention_core.diagnosis.pasted import Problem
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.named_traces import places_of
from pages.shared.codes.pieces import Both, same

_ANGLES: Both = (
    "    angles = positions[:, None] * base ** (-np.arange(0, d, 2) / d)",
    "    angles = base ** (-np.arange(0, d, 2)[:, None] / d) * positions",
)
_PAIRS: dict[str, Both] = {
    "rotary_pairs": ("    a, b = m[..., ::2], m[..., 1::2]", "    a, b = m[..., ::2, :], m[..., 1::2, :]"),
    "rotary_halves": (
        "    a, b = m[..., : d // 2], m[..., d // 2 :]",
        "    a, b = m[..., : d // 2, :], m[..., d // 2 :, :]",
    ),
}
_JOINED: dict[str, Both] = {
    "rotary_pairs": (
        "    return np.stack([first, second], axis=-1).reshape(m.shape)",
        "    return np.stack([first, second], axis=-2).reshape(m.shape)",
    ),
    "rotary_halves": (
        "    return np.concatenate([first, second], axis=-1)",
        "    return np.concatenate([first, second], axis=-2)",
    ),
}
SHARED: Both = (
    """\
def share(m):                      # each head of keys or values serves some heads of queries that stand together
    return np.repeat(m.reshape(len(m), n_kv_heads, -1).swapaxes(0, 1), n_heads // n_kv_heads, axis=0)""",
    """\
def share(m):                      # each head of keys or values serves some heads of queries that stand together
    return np.repeat(m.reshape(n_kv_heads, -1, m.shape[-1]), n_heads // n_kv_heads, axis=0)""",
)


def rotation(problem: Problem, q: str, k: str) -> list[Both]:
    """Return the code that rotates the queries and keys, or [] if the problem has no rotation by position (RoPE).

    `q` and `k` are the names of the queries and keys in the code.
    """
    places = places_of(problem.trace)
    if places is None or places.kind == "alibi":
        return []
    pairs, joined = _PAIRS[places.kind], _JOINED[places.kind]
    defined = tuple(
        "\n".join([
            f"def rotate(m, positions, base={places.base!r}):        # each pair of features by its angle",
            f"    d = m.shape[{axis}]", _ANGLES[side], pairs[side],
            "    first, second = a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)",
            joined[side],
        ])
        for side, axis in ((0, -1), (1, -2))
    )  # fmt: skip
    turned = (
        f"{q}_turned, {k}_turned = rotate({q}, {_positions(places.queries)}), rotate({k}, {_positions(places.keys)})"
    )
    return [(defined[0], defined[1]), same(turned)]


def penalty(problem: Problem) -> list[Both]:
    """Return the line that subtracts from each score the ALiBi penalty for the distance, or [] if there is none."""
    places = places_of(problem.trace)
    if places is None or places.kind != "alibi":
        return []
    of_heads = isinstance(problem.trace, MultiHeadTrace)
    slope = (
        f"np.array({places.slopes.tolist()})[:, None, None]" if of_heads else repr(float(places.slopes[places.head]))
    )
    queries, keys = _positions(places.queries), _positions(places.keys)
    return [
        (
            f"lowered = scaled - {slope} * np.abs({queries}[:, None] - {keys})",
            f"lowered = scaled - {slope} * np.abs({queries} - {keys}[:, None])",
        )
    ]


def of_turned(code: Both, q: str, k: str) -> Both:
    """Return code that reads the rotated queries and keys: the names `q` and `k` get the ending "_turned".

    >>> of_turned(("q @ k.T", "k.T @ q"), "q", "k")
    ('q_turned @ k_turned.T', 'k_turned.T @ q_turned')
    """
    rows, columns = (re.sub(rf"\b({q}|{k})\b", r"\1_turned", text) for text in code)
    return rows, columns


def shares_keys(problem: Problem) -> bool:
    """Return whether several heads of queries share one head of keys and values."""
    return isinstance(problem.trace, MultiHeadTrace) and problem.trace.shares_keys


def _positions(numbers: NDArray[np.int_]) -> str:
    return f"np.arange({int(numbers[0])}, {int(numbers[-1]) + 1})"
