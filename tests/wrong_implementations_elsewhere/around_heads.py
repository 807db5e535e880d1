"""Mistakes before and behind several heads: projections, biases, a context, the output projection."""

import numpy as np

from wrong_implementations.parts import hide, leave, merge, project, softmax, source_of_keys

from .record import wrong
from .right import into_heads, out_of_heads, weigh


@wrong(common=True, heads="several", part="leave", source="https://github.com/Kyubyong/transformer/issues/117")
def forgets_the_output_projection(concat, p):
    """The heads side by side are the answer; W^O is not used."""
    return concat


@wrong(common=True, heads="several", part="leave")
def transposes_the_output_matrix(concat, p):
    """W^O is transposed, as the layer of a library stores it."""
    return concat @ p.w_o.T


@wrong(heads="several", part="leave")
def multiplies_the_output_matrix_from_the_left(concat, p):
    """W^O times the heads."""
    return p.w_o @ concat


@wrong(common=True, heads="several")
def adds_the_tokens_and_keeps_the_heads(p):
    """The residual connection that stands in the figure of the block is added at once."""
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in project(p))
    heads = weigh(q, k, p) @ v
    return p.x + heads.transpose(1, 0, 2).reshape(len(p.x), -1) @ p.w_o


@wrong(heads="several")
def adds_and_normalizes(p):
    """Residual connection and layer normalization, as in the whole block."""
    q, k, v = into_heads(p)
    summed = p.x + out_of_heads(weigh(q, k, p) @ v, p)
    middle, width = summed.mean(axis=1, keepdims=True), summed.std(axis=1, keepdims=True)
    return (summed - middle) / (width + 1e-5)


@wrong(common=True, heads="several", source="https://github.com/CyberZHG/keras-multi-head/issues/8")
def rectifies_queries_keys_and_values(p):
    """ReLU after each of the three projections."""
    p_q, p_k, p_v = (np.maximum(a, 0) for a in project(p))
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in (p_q, p_k, p_v))
    return out_of_heads(weigh(q, k, p) @ v, p)


@wrong(heads="several", part="leave", source="https://github.com/Kyubyong/transformer/pull/17")
def rectifies_the_output(concat, p):
    """ReLU after the output projection."""
    return np.maximum(concat @ p.w_o, 0)


@wrong(common=True, heads="several", source="https://github.com/yflyzhang/AnnotatedTransformer/issues/1")
def makes_the_values_with_the_keys_layer(p):
    """`value = self.k_proj(value)`: one letter was left from the line above."""
    k_proj = source_of_keys(p) @ p.w_k
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in (p.x @ p.w_q, k_proj, k_proj))
    return out_of_heads(weigh(q, k, p) @ v, p)


@wrong(common=True, heads="several", source="https://github.com/jsbaan/transformer-from-scratch/issues/1")
def unpacks_keys_and_values_in_the_wrong_order(p):
    """`q, v, k = …` where the function returns q, k, v."""
    q, v, k = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in project(p))
    weights = softmax(hide(q @ k.transpose(0, 2, 1) / np.sqrt(k.shape[-1]), p.mask))
    return (weights @ v).transpose(1, 0, 2).reshape(len(p.x), -1) @ p.w_o


@wrong(common=True, heads="several")
def projects_no_queries_keys_values_per_head(p):
    """The heads are slices of x, and no W^Q, W^K, W^V is used."""
    c = source_of_keys(p)
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in (p.x, c, c))
    return merge(weigh(q, k, p) @ v)


@wrong(heads="several", needs="bias")
def forgets_the_biases_of_the_heads(p):
    """The three layers were made with `bias=False`."""
    c = source_of_keys(p)
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in (p.x @ p.w_q, c @ p.w_k, c @ p.w_v))
    return out_of_heads(weigh(q, k, p) @ v, p)


@wrong(heads="several", needs="bias")
def adds_the_bias_of_the_values_behind_the_projection(p):
    """The bias of the values is added to the columns of the answer that it reaches."""
    q, k, v = into_heads(p)
    out = out_of_heads(weigh(q, k, p) @ v, p)
    out[:, : len(p.b_v)] += p.b_v
    return out


@wrong(common=True, heads="several", needs="context")
def ignores_the_context_in_each_head(p):
    """`mha(x, x, x)` where `mha(x, context, context)` is meant."""
    q, k, v = (a.reshape(len(a), p.n_heads, -1).swapaxes(0, 1) for a in (p.x @ p.w_q, p.x @ p.w_k, p.x @ p.w_v))
    return leave(merge(softmax(hide(q @ k.swapaxes(1, 2) / np.sqrt(k.shape[-1]), p.mask)) @ v), p)


@wrong(common=True, heads="several", needs="context")
def asks_from_the_context_in_each_head(p):
    """`mha(context, x, x)`: the decoder answers, and the encoder asks."""
    made = (p.context @ p.w_q, p.x @ p.w_k, p.x @ p.w_v)
    q, k, v = (a.reshape(len(a), p.n_heads, -1).swapaxes(0, 1) for a in made)
    return leave(merge(softmax(hide(q @ k.swapaxes(1, 2) / np.sqrt(k.shape[-1]), p.mask)) @ v), p)
