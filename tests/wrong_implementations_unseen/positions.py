"""Mistakes in the sinusoidal encoding: exponents, bases and angles.

Each function takes a problem, whose x says how many positions and columns there are, and returns the encoding.
"""

import numpy as np

from .positions_right import interleave, pair_exponents, table_of, waves
from .record import POSITIONS, Unseen, add

KYUBYONG = "https://github.com/Kyubyong/transformer/issues/38"
COHEN = "https://github.com/maxjcohen/transformer/issues/62"
LOFTR = "https://github.com/zju3dv/LoFTR/issues/41"
WAVEGRAD = "https://github.com/ivanvovk/WaveGrad/issues/12"
ANNOTATED = "https://github.com/harvardnlp/annotated-transformer/issues/131"


def positions(*, rare=False, source="", about="positions"):
    """List the function below: it takes the number of positions and the width, and returns the encoding."""

    def enlist(function):
        def whole(p):
            table = function(*p.x.shape)
            return {"positions": table, "positioned": p.x * np.sqrt(p.x.shape[1]) + table, "output": table}

        more = {"about": about, "common": not rare, "heads": "positions", "needs": None, "source": source}
        add(Unseen(name=function.__name__, says=function.__doc__ or "", parts={}, whole=whole, **more), POSITIONS)
        return function

    return enlist


def angles_of(n, exponents, base=10000.0):
    return waves(np.arange(n), exponents, base)


@positions(source=KYUBYONG)
def doubles_the_exponent_and_breaks_the_pairs(n, d):
    """`10000 ** (2 * i / d)` with i from 0 to d − 1: each column has an exponent of its own."""
    angles = angles_of(n, 2 * np.arange(d) / d)
    return interleave(np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2]), d)


@positions()
def gives_each_column_its_own_exponent(n, d):
    """`10000 ** (i / d)` with i from 0 to d − 1: sine and cosine of a pair turn at different speeds."""
    angles = angles_of(n, np.arange(d) / d)
    return interleave(np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2]), d)


@positions(source=COHEN)
def gives_each_column_its_own_exponent_with_base_1000(n, d):
    """As the one before, and a zero of the base is lost."""
    angles = angles_of(n, np.arange(d) / d, 1000)
    return interleave(np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2]), d)


@positions()
def doubles_the_exponent_of_each_pair(n, d):
    """`2 * i / d` with i from `range(0, d, 2)`, which is doubled already."""
    return table_of(angles_of(n, 2 * pair_exponents(d)), d)


@positions()
def halves_the_exponent(n, d):
    """`i / d` with i from `range(d // 2)`: the 2 is forgotten."""
    return table_of(angles_of(n, pair_exponents(d) / 2), d)


@positions()
def gives_the_cosine_the_next_exponent(n, d):
    """The sine has 2i / d, and the cosine 2(i + 1) / d."""
    exponents = pair_exponents(d)
    return interleave(np.sin(angles_of(n, exponents)), np.cos(angles_of(n, exponents + 2 / d)), d)


@positions()
def gives_the_cosine_an_odd_exponent(n, d):
    """The sine has 2i / d, and the cosine `2 * (2 * i + 1) / d`."""
    exponents = pair_exponents(d)
    return interleave(np.sin(angles_of(n, exponents)), np.cos(angles_of(n, 2 * exponents + 2 / d)), d)


@positions()
def counts_pairs_from_one(n, d):
    """`2 * i / d` with i from 1 to d / 2."""
    return table_of(angles_of(n, pair_exponents(d) + 2 / d), d)


@positions()
def divides_the_exponent_without_remainder(n, d):
    """`2 * i // d` is 0 for all pairs, so each turns at the same speed."""
    return table_of(angles_of(n, np.zeros(len(pair_exponents(d)))), d)


@positions(source=LOFTR)
def divides_the_logarithm_without_remainder(n, d):
    """`-math.log(10000.0) / d // 2`: the floor is taken of a small negative number."""
    return table_of(np.arange(n)[:, None] * np.exp(np.arange(0, d, 2) * (-np.log(10000.0) / d // 2)), d)


@positions()
def divides_the_exponent_by_pairs_less_one(n, d):
    """i / (d / 2 − 1), so that the last pair reaches the base."""
    return table_of(angles_of(n, np.arange(d // 2) / (d // 2 - 1)), d)


@positions(rare=True)
def divides_the_exponent_by_one_column_less(n, d):
    """2i / (d − 1)."""
    return table_of(angles_of(n, np.arange(0, d, 2) / (d - 1)), d)


@positions()
def divides_the_exponent_by_the_number_of_positions(n, d):
    """2i / n: the wrong axis of the shape."""
    return table_of(angles_of(n, np.arange(0, d, 2) / n), d)


@positions()
def loses_the_brackets_of_the_exponent(n, d):
    """`pos / 10000 ** (2 * i) / d`."""
    return table_of(angles_of(n, np.arange(0, d, 2)) / d, d)


@positions()
def raises_the_quotient(n, d):
    """`(pos / 10000) ** (2 * i / d)`."""
    return table_of((np.arange(n)[:, None] / 10000) ** pair_exponents(d), d)


@positions(source=ANNOTATED)
def multiplies_in_place_of_dividing(n, d):
    """`position / div_term`, where `div_term` has its minus already: pos · base^(2i/d)."""
    return table_of(angles_of(n, -pair_exponents(d)), d)


@positions(rare=True, source=WAVEGRAD)
def exchanges_base_and_exponent(n, d):
    """`exponents ** 1e-4` in place of `1e-4 ** exponents`."""
    return table_of(np.arange(n)[:, None] * pair_exponents(d) ** 1e-4, d)


@positions()
def uses_the_decimal_logarithm(n, d):
    """`np.exp(-np.log10(10000) * 2 * i / d)`."""
    return table_of(np.arange(n)[:, None] * np.exp(-np.log10(10000) * pair_exponents(d)), d)


@positions()
def uses_base_1000(n, d):
    """A zero of the base is lost."""
    return table_of(angles_of(n, pair_exponents(d), 1000), d)


@positions(rare=True)
def uses_base_100000(n, d):
    """The base has a zero too many."""
    return table_of(angles_of(n, pair_exponents(d), 1e5), d)


@positions()
def forgets_the_base(n, d):
    """`np.exp(-2 * i / d)`: the logarithm of 10000 is left out."""
    return table_of(angles_of(n, pair_exponents(d), np.e), d)
