"""Mistakes in cutting queries, keys and values into heads, and in putting the heads together again."""

import numpy as np

from wrong_implementations.parts import hide, leave, merge, project, softmax, source_of_keys, split

from .record import wrong
from .right import into_heads, out_of_heads, scaled, weigh


@wrong(common=True, heads="several", part="split", source="https://github.com/reczoo/FuxiCTR/issues/30")
def reshapes_straight_into_heads(a, h):
    """(n, d) is reshaped to (h, n, d / h) in one step: the rows of the tokens are cut and shared out."""
    return a.reshape(h, a.shape[0], -1)


# Again in https://github.com/ajhalthor/Transformer-Neural-Network/pull/4, and
# https://github.com/aladdinpersson/Machine-Learning-Collection/issues/165
@wrong(common=True, heads="several", part="merge", source="https://github.com/jsbaan/transformer-from-scratch/pull/6")
def reshapes_straight_out_of_heads(heads):
    """(h, n, d) is reshaped to (n, h d) without a transposition."""
    return heads.reshape(heads.shape[1], -1)


# Both ways stand in the code of the thread, and every shape fits.
@wrong(
    common=True, heads="several", source="https://github.com/649453932/Chinese-Text-Classification-Pytorch/issues/53"
)
def reshapes_straight_in_and_out(p):
    """Neither the way into the heads nor the way out of them has a transposition."""
    q, k, v = (a.reshape(p.n_heads, len(a), -1) for a in project(p))
    return (weigh(q, k, p) @ v).reshape(len(p.x), -1) @ p.w_o


@wrong(common=True, heads="several")
def deals_the_columns_out_in_turn(p):
    """(n, d / h, h): head 1 gets every h-th column from the first on, head 2 from the second on."""
    q, k, v = (a.reshape(len(a), -1, p.n_heads).transpose(2, 0, 1) for a in project(p))
    return out_of_heads(weigh(q, k, p) @ v, p)


@wrong(common=True, heads="several", part="merge")
def stacks_the_heads_behind(heads):
    """`np.stack(axis=-1)` and a reshape: the columns of the heads alternate."""
    return np.stack(list(heads), axis=-1).reshape(heads.shape[1], -1)


@wrong(common=True, heads="several")
def lets_the_heads_attend_to_each_other(p):
    """Without `transpose(0, 1)` the scores of each token compare its heads: a matrix of h by h a token."""
    q, k, v = (a.reshape(len(a), p.n_heads, -1) for a in project(p))
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    return (softmax(hide(scores, p.mask)) @ v).reshape(len(p.x), -1) @ p.w_o


@wrong(heads="several")
def splits_the_tokens(p):
    """`np.array_split(q, h)` cuts the first axis: each head gets some of the tokens, and all of the columns."""
    q, k, v = (np.array_split(a, p.n_heads) for a in project(p))
    where = np.array_split(np.arange(len(p.x)), p.n_heads)
    outs = []
    for i, rows in enumerate(where):
        scores = q[i] @ k[i].T / np.sqrt(p.w_k.shape[1] // p.n_heads)
        outs.append(softmax(scores if p.mask is None else np.where(p.mask[np.ix_(rows, rows)], scores, -np.inf)) @ v[i])
    return np.vstack(outs) @ p.w_o


@wrong(common=True, heads="several")
def forgets_the_parentheses_of_the_slice(p):
    """`q[:, i * d : i + 1 * d]` for `(i + 1) * d`: the later heads are narrower."""
    q, k, v = project(p)
    d, d_v, outs = q.shape[1] // p.n_heads, v.shape[1] // p.n_heads, []
    for i in range(p.n_heads):
        head_q, head_k = q[:, i * d : i + 1 * d], k[:, i * d : i + 1 * d]
        outs.append(weigh(head_q, head_k, p) @ v[:, i * d_v : (i + 1) * d_v])
    return np.hstack(outs) @ p.w_o


@wrong(heads="several")
def lets_the_slices_overlap(p):
    """`q[:, i : i + d]` for `q[:, i * d : i * d + d]`."""
    q, k, v = project(p)
    d, d_v = q.shape[1] // p.n_heads, v.shape[1] // p.n_heads
    outs = [weigh(q[:, i : i + d], k[:, i : i + d], p) @ v[:, i : i + d_v] for i in range(p.n_heads)]
    return np.hstack(outs) @ p.w_o


@wrong(common=True, heads="several")
def computes_the_first_head_each_time(p):
    """The loop over the heads uses index 0."""
    q, k, v = into_heads(p)
    outs = []
    for _ in range(p.n_heads):
        outs.append(weigh(q[0], k[0], p) @ v[0])
    return np.concatenate(outs, axis=-1) @ p.w_o


@wrong(common=True, heads="several", source="https://github.com/aladdinpersson/Machine-Learning-Collection/issues/3")
def gives_each_head_a_slice_of_the_tokens(p):
    """x is cut into slices, and head i projects slice i with its part of the matrices."""
    h, c = p.n_heads, source_of_keys(p)
    xs, cs = np.split(p.x, h, axis=1), np.split(c, h, axis=1)
    outs = []
    for i in range(h):
        w_q, w_k, w_v = (np.split(np.split(w, h, axis=0)[i], h, axis=1)[i] for w in (p.w_q, p.w_k, p.w_v))
        outs.append(weigh(xs[i] @ w_q, cs[i] @ w_k, p) @ (cs[i] @ w_v))
    return np.hstack(outs) @ p.w_o


@wrong(heads="several", source="https://github.com/MarcoMeter/episodic-transformer-memory-ppo/pull/22")
def projects_each_slice_alike(p):
    """x is cut into slices, and all heads share the first part of the matrices."""
    h, c = p.n_heads, source_of_keys(p)
    w_q, w_k, w_v = (np.split(np.split(w, h, axis=0)[0], h, axis=1)[0] for w in (p.w_q, p.w_k, p.w_v))
    pieces = zip(np.split(p.x, h, axis=1), np.split(c, h, axis=1), strict=True)
    return np.hstack([weigh(x @ w_q, s @ w_k, p) @ (s @ w_v) for x, s in pieces]) @ p.w_o


@wrong(common=True, heads="several")
def reshapes_the_weight_matrices_into_heads(p):
    """`w_q.reshape(h, d, d_k)` takes rows of W^Q for a head, where columns are meant."""
    c = source_of_keys(p)
    w_q, w_k, w_v = (w.reshape(p.n_heads, len(w), -1) for w in (p.w_q, p.w_k, p.w_v))
    return out_of_heads(weigh(p.x @ w_q, c @ w_k, p) @ (c @ w_v), p)


@wrong(heads="several")
def unpacks_three_per_head(p):
    """Q, K and V lie side by side, and the reshape takes them for q, k, v of head 1, then of head 2."""
    packed = np.hstack(project(p)).reshape(len(p.x), p.n_heads, 3, -1)
    q, k, v = packed.transpose(2, 1, 0, 3)
    return out_of_heads(weigh(q, k, p) @ v, p)


@wrong(heads="several")
def puts_the_heads_one_below_the_other(p):
    """`np.concatenate(outs)` on the first axis; the rows are multiplied by the part of W^O that fits."""
    q, k, v = into_heads(p)
    below = np.concatenate(list(weigh(q, k, p) @ v))
    return below @ p.w_o[: below.shape[1]]


@wrong(heads="several")
def joins_the_heads_backwards(p):
    """Each new head is put before the others."""
    q, k, v = into_heads(p)
    outs = weigh(q[0], k[0], p) @ v[0]
    for i in range(1, p.n_heads):
        outs = np.hstack([weigh(q[i], k[i], p) @ v[i], outs])
    return outs @ p.w_o


@wrong(heads="several")
def keeps_the_last_head_alone(p):
    """The loop overwrites the columns of the first head; the others stay 0."""
    q, k, v = into_heads(p)
    concat = np.zeros((len(p.x), p.w_o.shape[0]))
    for i in range(p.n_heads):
        concat[:, : v.shape[2]] = weigh(q[i], k[i], p) @ v[i]
    return concat @ p.w_o


@wrong(heads="several", part="split_k")
def shares_the_keys_of_the_first_head(a, h):
    """All heads use the keys of the first."""
    return np.repeat(split(a, h)[:1], h, axis=0)


@wrong(heads="several")
def shifts_the_keys_by_a_head(p):
    """Query head i meets key head i - 1."""
    q, k, v = into_heads(p)
    return leave(merge(softmax(scaled(q, np.roll(k, 1, axis=0), p)) @ v), p)
