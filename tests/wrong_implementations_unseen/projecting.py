"""Mistakes in what queries, keys and values are made from."""

import numpy as np

from wrong_implementations.parts import project, source_of_keys

from .record import wrong


@wrong("V", "project")
def copies_keys_for_values(p):
    """`v = k`: the keys are mixed, not the values."""
    q, k, _ = project(p)
    return q, k, k


@wrong("V", "project")
def copies_queries_for_values(p):
    """The queries are mixed, not the values."""
    q, k, _ = project(p)
    return q, k, q


@wrong("Q", "project")
def projects_queries_with_w_k(p):
    """Copy and paste: the queries use W_K, as the keys do."""
    _, k, v = project(p)
    return p.x @ p.w_k, k, v


@wrong("K", "project")
def projects_keys_with_w_q(p):
    """Copy and paste: the keys use W_Q, as the queries do."""
    q, _, v = project(p)
    return q, source_of_keys(p) @ p.w_q, v


@wrong("V", "project")
def mixes_the_embeddings(p):
    """The weights mix the rows of x: W_V is left out."""
    q, k, _ = project(p)
    return q, k, source_of_keys(p)


@wrong("K", "project")
def takes_embeddings_as_keys(p):
    """W_K is left out."""
    q, _, v = project(p)
    return q, source_of_keys(p), v


@wrong("Q", "project")
def takes_embeddings_as_queries(p):
    """W_Q is left out."""
    _, k, v = project(p)
    return p.x, k, v


@wrong("Q", "project")
def compares_embeddings(p):
    """The scores are x xᵀ: W_Q and W_K are left out."""
    return p.x, source_of_keys(p), project(p)[2]


@wrong("Q", "project")
def attends_without_any_projection(p):
    """Queries, keys and values are all x: the simplified self-attention of an introduction."""
    return p.x, source_of_keys(p), source_of_keys(p)


@wrong("Q", "project")
def swaps_queries_and_keys(p):
    """W_Q makes the keys and W_K the queries."""
    return p.x @ p.w_k, source_of_keys(p) @ p.w_q, project(p)[2]


@wrong("K", "project")
def swaps_keys_and_values(p):
    """W_K makes the values and W_V the keys."""
    q, k, v = project(p)
    return q, v, k


@wrong("Q", "project")
def unpacks_the_fused_projection_as_v_k_q(p):
    """`v, k, q = split(qkv)`: the thirds are unpacked in the reverse order."""
    q, k, v = project(p)
    return v, k, q


@wrong("Q", "project", rare=True)
def unpacks_the_fused_projection_as_v_q_k(p):
    """`v, q, k = split(qkv)`: the thirds are unpacked one place off."""
    q, k, v = project(p)
    return k, v, q


@wrong("Q", "project")
def cuts_the_fused_projection_in_the_wrong_order(p):
    """`qkv.reshape(n, d, 3)` in place of `(n, 3, d)`: every third column is a query's."""
    fused = np.hstack(project(p))
    if len({len(a[0]) for a in project(p)}) > 1:
        raise ValueError("a fused projection needs three parts of one width")
    return tuple(np.moveaxis(fused.reshape(len(p.x), -1, 3), -1, 0))


@wrong("Q", "project")
def transposes_w_q(p):
    """`x @ w_q.T`, as if the weight were stored as nn.Linear stores it."""
    return p.x @ p.w_q.T, *project(p)[1:]


@wrong("K", "project")
def transposes_w_k(p):
    """`x @ w_k.T`."""
    q, _, v = project(p)
    return q, source_of_keys(p) @ p.w_k.T, v


@wrong("V", "project")
def transposes_w_v(p):
    """`x @ w_v.T`."""
    return *project(p)[:2], source_of_keys(p) @ p.w_v.T


@wrong("Q", "project")
def transposes_all_three_weights(p):
    """`x @ w.T` for all three."""
    c = source_of_keys(p)
    return p.x @ p.w_q.T, c @ p.w_k.T, c @ p.w_v.T


@wrong("Q", "project")
def transposes_the_embeddings(p):
    """`x.T @ w`: the tokens are taken to be columns."""
    if p.x.shape[0] != p.x.shape[1] or p.context is not None:
        raise ValueError("only a square x can be taken so")
    return p.x.T @ p.w_q, p.x.T @ p.w_k, p.x.T @ p.w_v


@wrong("Q", "project")
def multiplies_weights_by_embeddings_from_the_left(p):
    """`w @ x` in place of `x @ w`."""
    return p.w_q @ p.x, p.w_k @ source_of_keys(p), p.w_v @ source_of_keys(p)


@wrong("K", "project", rare=True)
def projects_keys_from_queries(p):
    """`k = q @ w_k`: the projections are chained."""
    q, _, v = project(p)
    return q, q @ p.w_k, v


@wrong("V", "project", rare=True)
def projects_values_twice(p):
    """`v = v @ w_v`, in a cell of a notebook that was run twice."""
    q, k, v = project(p)
    return q, k, v @ p.w_v


@wrong("V", "project", rare=True)
def projects_values_from_keys(p):
    """`v = k @ w_v`: the projections are chained."""
    q, k, _ = project(p)
    return q, k, k @ p.w_v
