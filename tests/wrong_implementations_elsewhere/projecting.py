"""Mistakes in making queries, keys and values, among them those of biases and of a context."""

import numpy as np

from wrong_implementations.parts import hide, plus, project, softmax, source_of_keys

from .record import wrong
from .right import seen, weigh


@wrong(common=True)
def mixes_the_tokens(p):
    """The weights mix X itself: the line of the values was forgotten."""
    q, k, _ = project(p)
    out = np.zeros((len(q), p.x.shape[1]))
    weights = weigh(q, k, p)
    for i in range(len(q)):
        for j in range(len(k)):
            out[i] += weights[i, j] * source_of_keys(p)[j]
    return out


@wrong(common=True)
def projects_nothing(p):
    """Softmax of X times X transposed, times X: the simplified version of many tutorials."""
    x, c = p.x, source_of_keys(p)
    scores = np.einsum("id,jd->ij", x, c) / np.sqrt(x.shape[-1])
    return softmax(hide(scores, p.mask)) @ c


@wrong(common=True)
def scores_the_tokens_themselves(p):
    """The scores are dot products of tokens; only the values are projected."""
    _, k, v = project(p)
    scores = p.x @ source_of_keys(p).T / np.sqrt(k.shape[1])
    return softmax(hide(scores, p.mask)) @ v


@wrong(part="project")
def copies_the_key_line_for_the_queries(p):
    """The queries are made with W^K."""
    _, k, v = project(p)
    return plus(p.x @ p.w_k, p.b_k), k, v


@wrong(common=True, part="project", source="https://github.com/yflyzhang/AnnotatedTransformer/issues/1")
def copies_the_key_line_for_the_values(p):
    """The values are made with W^K."""
    q, k, _ = project(p)
    return q, k, k


@wrong(common=True, part="project")
def swaps_the_keys_and_the_values(p):
    """The line that unpacks three matrices has K and V the wrong way round."""
    q, k, v = project(p)
    return q, v, k


@wrong(common=True, part="project")
def swaps_the_matrices_of_query_and_key(p):
    """W^K makes the queries, and W^Q makes the keys."""
    c = source_of_keys(p)
    return plus(p.x @ p.w_k, p.b_k), plus(c @ p.w_q, p.b_q), plus(c @ p.w_v, p.b_v)


@wrong(common=True, source="https://github.com/pytorch/pytorch/issues/139598")
def transposes_the_weight_matrices(p):
    """X times W transposed, as a linear layer of PyTorch stores it."""
    c = source_of_keys(p)
    q = np.einsum("nd,od->no", p.x, p.w_q)
    k, v = np.einsum("nd,od->no", c, p.w_k), np.einsum("nd,od->no", c, p.w_v)
    return weigh(plus(q, p.b_q), plus(k, p.b_k), p) @ plus(v, p.b_v)


@wrong(common=True)
def multiplies_from_the_left(p):
    """W X, where each token is a row and X W is meant."""
    q, k, v = p.w_q @ p.x, p.w_k @ source_of_keys(p), p.w_v @ source_of_keys(p)
    return weigh(q, k, p) @ v


@wrong(part="project", source="https://github.com/DeepGraphLearning/RecommenderSystems/issues/21")
def rectifies_the_projections(p):
    """ReLU after each of the three projections."""
    return tuple(np.maximum(a, 0) for a in project(p))


@wrong(part="project")
def has_one_matrix_for_all(p):
    """One linear layer makes queries, keys and values."""
    c = source_of_keys(p)
    return plus(p.x @ p.w_q, p.b_q), plus(c @ p.w_q, p.b_q), plus(c @ p.w_q, p.b_q)


@wrong()
def enlarges_the_tokens(p):
    """The tokens are multiplied by the square root of their width first, as the embedding layer does it."""
    grow = np.sqrt(p.x.shape[1])
    q, k, v = p.x * grow @ p.w_q, source_of_keys(p) * grow @ p.w_k, source_of_keys(p) * grow @ p.w_v
    return weigh(q, k, p) @ v


@wrong(common=True, needs="bias")
def forgets_the_biases(p):
    """No bias is added."""
    c = source_of_keys(p)
    q, k, v = p.x.dot(p.w_q), c.dot(p.w_k), c.dot(p.w_v)
    return weigh(q, k, p).dot(v)


@wrong(common=True, needs="bias", part="project")
def forgets_the_bias_of_the_values(p):
    """The bias is added to queries and keys only."""
    q, k, _ = project(p)
    return q, k, source_of_keys(p) @ p.w_v


@wrong(needs="bias", part="project")
def forgets_the_bias_of_the_queries(p):
    """The bias is added to keys and values only."""
    _, k, v = project(p)
    return p.x @ p.w_q, k, v


@wrong(needs="bias", part="project")
def swaps_the_biases_of_query_and_key(p):
    """The queries get the bias of the keys, and the keys that of the queries."""
    c = source_of_keys(p)
    return p.x @ p.w_q + p.b_k, c @ p.w_k + p.b_q, c @ p.w_v + p.b_v


@wrong(needs="bias")
def adds_the_biases_to_the_first_token(p):
    """Each bias is one row, and so it is added to one row."""
    c = source_of_keys(p)
    q, k, v = p.x @ p.w_q, c @ p.w_k, c @ p.w_v
    for rows, bias in ((q, p.b_q), (k, p.b_k), (v, p.b_v)):
        rows[0] += bias
    return weigh(q, k, p) @ v


@wrong(needs="bias")
def adds_the_bias_of_the_values_twice(p):
    """The bias of the values is added to the values, and to the output once more."""
    q, k, v = project(p)
    return weigh(q, k, p) @ v + p.b_v


@wrong(common=True, needs="context")
def ignores_the_context(p):
    """Queries, keys and values come from x, as in self-attention."""
    q, k, v = (p.x @ w for w in (p.w_q, p.w_k, p.w_v))
    return weigh(q, k, p) @ v


# The survey that said so: https://github.com/humza909/LLM_Survey/issues/2
@wrong(common=True, needs="context", source="https://github.com/rexrex9/nlp_torchtext/pull/2")
def asks_from_the_context(p):
    """The context asks, and x answers."""
    q, k, v = p.context @ p.w_q, p.x @ p.w_k, p.x @ p.w_v
    return weigh(q, k, p) @ v


@wrong(common=True, needs="context")
def takes_all_from_the_context(p):
    """Queries, keys and values all come from the context."""
    q, k, v = (p.context @ w for w in (p.w_q, p.w_k, p.w_v))
    return weigh(q, k, p) @ v


@wrong(common=True, needs="context")
def reads_as_many_keys_as_queries(p):
    """The inner loop runs over the queries' count, and misses the rest of the context."""
    q, k, v = project(p)
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        e = [np.exp(q[i] @ k[j] / np.sqrt(k.shape[1])) * seen(p)[i, j] for j in range(len(q))]
        for j in range(len(q)):
            out[i] += e[j] / sum(e) * v[j]
    return out


@wrong(needs="context")
def reads_itself_and_the_context(p):
    """Keys and values come from x and the context, one below the other."""
    both = np.vstack([p.x, p.context])
    q, k, v = p.x @ p.w_q, both @ p.w_k, both @ p.w_v
    return weigh(q, k, p) @ v
