"""Mistakes in the sinusoidal positional encoding: in sines, cosines, units, and in the number of the first position.

The last part has mistakes in adding the encoding to the tokens.
"""

import numpy as np

from .positions import angles_of, positions
from .positions_right import encoding, interleave, pair_exponents, table_of, wave_angles
from .record import POSITIONS, Unseen, add

ALLEN = "https://github.com/allenai/allennlp/issues/2993"


def right_angles(n, d):
    """Return the correct angles for `n` positions and `d` columns: one row for each position, one column for each pair.

    A pair is a sine and a cosine of the same angle.
    """
    return angles_of(n, pair_exponents(d))


@positions()
def exchanges_sine_and_cosine(n, d):
    """Return an encoding with cosines in the even columns and sines in the odd columns, instead of the other order."""
    return interleave(np.cos(right_angles(n, d)), np.sin(right_angles(n, d)), d)


@positions(source=ALLEN)
def puts_all_sines_first(n, d):
    """Return an encoding with all sines first and then all cosines, instead of sine and cosine in turn."""
    return np.hstack([np.sin(right_angles(n, d)), np.cos(right_angles(n, d))])


@positions(rare=True)
def puts_all_cosines_first(n, d):
    """Return an encoding with all cosines first and then all sines, instead of sine and cosine in turn."""
    return np.hstack([np.cos(right_angles(n, d)), np.sin(right_angles(n, d))])


@positions()
def uses_sines_alone(n, d):
    """Return an encoding with sines in every column, without cosines."""
    return interleave(np.sin(right_angles(n, d)), np.sin(right_angles(n, d)), d)


@positions(rare=True)
def uses_cosines_alone(n, d):
    """Return an encoding with cosines in every column, without sines."""
    return interleave(np.cos(right_angles(n, d)), np.cos(right_angles(n, d)), d)


@positions()
def leaves_odd_columns_at_zero(n, d):
    """Return an encoding with zeros instead of cosines in the odd columns: the line of the cosines is missing."""
    return interleave(np.sin(right_angles(n, d)), np.zeros_like(right_angles(n, d)), d)


@positions()
def overwrites_the_sines(n, d):
    """Return an encoding with cosines instead of sines in the even columns, and zeros in the odd columns.

    Both lines of the code write to `pe[:, 0::2]`, so the cosines overwrite the sines.
    """
    return interleave(np.cos(right_angles(n, d)), np.zeros_like(right_angles(n, d)), d)


@positions()
def chooses_the_wave_by_the_position(n, d):
    """Return an encoding with sines in the even rows and cosines in the odd rows.

    Correct is to have sines in the even columns and cosines in the odd columns.
    """
    angles = np.repeat(right_angles(n, d), 2, axis=1)
    return np.where(np.arange(n)[:, None] % 2, np.cos(angles), np.sin(angles))


@positions()
def returns_the_angles(n, d):
    """Return the angles instead of their sines and cosines."""
    return np.repeat(right_angles(n, d), 2, axis=1)


@positions()
def takes_angles_for_degrees(n, d):
    """Return an encoding whose angles are taken as degrees instead of radians, as a pocket calculator may do."""
    return table_of(np.deg2rad(right_angles(n, d)), d)


@positions(rare=True)
def turns_angles_into_degrees(n, d):
    """Return an encoding whose angles are converted to degrees, although the sines and cosines expect radians."""
    return table_of(np.rad2deg(right_angles(n, d)), d)


@positions()
def multiplies_angles_by_two_pi(n, d):
    """Return an encoding whose angles are multiplied by 2π, which the formula does not ask for."""
    return table_of(2 * np.pi * right_angles(n, d), d)


@positions()
def counts_positions_from_one(n, d):
    """Return an encoding whose positions are counted from 1 instead of 0."""
    return table_of(right_angles(n + 1, d)[1:], d)


@positions()
def counts_positions_from_the_end(n, d):
    """Return an encoding whose positions are counted from the end, so that the last token has position 0."""
    return encoding(n, d)[::-1]


@positions(rare=True)
def counts_positions_from_minus_one(n, d):
    """Return an encoding whose positions are counted from -1 instead of 0."""
    return table_of(wave_angles(np.arange(n) - 1, pair_exponents(d)), d)


@positions()
def divides_positions_by_their_number(n, d):
    """Return an encoding whose positions are divided by their number `n`, instead of the positions 0, 1, 2, …."""
    return table_of(right_angles(n, d) / n, d)


@positions()
def gives_all_positions_the_first_row(n, d):
    """Return an encoding in which every row is the row of position 0, instead of the row of its own position.

    The loop does not use the position.
    """
    return np.repeat(encoding(n, d)[:1], n, axis=0)


@positions()
def repeats_the_position_as_it_is(n, d):
    """Return the position itself in each column instead of sines and cosines."""
    return np.repeat(np.arange(n, dtype=float)[:, None], d, axis=1)


@positions()
def fills_the_table_by_columns(n, d):
    """Return an encoding whose numbers are in the wrong order.

    The code reshapes a (d, n) table to (n, d) instead of transposing it.
    """
    return encoding(n, d).T.reshape(n, d)


@positions(rare=True)
def turns_backwards(n, d):
    """Return an encoding whose angles have the wrong sign."""
    return table_of(-right_angles(n, d), d)


@positions()
def makes_angles_integers(n, d):
    """Return an encoding whose angles are rounded down to whole numbers: the code says `//` instead of `/`."""
    return table_of(np.floor(right_angles(n, d)), d)


@positions(rare=True)
def stores_waves_as_integers(n, d):
    """Return an encoding without its decimals: the table is created with `dtype=int`."""
    return np.trunc(encoding(n, d))


@positions(rare=True)
def squares_the_waves(n, d):
    """Return an encoding with sin² and cos² instead of sin and cos."""
    return encoding(n, d) ** 2


def add_wrong_sum(name, says, change, rare=False):
    """Add to `POSITIONS` a wrong way of adding the correct encoding to the tokens.

    `change` takes the tokens x and the encoding, and returns the wrong sum. `says` describes the mistake, and `rare`
    says whether few people make it.
    """

    def whole(p):
        """Return the correct encoding for the problem `p`, and the wrong sum of tokens and encoding, by name."""
        table = encoding(*p.x.shape)
        return {"positions": table, "positioned": change(p.x, table), "output": change(p.x, table)}

    more = {"about": "positioned", "common": not rare, "heads": "positions", "needs": None, "source": ""}
    add(Unseen(name=name, says=says, parts={}, whole=whole, **more), POSITIONS)


def root_of_width(x):
    """Return the square root of the number of columns of `x`."""
    return np.sqrt(x.shape[1])


add_wrong_sum("adds_without_the_root", "x + PE: √d_model is forgotten.", lambda x, t: x + t)
add_wrong_sum("divides_embeddings_by_the_root", "x / √d_model + PE.", lambda x, t: x / root_of_width(x) + t)
add_wrong_sum("multiplies_embeddings_by_d_model", "x · d_model + PE.", lambda x, t: x * x.shape[1] + t)
add_wrong_sum("multiplies_the_sum_by_the_root", "(x + PE) · √d_model.", lambda x, t: (x + t) * root_of_width(x))
add_wrong_sum("multiplies_the_encoding_by_the_root", "x + PE · √d_model.", lambda x, t: x + t * root_of_width(x))
add_wrong_sum("multiplies_by_the_encoding", "x · √d_model · PE, cell by cell.", lambda x, t: x * root_of_width(x) * t)
add_wrong_sum("joins_embeddings_and_encoding", "[x · √d_model, PE].", lambda x, t: np.hstack([x * root_of_width(x), t]))
add_wrong_sum("takes_the_root_of_the_tokens", "x · √n + PE.", lambda x, t: x * np.sqrt(len(x)) + t)
add_wrong_sum("forgets_the_encoding", "x · √d_model alone.", lambda x, t: x * root_of_width(x))
add_wrong_sum("adds_the_first_position_to_all", "x · √d_model + PE[0].", lambda x, t: x * root_of_width(x) + t[0])
add_wrong_sum(
    "adds_the_next_position",
    "Positions begin with 1.",
    lambda x, t: x * root_of_width(x) + encoding(len(x) + 1, x.shape[1])[1:],
)
add_wrong_sum("subtracts_the_encoding", "x · √d_model − PE.", lambda x, t: x * root_of_width(x) - t, rare=True)
add_wrong_sum("adds_the_encoding_twice", "x · √d_model + 2 PE.", lambda x, t: x * root_of_width(x) + 2 * t, rare=True)
