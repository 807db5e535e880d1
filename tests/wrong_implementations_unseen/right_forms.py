"""Correct computations of attention in unusual forms: by other formulas, in other number formats, rounded."""

import numpy as np
from scipy.special import logsumexp

from wrong_implementations.parts import hide, plus, project, softmax, source_of_keys

from .record import right, run


def scaled_of(p):
    """Return the scores Q Kᵀ / √d_k of the inputs `p`, with minus infinity where the mask hides a key."""
    q, k, _ = project(p)
    return hide(q @ k.T / np.sqrt(k.shape[1]), p.mask)


def matrices_from_weights(p, weights):
    """Return the values, `weights` and the output made from both, by name. `p` holds the inputs."""
    return {"V": project(p)[2], "weights": weights, "output": weights @ project(p)[2]}


def with_arrays(p, change):
    """Return the problem `p` with `change` applied to each of its arrays except the mask."""
    new = {name: change(a) for name, a in vars(p).items() if isinstance(a, np.ndarray) and name != "mask"}
    return type(p)(**{**vars(p), **new})


@right(decimals=6)
def computes_in_single_precision(p):
    """Compute attention on the inputs `p` correctly, with all numbers as float32."""
    return run(with_arrays(p, np.float32))


@right(decimals=2)
def computes_in_half_precision(p):
    """Compute attention on the inputs `p` correctly, with the weights as float16."""
    return matrices_from_weights(p, softmax(scaled_of(p)).astype(np.float16).astype(float))


@right()
def scales_the_queries(p):
    """Compute attention on the inputs `p` correctly, by dividing the queries by √d_k instead of the scores."""
    q, k, v = project(p)
    return run(p, project=lambda p: (q / np.sqrt(k.shape[1]), k, v), scale=lambda s, q, k, p: s)


@right()
def scales_the_keys(p):
    """Compute attention on the inputs `p` correctly, by dividing the keys by √d_k instead of the scores."""
    q, k, v = project(p)
    return run(p, project=lambda p: (q, k / np.sqrt(k.shape[1]), v), scale=lambda s, q, k, p: s)


@right()
def scales_both_by_the_fourth_root(p):
    """Compute attention on the inputs `p` correctly, by dividing both queries and keys by the fourth root of d_k."""
    q, k, v = project(p)
    root = k.shape[1] ** 0.25
    return run(p, project=lambda p: (q / root, k / root, v), scale=lambda s, q, k, p: s)


@right(heads="several")
def scales_the_queries_of_all_heads(p):
    """Compute multi-head attention on the inputs `p` correctly, by dividing the queries instead of the scores.

    All queries are divided by the square root of the width of one head before they are split into heads.
    """
    q, k, v = project(p)
    root = np.sqrt(k.shape[1] / p.n_heads)
    return run(p, "several", project=lambda p: (q / root, k, v), scale=lambda s, q, k, p: s)


@right(needs="mask")
def fills_with_minus_a_billion(p):
    """Compute attention on the inputs `p` correctly, with -1e9 in place of minus infinity for masked scores."""
    return run(p, hide=lambda scaled, mask: np.where(mask, scaled, -1e9))


@right(needs="mask")
def adds_minus_a_billion(p):
    """Compute attention on the inputs `p` correctly, by adding -1e9 to masked scores."""
    return run(p, hide=lambda scaled, mask: scaled - 1e9 * ~mask)


@right(needs="mask")
def fills_with_the_least_float(p):
    """Compute attention on the inputs `p` correctly, with the least float32 for masked scores."""
    return run(p, hide=lambda scaled, mask: np.where(mask, scaled, np.finfo(np.float32).min))


@right(needs="mask", decimals=4)
def fills_with_minus_ten_thousand(p):
    """Compute attention on the inputs `p` correctly, with -10000 in place of minus infinity for masked scores."""
    return run(p, hide=lambda scaled, mask: np.where(mask, scaled, -1e4))


@right(needs="mask")
def hides_exponentials(p):
    """Compute attention on the inputs `p` correctly: multiply exponentials by the mask before dividing by their sum."""
    q, k, _ = project(p)
    e = np.exp(q @ k.T / np.sqrt(k.shape[1])) * p.mask
    return matrices_from_weights(p, e / e.sum(axis=1, keepdims=True))


@right(needs="mask")
def normalizes_again_after_a_late_mask(p):
    """Compute attention on the inputs `p` correctly: mask the weights, and divide each row by its sum again."""
    weights = run(p, hide=lambda scaled, mask: scaled)["weights"] * p.mask
    return matrices_from_weights(p, weights / weights.sum(axis=1, keepdims=True))


@right()
def subtracts_no_maximum(p):
    """Compute attention on the inputs `p` correctly, without subtracting the maximum in the softmax."""
    e = np.exp(scaled_of(p))
    return matrices_from_weights(p, e / e.sum(axis=1, keepdims=True))


@right()
def subtracts_one_maximum_from_all(p):
    """Compute attention on the inputs `p` correctly, by subtracting the maximum of the whole matrix."""
    e = np.exp(scaled_of(p) - scaled_of(p).max())
    return matrices_from_weights(p, e / e.sum(axis=1, keepdims=True))


@right()
def subtracts_the_logarithm_of_the_sum(p):
    """Compute attention on the inputs `p` correctly, with the softmax as exp(s - logsumexp(s))."""
    return matrices_from_weights(p, np.exp(scaled_of(p) - logsumexp(scaled_of(p), axis=1, keepdims=True)))


@right()
def uses_powers_of_two_with_their_factor(p):
    """Compute attention on the inputs `p` correctly, with 2^(s · log₂ e) in place of e^s, as fast programs do."""
    e = 2.0 ** (scaled_of(p) * np.log2(np.e))
    return matrices_from_weights(p, e / e.sum(axis=1, keepdims=True))


@right()
def divides_after_the_mixing(p):
    """Compute attention on the inputs `p` correctly, by dividing by the sum of exponentials last: (e V) / sum(e)."""
    e = np.exp(scaled_of(p))
    return {"output": (e @ project(p)[2]) / e.sum(axis=1, keepdims=True)}


@right()
def adds_a_constant_to_the_scores(p):
    """Compute attention on the inputs `p` correctly, with 7 added to every score, which changes no weight."""
    return run(p, hide=lambda scaled, mask: hide(scaled + 7, mask))


@right(decimals=4)
def shifts_each_row(p):
    """Compute attention on the inputs `p` correctly, with the mean subtracted from each row of scores."""
    return run(p, hide=lambda scaled, mask: hide(scaled - scaled.mean(axis=1, keepdims=True), mask))


@right()
def goes_along_the_keys_once(p):
    """Compute attention on the inputs `p` correctly, one key after the other (the running softmax).

    The maximum, the sum and the output so far are corrected at each key.
    """
    q, _, v = project(p)
    scaled = scaled_of(p)
    top, total, output = np.full(len(q), -np.inf), np.zeros(len(q)), np.zeros((len(q), v.shape[1]))
    for j in np.argsort(np.isinf(scaled).sum(axis=0), kind="stable"):  # keys that every query sees come first
        new = np.maximum(top, scaled[:, j])
        old, e = np.exp(top - new), np.exp(scaled[:, j] - new)
        top, total, output = new, total * old + e, output * old[:, None] + e[:, None] * v[j]
    return {"output": output / total[:, None]}


@right(needs="bias")
def leaves_out_the_bias_of_the_keys(p):
    """Compute attention on the inputs `p` correctly, without the bias of the keys.

    That bias adds the same number to each score of a row, so the weights do not change.
    """
    q, _, v = project(p)
    return run(p, project=lambda p: (q, source_of_keys(p) @ p.w_k, v))


@right(needs="bias")
def adds_the_bias_of_the_values_last(p):
    """Compute attention on the inputs `p` correctly, by adding the bias of the values to the output.

    The result is the same because each row of weights adds up to 1.
    """
    q, k, _ = project(p)
    return run(p, project=lambda p: (q, k, source_of_keys(p) @ p.w_v), finish=lambda o, p: o + p.b_v)


@right()
def projects_after_the_mixing(p):
    """Compute attention on the inputs `p` correctly: multiply the weights by the tokens first, and by W^V last."""
    weights = softmax(scaled_of(p))
    return {"weights": weights, "output": plus(weights @ source_of_keys(p) @ p.w_v, p.b_v)}
