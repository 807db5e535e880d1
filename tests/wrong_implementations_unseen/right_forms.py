"""Right computations in unusual forms: by other formulas, in other number formats, rounded."""

import numpy as np
from scipy.special import logsumexp

from wrong_implementations.parts import hide, plus, project, softmax, source_of_keys

from .record import right, run


def scaled_of(p):
    """Return the scaled scores of one head, with −inf where they are hidden."""
    q, k, _ = project(p)
    return hide(q @ k.T / np.sqrt(k.shape[1]), p.mask)


def given(p, weights):
    """Return weights and output of one head, made from these weights."""
    return {"V": project(p)[2], "weights": weights, "output": weights @ project(p)[2]}


def with_arrays(p, change):
    """Return a problem whose numbers, not its mask, are changed."""
    new = {name: change(a) for name, a in vars(p).items() if isinstance(a, np.ndarray) and name != "mask"}
    return type(p)(**{**vars(p), **new})


@right(decimals=6)
def computes_in_single_precision(p):
    """Every number is a float32."""
    return run(with_arrays(p, np.float32))


@right(decimals=2)
def computes_in_half_precision(p):
    """The weights are float16, and the output is given to 2 decimals."""
    return given(p, softmax(scaled_of(p)).astype(np.float16).astype(float))


@right()
def scales_the_queries(p):
    """The queries are divided by √d_k, and the scores are not."""
    q, k, v = project(p)
    return run(p, project=lambda p: (q / np.sqrt(k.shape[1]), k, v), scale=lambda s, q, k, p: s)


@right()
def scales_the_keys(p):
    """The keys are divided by √d_k, and the scores are not."""
    q, k, v = project(p)
    return run(p, project=lambda p: (q, k / np.sqrt(k.shape[1]), v), scale=lambda s, q, k, p: s)


@right()
def scales_both_by_the_fourth_root(p):
    """Queries and keys are both divided by the fourth root of d_k."""
    q, k, v = project(p)
    root = k.shape[1] ** 0.25
    return run(p, project=lambda p: (q / root, k / root, v), scale=lambda s, q, k, p: s)


@right(heads="several")
def scales_the_queries_of_all_heads(p):
    """All queries are divided by the root of one head's width before they are cut."""
    q, k, v = project(p)
    root = np.sqrt(k.shape[1] / p.n_heads)
    return run(p, "several", project=lambda p: (q / root, k, v), scale=lambda s, q, k, p: s)


@right(needs="mask")
def fills_with_minus_a_billion(p):
    """−1e9 in place of −inf."""
    return run(p, hide=lambda scaled, mask: np.where(mask, scaled, -1e9))


@right(needs="mask")
def adds_minus_a_billion(p):
    """−1e9 is added where a score is hidden."""
    return run(p, hide=lambda scaled, mask: scaled - 1e9 * ~mask)


@right(needs="mask")
def fills_with_the_least_float(p):
    """`np.finfo(np.float32).min`."""
    return run(p, hide=lambda scaled, mask: np.where(mask, scaled, np.finfo(np.float32).min))


@right(needs="mask", decimals=4)
def fills_with_minus_ten_thousand(p):
    """−1e4, as for half precision."""
    return run(p, hide=lambda scaled, mask: np.where(mask, scaled, -1e4))


@right(needs="mask")
def hides_exponentials(p):
    """The mask multiplies the exponentials, and the sum counts what is left."""
    q, k, _ = project(p)
    e = np.exp(q @ k.T / np.sqrt(k.shape[1])) * p.mask
    return given(p, e / e.sum(axis=1, keepdims=True))


@right(needs="mask")
def normalizes_again_after_a_late_mask(p):
    """The mask comes after the softmax, and each row is divided by its sum again."""
    weights = run(p, hide=lambda scaled, mask: scaled)["weights"] * p.mask
    return given(p, weights / weights.sum(axis=1, keepdims=True))


@right()
def subtracts_no_maximum(p):
    """The naive softmax."""
    e = np.exp(scaled_of(p))
    return given(p, e / e.sum(axis=1, keepdims=True))


@right()
def subtracts_one_maximum_from_all(p):
    """The greatest score of the whole matrix is subtracted, not that of each row."""
    e = np.exp(scaled_of(p) - scaled_of(p).max())
    return given(p, e / e.sum(axis=1, keepdims=True))


@right()
def subtracts_the_logarithm_of_the_sum(p):
    """exp(s − logsumexp(s))."""
    return given(p, np.exp(scaled_of(p) - logsumexp(scaled_of(p), axis=1, keepdims=True)))


@right()
def uses_powers_of_two_with_their_factor(p):
    """2 to the power of s · log₂ e, as fast kernels do."""
    e = 2.0 ** (scaled_of(p) * np.log2(np.e))
    return given(p, e / e.sum(axis=1, keepdims=True))


@right()
def divides_after_the_mixing(p):
    """(e v) / Σ e: the division comes last."""
    e = np.exp(scaled_of(p))
    return {"output": (e @ project(p)[2]) / e.sum(axis=1, keepdims=True)}


@right()
def adds_a_constant_to_the_scores(p):
    """7 is added to every score, which changes no weight."""
    return run(p, hide=lambda scaled, mask: hide(scaled + 7, mask))


@right(decimals=4)
def shifts_each_row(p):
    """The mean of each row of scores is subtracted, which changes no weight."""
    return run(p, hide=lambda scaled, mask: hide(scaled - scaled.mean(axis=1, keepdims=True), mask))


@right()
def goes_along_the_keys_once(p):
    """The running softmax: maximum, sum and output are corrected at each key."""
    q, _, v = project(p)
    scaled = scaled_of(p)
    top, total, output = np.full(len(q), -np.inf), np.zeros(len(q)), np.zeros((len(q), v.shape[1]))
    for j in np.argsort(np.isinf(scaled).sum(axis=0), kind="stable"):  # a key that all see comes first
        new = np.maximum(top, scaled[:, j])
        old, e = np.exp(top - new), np.exp(scaled[:, j] - new)
        top, total, output = new, total * old + e, output * old[:, None] + e[:, None] * v[j]
    return {"output": output / total[:, None]}


@right(needs="bias")
def leaves_out_the_bias_of_the_keys(p):
    """b_K adds the same number to each score of a row, so the weights do not change."""
    q, _, v = project(p)
    return run(p, project=lambda p: (q, source_of_keys(p) @ p.w_k, v))


@right(needs="bias")
def adds_the_bias_of_the_values_last(p):
    """b_V is added to the output: each row of weights sums to 1."""
    q, k, _ = project(p)
    return run(p, project=lambda p: (q, k, source_of_keys(p) @ p.w_v), finish=lambda o, p: o + p.b_v)


@right()
def projects_after_the_mixing(p):
    """The weights mix the rows of x, and W_V comes last."""
    weights = softmax(scaled_of(p))
    return {"weights": weights, "output": plus(weights @ source_of_keys(p) @ p.w_v, p.b_v)}
