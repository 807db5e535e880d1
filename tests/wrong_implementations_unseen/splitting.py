"""Mistakes in cutting queries, keys and values into heads."""

from functools import partial

import numpy as np

from wrong_implementations.parts import merge, project, softmax, source_of_keys, split

from .record import run, wrong

several = partial(wrong, heads="several")
FUXI = "https://github.com/reczoo/FuxiCTR/issues/30"
CLASSIFIER = "https://github.com/649453932/Chinese-Text-Classification-Pytorch/issues/10"
EPISODIC = "https://github.com/MarcoMeter/episodic-transformer-memory-ppo/pull/22"


def reshaped(a, h):
    """Reshape (n, d) into (h, n, d / h) at once, without a transpose."""
    return a.reshape(h, len(a), -1)


def interleaved(a, h):
    """Give each head every h-th column."""
    return a.reshape(len(a), -1, h).transpose(2, 0, 1)


@several("heads", "split", source=FUXI)
def reshapes_into_heads_without_a_transpose(a, h):
    """`view(h, n, d_k)`, and the merge is right."""
    return reshaped(a, h)


@several("heads", source=CLASSIFIER)
def reshapes_into_heads_and_back(p):
    """`view(h, n, d_k)` before, and `view(n, d)` after: both without a transpose."""
    return run(p, "several", split=reshaped, merge=lambda heads: heads.reshape(heads.shape[1], -1))


@several("heads", "split")
def gives_every_second_column_to_a_head(a, h):
    """`reshape(n, d_k, h)`: the columns of the heads alternate, and the merge puts them side by side."""
    return interleaved(a, h)


@several("heads", rare=True)
def alternates_columns_before_and_after(p):
    """`reshape(n, d_k, h)`, and its inverse after."""
    if p.w_v.shape[1] == p.n_heads:
        raise ValueError("a head of one column of values leaves nothing to alternate")
    return run(p, "several", split=interleaved, merge=lambda a: a.transpose(1, 2, 0).reshape(a.shape[1], -1))


@several("heads", "split_k", rare=True)
def cuts_keys_otherwise_than_queries(a, h):
    """The transpose is forgotten for the keys."""
    return reshaped(a, h)


@several("heads", "split_v")
def cuts_values_without_a_transpose(a, h):
    """The transpose is forgotten for the values."""
    return reshaped(a, h)


@several("heads", "split_v", rare=True)
def alternates_the_columns_of_values(a, h):
    """Only the values are cut as `reshape(n, d_v, h)`."""
    return interleaved(a, h)


@several("heads", "split_k", rare=True)
def alternates_the_columns_of_keys(a, h):
    """Only the keys are cut as `reshape(n, d_k, h)`."""
    return interleaved(a, h)


@several("heads", "split", rare=True)
def transposes_before_it_reshapes(a, h):
    """`a.T.reshape(h, n, d_k)`."""
    return a.T.reshape(h, len(a), -1)


@several("heads")
def cuts_the_tokens_into_heads(p):
    """`np.split(q, h)` cuts along axis 0: each head has half of the tokens and all of the features."""
    cut, n = lambda a, h: np.stack(np.split(a, h)), p.n_heads
    return run(p, "several", split=cut, hide=lambda s, m: s, merge=lambda a: a.reshape(n * a.shape[1], -1))


@several("heads", "split", source=EPISODIC)
def cuts_alike_for_all_heads(a, h):
    """Every head reads the first slice: the slice is computed outside the loop."""
    return np.repeat(split(a, h)[:1], h, axis=0)


@several("heads", "split")
def reads_the_last_slice_in_every_head(a, h):
    """A closure in a loop sees the last slice alone."""
    return np.repeat(split(a, h)[-1:], h, axis=0)


@several("heads", "split_k")
def uses_the_first_keys_in_every_head(a, h):
    """The slice of the keys does not move on in the loop."""
    return np.repeat(split(a, h)[:1], h, axis=0)


@several("heads", "split_v")
def uses_the_first_values_in_every_head(a, h):
    """The slice of the values does not move on in the loop."""
    return np.repeat(split(a, h)[:1], h, axis=0)


@several("heads")
def shares_keys_and_values_among_heads(p):
    """All heads use the first head's keys and values, as in multi-query attention."""
    first = uses_the_first_keys_in_every_head
    return run(p, "several", split_k=first, split_v=first)


@several("heads", "split_k", rare=True)
def reverses_the_keys_of_heads(a, h):
    """The first head compares its queries with the last head's keys."""
    return split(a, h)[::-1]


@several("heads", "split_v", rare=True)
def reverses_the_values_of_heads(a, h):
    """The first head mixes the last head's values."""
    return split(a, h)[::-1]


@several("heads")
def uses_one_head(p):
    """The number of heads is not used: one head has the whole width."""
    return run(type(p)(**{**vars(p), "n_heads": 1}), "several")


@several("heads")
def uses_a_head_for_every_column(p):
    """The number of heads and the width of a head are confused: each column is a head."""
    return run(type(p)(**{**vars(p), "n_heads": p.w_v.shape[1]}), "several")


@several("Q", source=EPISODIC)
def cuts_the_embeddings_before_the_projection(p):
    """Each head projects its own slice of x with its own block of the weights."""
    c, h = source_of_keys(p), p.n_heads

    def blocks(a, w):
        cuts = zip(np.split(a, h, axis=1), np.split(w, h), strict=True)
        return np.hstack([part @ np.split(rows, h, axis=1)[i] for i, (part, rows) in enumerate(cuts)])

    return run(p, "several", project=lambda p: (blocks(p.x, p.w_q), blocks(c, p.w_k), blocks(c, p.w_v)))


@several("Q")
def shares_one_block_of_weights_among_heads(p):
    """Each head projects its own slice of x with the first block of the weights."""
    c, h = source_of_keys(p), p.n_heads

    def blocks(a, w):
        return np.hstack([part @ w[: len(w) // h, : w.shape[1] // h] for part in np.split(a, h, axis=1)])

    return run(p, "several", project=lambda p: (blocks(p.x, p.w_q), blocks(c, p.w_k), blocks(c, p.w_v)))


@several("heads")
def chains_the_heads(p):
    """`values = head(values)`: each head mixes what the one before it has made."""
    q, k, v = project(p)
    heads, before = [], split(v, p.n_heads)[0]
    for a, b in zip(split(q, p.n_heads), split(k, p.n_heads), strict=True):
        scores = a @ b.T / np.sqrt(a.shape[1])
        before = softmax(scores if p.mask is None else np.where(p.mask, scores, -np.inf)) @ before
        heads.append(before)
    concat = merge(np.asarray(heads))
    return {"Q": q, "K": k, "V": v, "heads": np.asarray(heads), "concat": concat, "output": concat @ p.w_o}
