"""Mistakes in the scores: they compare other matrices than queries and keys, or do not use the dot product."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake

MEET = "A score is the dot product of a query and a key. You computed something else."
COMPARED = {"q": "Q", "k": "K", "v": "V", "x": "X"}
SCORED = ("xq", "kx", "xv", "vx")  # pairs of compared matrices; other files have the other wrong pairs
LIKENESSES = (
    ("summed", "Queries and keys are added, not multiplied",
        "scores = q.sum(axis=-1, keepdims=True) + k.sum(axis=-1, keepdims=True).T"),
    ("products_of_sums", "The sums of queries and keys are multiplied",
        "scores = q.sum(axis=-1, keepdims=True) * k.sum(axis=-1, keepdims=True).T"),
    ("distances", "The scores are minus the distance of query and key",
        "squares = (q ** 2).sum(axis=-1, keepdims=True) - 2 * q @ k.T + (k ** 2).sum(axis=-1, keepdims=True).T\n"
        "scores = -np.sqrt(np.maximum(squares, 0))"),
    ("squared_distances", "The scores are minus the squared distance of query and key",
        "scores = 2 * q @ k.T - (q ** 2).sum(axis=-1, keepdims=True) - (k ** 2).sum(axis=-1, keepdims=True).T"),
    ("positive_distances", "The scores are the distance of query and key",
        "squares = (q ** 2).sum(axis=-1, keepdims=True) - 2 * q @ k.T + (k ** 2).sum(axis=-1, keepdims=True).T\n"
        "scores = np.sqrt(np.maximum(squares, 0))"),
    ("symmetric", "The scores are the mean of Q Kᵀ and its transpose", "scores = (scores + scores.T) / 2"),
    ("absolute_differences", "The scores are minus the sum of absolute differences",
        "scores = -np.abs(q[..., :, None, :] - k[..., None, :, :]).sum(axis=-1)"),
    ("sums_through_tanh", "The scores are tanh of query plus key",
        "scores = np.tanh(q[..., :, None, :] + k[..., None, :, :]).sum(axis=-1)"),
    ("of_features", "The scores are Qᵀ K, not Q Kᵀ: features with features", "scores = q.T @ k"),
    ("of_features_turned", "The scores are Kᵀ Q, not Q Kᵀ: features with features", "scores = k.T @ q"),
    ("differences_of_sums", "The sums of queries and keys are subtracted",
        "scores = q.sum(axis=-1, keepdims=True) - k.sum(axis=-1, keepdims=True).T"),
)  # fmt: skip
COSINE = (
    "lengths = np.linalg.norm(q, axis=-1, keepdims=True) * np.linalg.norm(k, axis=-1, keepdims=True).T\n"
    "scores = scores / lengths\nscaled = scores"
)


def _wrong_products() -> Iterator[Mistake[Any]]:
    """Yield the mistakes that compare two matrices other than queries and keys."""
    for one, other in SCORED:
        right = "context" if other == "x" else other
        title = f"The scores are {COMPARED[one]} {COMPARED[other]}ᵀ, not Q Kᵀ"
        yield diagnosis_mistake("scores", f"scores_of_{one}_and_{other}", title, f"scores = {one} @ {right}.T", MEET)


def wrong_scores() -> RareMistakes:
    """Return the mistakes that compute the scores from wrong matrices, or not as dot products."""
    return (
        *_wrong_products(),
        *(diagnosis_mistake("scores", f"likeness_{name}", title, code, MEET) for name, title, code in LIKENESSES),
        diagnosis_mistake(
            "scores", "cosine_not_scaled", "The scores are cosines of query and key, and are not scaled", COSINE, MEET
        ),
    )
