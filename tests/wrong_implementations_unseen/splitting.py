"""Mistakes in splitting queries, keys and values into heads."""

from functools import partial

import numpy as np

from wrong_implementations.parts import merge, project, softmax, source_of_keys, split

from .record import run, wrong

several = partial(wrong, heads="several")
FUXI = "https://github.com/reczoo/FuxiCTR/issues/30"
CLASSIFIER = "https://github.com/649453932/Chinese-Text-Classification-Pytorch/issues/10"
EPISODIC = "https://github.com/MarcoMeter/episodic-transformer-memory-ppo/pull/22"


def reshape_without_transpose(a, h):
    """Reshape the matrix `a` from (n, d) to (h, n, d / h) in one step, without transposing, which is wrong."""
    return a.reshape(h, len(a), -1)


def split_alternating_columns(a, h):
    """Split the matrix `a` into `h` heads, giving every h-th column to a head instead of neighbouring columns."""
    return a.reshape(len(a), -1, h).transpose(2, 0, 1)


@several("heads", "split", source=FUXI)
def reshapes_into_heads_without_a_transpose(a, h):
    """Split the matrix `a` into `h` heads, but reshape (n, d) to (h, n, d / h) in one step, without transposing."""
    return reshape_without_transpose(a, h)


@several("heads", source=CLASSIFIER)
def reshapes_into_heads_and_back(p):
    """Compute multi-head attention on the inputs `p`, but split into heads and concatenate without transposing."""
    return run(p, "several", split=reshape_without_transpose, merge=lambda heads: heads.reshape(heads.shape[1], -1))


@several("heads", "split")
def gives_every_second_column_to_a_head(a, h):
    """Split the matrix `a` into `h` heads, but give every h-th column to a head instead of neighbouring columns."""
    return split_alternating_columns(a, h)


@several("heads", rare=True)
def alternates_columns_before_and_after(p):
    """Compute multi-head attention on the inputs `p`, but give every h-th column to a head, not neighbouring ones.

    After attention, each column of the output is moved back to its old number.

    Raises: ValueError if a head has only one column of values, because this then changes nothing.
    """
    if p.w_v.shape[1] == p.n_heads:
        raise ValueError("a head of one column of values leaves nothing to alternate")
    return run(
        p, "several", split=split_alternating_columns, merge=lambda a: a.transpose(1, 2, 0).reshape(a.shape[1], -1)
    )


@several("heads", "split_k", rare=True)
def cuts_keys_otherwise_than_queries(a, h):
    """Split the keys `a` into `h` heads without transposing, while queries and values are split correctly."""
    return reshape_without_transpose(a, h)


@several("heads", "split_v")
def cuts_values_without_a_transpose(a, h):
    """Split the values `a` into `h` heads without transposing, while queries and keys are split correctly."""
    return reshape_without_transpose(a, h)


@several("heads", "split_v", rare=True)
def alternates_the_columns_of_values(a, h):
    """Split the values `a` into `h` heads, but give every h-th column to a head instead of neighbouring columns."""
    return split_alternating_columns(a, h)


@several("heads", "split_k", rare=True)
def alternates_the_columns_of_keys(a, h):
    """Split the keys `a` into `h` heads, but give every h-th column to a head instead of neighbouring columns."""
    return split_alternating_columns(a, h)


@several("heads", "split", rare=True)
def transposes_before_it_reshapes(a, h):
    """Split the matrix `a` into `h` heads, but transpose it before reshaping it to (h, n, d / h)."""
    return a.T.reshape(h, len(a), -1)


@several("heads")
def cuts_the_tokens_into_heads(p):
    """Compute multi-head attention on the inputs `p`, but give each head some of the tokens, not of the columns.

    The code calls `np.split(q, h)`, which splits the first axis.
    """
    cut, n = lambda a, h: np.stack(np.split(a, h)), p.n_heads
    return run(p, "several", split=cut, hide=lambda s, m: s, merge=lambda a: a.reshape(n * a.shape[1], -1))


@several("heads", "split", source=EPISODIC)
def cuts_alike_for_all_heads(a, h):
    """Return the first slice of the matrix `a` for all `h` heads, instead of one slice for each head.

    The code computes the slice outside the loop.
    """
    return np.repeat(split(a, h)[:1], h, axis=0)


@several("heads", "split")
def reads_the_last_slice_in_every_head(a, h):
    """Return the last slice of the matrix `a` for all `h` heads, instead of one slice for each head.

    A loop makes a function for each head, and each function uses the loop's index only when it is called. The index
    then has its last value.
    """
    return np.repeat(split(a, h)[-1:], h, axis=0)


@several("heads", "split_k")
def uses_the_first_keys_in_every_head(a, h):
    """Return the first slice of the keys `a` for all `h` heads, instead of one slice for each head.

    The loop does not advance to the next slice.
    """
    return np.repeat(split(a, h)[:1], h, axis=0)


@several("heads", "split_v")
def uses_the_first_values_in_every_head(a, h):
    """Return the first slice of the values `a` for all `h` heads, instead of one slice for each head.

    The loop does not advance to the next slice.
    """
    return np.repeat(split(a, h)[:1], h, axis=0)


@several("heads")
def shares_keys_and_values_among_heads(p):
    """Compute multi-head attention on the inputs `p`, but use the keys and values of the first head in every head.

    A method called multi-query attention shares them in this way on purpose.
    """
    first = uses_the_first_keys_in_every_head
    return run(p, "several", split_k=first, split_v=first)


@several("heads", "split_k", rare=True)
def reverses_the_keys_of_heads(a, h):
    """Split the keys `a` into `h` heads, but in reverse order: the first head gets the keys of the last."""
    return split(a, h)[::-1]


@several("heads", "split_v", rare=True)
def reverses_the_values_of_heads(a, h):
    """Split the values `a` into `h` heads, but in reverse order: the first head gets the values of the last."""
    return split(a, h)[::-1]


@several("heads")
def uses_one_head(p):
    """Compute multi-head attention on the inputs `p`, but as one head of the full width, without a split."""
    return run(type(p)(**{**vars(p), "n_heads": 1}), "several")


@several("heads")
def uses_a_head_for_every_column(p):
    """Compute multi-head attention on the inputs `p`, but with as many heads as the values have columns.

    The code confuses the number of heads with the width of a head.
    """
    return run(type(p)(**{**vars(p), "n_heads": p.w_v.shape[1]}), "several")


@several("Q", source=EPISODIC)
def cuts_the_embeddings_before_the_projection(p):
    """Compute multi-head attention on the inputs `p`, but let head i see only slice i of the columns of x.

    Head i multiplies its slice by its own block of each weight matrix. Correct is that every head sees all columns of
    x.
    """
    c, h = source_of_keys(p), p.n_heads

    def blocks(a, w):
        """Multiply slice i of `a` by block i of the weight matrix `w`, for each head i.

        The products are put side by side.
        """
        cuts = zip(np.split(a, h, axis=1), np.split(w, h), strict=True)
        return np.hstack([part @ np.split(rows, h, axis=1)[i] for i, (part, rows) in enumerate(cuts)])

    return run(p, "several", project=lambda p: (blocks(p.x, p.w_q), blocks(c, p.w_k), blocks(c, p.w_v)))


@several("Q")
def shares_one_block_of_weights_among_heads(p):
    """Compute multi-head attention on the inputs `p`, but let head i see only slice i of the columns of x.

    All heads multiply their slice by the first block of each weight matrix.
    """
    c, h = source_of_keys(p), p.n_heads

    def blocks(a, w):
        """Multiply every slice of `a` by the first block of the weight matrix `w`.

        The products are put side by side.
        """
        return np.hstack([part @ w[: len(w) // h, : w.shape[1] // h] for part in np.split(a, h, axis=1)])

    return run(p, "several", project=lambda p: (blocks(p.x, p.w_q), blocks(c, p.w_k), blocks(c, p.w_v)))


@several("heads")
def chains_the_heads(p):
    """Compute multi-head attention on the inputs `p`, but use the output of each head as the values of the next one.

    The loop says `values = head(values)`.
    """
    q, k, v = project(p)
    heads, before = [], split(v, p.n_heads)[0]
    for a, b in zip(split(q, p.n_heads), split(k, p.n_heads), strict=True):
        scores = a @ b.T / np.sqrt(a.shape[1])
        before = softmax(scores if p.mask is None else np.where(p.mask, scores, -np.inf)) @ before
        heads.append(before)
    concat = merge(np.asarray(heads))
    return {"Q": q, "K": k, "V": v, "heads": np.asarray(heads), "concat": concat, "output": concat @ p.w_o}
