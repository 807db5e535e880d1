"""The right steps that a learner still takes around a mistake, in bundles.

Shapes: n queries, m keys, h heads in front.
"""

import numpy as np

from wrong_implementations.parts import hide, leave, merge, project, scale, score, softmax, split


def seen(p):
    """Return the mask (n, m), all True where the problem has none."""
    m = len(p.x if p.context is None else p.context)
    return np.ones((len(p.x), m), dtype=bool) if p.mask is None else p.mask


def scaled(q, k, p):
    """Return the scaled scores, with minus infinity where they are hidden."""
    return hide(scale(score(q, k), q, k, p), p.mask)


def weigh(q, k, p):
    """Return the weights."""
    return softmax(scaled(q, k, p))


def unmasked(q, k, p):
    """Return the scaled scores before any mask."""
    return scale(score(q, k), q, k, p)


def exponentials(p):
    """Return the exponentials of one head's scaled scores, 0 where hidden, and the values."""
    q, k, v = project(p)
    return np.exp(scaled(q, k, p)), v


def into_heads(p):
    """Return the queries, keys and values, each with the heads in front."""
    return [split(a, p.n_heads) for a in project(p)]


def out_of_heads(heads, p):
    """Put the heads side by side and multiply them by the output projection."""
    return leave(merge(np.asarray(heads)), p)
