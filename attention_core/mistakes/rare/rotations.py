"""Mistakes in rotary positions: wrong columns or angles, only one of q and k rotated, or the wrong direction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attention_core.mistakes.engine.further_pipelines import pipeline_with
from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.engine.named_traces import places_of
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake, shows_always

COLUMNS = {
    "pairs": "In some programs, a pair is one column from each half. In this task, two neighbouring columns are a "
    "pair: columns 1 and 2 are the first one.",
    "halves": "In some programs, two neighbouring columns are a pair. In this task, a pair is one column from each "
    "half: the first column of each half is in the first one.",
}
FREQUENCIES = (
    "Both columns of a pair must turn by the same angle. For neighbouring columns, repeat each angle twice in a row. "
    "For one column from each half, write the whole list of angles twice."
)
BOTH = (
    "Rotate both the query and the key, each by its own position. Then a score depends on the distance between the "
    "two tokens."
)
WAY = "Each pair (a, b) becomes (a cos θ − b sin θ, a sin θ + b cos θ), so that a score depends on i − j, not on j − i."
CACHE = (
    "The earlier keys come from a cache, so the first new query does not have position 0. Its position is the number "
    "of keys in the cache."
)
NEEDS_CACHE = "It takes queries that do not begin at position 0."
_CROSSED = {
    "pairs": "np.stack([-m[..., 1::2], m[..., ::2]], axis=-1).reshape(m.shape)",
    "halves": "np.concatenate([-m[..., width // 2:], m[..., :width // 2]], axis=-1)",
}
_SPREAD = {"pairs": "angles", "halves": "np.concatenate([angles[:, ::2], angles[:, ::2]], axis=1)"}
_BOTH_TURNED = "q_turned, k_turned = {0}(q, angles[query_places]), {0}(k, angles[key_places])"
CALLED = {"pairs": "neighbouring columns", "halves": "one column from each half"}


def _rotation_lines(columns: str, frequencies: str, crossed: str = "") -> str:
    """Return lines of code that rotate queries and keys wrongly.

    `columns` says which columns form a pair: "pairs" for neighbouring columns, "halves" for one column from each half.
    `frequencies` says in the same words in which columns each angle stands. If this differs from `columns`, the angles
    are at the wrong columns. `crossed` may replace the expression that the sine multiplies.
    """
    return (
        "def wrongly_turned(m, angles):\n"
        f"    crossed = {crossed or _CROSSED[columns]}\n"
        f"    spread = {_SPREAD[frequencies]}\n"
        "    return m * np.cos(spread) + crossed * np.sin(spread)\n" + _BOTH_TURNED.format("wrongly_turned")
    )


def first_query_is_later(trace: Any) -> bool:
    """Return whether a trace has positions in its scores, and its first query is not at position 0."""
    places = places_of(trace)
    return places is not None and bool(places.queries[0])


def _rows_of_kind(kind: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the mistakes in one kind of rotation as tuples: stage, name, title, code, reason.

    `kind` is "pairs" if neighbouring columns form a pair, and "halves" if a pair has one column from each half.
    """
    other = "halves" if kind == "pairs" else "pairs"
    yield (
        "scores",
        "rotation_left_out",
        "The positions are missing: nothing is rotated",
        "q_turned, k_turned = q, k",
        BOTH,
    )
    yield (
        "scores",
        "other_columns",
        f"The rotation pairs {CALLED[other]}, but the task pairs {CALLED[kind]}",
        _rotation_lines(other, other),
        COLUMNS[kind],
    )
    yield (
        "scores",
        "other_frequencies",
        f"The angles are in the order for pairs of {CALLED[other]}, but a pair is {CALLED[kind]}",
        _rotation_lines(kind, other),
        FREQUENCIES,
    )
    yield (
        "scores",
        "other_columns_with_own_angles",
        f"The rotation pairs {CALLED[other]}, with the angles in the order for pairs of {CALLED[kind]}",
        _rotation_lines(other, kind),
        FREQUENCIES,
    )
    yield (
        "angles",
        "turned_backwards",
        "The rotation goes the other way, or sine and cosine are swapped",
        "angles = -angles",
        WAY,
    )
    plus = _CROSSED[kind].replace("-m", "m")
    yield "scores", "without_the_minus", "The minus before the sine is missing", _rotation_lines(kind, kind, plus), WAY
    yield "scores", "queries_alone", "Only the queries are rotated, not the keys", "k_turned = k", BOTH
    yield "scores", "keys_alone", "Only the keys are rotated, not the queries", "q_turned = q", BOTH
    yield (
        "scores",
        "turned_twice",
        "Queries and keys are rotated twice",
        "q_turned = turned(q_turned, angles[query_places])\nk_turned = turned(k_turned, angles[key_places])",
        "Rotate each query and each key only once.",
    )
    yield (
        "output",
        "values_too",
        "The values are rotated as well",
        "output = weights @ turned(v, angles[key_places])",
        "Rotate only the queries and the keys, and not the values.",
    )
    yield (
        "scores",
        "cache_forgotten",
        "New queries are rotated as if they stood at position 0",
        "q_turned = turned(q, angles[:len(query_places)])",
        CACHE,
    )


def wrong_rotations() -> RareMistakes:
    """Return the mistakes in rotary positions, for both kinds of pairs of columns."""
    return tuple(_entry(kind, row) for kind in ("pairs", "halves") for row in _rows_of_kind(kind))


def _entry(kind: str, row: tuple[str, str, str, str, str]) -> Mistake[Any]:
    stage, name, title, code, why = row
    of_cache = name == "cache_forgotten"
    return diagnosis_mistake(
        stage, f"{name}_of_{kind}", title, code, why, concept="positional_encoding",
        shows=first_query_is_later if of_cache else shows_always, needs=NEEDS_CACHE * of_cache,
        edits=pipeline_with(f"rotary_{kind}"),
    )  # fmt: skip
