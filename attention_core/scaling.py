"""Scaling: the factor of the scores before softmax, 1/√d_k, and the other factors that people use."""

from __future__ import annotations

import math

from attention_core.checks import positive_integer


def root_scale(d_k: int) -> float:
    """Return the factor of the scores in attention.

    1/√d_k: a score is a sum of d_k products. If features are independent and have mean 0 and variance 1, the standard
    deviation of a score is √d_k.

    Raises: ValueError if d_k is not at least 1.
    Source: Vaswani et al. 2017, section 3.2.1.

    >>> root_scale(4)
    0.5
    """
    return 1 / math.sqrt(positive_integer("d_k", d_k))


def scales(d_k: int) -> dict[str, float]:
    """Return the factor of the scores for three divisors: "one" for 1, "root" for √d_k, "dk" for d_k.

    Raises: ValueError if d_k is not at least 1.

    >>> scales(4)
    {'one': 1.0, 'root': 0.5, 'dk': 0.25}
    """
    d_k = positive_integer("d_k", d_k)
    return {"one": 1.0, "root": root_scale(d_k), "dk": 1 / d_k}
