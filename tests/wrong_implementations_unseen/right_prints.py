"""Right numbers in unusual prints: rounded at several places, with NaN, in columns."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .record import right, run
from .right_forms import scaled_of


def rounded(p, decimals, heads="one"):
    """Return every step, rounded for print alone."""
    return {name: np.round(a, decimals) for name, a in run(p, heads).items()}


@right(decimals=2)
def prints_two_decimals(p):
    """All steps are printed to 2 decimals."""
    return rounded(p, 2)


@right(decimals=3)
def prints_three_decimals(p):
    """All steps are printed to 3 decimals."""
    return rounded(p, 3)


@right(decimals=4)
def prints_four_decimals(p):
    """All steps are printed to 4 decimals, as PyTorch does."""
    return rounded(p, 4)


@right(decimals=4, heads="several")
def prints_four_decimals_of_several_heads(p):
    """All steps of several heads are printed to 4 decimals."""
    return rounded(p, 4, "several")


@right(decimals=2)
def prints_four_digits(p):
    """The output has 4 significant digits, as a pocket calculator is set to."""
    made = run(p)
    return {**made, "output": np.array([[float(f"{a:.4g}") for a in row] for row in made["output"]])}


@right(decimals=2)
def rounds_weights_to_four_decimals(p):
    """The weights are rounded to 4 decimals on the way, and the output is given to 2."""
    return run(p, softmax=lambda s: np.round(softmax(s), 4))


@right(decimals=2)
def rounds_each_step_to_five_decimals(p):
    """Each step is rounded to 5 decimals on the way, and the output is given to 2."""
    weights = np.round(softmax(np.round(scaled_of(p), 5)), 5)
    return {"weights": weights, "output": np.round(weights @ project(p)[2], 5)}


@right(decimals=4)
def writes_minus_zero(p):
    """Each zero of the output has a minus."""
    made = run(p)
    return {**made, "output": np.where(np.abs(made["output"]) < 5e-5, -0.0, made["output"])}


@right(needs="blind row")
def gives_nan_for_a_row_that_sees_nobody(p):
    """The softmax of a row of −inf is NaN, as in PyTorch."""
    with np.errstate(invalid="ignore"):
        return run(p)


@right(needs="blind row")
def gives_zeros_for_a_row_that_sees_nobody(p):
    """The weights of a row of −inf are set to 0."""
    with np.errstate(invalid="ignore"):
        return run(p, after=lambda weights, mask, p: np.nan_to_num(weights))


@right(decimals=2)
def writes_tokens_as_columns(p):
    """All matrices are transposed: keysᵀ queries, a softmax down the columns, values times weights."""
    return {name: a.T for name, a in run(p).items()}
