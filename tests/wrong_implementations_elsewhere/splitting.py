"""Mistakes in splitting queries, keys and values into heads, and in concatenating the heads."""

import numpy as np

from wrong_implementations.parts import hide, leave, merge, project, softmax, source_of_keys, split

from .record import wrong
from .right import into_heads, masked_scores_of, out_of_heads, weights_of


@wrong(common=True, heads="several", part="split", source="https://github.com/reczoo/FuxiCTR/issues/30")
def reshapes_straight_into_heads(a, h):
    """Split the matrix `a` into `h` heads, but reshape (n, d) to (h, n, d / h) in one step, without transposing.

    So each head gets pieces of the rows of some tokens, instead of some columns of all tokens.
    """
    return a.reshape(h, a.shape[0], -1)


# Also reported in https://github.com/ajhalthor/Transformer-Neural-Network/pull/4 and
# https://github.com/aladdinpersson/Machine-Learning-Collection/issues/165
@wrong(common=True, heads="several", part="merge", source="https://github.com/jsbaan/transformer-from-scratch/pull/6")
def reshapes_straight_out_of_heads(heads):
    """Concatenate the heads, but reshape (h, n, d) to (n, h d) in one step, without transposing."""
    return heads.reshape(heads.shape[1], -1)


# The code in the source makes both mistakes, and every shape fits.
@wrong(
    common=True, heads="several", source="https://github.com/649453932/Chinese-Text-Classification-Pytorch/issues/53"
)
def reshapes_straight_in_and_out(p):
    """Compute multi-head attention on the inputs `p`, but split into heads and concatenate without transposing."""
    q, k, v = (a.reshape(p.n_heads, len(a), -1) for a in project(p))
    return (weights_of(q, k, p) @ v).reshape(len(p.x), -1) @ p.w_o


@wrong(common=True, heads="several")
def deals_the_columns_out_in_turn(p):
    """Compute multi-head attention on the inputs `p`, but give every h-th column to a head, not neighbouring ones.

    The code reshapes to (n, d / h, h): head 1 of h gets columns 1, 1 + h, …, and head 2 gets columns 2, 2 + h, ….
    """
    q, k, v = (a.reshape(len(a), -1, p.n_heads).transpose(2, 0, 1) for a in project(p))
    return out_of_heads(weights_of(q, k, p) @ v, p)


@wrong(common=True, heads="several", part="merge")
def stacks_the_heads_behind(heads):
    """Concatenate the heads, but let their columns alternate.

    First comes column 1 of every head, then column 2 of every head. The code calls `np.stack(axis=-1)` and then
    reshapes.
    """
    return np.stack(list(heads), axis=-1).reshape(heads.shape[1], -1)


@wrong(common=True, heads="several")
def lets_the_heads_attend_to_each_other(p):
    """Compute multi-head attention on the inputs `p`, but let the heads of one token attend to each other.

    The code forgets `transpose(0, 1)`, so each token has an h × h matrix of scores between its h heads.
    """
    q, k, v = (a.reshape(len(a), p.n_heads, -1) for a in project(p))
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    return (softmax(hide(scores, p.mask)) @ v).reshape(len(p.x), -1) @ p.w_o


@wrong(heads="several")
def splits_the_tokens(p):
    """Compute multi-head attention on the inputs `p`, but give each head some of the tokens, not of the columns.

    The code calls `np.array_split(q, h)`, which splits the first axis.
    """
    q, k, v = (np.array_split(a, p.n_heads) for a in project(p))
    where = np.array_split(np.arange(len(p.x)), p.n_heads)
    outs = []
    for i, rows in enumerate(where):
        scores = q[i] @ k[i].T / np.sqrt(p.w_k.shape[1] // p.n_heads)
        outs.append(softmax(scores if p.mask is None else np.where(p.mask[np.ix_(rows, rows)], scores, -np.inf)) @ v[i])
    return np.vstack(outs) @ p.w_o


@wrong(common=True, heads="several")
def forgets_the_parentheses_of_the_slice(p):
    """Compute multi-head attention on the inputs `p`, but cut slices of the wrong width from queries and keys.

    The code says `q[:, i * d : i + 1 * d]` instead of `q[:, i * d : (i + 1) * d]`, so the later heads are narrower.
    """
    q, k, v = project(p)
    d, d_v, outs = q.shape[1] // p.n_heads, v.shape[1] // p.n_heads, []
    for i in range(p.n_heads):
        head_q, head_k = q[:, i * d : i + 1 * d], k[:, i * d : i + 1 * d]
        outs.append(weights_of(head_q, head_k, p) @ v[:, i * d_v : (i + 1) * d_v])
    return np.hstack(outs) @ p.w_o


@wrong(heads="several")
def lets_the_slices_overlap(p):
    """Compute multi-head attention on the inputs `p`, but let the columns of neighbouring heads overlap.

    The code says `q[:, i : i + d]` instead of `q[:, i * d : i * d + d]`.
    """
    q, k, v = project(p)
    d, d_v = q.shape[1] // p.n_heads, v.shape[1] // p.n_heads
    outs = [weights_of(q[:, i : i + d], k[:, i : i + d], p) @ v[:, i : i + d_v] for i in range(p.n_heads)]
    return np.hstack(outs) @ p.w_o


@wrong(common=True, heads="several")
def computes_the_first_head_each_time(p):
    """Compute multi-head attention on the inputs `p`, but use head 1 in place of every head: the loop uses index 0."""
    q, k, v = into_heads(p)
    outs = []
    for _ in range(p.n_heads):
        outs.append(weights_of(q[0], k[0], p) @ v[0])
    return np.concatenate(outs, axis=-1) @ p.w_o


@wrong(common=True, heads="several", source="https://github.com/aladdinpersson/Machine-Learning-Collection/issues/3")
def gives_each_head_a_slice_of_the_tokens(p):
    """Compute multi-head attention on the inputs `p`, but let head i see only slice i of the columns of x.

    Head i multiplies its slice by one block of each weight matrix. Correct is that every head sees all columns of x.
    """
    h, c = p.n_heads, source_of_keys(p)
    xs, cs = np.split(p.x, h, axis=1), np.split(c, h, axis=1)
    outs = []
    for i in range(h):
        w_q, w_k, w_v = (np.split(np.split(w, h, axis=0)[i], h, axis=1)[i] for w in (p.w_q, p.w_k, p.w_v))
        outs.append(weights_of(xs[i] @ w_q, cs[i] @ w_k, p) @ (cs[i] @ w_v))
    return np.hstack(outs) @ p.w_o


@wrong(heads="several", source="https://github.com/MarcoMeter/episodic-transformer-memory-ppo/pull/22")
def projects_each_slice_alike(p):
    """Compute multi-head attention on the inputs `p`, but let head i see only slice i of the columns of x.

    All heads multiply their slice by the same block of each weight matrix.
    """
    h, c = p.n_heads, source_of_keys(p)
    w_q, w_k, w_v = (np.split(np.split(w, h, axis=0)[0], h, axis=1)[0] for w in (p.w_q, p.w_k, p.w_v))
    pieces = zip(np.split(p.x, h, axis=1), np.split(c, h, axis=1), strict=True)
    return np.hstack([weights_of(x @ w_q, s @ w_k, p) @ (s @ w_v) for x, s in pieces]) @ p.w_o


@wrong(common=True, heads="several")
def reshapes_the_weight_matrices_into_heads(p):
    """Compute multi-head attention on the inputs `p`, but mix the columns of the weight matrices by a reshape.

    The code says `w_q.reshape(h, d, d_k)`. Correct is to give some of the columns of W^Q to each head.
    """
    c = source_of_keys(p)
    w_q, w_k, w_v = (w.reshape(p.n_heads, len(w), -1) for w in (p.w_q, p.w_k, p.w_v))
    return out_of_heads(weights_of(p.x @ w_q, c @ w_k, p) @ (c @ w_v), p)


@wrong(heads="several")
def unpacks_three_per_head(p):
    """Compute multi-head attention on the inputs `p`, but read the joined matrix of Q, K and V in the wrong order.

    The matrix holds all of Q, then all of K, then all of V. The code expects q, k, v of head 1, then q, k, v of head 2,
    and so on.
    """
    packed = np.hstack(project(p)).reshape(len(p.x), p.n_heads, 3, -1)
    q, k, v = packed.transpose(2, 1, 0, 3)
    return out_of_heads(weights_of(q, k, p) @ v, p)


@wrong(heads="several")
def puts_the_heads_one_below_the_other(p):
    """Compute multi-head attention on the inputs `p`, but put the heads one below the other instead of side by side.

    The code calls `np.concatenate(outs)` on the first axis. It multiplies the rows by as many rows of W^O as fit.
    """
    q, k, v = into_heads(p)
    below = np.concatenate(list(weights_of(q, k, p) @ v))
    return below @ p.w_o[: below.shape[1]]


@wrong(heads="several")
def joins_the_heads_backwards(p):
    """Compute multi-head attention on the inputs `p`, but concatenate the heads in reverse order."""
    q, k, v = into_heads(p)
    outs = weights_of(q[0], k[0], p) @ v[0]
    for i in range(1, p.n_heads):
        outs = np.hstack([weights_of(q[i], k[i], p) @ v[i], outs])
    return outs @ p.w_o


@wrong(heads="several")
def keeps_the_last_head_alone(p):
    """Compute multi-head attention on the inputs `p`, but write every head into the columns of the first head.

    So only the last head remains, and the other columns stay 0.
    """
    q, k, v = into_heads(p)
    concat = np.zeros((len(p.x), p.w_o.shape[0]))
    for i in range(p.n_heads):
        concat[:, : v.shape[2]] = weights_of(q[i], k[i], p) @ v[i]
    return concat @ p.w_o


@wrong(heads="several", part="split_k")
def shares_the_keys_of_the_first_head(a, h):
    """Return the keys of `h` heads, but use the keys of the first head for all of them."""
    return np.repeat(split(a, h)[:1], h, axis=0)


@wrong(heads="several")
def shifts_the_keys_by_a_head(p):
    """Compute multi-head attention on the inputs `p`, but compare the queries of head i with the keys of head i - 1."""
    q, k, v = into_heads(p)
    return leave(merge(softmax(masked_scores_of(q, np.roll(k, 1, axis=0), p)) @ v), p)
