"""Wrong queries, keys and values: projections, roles, biases, positions, and norms put in."""

import numpy as np

from .parts import plus, project, softmax, source_of_keys
from .record import record


def made(p, q=None, k=None, v=None):
    """Return the right queries, keys and values, save those that are given."""
    right = project(p)
    return tuple(r if g is None else g for g, r in zip((q, k, v), right, strict=True))


def each(function):
    """Return a projection whose three results went through a function."""
    return lambda p: tuple(function(a) for a in project(p))


def normed(a):
    """Return the rows with mean 0 and variance 1."""
    return (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + 1e-5)


def sines(n, d):
    """Return sinusoidal positions, n rows of width d."""
    angle = np.arange(n)[:, None] / 10000 ** (np.arange(d) // 2 * 2 / d)
    return np.where(np.arange(d) % 2, np.cos(angle), np.sin(angle))


def changed(p, change):
    """Project tokens that were changed first."""
    c = change(source_of_keys(p))
    return plus(change(p.x) @ p.w_q, p.b_q), plus(c @ p.w_k, p.b_k), plus(c @ p.w_v, p.b_v)


def overwritten(p):
    """Overwrite x with the queries before the keys are made."""
    x = p.x @ p.w_q
    return x, x @ p.w_k, x @ p.w_v


def biased(p, q=1, k=1, v=1):
    """Add the biases this many times."""
    c = source_of_keys(p)
    return p.x @ p.w_q + q * p.b_q, c @ p.w_k + k * p.b_k, c @ p.w_v + v * p.b_v


def projects(name, says, function, **more):
    """Record a wrong projection, a function of the problem."""
    record(name, says, project=function, **more)


projects(
    "weights_transposed",
    "The projections are transposed, as PyTorch stores them.",
    lambda p: (p.x @ p.w_q.T, source_of_keys(p) @ p.w_k.T, source_of_keys(p) @ p.w_v.T),
    common=True,
)
projects(
    "weights_reshaped",
    "The projections are read column by column.",
    lambda p: (
        p.x @ p.w_q.ravel().reshape(p.w_q.shape, order="F"),
        source_of_keys(p) @ p.w_k.ravel().reshape(p.w_k.shape, order="F"),
        project(p)[2],
    ),
)
projects(
    "tokens_transposed",
    "The tokens are transposed before they are projected.",
    lambda p: (p.x.T @ p.w_q, p.x.T @ p.w_k, p.x.T @ p.w_v),
    common=True,
)
projects(
    "query_key_weights_swapped",
    "W_Q and W_K are swapped.",
    lambda p: (plus(p.x @ p.w_k, p.b_k), plus(source_of_keys(p) @ p.w_q, p.b_q), project(p)[2]),
    common=True,
)
projects(
    "key_value_swapped",
    "Keys and values are swapped.",
    lambda p: made(p, k=project(p)[2], v=project(p)[1]),
    common=True,
)
projects(
    "query_value_swapped",
    "Queries and values are swapped.",
    lambda p: made(p, q=project(p)[2], v=project(p)[0]),
    common=True,
)
projects("keys_from_w_q", "The keys are made with W_Q.", lambda p: made(p, k=source_of_keys(p) @ p.w_q), common=True)
projects("queries_from_w_k", "The queries are made with W_K.", lambda p: made(p, q=p.x @ p.w_k), common=True)
projects(
    "values_from_w_k", "The values are made with W_K.", lambda p: made(p, v=source_of_keys(p) @ p.w_k), common=True
)
projects(
    "values_from_w_q", "The values are made with W_Q.", lambda p: made(p, v=source_of_keys(p) @ p.w_q), common=True
)
projects("values_not_projected", "The values are the tokens.", lambda p: made(p, v=source_of_keys(p)), common=True)
projects("keys_not_projected", "The keys are the tokens.", lambda p: made(p, k=source_of_keys(p)), common=True)
projects(
    "nothing_projected",
    "Queries, keys and values are the tokens.",
    lambda p: (p.x, source_of_keys(p), source_of_keys(p)),
    common=True,
)
projects("x_overwritten", "x is overwritten by the queries before the keys are made.", overwritten, common=True)
projects("relu_on_projections", "A ReLU follows each projection.", each(lambda a: np.maximum(a, 0)), common=True)
projects(
    "relu_on_values", "A ReLU follows the projection of the values.", lambda p: made(p, v=np.maximum(project(p)[2], 0))
)
projects("norm_first", "The tokens go through a layer norm first.", lambda p: changed(p, normed), common=True)
projects(
    "norm_on_queries_and_keys",
    "Queries and keys go through a layer norm.",
    lambda p: made(p, normed(project(p)[0]), normed(project(p)[1])),
)
projects(
    "tokens_centred",
    "The mean of each column is subtracted from the tokens.",
    lambda p: changed(p, lambda a: a - a.mean(0)),
)
projects(
    "tokens_of_length_one",
    "The tokens are divided by their length.",
    lambda p: changed(p, lambda a: a / np.linalg.norm(a, axis=-1, keepdims=True)),
    common=True,
)
projects(
    "positions_added",
    "Positions are added a second time.",
    lambda p: changed(p, lambda a: a + sines(*a.shape)),
    common=True,
)
projects(
    "positions_on_queries_and_keys",
    "Positions are added to queries and keys.",
    lambda p: made(p, project(p)[0] + sines(*project(p)[0].shape), project(p)[1] + sines(*project(p)[1].shape)),
)
projects(
    "positions_on_values",
    "Positions are added to the values.",
    lambda p: made(p, v=project(p)[2] + sines(*project(p)[2].shape)),
)
projects(
    "position_number_added",
    "The number of the row is added to each token.",
    lambda p: changed(p, lambda a: a + np.arange(len(a))[:, None]),
)
projects(
    "tokens_times_root",
    "The tokens are multiplied by the root of d_model.",
    lambda p: changed(p, lambda a: a * np.sqrt(a.shape[-1])),
    common=True,
)
projects("softmax_on_tokens", "The tokens go through a softmax first.", lambda p: changed(p, softmax))
projects("tanh_on_projections", "A tanh follows each projection.", each(np.tanh))
projects("values_reversed", "The values are in the reverse order.", lambda p: made(p, v=project(p)[2][::-1]))
projects("keys_shifted", "The keys are one token too late.", lambda p: made(p, k=np.roll(project(p)[1], 1, 0)))
projects(
    "values_shifted",
    "The values are one token too late.",
    lambda p: made(p, v=np.roll(project(p)[2], 1, 0)),
    common=True,
)
projects("bias_left_out", "The biases are left out.", lambda p: biased(p, 0, 0, 0), common=True, needs="bias")
projects("query_bias_left_out", "The bias of the queries is left out.", lambda p: biased(p, q=0), needs="bias")
projects(
    "key_bias_left_out",
    "The bias of the keys is left out: the weights stay right.",
    lambda p: biased(p, k=0),
    needs="bias",
)
projects(
    "value_bias_left_out", "The bias of the values is left out.", lambda p: biased(p, v=0), common=True, needs="bias"
)
projects("bias_twice", "The biases are added twice.", lambda p: biased(p, 2, 2, 2), common=True, needs="bias")
projects("bias_subtracted", "The biases are subtracted.", lambda p: biased(p, -1, -1, -1), needs="bias")
projects(
    "query_bias_for_keys",
    "The bias of the queries is added to the keys: the weights stay right.",
    lambda p: made(p, k=source_of_keys(p) @ p.w_k + p.b_q),
    common=True,
    needs="bias",
)
projects(
    "biases_swapped",
    "The biases of queries and keys are swapped.",
    lambda p: made(p, p.x @ p.w_q + p.b_k, source_of_keys(p) @ p.w_k + p.b_q),
    common=True,
    needs="bias",
)
projects(
    "context_ignored",
    "The context is ignored.",
    lambda p: (p.x @ p.w_q, p.x @ p.w_k, p.x @ p.w_v),
    common=True,
    needs="context",
)
projects(
    "roles_swapped",
    "The context asks, and x answers.",
    lambda p: (p.context @ p.w_q, p.x @ p.w_k, p.x @ p.w_v),
    common=True,
    needs="context",
    source="humza909/LLM_Survey#2",
)
projects(
    "all_from_context",
    "The queries come from the context too.",
    lambda p: made(p, q=p.context @ p.w_q),
    common=True,
    needs="context",
)
projects("values_from_x", "The values come from x.", lambda p: made(p, v=p.x @ p.w_v), common=True, needs="context")
projects("keys_from_x", "The keys come from x.", lambda p: made(p, k=p.x @ p.w_k), common=True, needs="context")
projects(
    "x_put_before_context",
    "Keys and values come from x and the context together.",
    lambda p: made(p, k=np.vstack([p.x, p.context]) @ p.w_k, v=np.vstack([p.x, p.context]) @ p.w_v),
    needs="context",
)
