"""Mistakes in the scores, and in dividing them by √d_k."""

import numpy as np

from .parts import one_head, project, score, softmax
from .record import record


def root_of_width(k):
    """Return √d_k, where d_k is the width of a key."""
    return np.sqrt(k.shape[-1])


def unit_rows(a):
    """Divide each row of `a` by its length."""
    return a / np.linalg.norm(a, axis=-1, keepdims=True)


def score_without_diagonal(q, k):
    """Return the scores, but with 0 for each token with itself."""
    s = score(q, k)
    return s * (1 - np.eye(*s.shape))


def score_without_last_key(q, k):
    """Return the scores, but with 0 in the last column, as if the last key were forgotten."""
    s = score(q, k)
    s[:, -1] = 0
    return s


def run_with_token_scores(p):
    """Compute attention on the inputs `p`, but compute the scores from the tokens instead of from queries and keys."""
    made = one_head(p)
    s = p.x @ (p.x if p.context is None else p.context).T
    w = softmax(s / np.sqrt(p.x.shape[-1]))
    return made | {"scores": s, "weights": w, "output": w @ made["V"]}


def run_without_scaling(p):
    """Compute attention on the inputs `p`, but use the unscaled scores in the softmax, not the scaled ones."""
    made = one_head(p, scale=lambda s, q, k, p: s)
    return made | {"scaled": made["scores"] / root_of_width(made["K"])}


def project_and_scale(p):
    """Return queries, keys and values of the inputs `p`, but with both queries and keys divided by √d_k.

    So their dot products are divided by d_k instead of √d_k.
    """
    q, k, v = project(p)
    return q / root_of_width(k), k / root_of_width(k), v


def record_scale(name, says, function, **more):
    """Add to `ALL` a mistake in the scaling: `function` takes the scores and the keys, and returns the scaled scores.

    `says` describes the mistake, and `more` holds further arguments of `record`.
    """
    record(name, says, scale=lambda s, q, k, p: function(s, k), **more)


record_scale(
    "no_scale", "The scores are not scaled.", lambda s, k: s, common=True, source="delzac/cntkx#10; mlc-ai/mlc-llm#3426"
)
record_scale("times_root", "The scores are multiplied by the root.", lambda s, k: s * root_of_width(k), common=True)
record_scale(
    "divided_by_inverse_root",
    "The scores are divided by d_k to the power of minus one half.",
    lambda s, k: s / k.shape[-1] ** -0.5,
    common=True,
    source="esceptico/perceiver-io#9",
)
record_scale("by_d_k", "The scores are divided by d_k.", lambda s, k: s / k.shape[-1], common=True)
record_scale(
    "by_root_of_tokens",
    "The scores are divided by the root of the number of keys.",
    lambda s, k: s / np.sqrt(len(k)),
    common=True,
)
record_scale("by_d_k_squared", "The scores are divided by the square of d_k.", lambda s, k: s / k.shape[-1] ** 2)
record_scale("times_d_k", "The scores are multiplied by d_k.", lambda s, k: s * k.shape[-1])
record_scale("floor_division", "The division rounds down.", lambda s, k: s // root_of_width(k), common=True)
record_scale("integer_root", "The root is rounded down.", lambda s, k: s / int(root_of_width(k)))
record_scale(
    "power_one_by_two", "d_k ** 1/2 is half of d_k, not its root.", lambda s, k: s / (k.shape[-1] ** 1 / 2), common=True
)
record_scale(
    "scaled_twice", "The scores are scaled twice.", lambda s, k: s / root_of_width(k) / root_of_width(k), common=True
)
record_scale("minus_root", "The scale has a minus sign.", lambda s, k: -s / root_of_width(k))
record_scale("by_deviation", "The scores are divided by their standard deviation.", lambda s, k: s / s.std())
record_scale("by_eight", "The divisor is 8, copied from a model with d_k = 64.", lambda s, k: s / 8, common=True)
record_scale("by_logarithm", "The scores are divided by the logarithm of d_k.", lambda s, k: s / np.log(k.shape[-1]))
record_scale("by_cube_root", "The cube root stands in place of the square root.", lambda s, k: s / np.cbrt(k.shape[-1]))
record_scale("minus_instead_of_by", "The root is subtracted instead of divided by.", lambda s, k: s - root_of_width(k))
record_scale("root_of_fraction", "The root covers the scores too.", lambda s, k: np.sqrt(s / k.shape[-1]), common=True)
record_scale("by_norm_of_keys", "The scores are divided by the length of all keys.", lambda s, k: s / np.linalg.norm(k))
record_scale("fourth_root", "Only the queries are divided by the fourth root.", lambda s, k: s / k.shape[-1] ** 0.25)
record(
    "by_root_of_d_model",
    "The scores are divided by the root of d_model.",
    common=True,
    scale=lambda s, q, k, p: s / np.sqrt(p.x.shape[-1]),
    source="Graylab/DL4Proteins-notebooks#12; FareedKhan-dev/train-llm-from-scratch#3",
)
record(
    "by_root_of_d_v",
    "The scores are divided by the root of d_v.",
    common=True,
    scale=lambda s, q, k, p: s / np.sqrt(p.w_v.shape[-1]),
)
record(
    "by_root_of_queries",
    "The scores are divided by the root of the number of queries.",
    scale=lambda s, q, k, p: s / np.sqrt(len(q)),
)
record(
    "scaled_after_softmax",
    "The weights are scaled instead of the scores.",
    common=True,
    scale=lambda s, q, k, p: s,
    after=lambda w, m, p: w / np.sqrt(p.w_k.shape[-1]),
)
record(
    "scaled_output",
    "The output is scaled instead of the scores.",
    common=True,
    scale=lambda s, q, k, p: s,
    finish=lambda o, p: o / np.sqrt(p.w_k.shape[-1]),
)
record(
    "scaling_unused",
    "The scaled scores are computed, but the softmax gets the unscaled ones.",
    common=True,
    whole=run_without_scaling,
)
record(
    "scaled_queries_and_keys",
    "Both queries and keys are divided by the root.",
    common=True,
    project=project_and_scale,
    scale=lambda s, q, k, p: s,
)
record("no_transpose", "The keys are not transposed.", common=True, score=lambda q, k: q @ k)
record("keys_by_queries", "The scores are K Qᵀ instead of Q Kᵀ.", common=True, score=lambda q, k: k @ q.T)
record("queries_by_queries", "The queries are multiplied by themselves.", common=True, score=lambda q, k: q @ q.T)
record("keys_by_keys", "The keys are multiplied by themselves.", common=True, score=lambda q, k: k @ k.T)
record(
    "tokens_by_tokens",
    "The scores come from the tokens, without projections.",
    common=True,
    whole=run_with_token_scores,
)
record(
    "features_by_features",
    "The scores are Qᵀ K, one for each pair of features.",
    common=True,
    score=lambda q, k: q.T @ k,
)
record("elementwise_scores", "Queries and keys are multiplied number by number.", common=True, score=lambda q, k: q * k)
record(
    "reshape_for_transpose",
    "The keys are reshaped instead of transposed.",
    common=True,
    score=lambda q, k: q @ k.reshape(k.shape[::-1]),
)
record(
    "minus_squared_distance",
    "The score is minus the squared distance.",
    score=lambda q, k: -((q[:, None] - k[None]) ** 2).sum(-1),
)
record(
    "minus_distance",
    "The score is minus the sum of absolute differences.",
    score=lambda q, k: -abs(q[:, None] - k[None]).sum(-1),
)
record(
    "additive_scores",
    "The score sums tanh of query plus key.",
    score=lambda q, k: np.tanh(q[:, None] + k[None]).sum(-1),
)
record("cosine_scores", "The score is the cosine.", common=True, score=lambda q, k: unit_rows(q) @ unit_rows(k).T)
record("absolute_scores", "The score loses its sign.", score=lambda q, k: abs(q @ k.T))
record("squared_scores", "The score is squared.", score=lambda q, k: (q @ k.T) ** 2)
record(
    "sum_overwritten",
    "The loop overwrites the sum, so that only the last product stays.",
    common=True,
    score=lambda q, k: np.outer(q[:, -1], k[:, -1]),
)
record(
    "last_feature_forgotten",
    "The loop over features stops one too early.",
    common=True,
    score=lambda q, k: q[:, :-1] @ k[:, :-1].T,
)
record(
    "first_feature_forgotten",
    "The loop over features begins at one.",
    common=True,
    score=lambda q, k: q[:, 1:] @ k[:, 1:].T,
)
record("last_key_forgotten", "The loop over keys stops one too early.", common=True, score=score_without_last_key)
record("without_diagonal", "The score of a token with itself is set to zero.", score=score_without_diagonal)
record("symmetric_scores", "The scores are averaged with their transpose.", score=lambda q, k: (q @ k.T + k @ q.T) / 2)
record(
    "one_query_for_all", "The last query is used for every row.", score=lambda q, k: np.tile(q[-1] @ k.T, (len(q), 1))
)
record(
    "keys_centred_by_column",
    "The mean over the tokens is subtracted from the queries.",
    score=lambda q, k: (q - q.mean(0)) @ k.T,
)
record(
    "scores_as_integers",
    "The scores are stored as integers after scaling.",
    scale=lambda s, q, k, p: (s / root_of_width(k)).astype(int),
)
