"""Mistakes before and after the heads of multi-head attention: in projections, biases, a context, and W^O."""

import numpy as np

from wrong_implementations.parts import hide, leave, merge, project, softmax, source_of_keys

from .record import wrong
from .right import into_heads, out_of_heads, weights_of


@wrong(common=True, heads="several", part="leave", source="https://github.com/Kyubyong/transformer/issues/117")
def forgets_the_output_projection(concat, p):
    """Return the concatenated heads as the output, without multiplying them by W^O."""
    return concat


@wrong(common=True, heads="several", part="leave")
def transposes_the_output_matrix(concat, p):
    """Multiply the concatenated heads by W^O transposed instead of W^O.

    Some libraries store the matrix of a linear layer transposed.
    """
    return concat @ p.w_o.T


@wrong(heads="several", part="leave")
def multiplies_the_output_matrix_from_the_left(concat, p):
    """Return W^O times the concatenated heads, instead of the concatenated heads times W^O."""
    return p.w_o @ concat


@wrong(common=True, heads="several")
def adds_the_tokens_and_keeps_the_heads(p):
    """Compute multi-head attention on the inputs `p`, but add the tokens x to the output.

    The sum is the residual connection, which the figure of a Transformer block shows after attention.
    """
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in project(p))
    heads = weights_of(q, k, p) @ v
    return p.x + heads.transpose(1, 0, 2).reshape(len(p.x), -1) @ p.w_o


@wrong(heads="several")
def adds_and_normalizes(p):
    """Compute multi-head attention on the inputs `p`, but then add the tokens x and normalize each row.

    Both steps belong to the whole Transformer block, and not to attention.
    """
    q, k, v = into_heads(p)
    summed = p.x + out_of_heads(weights_of(q, k, p) @ v, p)
    middle, width = summed.mean(axis=1, keepdims=True), summed.std(axis=1, keepdims=True)
    return (summed - middle) / (width + 1e-5)


@wrong(common=True, heads="several", source="https://github.com/CyberZHG/keras-multi-head/issues/8")
def rectifies_queries_keys_and_values(p):
    """Compute multi-head attention on the inputs `p`, but apply a ReLU to the queries, the keys and the values."""
    p_q, p_k, p_v = (np.maximum(a, 0) for a in project(p))
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in (p_q, p_k, p_v))
    return out_of_heads(weights_of(q, k, p) @ v, p)


@wrong(heads="several", part="leave", source="https://github.com/Kyubyong/transformer/pull/17")
def rectifies_the_output(concat, p):
    """Multiply the concatenated heads by W^O, but then apply a ReLU to the output."""
    return np.maximum(concat @ p.w_o, 0)


@wrong(common=True, heads="several", source="https://github.com/yflyzhang/AnnotatedTransformer/issues/1")
def makes_the_values_with_the_keys_layer(p):
    """Compute multi-head attention on the inputs `p`, but make the values with W^K instead of W^V.

    The code says `value = self.k_proj(value)`: the line of the keys was copied, and one letter was not changed.
    """
    k_proj = source_of_keys(p) @ p.w_k
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in (p.x @ p.w_q, k_proj, k_proj))
    return out_of_heads(weights_of(q, k, p) @ v, p)


@wrong(common=True, heads="several", source="https://github.com/jsbaan/transformer-from-scratch/issues/1")
def unpacks_keys_and_values_in_the_wrong_order(p):
    """Compute multi-head attention on the inputs `p`, but use the values as keys and the keys as values.

    The code says `q, v, k = …`, but the function returns q, k, v.
    """
    q, v, k = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in project(p))
    weights = softmax(hide(q @ k.transpose(0, 2, 1) / np.sqrt(k.shape[-1]), p.mask))
    return (weights @ v).transpose(1, 0, 2).reshape(len(p.x), -1) @ p.w_o


@wrong(common=True, heads="several")
def projects_no_queries_keys_values_per_head(p):
    """Compute multi-head attention on the inputs `p`, but use slices of x as Q, K and V, without W^Q, W^K and W^V."""
    c = source_of_keys(p)
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in (p.x, c, c))
    return merge(weights_of(q, k, p) @ v)


@wrong(heads="several", needs="bias")
def forgets_the_biases_of_the_heads(p):
    """Compute multi-head attention on the inputs `p`, but add no biases to the queries, keys and values.

    Such code creates its three linear layers with `bias=False`.
    """
    c = source_of_keys(p)
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in (p.x @ p.w_q, c @ p.w_k, c @ p.w_v))
    return out_of_heads(weights_of(q, k, p) @ v, p)


@wrong(heads="several", needs="bias")
def adds_the_bias_of_the_values_behind_the_projection(p):
    """Compute multi-head attention on the inputs `p`, but add the bias of the values to the output once more.

    The bias b_v is added to the first columns of the output, as many as b_v has numbers.
    """
    q, k, v = into_heads(p)
    out = out_of_heads(weights_of(q, k, p) @ v, p)
    out[:, : len(p.b_v)] += p.b_v
    return out


@wrong(common=True, heads="several", needs="context")
def ignores_the_context_in_each_head(p):
    """Compute multi-head cross-attention on the inputs `p`, but make keys and values from x instead of the context.

    The code says `mha(x, x, x)` instead of `mha(x, context, context)`.
    """
    q, k, v = (a.reshape(len(a), p.n_heads, -1).swapaxes(0, 1) for a in (p.x @ p.w_q, p.x @ p.w_k, p.x @ p.w_v))
    return leave(merge(softmax(hide(q @ k.swapaxes(1, 2) / np.sqrt(k.shape[-1]), p.mask)) @ v), p)


@wrong(common=True, heads="several", needs="context")
def asks_from_the_context_in_each_head(p):
    """Compute multi-head cross-attention on the inputs `p`, but make queries from the context, keys and values from x.

    The code says `mha(context, x, x)` instead of `mha(x, context, context)`.
    """
    made = (p.context @ p.w_q, p.x @ p.w_k, p.x @ p.w_v)
    q, k, v = (a.reshape(len(a), p.n_heads, -1).swapaxes(0, 1) for a in made)
    return leave(merge(softmax(hide(q @ k.swapaxes(1, 2) / np.sqrt(k.shape[-1]), p.mask)) @ v), p)
