"""Cross-entropy: the loss of a prediction, which is −ln of the probability of the correct class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.checks import Array, floats
from attention_core.softmax import fast_softmax_steps


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CrossEntropyTrace:
    """Every intermediate result of cross-entropy."""

    logits: Array  # (…, n_classes) a score for each class
    targets: NDArray[np.integer[Any]]  # (…) the number of the correct class in each row, from 0
    counted: NDArray[np.bool_]  # (…) true: the row counts
    probabilities: Array  # (…, n_classes) softmax of the logits
    log_probabilities: Array  # (…, n_classes) the logarithms of the probabilities, computed from the logits
    losses: Array  # (…) −ln of the probability of the correct class
    loss: Array  # () the mean over the rows that count


def cross_entropy(logits: ArrayLike, targets: ArrayLike, counted: ArrayLike | None = None) -> CrossEntropyTrace:
    """Compute the loss of predictions, which is the mean of −ln of the probability of the correct class.

    mean of −ln softmax(logits)[target] over all rows, or over the rows for which `counted` is true. It is 0 if the
    correct classes have probability 1, and ln n_classes if all classes have equal probabilities.

    Shapes: logits (…, n_classes), targets (…), counted (…) → loss ().
    Range:  at least 0.
    Raises: ValueError if a target is not a class, counted or targets does not fit the rows, or no row counts.
    Source: Bridle 1990; Prince 2023, section 5.5.

    >>> cross_entropy([[0.0, 0.0]], [1]).probabilities
    array([[0.5, 0.5]])
    """
    logits = floats("logits", logits)
    targets, counted = _checked_targets(logits, targets), _check_counted(logits, counted)
    steps = fast_softmax_steps(logits)
    log_probabilities = steps.shifted - np.log(steps.totals)
    losses = -np.take_along_axis(log_probabilities, targets[..., None], axis=-1)[..., 0]
    return CrossEntropyTrace(
        logits=logits, targets=targets, counted=counted, probabilities=steps.weights,
        log_probabilities=log_probabilities, losses=losses, loss=np.asarray(losses[counted].mean()),
    )  # fmt: skip


def _checked_targets(logits: Array, targets: ArrayLike) -> NDArray[np.integer[Any]]:
    targets, n_classes = np.asarray(targets), logits.shape[-1]
    if targets.dtype.kind not in "iu" or (targets < 0).any() or (targets >= n_classes).any():
        raise ValueError(
            f"targets must be whole numbers from 0 to n_classes − 1 = {n_classes - 1}; got {targets.tolist()}: "
            "give the number of the right class."
        )
    _check_rows("targets", targets, logits)
    return targets


def _check_counted(logits: Array, counted: ArrayLike | None) -> NDArray[np.bool_]:
    counted = np.ones(logits.shape[:-1], dtype=bool) if counted is None else np.asarray(counted)
    if counted.dtype != bool or not counted.any():
        raise ValueError(
            f"counted must be boolean and true somewhere; got {counted.tolist()}: write True for each row that counts."
        )
    _check_rows("counted", counted, logits)
    return counted


def _check_rows(name: str, values: NDArray[np.generic], logits: Array) -> None:
    if values.shape != logits.shape[:-1]:
        raise ValueError(
            f"{name} must have one entry a row of logits; got {name} {values.shape}, logits {logits.shape}: "
            f"the shape needed is {logits.shape[:-1]}."
        )
