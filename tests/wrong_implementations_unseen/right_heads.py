"""Correct computations of multi-head attention in unusual forms."""

import numpy as np

from wrong_implementations.parts import hide, merge, project, softmax, split

from .record import right, run


@right(heads="several")
def adds_the_shares_of_the_heads(p):
    """Compute multi-head attention on the inputs `p` correctly: add each head times its own rows of W^O."""
    heads = run(p, "several")["heads"]
    return {"heads": heads, "output": sum(h @ w for h, w in zip(heads, np.split(p.w_o, p.n_heads), strict=True))}


@right(heads="several")
def reverses_heads_and_rows_of_w_o(p):
    """Compute multi-head attention on the inputs `p` correctly, with heads and row blocks of W^O in reverse order."""
    heads = run(p, "several")["heads"][::-1]
    concat = merge(heads)
    return {"concat": concat, "output": concat @ np.concatenate(np.split(p.w_o, p.n_heads)[::-1])}


@right(heads="several")
def goes_over_the_heads_in_a_loop(p):
    """Compute multi-head attention on the inputs `p` correctly, one head after the other, with einsums."""
    cut = zip(*(split(a, p.n_heads) for a in project(p)), strict=True)
    scores = [(hide(np.einsum("id,jd->ij", q, k) / np.sqrt(k.shape[1]), p.mask), v) for q, k, v in cut]
    concat = np.hstack([np.einsum("ij,jd->id", softmax(s), v) for s, v in scores])
    return {"concat": concat, "output": concat @ p.w_o}
