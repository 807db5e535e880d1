"""The correct sinusoidal positional encoding, in parts that a mistake may replace."""

import numpy as np


def pair_exponents(d):
    """Return the exponents 2i / d for the pairs i = 0, …, d/2 - 1 of an encoding with `d` columns."""
    return np.arange(0, d, 2) / d


def wave_angles(positions, exponents, base=10000.0):
    """Return the angles position / base^exponent, with one row for each position and one column for each exponent."""
    return np.asarray(positions, dtype=float)[:, None] / base ** np.asarray(exponents)


def interleave(even, odd, d):
    """Return an encoding with `d` columns: `even` gives columns 0, 2, 4, …, and `odd` gives columns 1, 3, 5, …."""
    table = np.zeros((len(even), d))
    table[:, 0::2] = even
    table[:, 1::2] = odd[:, : d // 2]
    return table


def table_of(angles, d):
    """Return the encoding with `d` columns: sines of `angles` in the even columns, cosines in the odd columns."""
    return interleave(np.sin(angles), np.cos(angles), d)


def encoding(n, d):
    """Return the correct encoding of `n` positions with `d` columns. An odd `d` leaves out the last cosine."""
    return table_of(wave_angles(np.arange(n), pair_exponents(d + d % 2)), d)


def right_positions(p):
    """Return the correct encoding of the problem `p` ("positions"), and √d_model · x + encoding ("positioned")."""
    table = encoding(*p.x.shape)
    return {"positions": table, "positioned": p.x * np.sqrt(p.x.shape[1]) + table}
