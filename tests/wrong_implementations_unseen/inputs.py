"""Mistakes in the inputs of queries, keys and values: in the tokens, the context, the biases, or by an activation."""

from types import SimpleNamespace

import numpy as np

from wrong_implementations.parts import project, source_of_keys

from .positions_right import encoding
from .record import wrong


def with_inputs(p, change):
    """Return the queries, keys and values of the problem `p`, after `change` was applied to its tokens and context."""
    context = None if p.context is None else change(p.context)
    return project(SimpleNamespace(**{**vars(p), "x": change(p.x), "context": context}))


@wrong("Q", "project", needs="bias")
def forgets_all_biases(p):
    """Compute queries, keys and values of the inputs `p`, but add no biases."""
    c = source_of_keys(p)
    return p.x @ p.w_q, c @ p.w_k, c @ p.w_v


@wrong("Q", "project", needs="bias")
def forgets_the_bias_of_queries(p):
    """Compute queries, keys and values of the inputs `p`, but add no bias to the queries."""
    return p.x @ p.w_q, *project(p)[1:]


@wrong("V", "project", needs="bias")
def forgets_the_bias_of_values(p):
    """Compute queries, keys and values of the inputs `p`, but add no bias to the values."""
    return *project(p)[:2], source_of_keys(p) @ p.w_v


@wrong("Q", "project", needs="bias")
def adds_the_bias_of_keys_to_queries(p):
    """Compute queries, keys and values of the inputs `p`, but add the bias of the keys to the queries as well."""
    return p.x @ p.w_q + p.b_q + p.b_k, *project(p)[1:]


@wrong("Q", "project", needs="bias")
def swaps_the_biases_of_queries_and_keys(p):
    """Compute queries, keys and values of the inputs `p`, but add b_k to the queries and b_q to the keys."""
    return p.x @ p.w_q + p.b_k, source_of_keys(p) @ p.w_k + p.b_q, project(p)[2]


@wrong("Q", "project", needs="bias", rare=True)
def subtracts_the_biases(p):
    """Compute queries, keys and values of the inputs `p`, but subtract the biases instead of adding them."""
    c = source_of_keys(p)
    return p.x @ p.w_q - p.b_q, c @ p.w_k - p.b_k, c @ p.w_v - p.b_v


@wrong("V", "project", needs="bias", rare=True)
def adds_the_bias_of_values_twice(p):
    """Compute queries, keys and values of the inputs `p`, but add the bias of the values twice.

    Somebody ran the notebook cell with `v += b_v` twice.
    """
    q, k, v = project(p)
    return q, k, v + p.b_v


@wrong("K", "project", needs="context")
def takes_keys_and_values_from_x(p):
    """Compute queries, keys and values of the inputs `p`, but make keys and values from x instead of the context."""
    return p.x @ p.w_q, p.x @ p.w_k, p.x @ p.w_v


@wrong("Q", "project", needs="context")
def takes_queries_from_the_context(p):
    """Compute queries, keys and values of the inputs `p`, but make the queries from the context instead of x."""
    return p.context @ p.w_q, *project(p)[1:]


@wrong("Q", "project", needs="context")
def swaps_x_and_the_context(p):
    """Compute queries, keys and values of the inputs `p`, but swap x and the context.

    So the encoder's tokens attend to the decoder's tokens, instead of the other direction.
    """
    return p.context @ p.w_q, p.x @ p.w_k, p.x @ p.w_v


@wrong("Q", "project")
def applies_relu_to_the_projections(p):
    """Compute queries, keys and values of the inputs `p`, but apply a ReLU to all three.

    The code says `activation=relu` in the layers of queries, keys and values.
    """
    return tuple(np.maximum(a, 0) for a in project(p))


@wrong("V", "project", rare=True)
def applies_relu_to_the_values(p):
    """Compute queries, keys and values of the inputs `p`, but apply a ReLU to the values."""
    q, k, v = project(p)
    return q, k, np.maximum(v, 0)


@wrong("Q", "project", rare=True)
def applies_tanh_to_the_projections(p):
    """Compute queries, keys and values of the inputs `p`, but apply tanh to all three."""
    return tuple(np.tanh(a) for a in project(p))


@wrong("Q", "project")
def normalizes_the_embeddings_first(p):
    """Compute queries, keys and values of the inputs `p`, but first normalize each row of x (layer normalization)."""
    return with_inputs(p, lambda x: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5))


@wrong("Q", "project")
def adds_positions_unasked(p):
    """Compute queries, keys and values of the inputs `p`, but first add a sinusoidal positional encoding to x.

    The exercise asks for attention alone.
    """
    return with_inputs(p, lambda x: x + encoding(*x.shape))


@wrong("Q", "project")
def multiplies_embeddings_by_the_root_of_d_model(p):
    """Compute queries, keys and values of the inputs `p`, but first multiply x by √d_model.

    An embedding layer makes this multiplication. Attention does not.
    """
    return with_inputs(p, lambda x: x * np.sqrt(x.shape[1]))


@wrong("Q", "project", rare=True)
def makes_embeddings_unit_vectors(p):
    """Compute queries, keys and values of the inputs `p`, but first divide each row of x by its length."""
    return with_inputs(p, lambda x: x / np.linalg.norm(x, axis=1, keepdims=True))


@wrong("Q", "project", rare=True)
def centres_the_embeddings(p):
    """Compute queries, keys and values of the inputs `p`, but first subtract from each column of x its mean."""
    return with_inputs(p, lambda x: x - x.mean(0))


@wrong("Q", "project", rare=True)
def standardizes_the_features(p):
    """Compute queries, keys and values of the inputs `p`, but first standardize each column of x.

    A standardized column has mean 0 and standard deviation 1.
    """
    return with_inputs(p, lambda x: (x - x.mean(0)) / (x.std(0) + 1e-8))


@wrong("V", "project", rare=True)
def takes_each_value_from_the_next_token(p):
    """Compute queries, keys and values of the inputs `p`, but give each token the value of the next token."""
    q, k, v = project(p)
    return q, k, np.roll(v, -1, axis=0)


@wrong("Q", "project")
def asks_with_the_last_query_for_all(p):
    """Compute queries, keys and values of the inputs `p`, but use the query of the last token for every token."""
    q, k, v = project(p)
    return np.repeat(q[-1:], len(q), axis=0), k, v


@wrong("Q", "project", rare=True)
def loses_the_last_feature(p):
    """Compute queries, keys and values of the inputs `p`, but leave out the last column of x.

    The last row of each weight matrix is left out as well.
    """
    c = source_of_keys(p)[:, :-1]
    return p.x[:, :-1] @ p.w_q[:-1], c @ p.w_k[:-1], c @ p.w_v[:-1]
