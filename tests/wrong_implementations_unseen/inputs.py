"""Mistakes in what enters the projections: the embeddings, the context, the biases, an activation."""

from types import SimpleNamespace

import numpy as np

from wrong_implementations.parts import project, source_of_keys

from .positions_right import encoding
from .record import wrong


def with_inputs(p, change):
    """Return the projections of a problem whose embeddings, and context if it has one, are changed."""
    context = None if p.context is None else change(p.context)
    return project(SimpleNamespace(**{**vars(p), "x": change(p.x), "context": context}))


@wrong("Q", "project", needs="bias")
def forgets_all_biases(p):
    """The three biases are left out."""
    c = source_of_keys(p)
    return p.x @ p.w_q, c @ p.w_k, c @ p.w_v


@wrong("Q", "project", needs="bias")
def forgets_the_bias_of_queries(p):
    """b_Q is left out."""
    return p.x @ p.w_q, *project(p)[1:]


@wrong("V", "project", needs="bias")
def forgets_the_bias_of_values(p):
    """b_V is left out."""
    return *project(p)[:2], source_of_keys(p) @ p.w_v


@wrong("Q", "project", needs="bias")
def adds_the_bias_of_keys_to_queries(p):
    """b_K is added to the queries as well as to the keys."""
    return p.x @ p.w_q + p.b_q + p.b_k, *project(p)[1:]


@wrong("Q", "project", needs="bias")
def swaps_the_biases_of_queries_and_keys(p):
    """b_K is added to the queries and b_Q to the keys."""
    return p.x @ p.w_q + p.b_k, source_of_keys(p) @ p.w_k + p.b_q, project(p)[2]


@wrong("Q", "project", needs="bias", rare=True)
def subtracts_the_biases(p):
    """`x @ w - b`."""
    c = source_of_keys(p)
    return p.x @ p.w_q - p.b_q, c @ p.w_k - p.b_k, c @ p.w_v - p.b_v


@wrong("V", "project", needs="bias", rare=True)
def adds_the_bias_of_values_twice(p):
    """`v += b_v`, in a cell of a notebook that was run twice."""
    q, k, v = project(p)
    return q, k, v + p.b_v


@wrong("K", "project", needs="context")
def takes_keys_and_values_from_x(p):
    """Cross-attention is written as self-attention: the context is not used."""
    return p.x @ p.w_q, p.x @ p.w_k, p.x @ p.w_v


@wrong("Q", "project", needs="context")
def takes_queries_from_the_context(p):
    """The encoder attends to itself: x is not used."""
    return p.context @ p.w_q, *project(p)[1:]


@wrong("Q", "project", needs="context")
def swaps_x_and_the_context(p):
    """The encoder's states ask, and the decoder's states answer."""
    return p.context @ p.w_q, p.x @ p.w_k, p.x @ p.w_v


@wrong("Q", "project")
def applies_relu_to_the_projections(p):
    """`activation=relu` in the dense layers of queries, keys and values."""
    return tuple(np.maximum(a, 0) for a in project(p))


@wrong("V", "project", rare=True)
def applies_relu_to_the_values(p):
    """Only the values pass through a ReLU."""
    q, k, v = project(p)
    return q, k, np.maximum(v, 0)


@wrong("Q", "project", rare=True)
def applies_tanh_to_the_projections(p):
    """Queries, keys and values pass through tanh."""
    return tuple(np.tanh(a) for a in project(p))


@wrong("Q", "project")
def normalizes_the_embeddings_first(p):
    """A layer norm stands before the projections, as in a block with pre-norm."""
    return with_inputs(p, lambda x: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5))


@wrong("Q", "project")
def adds_positions_unasked(p):
    """The sinusoidal encoding is added to x, though the task is attention alone."""
    return with_inputs(p, lambda x: x + encoding(*x.shape))


@wrong("Q", "project")
def multiplies_embeddings_by_the_root_of_d_model(p):
    """`x * sqrt(d_model)`, as the embedding layer does, though the task is attention alone."""
    return with_inputs(p, lambda x: x * np.sqrt(x.shape[1]))


@wrong("Q", "project", rare=True)
def makes_embeddings_unit_vectors(p):
    """Each row of x is divided by its length first."""
    return with_inputs(p, lambda x: x / np.linalg.norm(x, axis=1, keepdims=True))


@wrong("Q", "project", rare=True)
def centres_the_embeddings(p):
    """The mean of each column of x is subtracted first, as in a covariance."""
    return with_inputs(p, lambda x: x - x.mean(0))


@wrong("Q", "project", rare=True)
def standardizes_the_features(p):
    """Each column of x is standardized first, as for a regression."""
    return with_inputs(p, lambda x: (x - x.mean(0)) / (x.std(0) + 1e-8))


@wrong("V", "project", rare=True)
def takes_each_value_from_the_next_token(p):
    """The values are one row off, as the targets of a language model are."""
    q, k, v = project(p)
    return q, k, np.roll(v, -1, axis=0)


@wrong("Q", "project")
def asks_with_the_last_query_for_all(p):
    """Only the last token's query is computed, and it is used for every token."""
    q, k, v = project(p)
    return np.repeat(q[-1:], len(q), axis=0), k, v


@wrong("Q", "project", rare=True)
def loses_the_last_feature(p):
    """A loop over the features of x ends one too early."""
    c = source_of_keys(p)[:, :-1]
    return p.x[:, :-1] @ p.w_q[:-1], c @ p.w_k[:-1], c @ p.w_v[:-1]
