"""Mistakes in the sinusoidal positional encoding: in its exponents, bases and angles.

Each function takes the number of positions n and the number of columns d, and returns the encoding (n, d).
"""

import numpy as np

from wrong_implementations.record import summary_of

from .positions_right import interleave, pair_exponents, table_of, wave_angles
from .record import POSITIONS, Unseen, add

KYUBYONG = "https://github.com/Kyubyong/transformer/issues/38"
COHEN = "https://github.com/maxjcohen/transformer/issues/62"
LOFTR = "https://github.com/zju3dv/LoFTR/issues/41"
WAVEGRAD = "https://github.com/ivanvovk/WaveGrad/issues/12"
ANNOTATED = "https://github.com/harvardnlp/annotated-transformer/issues/131"


def positions(*, rare=False, source="", about="positions"):
    """Return a decorator that adds a function with a mistake in positional encodings to `POSITIONS`.

    The function takes the number of positions and the number of columns, and returns an encoding. `about` is the first
    matrix that the mistake changes, `rare` says whether few people make the mistake, and `source` is where it was
    found.
    """

    def enlist(function):
        """Add `function` to `POSITIONS`, and return it unchanged."""

        def whole(p):
            """Return the wrong encoding for the problem `p`, and then √d_model · tokens + encoding, by name."""
            table = function(*p.x.shape)
            return {"positions": table, "positioned": p.x * np.sqrt(p.x.shape[1]) + table, "output": table}

        more = {"about": about, "common": not rare, "heads": "positions", "needs": None, "source": source}
        add(Unseen(name=function.__name__, says=summary_of(function), parts={}, whole=whole, **more), POSITIONS)
        return function

    return enlist


def angles_of(n, exponents, base=10000.0):
    """Return the angles position / base^exponent for `n` positions.

    The result has one row for each position and one column for each exponent.
    """
    return wave_angles(np.arange(n), exponents, base)


@positions(source=KYUBYONG)
def doubles_the_exponent_and_breaks_the_pairs(n, d):
    """Return an encoding in which column i has the exponent 2i / d, so that all columns differ in frequency.

    Correct is that the sine and the cosine of a pair have the same frequency.
    """
    angles = angles_of(n, 2 * np.arange(d) / d)
    return interleave(np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2]), d)


@positions()
def gives_each_column_its_own_exponent(n, d):
    """Return an encoding in which column i has the exponent i / d, so that all columns differ in frequency.

    Correct is that the sine and the cosine of a pair have the same frequency.
    """
    angles = angles_of(n, np.arange(d) / d)
    return interleave(np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2]), d)


@positions(source=COHEN)
def gives_each_column_its_own_exponent_with_base_1000(n, d):
    """Return an encoding in which column i has the exponent i / d, and the base is 1000 instead of 10000."""
    angles = angles_of(n, np.arange(d) / d, 1000)
    return interleave(np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2]), d)


@positions()
def doubles_the_exponent_of_each_pair(n, d):
    """Return an encoding in which pair i has the exponent 4i / d instead of 2i / d.

    The loop over `range(0, d, 2)` already doubles i.
    """
    return table_of(angles_of(n, 2 * pair_exponents(d)), d)


@positions()
def halves_the_exponent(n, d):
    """Return an encoding in which pair i has the exponent i / d instead of 2i / d."""
    return table_of(angles_of(n, pair_exponents(d) / 2), d)


@positions()
def gives_the_cosine_the_next_exponent(n, d):
    """Return an encoding in which the cosine of pair i has the exponent 2(i + 1) / d instead of 2i / d."""
    exponents = pair_exponents(d)
    return interleave(np.sin(angles_of(n, exponents)), np.cos(angles_of(n, exponents + 2 / d)), d)


@positions()
def gives_the_cosine_an_odd_exponent(n, d):
    """Return an encoding in which the cosine of pair i has the exponent 2(2i + 1) / d instead of 2i / d."""
    exponents = pair_exponents(d)
    return interleave(np.sin(angles_of(n, exponents)), np.cos(angles_of(n, 2 * exponents + 2 / d)), d)


@positions()
def counts_pairs_from_one(n, d):
    """Return an encoding in which pair i has the exponent 2(i + 1) / d instead of 2i / d: pairs are counted from 1."""
    return table_of(angles_of(n, pair_exponents(d) + 2 / d), d)


@positions()
def divides_the_exponent_without_remainder(n, d):
    """Return an encoding in which every exponent is 0, so that all pairs have the same frequency.

    The code says `2 * i // d` instead of `2 * i / d`.
    """
    return table_of(angles_of(n, np.zeros(len(pair_exponents(d)))), d)


@positions(source=LOFTR)
def divides_the_logarithm_without_remainder(n, d):
    """Return an encoding with wrong frequencies: the code says `-math.log(10000.0) / d // 2`.

    Python divides by d first, and then rounds half of the result down to a whole number.
    """
    return table_of(np.arange(n)[:, None] * np.exp(np.arange(0, d, 2) * (-np.log(10000.0) / d // 2)), d)


@positions()
def divides_the_exponent_by_pairs_less_one(n, d):
    """Return an encoding in which pair i has the exponent i / (d / 2 - 1) instead of 2i / d."""
    return table_of(angles_of(n, np.arange(d // 2) / (d // 2 - 1)), d)


@positions(rare=True)
def divides_the_exponent_by_one_column_less(n, d):
    """Return an encoding in which pair i has the exponent 2i / (d - 1) instead of 2i / d."""
    return table_of(angles_of(n, np.arange(0, d, 2) / (d - 1)), d)


@positions()
def divides_the_exponent_by_the_number_of_positions(n, d):
    """Return an encoding in which pair i has the exponent 2i / n instead of 2i / d.

    n is the number of positions, and d is the number of columns.
    """
    return table_of(angles_of(n, np.arange(0, d, 2) / n), d)


@positions()
def loses_the_brackets_of_the_exponent(n, d):
    """Return an encoding with the angles `pos / 10000 ** (2 * i) / d` instead of `pos / 10000 ** (2 * i / d)`."""
    return table_of(angles_of(n, np.arange(0, d, 2)) / d, d)


@positions()
def raises_the_quotient(n, d):
    """Return an encoding with the angles `(pos / 10000) ** (2 * i / d)` instead of `pos / 10000 ** (2 * i / d)`."""
    return table_of((np.arange(n)[:, None] / 10000) ** pair_exponents(d), d)


@positions(source=ANNOTATED)
def multiplies_in_place_of_dividing(n, d):
    """Return an encoding with the angles position × base^(2i/d) instead of position / base^(2i/d).

    The code divides by a term that already has a minus in its exponent.
    """
    return table_of(angles_of(n, -pair_exponents(d)), d)


@positions(rare=True, source=WAVEGRAD)
def exchanges_base_and_exponent(n, d):
    """Return an encoding that uses `exponents ** 1e-4` instead of `1e-4 ** exponents`."""
    return table_of(np.arange(n)[:, None] * pair_exponents(d) ** 1e-4, d)


@positions()
def uses_the_decimal_logarithm(n, d):
    """Return an encoding that uses log10(10000) instead of the natural logarithm ln(10000)."""
    return table_of(np.arange(n)[:, None] * np.exp(-np.log10(10000) * pair_exponents(d)), d)


@positions()
def uses_base_1000(n, d):
    """Return an encoding with the base 1000 instead of 10000."""
    return table_of(angles_of(n, pair_exponents(d), 1000), d)


@positions(rare=True)
def uses_base_100000(n, d):
    """Return an encoding with the base 100000 instead of 10000."""
    return table_of(angles_of(n, pair_exponents(d), 1e5), d)


@positions()
def forgets_the_base(n, d):
    """Return an encoding with the base e instead of 10000.

    The code says `np.exp(-2 * i / d)`, without the logarithm of 10000.
    """
    return table_of(angles_of(n, pair_exponents(d), np.e), d)
