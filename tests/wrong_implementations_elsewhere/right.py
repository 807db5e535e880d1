"""The correct steps of attention that the wrong implementations of this folder share.

Shapes: n queries, m keys. The arrays of several heads have the heads as their first axis.
"""

import numpy as np

from wrong_implementations.parts import hide, leave, merge, project, scale, score, softmax, split


def mask_of(p):
    """Return the mask (n, m) of the inputs `p`, which is True where a query may attend to a key.

    The mask is all True if `p` has none.
    """
    m = len(p.x if p.context is None else p.context)
    return np.ones((len(p.x), m), dtype=bool) if p.mask is None else p.mask


def masked_scores_of(q, k, p):
    """Return the scores Q Kᵀ / √d_k, with minus infinity where the mask of the inputs `p` hides a key."""
    return hide(scale(score(q, k), q, k, p), p.mask)


def weights_of(q, k, p):
    """Return the attention weights of queries `q` for keys `k`, under the mask of the inputs `p`."""
    return softmax(masked_scores_of(q, k, p))


def scaled_scores_of(q, k, p):
    """Return the scores Q Kᵀ / √d_k, before any mask is applied."""
    return scale(score(q, k), q, k, p)


def exponentials(p):
    """Return the exponentials of one head's scaled scores (0 where masked) and the values, for the inputs `p`."""
    q, k, v = project(p)
    return np.exp(masked_scores_of(q, k, p)), v


def into_heads(p):
    """Return the queries, keys and values of the inputs `p`, each with the heads as first axis."""
    return [split(a, p.n_heads) for a in project(p)]


def out_of_heads(heads, p):
    """Concatenate the heads and multiply them by W^O."""
    return leave(merge(np.asarray(heads)), p)
