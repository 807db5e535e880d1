"""Mistakes in computing queries, keys and values, including mistakes with biases and with a context."""

import numpy as np

from wrong_implementations.parts import hide, plus, project, softmax, source_of_keys

from .record import wrong
from .right import mask_of, weights_of


@wrong(common=True)
def mixes_the_tokens(p):
    """Compute attention on the inputs `p`, but multiply the weights by the tokens instead of the values."""
    q, k, _ = project(p)
    out = np.zeros((len(q), p.x.shape[1]))
    weights = weights_of(q, k, p)
    for i in range(len(q)):
        for j in range(len(k)):
            out[i] += weights[i, j] * source_of_keys(p)[j]
    return out


@wrong(common=True)
def projects_nothing(p):
    """Compute softmax(X Xᵀ / √d) X on the inputs `p`, without the matrices W^Q, W^K and W^V.

    Many tutorials begin with this simplified version.
    """
    x, c = p.x, source_of_keys(p)
    scores = np.einsum("id,jd->ij", x, c) / np.sqrt(x.shape[-1])
    return softmax(hide(scores, p.mask)) @ c


@wrong(common=True)
def scores_the_tokens_themselves(p):
    """Compute attention on the inputs `p`, but compute the scores from the tokens instead of from queries and keys."""
    _, k, v = project(p)
    scores = p.x @ source_of_keys(p).T / np.sqrt(k.shape[1])
    return softmax(hide(scores, p.mask)) @ v


@wrong(part="project")
def copies_the_key_line_for_the_queries(p):
    """Compute queries, keys and values of the inputs `p`, but make the queries with W^K instead of W^Q."""
    _, k, v = project(p)
    return plus(p.x @ p.w_k, p.b_k), k, v


@wrong(common=True, part="project", source="https://github.com/yflyzhang/AnnotatedTransformer/issues/1")
def copies_the_key_line_for_the_values(p):
    """Compute queries, keys and values of the inputs `p`, but make the values with W^K instead of W^V."""
    q, k, _ = project(p)
    return q, k, k


@wrong(common=True, part="project")
def swaps_the_keys_and_the_values(p):
    """Return the queries, values and keys of the inputs `p`, in this wrong order."""
    q, k, v = project(p)
    return q, v, k


@wrong(common=True, part="project")
def swaps_the_matrices_of_query_and_key(p):
    """Compute queries, keys and values of the inputs `p`, but make the queries with W^K and the keys with W^Q."""
    c = source_of_keys(p)
    return plus(p.x @ p.w_k, p.b_k), plus(c @ p.w_q, p.b_q), plus(c @ p.w_v, p.b_v)


@wrong(common=True, source="https://github.com/pytorch/pytorch/issues/139598")
def transposes_the_weight_matrices(p):
    """Compute attention on the inputs `p`, but transpose the weight matrices: X W^Qᵀ instead of X W^Q.

    PyTorch stores the matrix of a linear layer transposed.
    """
    c = source_of_keys(p)
    q = np.einsum("nd,od->no", p.x, p.w_q)
    k, v = np.einsum("nd,od->no", c, p.w_k), np.einsum("nd,od->no", c, p.w_v)
    return weights_of(plus(q, p.b_q), plus(k, p.b_k), p) @ plus(v, p.b_v)


@wrong(common=True)
def multiplies_from_the_left(p):
    """Compute attention on the inputs `p`, but multiply by the weight matrices from the left: W^Q X, not X W^Q."""
    q, k, v = p.w_q @ p.x, p.w_k @ source_of_keys(p), p.w_v @ source_of_keys(p)
    return weights_of(q, k, p) @ v


@wrong(part="project", source="https://github.com/DeepGraphLearning/RecommenderSystems/issues/21")
def rectifies_the_projections(p):
    """Compute queries, keys and values of the inputs `p`, but apply a ReLU to each of them."""
    return tuple(np.maximum(a, 0) for a in project(p))


@wrong(part="project")
def has_one_matrix_for_all(p):
    """Compute queries, keys and values of the inputs `p`, but make all three with W^Q."""
    c = source_of_keys(p)
    return plus(p.x @ p.w_q, p.b_q), plus(c @ p.w_q, p.b_q), plus(c @ p.w_q, p.b_q)


@wrong()
def enlarges_the_tokens(p):
    """Compute attention on the inputs `p`, but first multiply the tokens by the square root of their width.

    The embedding layer of a Transformer makes this multiplication. Attention does not.
    """
    grow = np.sqrt(p.x.shape[1])
    q, k, v = p.x * grow @ p.w_q, source_of_keys(p) * grow @ p.w_k, source_of_keys(p) * grow @ p.w_v
    return weights_of(q, k, p) @ v


@wrong(common=True, needs="bias")
def forgets_the_biases(p):
    """Compute attention on the inputs `p`, but add no biases to the queries, keys and values."""
    c = source_of_keys(p)
    q, k, v = p.x.dot(p.w_q), c.dot(p.w_k), c.dot(p.w_v)
    return weights_of(q, k, p).dot(v)


@wrong(common=True, needs="bias", part="project")
def forgets_the_bias_of_the_values(p):
    """Compute queries, keys and values of the inputs `p`, but add no bias to the values."""
    q, k, _ = project(p)
    return q, k, source_of_keys(p) @ p.w_v


@wrong(needs="bias", part="project")
def forgets_the_bias_of_the_queries(p):
    """Compute queries, keys and values of the inputs `p`, but add no bias to the queries."""
    _, k, v = project(p)
    return p.x @ p.w_q, k, v


@wrong(needs="bias", part="project")
def swaps_the_biases_of_query_and_key(p):
    """Compute queries, keys and values of the inputs `p`, but add b_k to the queries and b_q to the keys."""
    c = source_of_keys(p)
    return p.x @ p.w_q + p.b_k, c @ p.w_k + p.b_q, c @ p.w_v + p.b_v


@wrong(needs="bias")
def adds_the_biases_to_the_first_token(p):
    """Compute attention on the inputs `p`, but add the biases to the first token alone instead of to every token."""
    c = source_of_keys(p)
    q, k, v = p.x @ p.w_q, c @ p.w_k, c @ p.w_v
    for rows, bias in ((q, p.b_q), (k, p.b_k), (v, p.b_v)):
        rows[0] += bias
    return weights_of(q, k, p) @ v


@wrong(needs="bias")
def adds_the_bias_of_the_values_twice(p):
    """Compute attention on the inputs `p`, but add the bias of the values twice: to the values and to the output."""
    q, k, v = project(p)
    return weights_of(q, k, p) @ v + p.b_v


@wrong(common=True, needs="context")
def ignores_the_context(p):
    """Compute cross-attention on the inputs `p`, but make keys and values from x instead of the context."""
    q, k, v = (p.x @ w for w in (p.w_q, p.w_k, p.w_v))
    return weights_of(q, k, p) @ v


# A survey makes the same mistake: https://github.com/humza909/LLM_Survey/issues/2
@wrong(common=True, needs="context", source="https://github.com/rexrex9/nlp_torchtext/pull/2")
def asks_from_the_context(p):
    """Compute cross-attention on the inputs `p`, but make queries from the context, and keys and values from x."""
    q, k, v = p.context @ p.w_q, p.x @ p.w_k, p.x @ p.w_v
    return weights_of(q, k, p) @ v


@wrong(common=True, needs="context")
def takes_all_from_the_context(p):
    """Compute cross-attention on the inputs `p`, but make the queries from the context as well, instead of from x."""
    q, k, v = (p.context @ w for w in (p.w_q, p.w_k, p.w_v))
    return weights_of(q, k, p) @ v


@wrong(common=True, needs="context")
def reads_as_many_keys_as_queries(p):
    """Compute cross-attention on the inputs `p`, but use only as many keys as there are queries.

    The inner loop runs over the number of queries, so the rest of the context is not used.
    """
    q, k, v = project(p)
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        e = [np.exp(q[i] @ k[j] / np.sqrt(k.shape[1])) * mask_of(p)[i, j] for j in range(len(q))]
        for j in range(len(q)):
            out[i] += e[j] / sum(e) * v[j]
    return out


@wrong(needs="context")
def reads_itself_and_the_context(p):
    """Compute cross-attention on the inputs `p`, but make keys and values from both x and the context."""
    both = np.vstack([p.x, p.context])
    q, k, v = p.x @ p.w_q, both @ p.w_k, both @ p.w_v
    return weights_of(q, k, p) @ v
