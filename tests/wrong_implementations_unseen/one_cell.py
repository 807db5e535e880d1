"""Correct computations with one wrong number.

A mistake in the arithmetic changes all later numbers. A mistake in the typing changes only the one number.
"""

import numpy as np

from wrong_implementations import parts as right_parts

from .record import ONE_CELL, Unseen, add, run

PARTS = {"scores": "score", "scaled": "scale", "weights": "softmax", "output": "mix", "concat": "merge"}
PROJECTED = "QKV"


def change_cell(matrix, cell, change):
    """Return a copy of `matrix` in which one cell is replaced by `change(matrix, cell)`."""
    new = np.array(matrix, dtype=float)
    new[cell] = change(new, cell)
    return new


def add_calculated(name, says, about, cell, change, heads="one"):
    """Add to `ONE_CELL` a case in which one cell of the matrix `about` is calculated wrongly.

    All later steps use the wrong number. `change` takes a matrix and a cell, and returns the wrong number. `says`
    describes the mistake.
    """

    def project(p):
        """Return queries, keys and values of the inputs `p`, with one cell of one of these matrices changed."""
        made = list(right_parts.project(p))
        made[PROJECTED.index(about)] = change_cell(made[PROJECTED.index(about)], cell, change)
        return tuple(made)

    def part(*arguments):
        """Compute one step of attention correctly, and change one cell of the result."""
        return change_cell(getattr(right_parts, PARTS[about])(*arguments), cell, change)

    replaced = {"project": project} if about in PROJECTED else {PARTS[about]: part}
    register(name, says, about, cell, heads, lambda p: run(p, heads, **replaced), typed=False)


def add_typed(name, says, about, cell, change, heads="one"):
    """Add to `ONE_CELL` a case in which one cell of the matrix `about`, printed to 2 decimals, is typed wrongly.

    No other number depends on this cell. `change` takes a matrix and a cell, and returns the wrong number. `says`
    describes the mistake.
    """

    def whole(p):
        """Return all matrices of attention on the inputs `p`, rounded to 2 decimals, with one cell changed."""
        made = {step: np.round(a, 2) for step, a in run(p, heads).items()}
        return {**made, about: change_cell(made[about], cell, change)}

    register(name, says, about, cell, heads, whole, typed=True)


def register(name, says, about, cell, heads, whole, *, typed):
    """Add a case with the wrong cell `cell` in the matrix `about` to `ONE_CELL`.

    `whole` is a function that computes the matrices of the case. `typed` says whether the cell was typed wrongly or
    calculated wrongly. `says` describes the mistake.
    """
    more = {"about": about, "cell": cell, "heads": heads, "typed": typed, "decimals": 2}
    add(Unseen(name=name, says=says, common=True, needs=None, source="", parts={}, whole=whole, **more), ONE_CELL)


def plus(amount):
    """Return a change that adds `amount` to a cell."""
    return lambda a, cell: a[cell] + amount


def times(factor):
    """Return a change that multiplies a cell by `factor`."""
    return lambda a, cell: a[cell] * factor


def neighbour(down, right):
    """Return a change that copies the number of another cell, `down` rows below and `right` columns to the right."""
    return lambda a, cell: a[*cell[:-2], cell[-2] + down, cell[-1] + right]


def exchanged_digits(a, cell):
    """Return the number in the cell with its two decimals swapped: 0.37 becomes 0.73."""
    text = f"{a[cell]:.2f}"
    return float(text[:-2] + text[:-3:-1])


def other_digit(old, new):
    """Return a change that writes the digit `new` wherever the cell has the digit `old`."""
    return lambda a, cell: float(f"{a[cell]:.2f}".replace(old, new))


def without_point(a, cell):
    """Return the number in the cell without its decimal point: 1.37 becomes 137."""
    return float(f"{a[cell]:.2f}".replace(".", ""))


add_calculated("adds_one_too_many_in_q", "A sum in q is 1 too great.", "Q", (1, 2), plus(1))
add_calculated("loses_one_in_k", "A sum in k is 1 too small.", "K", (0, 1), plus(-1))
add_calculated("doubles_a_number_of_v", "A product in v is taken twice.", "V", (1, 0), times(2))
add_calculated("adds_three_in_v", "A number of v is 3 too great.", "V", (0, 1), plus(3))
add_calculated("loses_a_sign_in_q", "A number of q has the wrong sign.", "Q", (0, 1), times(-1))
add_calculated("adds_one_too_many_in_scores", "A dot product is 1 too great.", "scores", (1, 0), plus(1))
add_calculated("loses_a_product_in_scores", "A dot product is 2 too small.", "scores", (0, 1), plus(-2))
add_calculated("loses_a_sign_in_scores", "A dot product has the wrong sign.", "scores", (1, 1), times(-1))
add_calculated("copies_a_score_from_the_right", "A score is that of the next key.", "scores", (0, 0), neighbour(0, 1))
add_calculated("scales_a_score_twice", "One score is divided by √d_k twice.", "scaled", (0, 1), times(0.5))
add_calculated("forgets_to_scale_one_score", "One score is not divided.", "scaled", (1, 0), times(2))
add_calculated("adds_a_tenth_to_a_weight", "One weight is 0.1 too great.", "weights", (1, 1), plus(0.1))
add_calculated("halves_a_weight", "One exponential is halved.", "weights", (0, 0), times(0.5))
add_calculated("adds_one_in_the_output", "A weighted sum is 1 too great.", "output", (1, 1), plus(1))
add_calculated(
    "adds_one_in_the_concatenation", "A number of a head is 1 too great.", "concat", (1, 0), plus(1), "several"
)
add_calculated(
    "adds_half_to_a_weight_of_a_head", "A weight is 0.5 too great.", "weights", (1, 0, 1), plus(0.5), "several"
)

add_typed("exchanges_digits_of_the_output", "0.37 becomes 0.73.", "output", (0, 1), exchanged_digits)
add_typed("exchanges_digits_of_a_weight", "0.37 becomes 0.73.", "weights", (1, 0), exchanged_digits)
add_typed("loses_the_point_of_the_output", "1.37 becomes 137.", "output", (1, 0), without_point)
add_typed("moves_the_point_of_the_output", "1.37 becomes 13.7.", "output", (0, 0), times(10))
add_typed("moves_the_point_of_a_weight", "0.37 becomes 3.7.", "weights", (0, 0), times(10))
add_typed("loses_the_sign_of_a_score", "−3 becomes 3.", "scores", (1, 0), times(-1))
add_typed("writes_a_minus_into_the_output", "1.37 becomes −1.37.", "output", (1, 1), times(-1))
add_typed(
    "copies_the_number_below", "A number of the output is that of the next row.", "output", (0, 1), neighbour(1, 0)
)
add_typed("copies_the_number_to_the_right", "A weight is that of the next key.", "weights", (1, 0), neighbour(0, 1))
add_typed("reads_ones_as_sevens", "1.10 becomes 7.70.", "output", (1, 0), other_digit("1", "7"))
add_typed("reads_zeros_as_sixes", "0.05 becomes 6.65.", "weights", (0, 1), other_digit("0", "6"))
add_typed("is_one_hundredth_off", "The last digit is one too great.", "output", (0, 0), plus(0.01))
add_typed("is_one_tenth_off", "The first decimal is one too great.", "output", (1, 1), plus(0.1))
add_typed("types_a_q_one_off", "A number of q is 1 too great.", "Q", (1, 0), plus(1))
add_typed("moves_the_point_of_the_last_step", "1.37 becomes 13.7.", "output", (0, 2), times(10), "several")
add_typed("exchanges_digits_of_the_last_step", "1.37 becomes 1.73.", "output", (1, 1), exchanged_digits, "several")
