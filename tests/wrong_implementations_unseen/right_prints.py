"""Correct results of attention, printed in unusual forms: rounded, with NaN, with tokens as columns."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .record import right, run
from .right_forms import scaled_of


def rounded_steps(p, decimals, heads="one"):
    """Return every step of attention on the inputs `p`, by name, rounded to `decimals` decimals at the end."""
    return {name: np.round(a, decimals) for name, a in run(p, heads).items()}


@right(decimals=2)
def prints_two_decimals(p):
    """Return all correct steps of attention on the inputs `p`, printed to 2 decimals."""
    return rounded_steps(p, 2)


@right(decimals=3)
def prints_three_decimals(p):
    """Return all correct steps of attention on the inputs `p`, printed to 3 decimals."""
    return rounded_steps(p, 3)


@right(decimals=4)
def prints_four_decimals(p):
    """Return all correct steps of attention on the inputs `p`, printed to 4 decimals, as PyTorch prints them."""
    return rounded_steps(p, 4)


@right(decimals=4, heads="several")
def prints_four_decimals_of_several_heads(p):
    """Return all correct steps of multi-head attention on the inputs `p`, printed to 4 decimals."""
    return rounded_steps(p, 4, "several")


@right(decimals=2)
def prints_four_digits(p):
    """Return all correct steps of attention on the inputs `p`, with 4 significant digits in the output.

    Many pocket calculators show numbers in this way.
    """
    made = run(p)
    return {**made, "output": np.array([[float(f"{a:.4g}") for a in row] for row in made["output"]])}


@right(decimals=2)
def rounds_weights_to_four_decimals(p):
    """Compute attention on the inputs `p` correctly, with the weights rounded to 4 decimals before they are used."""
    return run(p, softmax=lambda s: np.round(softmax(s), 4))


@right(decimals=2)
def rounds_each_step_to_five_decimals(p):
    """Compute attention on the inputs `p` correctly, with each step rounded to 5 decimals before it is used."""
    weights = np.round(softmax(np.round(scaled_of(p), 5)), 5)
    return {"weights": weights, "output": np.round(weights @ project(p)[2], 5)}


@right(decimals=4)
def writes_minus_zero(p):
    """Return all correct steps of attention on the inputs `p`, with -0.0 in place of each 0 of the output."""
    made = run(p)
    return {**made, "output": np.where(np.abs(made["output"]) < 5e-5, -0.0, made["output"])}


@right(needs="blind row")
def gives_nan_for_a_row_that_sees_nobody(p):
    """Compute attention on the inputs `p` correctly, with NaN in a row that may attend to nothing, as in PyTorch."""
    with np.errstate(invalid="ignore"):
        return run(p)


@right(needs="blind row")
def gives_zeros_for_a_row_that_sees_nobody(p):
    """Compute attention on the inputs `p` correctly, with zeros in a row that may attend to nothing."""
    with np.errstate(invalid="ignore"):
        return run(p, after=lambda weights, mask, p: np.nan_to_num(weights))


@right(decimals=2)
def writes_tokens_as_columns(p):
    """Return all correct steps of attention on the inputs `p`, transposed, so that tokens are columns."""
    return {name: a.T for name, a in run(p).items()}
