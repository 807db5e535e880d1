"""Mistakes in queries, keys and values: in projections, roles, biases, positions, and normalizations."""

import numpy as np

from .parts import plus, project, softmax, source_of_keys
from .record import record


def project_except(p, q=None, k=None, v=None):
    """Return the correct queries, keys and values of the inputs `p`, except those that `q`, `k` or `v` replaces."""
    right = project(p)
    return tuple(r if g is None else g for g, r in zip((q, k, v), right, strict=True))


def project_each(function):
    """Return a projection that applies `function` to the queries, the keys and the values."""
    return lambda p: tuple(function(a) for a in project(p))


def normalize_rows(a):
    """Normalize each row of `a` to mean 0 and variance 1 (layer normalization)."""
    return (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + 1e-5)


def sinusoidal_encoding(n, d):
    """Return a sinusoidal positional encoding with `n` rows and `d` columns."""
    angle = np.arange(n)[:, None] / 10000 ** (np.arange(d) // 2 * 2 / d)
    return np.where(np.arange(d) % 2, np.cos(angle), np.sin(angle))


def project_changed(p, change):
    """Return the queries, keys and values of the inputs `p`, after `change` was applied to the tokens."""
    c = change(source_of_keys(p))
    return plus(change(p.x) @ p.w_q, p.b_q), plus(c @ p.w_k, p.b_k), plus(c @ p.w_v, p.b_v)


def project_overwritten(p):
    """Compute queries, keys and values of the inputs `p`, but make keys and values from the queries instead of x.

    The code stores the queries in the variable x before it makes keys and values.
    """
    x = p.x @ p.w_q
    return x, x @ p.w_k, x @ p.w_v


def project_with_biases(p, q=1, k=1, v=1):
    """Return the queries, keys and values of the inputs `p`, with each bias added as often as `q`, `k` and `v` say."""
    c = source_of_keys(p)
    return p.x @ p.w_q + q * p.b_q, c @ p.w_k + k * p.b_k, c @ p.w_v + v * p.b_v


def record_projection(name, says, function, **more):
    """Add to `ALL` a mistake in the projection: `function` takes a problem and returns queries, keys and values.

    `says` describes the mistake, and `more` holds further arguments of `record`.
    """
    record(name, says, project=function, **more)


record_projection(
    "weights_transposed",
    "The projections are transposed, as PyTorch stores them.",
    lambda p: (p.x @ p.w_q.T, source_of_keys(p) @ p.w_k.T, source_of_keys(p) @ p.w_v.T),
    common=True,
)
record_projection(
    "weights_reshaped",
    "The projections are read column by column.",
    lambda p: (
        p.x @ p.w_q.ravel().reshape(p.w_q.shape, order="F"),
        source_of_keys(p) @ p.w_k.ravel().reshape(p.w_k.shape, order="F"),
        project(p)[2],
    ),
)
record_projection(
    "tokens_transposed",
    "The tokens are transposed before they are projected.",
    lambda p: (p.x.T @ p.w_q, p.x.T @ p.w_k, p.x.T @ p.w_v),
    common=True,
)
record_projection(
    "query_key_weights_swapped",
    "W_Q and W_K are swapped.",
    lambda p: (plus(p.x @ p.w_k, p.b_k), plus(source_of_keys(p) @ p.w_q, p.b_q), project(p)[2]),
    common=True,
)
record_projection(
    "key_value_swapped",
    "Keys and values are swapped.",
    lambda p: project_except(p, k=project(p)[2], v=project(p)[1]),
    common=True,
)
record_projection(
    "query_value_swapped",
    "Queries and values are swapped.",
    lambda p: project_except(p, q=project(p)[2], v=project(p)[0]),
    common=True,
)
record_projection(
    "keys_from_w_q",
    "The keys are made with W_Q.",
    lambda p: project_except(p, k=source_of_keys(p) @ p.w_q),
    common=True,
)
record_projection(
    "queries_from_w_k", "The queries are made with W_K.", lambda p: project_except(p, q=p.x @ p.w_k), common=True
)
record_projection(
    "values_from_w_k",
    "The values are made with W_K.",
    lambda p: project_except(p, v=source_of_keys(p) @ p.w_k),
    common=True,
)
record_projection(
    "values_from_w_q",
    "The values are made with W_Q.",
    lambda p: project_except(p, v=source_of_keys(p) @ p.w_q),
    common=True,
)
record_projection(
    "values_not_projected", "The values are the tokens.", lambda p: project_except(p, v=source_of_keys(p)), common=True
)
record_projection(
    "keys_not_projected", "The keys are the tokens.", lambda p: project_except(p, k=source_of_keys(p)), common=True
)
record_projection(
    "nothing_projected",
    "Queries, keys and values are the tokens.",
    lambda p: (p.x, source_of_keys(p), source_of_keys(p)),
    common=True,
)
record_projection(
    "x_overwritten", "x is overwritten by the queries before the keys are made.", project_overwritten, common=True
)
record_projection(
    "relu_on_projections", "A ReLU follows each projection.", project_each(lambda a: np.maximum(a, 0)), common=True
)
record_projection(
    "relu_on_values",
    "A ReLU follows the projection of the values.",
    lambda p: project_except(p, v=np.maximum(project(p)[2], 0)),
)
record_projection(
    "norm_first", "The tokens go through a layer norm first.", lambda p: project_changed(p, normalize_rows), common=True
)
record_projection(
    "norm_on_queries_and_keys",
    "Queries and keys go through a layer norm.",
    lambda p: project_except(p, normalize_rows(project(p)[0]), normalize_rows(project(p)[1])),
)
record_projection(
    "tokens_centred",
    "The mean of each column is subtracted from the tokens.",
    lambda p: project_changed(p, lambda a: a - a.mean(0)),
)
record_projection(
    "tokens_of_length_one",
    "The tokens are divided by their length.",
    lambda p: project_changed(p, lambda a: a / np.linalg.norm(a, axis=-1, keepdims=True)),
    common=True,
)
record_projection(
    "positions_added",
    "Positions are added a second time.",
    lambda p: project_changed(p, lambda a: a + sinusoidal_encoding(*a.shape)),
    common=True,
)
record_projection(
    "positions_on_queries_and_keys",
    "Positions are added to queries and keys.",
    lambda p: project_except(
        p,
        project(p)[0] + sinusoidal_encoding(*project(p)[0].shape),
        project(p)[1] + sinusoidal_encoding(*project(p)[1].shape),
    ),
)
record_projection(
    "positions_on_values",
    "Positions are added to the values.",
    lambda p: project_except(p, v=project(p)[2] + sinusoidal_encoding(*project(p)[2].shape)),
)
record_projection(
    "position_number_added",
    "The number of the row is added to each token.",
    lambda p: project_changed(p, lambda a: a + np.arange(len(a))[:, None]),
)
record_projection(
    "tokens_times_root",
    "The tokens are multiplied by the root of d_model.",
    lambda p: project_changed(p, lambda a: a * np.sqrt(a.shape[-1])),
    common=True,
)
record_projection("softmax_on_tokens", "The tokens go through a softmax first.", lambda p: project_changed(p, softmax))
record_projection("tanh_on_projections", "A tanh follows each projection.", project_each(np.tanh))
record_projection(
    "values_reversed", "The values are in the reverse order.", lambda p: project_except(p, v=project(p)[2][::-1])
)
record_projection(
    "keys_shifted", "The keys are one token too late.", lambda p: project_except(p, k=np.roll(project(p)[1], 1, 0))
)
record_projection(
    "values_shifted",
    "The values are one token too late.",
    lambda p: project_except(p, v=np.roll(project(p)[2], 1, 0)),
    common=True,
)
record_projection(
    "bias_left_out", "The biases are left out.", lambda p: project_with_biases(p, 0, 0, 0), common=True, needs="bias"
)
record_projection(
    "query_bias_left_out", "The bias of the queries is left out.", lambda p: project_with_biases(p, q=0), needs="bias"
)
record_projection(
    "key_bias_left_out",
    "The bias of the keys is left out: the weights stay right.",
    lambda p: project_with_biases(p, k=0),
    needs="bias",
)
record_projection(
    "value_bias_left_out",
    "The bias of the values is left out.",
    lambda p: project_with_biases(p, v=0),
    common=True,
    needs="bias",
)
record_projection(
    "bias_twice", "The biases are added twice.", lambda p: project_with_biases(p, 2, 2, 2), common=True, needs="bias"
)
record_projection(
    "bias_subtracted", "The biases are subtracted.", lambda p: project_with_biases(p, -1, -1, -1), needs="bias"
)
record_projection(
    "query_bias_for_keys",
    "The bias of the queries is added to the keys: the weights stay right.",
    lambda p: project_except(p, k=source_of_keys(p) @ p.w_k + p.b_q),
    common=True,
    needs="bias",
)
record_projection(
    "biases_swapped",
    "The biases of queries and keys are swapped.",
    lambda p: project_except(p, p.x @ p.w_q + p.b_k, source_of_keys(p) @ p.w_k + p.b_q),
    common=True,
    needs="bias",
)
record_projection(
    "context_ignored",
    "The context is ignored.",
    lambda p: (p.x @ p.w_q, p.x @ p.w_k, p.x @ p.w_v),
    common=True,
    needs="context",
)
record_projection(
    "roles_swapped",
    "The context asks, and x answers.",
    lambda p: (p.context @ p.w_q, p.x @ p.w_k, p.x @ p.w_v),
    common=True,
    needs="context",
    source="humza909/LLM_Survey#2",
)
record_projection(
    "all_from_context",
    "The queries come from the context too.",
    lambda p: project_except(p, q=p.context @ p.w_q),
    common=True,
    needs="context",
)
record_projection(
    "values_from_x", "The values come from x.", lambda p: project_except(p, v=p.x @ p.w_v), common=True, needs="context"
)
record_projection(
    "keys_from_x", "The keys come from x.", lambda p: project_except(p, k=p.x @ p.w_k), common=True, needs="context"
)
record_projection(
    "x_put_before_context",
    "Keys and values come from x and the context together.",
    lambda p: project_except(p, k=np.vstack([p.x, p.context]) @ p.w_k, v=np.vstack([p.x, p.context]) @ p.w_v),
    needs="context",
)
