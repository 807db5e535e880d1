"""Mistakes in the sinusoidal encoding: sines, cosines, units, and where positions begin.

The last part adds the encoding to embeddings.
"""

import numpy as np

from .positions import angles_of, positions
from .positions_right import encoding, interleave, pair_exponents, table_of, waves
from .record import POSITIONS, Unseen, add

ALLEN = "https://github.com/allenai/allennlp/issues/2993"


def right_angles(n, d):
    return angles_of(n, pair_exponents(d))


@positions()
def exchanges_sine_and_cosine(n, d):
    """The cosine stands in the even columns."""
    return interleave(np.cos(right_angles(n, d)), np.sin(right_angles(n, d)), d)


@positions(source=ALLEN)
def puts_all_sines_first(n, d):
    """`concatenate([sin, cos])`: the pairs are not interleaved."""
    return np.hstack([np.sin(right_angles(n, d)), np.cos(right_angles(n, d))])


@positions(rare=True)
def puts_all_cosines_first(n, d):
    """`concatenate([cos, sin])`."""
    return np.hstack([np.cos(right_angles(n, d)), np.sin(right_angles(n, d))])


@positions()
def uses_sines_alone(n, d):
    """The sine stands in every column."""
    return interleave(np.sin(right_angles(n, d)), np.sin(right_angles(n, d)), d)


@positions(rare=True)
def uses_cosines_alone(n, d):
    """The cosine stands in every column."""
    return interleave(np.cos(right_angles(n, d)), np.cos(right_angles(n, d)), d)


@positions()
def leaves_odd_columns_at_zero(n, d):
    """The line of the cosine is missing."""
    return interleave(np.sin(right_angles(n, d)), np.zeros_like(right_angles(n, d)), d)


@positions()
def overwrites_the_sines(n, d):
    """Both lines write to `pe[:, 0::2]`, so the cosine is left, and the odd columns stay 0."""
    return interleave(np.cos(right_angles(n, d)), np.zeros_like(right_angles(n, d)), d)


@positions()
def chooses_the_wave_by_the_position(n, d):
    """Even rows have sines and odd rows have cosines."""
    angles = np.repeat(right_angles(n, d), 2, axis=1)
    return np.where(np.arange(n)[:, None] % 2, np.cos(angles), np.sin(angles))


@positions()
def returns_the_angles(n, d):
    """Neither sine nor cosine is applied."""
    return np.repeat(right_angles(n, d), 2, axis=1)


@positions()
def takes_angles_for_degrees(n, d):
    """A pocket calculator in degrees."""
    return table_of(np.deg2rad(right_angles(n, d)), d)


@positions(rare=True)
def turns_angles_into_degrees(n, d):
    """`np.sin(np.rad2deg(angle))`."""
    return table_of(np.rad2deg(right_angles(n, d)), d)


@positions()
def multiplies_angles_by_two_pi(n, d):
    """sin(2π pos / base^(2i/d))."""
    return table_of(2 * np.pi * right_angles(n, d), d)


@positions()
def counts_positions_from_one(n, d):
    """`range(1, n + 1)`."""
    return table_of(right_angles(n + 1, d)[1:], d)


@positions()
def counts_positions_from_the_end(n, d):
    """The last token has position 0."""
    return encoding(n, d)[::-1]


@positions(rare=True)
def counts_positions_from_minus_one(n, d):
    """`range(-1, n - 1)`."""
    return table_of(waves(np.arange(n) - 1, pair_exponents(d)), d)


@positions()
def divides_positions_by_their_number(n, d):
    """pos / n: every position is less than 1."""
    return table_of(right_angles(n, d) / n, d)


@positions()
def gives_all_positions_the_first_row(n, d):
    """The position is not used in the loop: all rows are that of position 0."""
    return np.repeat(encoding(n, d)[:1], n, axis=0)


@positions()
def repeats_the_position_as_it_is(n, d):
    """The encoding is the position itself in each column."""
    return np.repeat(np.arange(n, dtype=float)[:, None], d, axis=1)


@positions()
def fills_the_table_by_columns(n, d):
    """`reshape(n, d)` of a table (d, n)."""
    return encoding(n, d).T.reshape(n, d)


@positions(rare=True)
def turns_backwards(n, d):
    """The angles have a minus too many."""
    return table_of(-right_angles(n, d), d)


@positions()
def makes_angles_integers(n, d):
    """`pos // base ** (2 * i / d)`."""
    return table_of(np.floor(right_angles(n, d)), d)


@positions(rare=True)
def stores_waves_as_integers(n, d):
    """The table is made with `dtype=int`."""
    return np.trunc(encoding(n, d))


@positions(rare=True)
def squares_the_waves(n, d):
    """sin² and cos²."""
    return encoding(n, d) ** 2


def positioned(name, says, change, rare=False):
    """List a way of adding the right encoding to embeddings: a function of x and the encoding."""

    def whole(p):
        table = encoding(*p.x.shape)
        return {"positions": table, "positioned": change(p.x, table), "output": change(p.x, table)}

    more = {"about": "positioned", "common": not rare, "heads": "positions", "needs": None, "source": ""}
    add(Unseen(name=name, says=says, parts={}, whole=whole, **more), POSITIONS)


def root(x):
    return np.sqrt(x.shape[1])


positioned("adds_without_the_root", "x + PE: √d_model is forgotten.", lambda x, t: x + t)
positioned("divides_embeddings_by_the_root", "x / √d_model + PE.", lambda x, t: x / root(x) + t)
positioned("multiplies_embeddings_by_d_model", "x · d_model + PE.", lambda x, t: x * x.shape[1] + t)
positioned("multiplies_the_sum_by_the_root", "(x + PE) · √d_model.", lambda x, t: (x + t) * root(x))
positioned("multiplies_the_encoding_by_the_root", "x + PE · √d_model.", lambda x, t: x + t * root(x))
positioned("multiplies_by_the_encoding", "x · √d_model · PE, cell by cell.", lambda x, t: x * root(x) * t)
positioned("joins_embeddings_and_encoding", "[x · √d_model, PE].", lambda x, t: np.hstack([x * root(x), t]))
positioned("takes_the_root_of_the_tokens", "x · √n + PE.", lambda x, t: x * np.sqrt(len(x)) + t)
positioned("forgets_the_encoding", "x · √d_model alone.", lambda x, t: x * root(x))
positioned("adds_the_first_position_to_all", "x · √d_model + PE[0].", lambda x, t: x * root(x) + t[0])
positioned(
    "adds_the_next_position", "Positions begin with 1.", lambda x, t: x * root(x) + encoding(len(x) + 1, x.shape[1])[1:]
)
positioned("subtracts_the_encoding", "x · √d_model − PE.", lambda x, t: x * root(x) - t, rare=True)
positioned("adds_the_encoding_twice", "x · √d_model + 2 PE.", lambda x, t: x * root(x) + 2 * t, rare=True)
