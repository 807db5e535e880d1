"""Mistakes in the projection to queries, keys and values: wrong matrices, wrong inputs, and a wrong order."""

import numpy as np

from wrong_implementations.parts import project, source_of_keys

from .record import wrong


@wrong("V", "project")
def copies_keys_for_values(p):
    """Compute queries and keys of the inputs `p`, but use the keys as values."""
    q, k, _ = project(p)
    return q, k, k


@wrong("V", "project")
def copies_queries_for_values(p):
    """Compute queries and keys of the inputs `p`, but use the queries as values."""
    q, k, _ = project(p)
    return q, k, q


@wrong("Q", "project")
def projects_queries_with_w_k(p):
    """Compute queries, keys and values of the inputs `p`, but make the queries with W^K instead of W^Q."""
    _, k, v = project(p)
    return p.x @ p.w_k, k, v


@wrong("K", "project")
def projects_keys_with_w_q(p):
    """Compute queries, keys and values of the inputs `p`, but make the keys with W^Q instead of W^K."""
    q, _, v = project(p)
    return q, source_of_keys(p) @ p.w_q, v


@wrong("V", "project")
def mixes_the_embeddings(p):
    """Compute queries and keys of the inputs `p`, but use the tokens as values, without W^V."""
    q, k, _ = project(p)
    return q, k, source_of_keys(p)


@wrong("K", "project")
def takes_embeddings_as_keys(p):
    """Compute queries and values of the inputs `p`, but use the tokens as keys, without W^K."""
    q, _, v = project(p)
    return q, source_of_keys(p), v


@wrong("Q", "project")
def takes_embeddings_as_queries(p):
    """Compute keys and values of the inputs `p`, but use the tokens as queries, without W^Q."""
    _, k, v = project(p)
    return p.x, k, v


@wrong("Q", "project")
def compares_embeddings(p):
    """Compute values of the inputs `p`, but use the tokens as queries and keys, without W^Q and W^K."""
    return p.x, source_of_keys(p), project(p)[2]


@wrong("Q", "project")
def attends_without_any_projection(p):
    """Use the tokens of the inputs `p` as queries, keys and values, without any weight matrix.

    Introductions to self-attention often begin with this simplified version.
    """
    return p.x, source_of_keys(p), source_of_keys(p)


@wrong("Q", "project")
def swaps_queries_and_keys(p):
    """Compute queries, keys and values of the inputs `p`, but make the queries with W^K and the keys with W^Q."""
    return p.x @ p.w_k, source_of_keys(p) @ p.w_q, project(p)[2]


@wrong("K", "project")
def swaps_keys_and_values(p):
    """Compute queries, keys and values of the inputs `p`, but make the keys with W^V and the values with W^K."""
    q, k, v = project(p)
    return q, v, k


@wrong("Q", "project")
def unpacks_the_fused_projection_as_v_k_q(p):
    """Compute queries, keys and values of the inputs `p`, but swap queries and values.

    The code unpacks one product as `v, k, q = split(qkv)`.
    """
    q, k, v = project(p)
    return v, k, q


@wrong("Q", "project", rare=True)
def unpacks_the_fused_projection_as_v_q_k(p):
    """Compute queries, keys and values of the inputs `p`, but return keys, values and queries, in this order.

    The code unpacks one product as `v, q, k = split(qkv)`.
    """
    q, k, v = project(p)
    return k, v, q


@wrong("Q", "project")
def cuts_the_fused_projection_in_the_wrong_order(p):
    """Compute queries, keys and values of the inputs `p` as one joined matrix, but split it in the wrong order.

    Every third column goes to the queries: the code says `qkv.reshape(n, d, 3)` instead of `qkv.reshape(n, 3, d)`.

    Raises: ValueError if queries, keys and values differ in width.
    """
    fused = np.hstack(project(p))
    if len({len(a[0]) for a in project(p)}) > 1:
        raise ValueError("a fused projection needs three parts of one width")
    return tuple(np.moveaxis(fused.reshape(len(p.x), -1, 3), -1, 0))


@wrong("Q", "project")
def transposes_w_q(p):
    """Compute queries, keys and values of the inputs `p`, but transpose W^Q.

    PyTorch's `nn.Linear` stores its matrix transposed.
    """
    return p.x @ p.w_q.T, *project(p)[1:]


@wrong("K", "project")
def transposes_w_k(p):
    """Compute queries, keys and values of the inputs `p`, but transpose W^K."""
    q, _, v = project(p)
    return q, source_of_keys(p) @ p.w_k.T, v


@wrong("V", "project")
def transposes_w_v(p):
    """Compute queries, keys and values of the inputs `p`, but transpose W^V."""
    return *project(p)[:2], source_of_keys(p) @ p.w_v.T


@wrong("Q", "project")
def transposes_all_three_weights(p):
    """Compute queries, keys and values of the inputs `p`, but transpose W^Q, W^K and W^V."""
    c = source_of_keys(p)
    return p.x @ p.w_q.T, c @ p.w_k.T, c @ p.w_v.T


@wrong("Q", "project")
def transposes_the_embeddings(p):
    """Compute queries, keys and values of the inputs `p`, but take the columns of x as tokens instead of its rows.

    Raises: ValueError if x is not square, or `p` has a context.
    """
    if p.x.shape[0] != p.x.shape[1] or p.context is not None:
        raise ValueError("only a square x can be taken so")
    return p.x.T @ p.w_q, p.x.T @ p.w_k, p.x.T @ p.w_v


@wrong("Q", "project")
def multiplies_weights_by_embeddings_from_the_left(p):
    """Compute queries, keys and values of the inputs `p`, but multiply `w @ x` instead of `x @ w`."""
    return p.w_q @ p.x, p.w_k @ source_of_keys(p), p.w_v @ source_of_keys(p)


@wrong("K", "project", rare=True)
def projects_keys_from_queries(p):
    """Compute queries, keys and values of the inputs `p`, but make the keys from the queries instead of the tokens."""
    q, _, v = project(p)
    return q, q @ p.w_k, v


@wrong("V", "project", rare=True)
def projects_values_twice(p):
    """Compute queries, keys and values of the inputs `p`, but multiply the values by W^V twice.

    Somebody ran the notebook cell with `v = v @ w_v` twice.
    """
    q, k, v = project(p)
    return q, k, v @ p.w_v


@wrong("V", "project", rare=True)
def projects_values_from_keys(p):
    """Compute queries, keys and values of the inputs `p`, but make the values from the keys instead of the tokens."""
    q, k, _ = project(p)
    return q, k, k @ p.w_v
