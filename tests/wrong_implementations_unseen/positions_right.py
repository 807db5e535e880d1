"""The right sinusoidal encoding, in the pieces that a mistake may replace."""

import numpy as np


def pair_exponents(d):
    """Return 2i/d for the pairs i = 0 … d/2 − 1."""
    return np.arange(0, d, 2) / d


def waves(positions, exponents, base=10000.0):
    """Return the angles: position / base^exponent, one row per position and one column per exponent."""
    return np.asarray(positions, dtype=float)[:, None] / base ** np.asarray(exponents)


def interleave(even, odd, d):
    """Put columns into the even and the odd places of an encoding of width d."""
    table = np.zeros((len(even), d))
    table[:, 0::2] = even
    table[:, 1::2] = odd[:, : d // 2]
    return table


def table_of(angles, d):
    """Return the sines in the even columns and the cosines in the odd ones."""
    return interleave(np.sin(angles), np.cos(angles), d)


def encoding(n, d):
    """Return the encoding of n positions; an odd width leaves out the last cosine of the next even width."""
    return table_of(waves(np.arange(n), pair_exponents(d + d % 2)), d)


def right_positions(p):
    """Return the right encoding of a problem, and what adds it to the embeddings."""
    table = encoding(*p.x.shape)
    return {"positions": table, "positioned": p.x * np.sqrt(p.x.shape[1]) + table}
