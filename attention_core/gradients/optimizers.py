"""Optimizers: steps that follow a gradient. Each function returns a new parameter, and changes no array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats, not_negative, positive


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AdamTrace:
    """Every intermediate result of one step of Adam, in the shape of the parameter."""

    gradient: Array
    step: int  # the number of the step, from 1
    mean: Array  # m: the running mean of the gradients
    square: Array  # v: the running mean of their squares
    corrected_mean: Array  # m / (1 − beta1ᵗ), which corrects that the mean begins at 0
    corrected_square: Array  # v / (1 − beta2ᵗ)
    update: Array  # lr · corrected_mean / (√corrected_square + eps), which is subtracted
    parameter: Array  # the new parameter


def sgd_step(parameter: ArrayLike, gradient: ArrayLike, lr: float) -> Array:
    """Take one step of gradient descent: subtract the gradient times the learning rate.

    parameter − lr · gradient

    Shapes: parameter, gradient and the new parameter have the same shape.
    Raises: ValueError if the shapes differ, a number is not finite, or lr is negative.
    Source: Robbins & Monro 1951.

    >>> sgd_step([1.0, 2.0], [10.0, -10.0], lr=0.1)
    array([0., 3.])
    """
    parameter, gradient = _matching(parameter, gradient)
    return parameter - not_negative("lr", lr, "a small one such as 0.1 is usual") * gradient


def adam_step(
    parameter: ArrayLike,
    gradient: ArrayLike,
    before: AdamTrace | None = None,
    *,
    lr: float = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
) -> AdamTrace:
    """Take one step of Adam. If gradients do not change, each number moves by about lr, however great its gradient is.

    m = beta1 · m + (1 − beta1) · gradient, v = beta2 · v + (1 − beta2) · gradient²

    parameter − lr · m / (1 − beta1ᵗ) / (√(v / (1 − beta2ᵗ)) + eps), with t the number of the step

    `before` is the trace of the step before. Without `before`, this is the first step, and m and v begin at 0.

    Shapes: parameter, gradient and all arrays of the trace have the same shape.
    Raises: ValueError if shapes differ, a number is not finite, lr is negative, eps not greater than 0, or a beta
            not at least 0 and less than 1.
    Source: Kingma & Ba 2015, arXiv:1412.6980, algorithm 1.

    >>> adam_step([1.0, 1.0], [1000.0, -0.001], lr=0.1).parameter.round(3)
    array([0.9, 1.1])
    """
    parameter, gradient = _matching(parameter, gradient)
    lr, eps = not_negative("lr", lr, "0.001 is usual"), positive("eps", eps)
    beta1, beta2 = _check_beta("beta1", beta1), _check_beta("beta2", beta2)
    step = 1 if before is None else before.step + 1
    m, v = _running_means(parameter, before)
    mean, square = beta1 * m + (1 - beta1) * gradient, beta2 * v + (1 - beta2) * gradient**2
    corrected_mean, corrected_square = mean / (1 - beta1**step), square / (1 - beta2**step)
    update = lr * corrected_mean / (np.sqrt(corrected_square) + eps)
    return AdamTrace(
        gradient=gradient, step=step, mean=mean, square=square, corrected_mean=corrected_mean,
        corrected_square=corrected_square, update=update, parameter=parameter - update,
    )  # fmt: skip


def _matching(parameter: ArrayLike, gradient: ArrayLike) -> tuple[Array, Array]:
    parameter, gradient = floats("parameter", parameter, min_rank=0), floats("gradient", gradient, min_rank=0)
    _check_shape("gradient", gradient, parameter)
    return parameter, gradient.astype(parameter.dtype, copy=False)


def _running_means(parameter: Array, before: AdamTrace | None) -> tuple[Array, Array]:
    if before is None:
        return np.zeros_like(parameter), np.zeros_like(parameter)
    _check_shape("before.mean", before.mean, parameter)
    return before.mean, before.square


def _check_shape(name: str, values: Array, parameter: Array) -> None:
    if values.shape != parameter.shape:
        raise ValueError(
            f"{name} must have the shape of the parameter; got {name} {values.shape}, parameter {parameter.shape}: "
            "give one number for each number of the parameter."
        )


def _check_beta(name: str, value: float) -> float:
    if not 0 <= value < 1:
        raise ValueError(f"{name} must be at least 0 and less than 1; got {value}: 0.9 and 0.999 are usual.")
    return float(value)
