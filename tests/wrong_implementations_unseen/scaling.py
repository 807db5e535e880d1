"""Mistakes in scaling the scores: a wrong divisor, or a division of the wrong matrix."""

import numpy as np

from .record import run, wrong

VIT = "https://github.com/lucidrains/vit-pytorch/issues/65"


@wrong("scaled", "scale")
def forgets_to_scale(scores, q, k, p):
    """Return the scores as they are, without dividing them by √d_k."""
    return scores


@wrong("scaled", "scale")
def divides_by_d_k(scores, q, k, p):
    """Divide the scores by d_k instead of √d_k."""
    return scores / k.shape[1]


@wrong("scaled", "scale", source="https://github.com/esceptico/perceiver-io/issues/9")
def multiplies_by_the_root(scores, q, k, p):
    """Multiply the scores by √d_k instead of dividing them: the code says `scores / d ** -0.5`."""
    return scores / k.shape[1] ** -0.5


@wrong("scaled", "scale", source=VIT)
def divides_by_the_root_of_d_model(scores, q, k, p):
    """Divide the scores by the square root of the width of x instead of √d_k."""
    return scores / np.sqrt(p.x.shape[1])


@wrong("scaled", "scale")
def divides_by_d_model(scores, q, k, p):
    """Divide the scores by the width of x instead of √d_k."""
    return scores / p.x.shape[1]


@wrong("scaled", "scale")
def divides_by_the_root_of_the_number_of_tokens(scores, q, k, p):
    """Divide the scores by the square root of the number of keys instead of √d_k: the code uses `k.shape[0]`."""
    return scores / np.sqrt(k.shape[0])


@wrong("scaled", "scale")
def divides_by_the_number_of_tokens(scores, q, k, p):
    """Divide the scores by the number of keys, `len(k)`, instead of √d_k."""
    return scores / len(k)


@wrong("scaled", "scale")
def divides_by_the_root_of_d_v(scores, q, k, p):
    """Divide the scores by the square root of the width of the values instead of √d_k."""
    return scores / np.sqrt(p.w_v.shape[1])


@wrong("scaled", "scale", rare=True)
def divides_by_the_root_of_the_size(scores, q, k, p):
    """Divide the scores by the square root of `k.size`, which counts all numbers of K, instead of √d_k."""
    return scores / np.sqrt(k.size)


@wrong("scaled", "scale")
def halves_by_precedence(scores, q, k, p):
    """Divide the scores by 2 d_k instead of √d_k: the code says `scores / d_k ** 1 / 2`.

    Python reads this as `(scores / d_k) / 2`.
    """
    return scores / k.shape[1] ** 1 / 2


@wrong("scaled", "scale", rare=True)
def divides_by_the_square(scores, q, k, p):
    """Divide the scores by d_k² instead of √d_k."""
    return scores / k.shape[1] ** 2


@wrong("scaled", "scale", rare=True)
def divides_by_the_root_of_512(scores, q, k, p):
    """Divide the scores by √512 instead of √d_k, because 512 is the width of the tokens in the original paper."""
    return scores / np.sqrt(512)


@wrong("scaled", "scale")
def divides_by_the_greatest_score(scores, q, k, p):
    """Divide the scores by the greatest score instead of √d_k."""
    return scores / scores.max()


@wrong("scaled", "scale", rare=True)
def divides_by_the_greatest_score_of_the_row(scores, q, k, p):
    """Divide each row of scores by its greatest absolute score instead of √d_k."""
    return scores / np.abs(scores).max(axis=1, keepdims=True)


@wrong("scaled", "scale", rare=True)
def standardizes_the_scores(scores, q, k, p):
    """Give each row of scores mean 0 and standard deviation 1, instead of dividing it by √d_k."""
    return (scores - scores.mean(1, keepdims=True)) / scores.std(1, keepdims=True)


@wrong("scaled", "scale", rare=True)
def divides_by_the_spread(scores, q, k, p):
    """Divide the scores by the standard deviation of all scores instead of √d_k."""
    return scores / scores.std()


@wrong("scaled", "scale", rare=True)
def divides_by_the_logarithm(scores, q, k, p):
    """Divide the scores by ln(d_k) instead of √d_k."""
    return scores / np.log(k.shape[1])


@wrong("scaled", "scale", rare=True)
def divides_by_one_feature_less(scores, q, k, p):
    """Divide the scores by √(d_k - 1) instead of √d_k, as in the variance of a sample."""
    return scores / np.sqrt(k.shape[1] - 1)


@wrong("scaled", "scale", rare=True)
def multiplies_by_d_k(scores, q, k, p):
    """Multiply the scores by d_k instead of dividing them by √d_k."""
    return scores * k.shape[1]


@wrong("scaled", "scale", rare=True)
def divides_by_the_root_of_twice_d_k(scores, q, k, p):
    """Divide the scores by √(2 d_k) instead of √d_k, as if queries and keys both counted."""
    return scores / np.sqrt(2 * k.shape[1])


@wrong("scaled", "scale", rare=True)
def uses_the_exponential_of_d_k(scores, q, k, p):
    """Multiply the scores by e^(-0.5) instead of d_k^(-0.5): the code says `np.exp(-0.5)`."""
    return scores * np.exp(-0.5)


@wrong("scaled")
def scales_after_the_softmax(p):
    """Compute softmax(Q Kᵀ) / √d_k V on the inputs `p`, instead of softmax(Q Kᵀ / √d_k) V.

    The parenthesis closes too early.
    """
    return run(p, scale=lambda s, q, k, p: s, after=lambda w, mask, p: w / np.sqrt(p.w_k.shape[1]))


@wrong("weights")
def scales_before_and_after_the_softmax(p):
    """Compute attention on the inputs `p`, but divide both the scores and the weights by √d_k."""
    return run(p, after=lambda w, mask, p: w / np.sqrt(p.w_k.shape[1]))


@wrong("scaled")
def scales_the_output(p):
    """Compute softmax(Q Kᵀ) V · √d_k on the inputs `p`, instead of softmax(Q Kᵀ / √d_k) V."""
    return run(p, scale=lambda s, q, k, p: s, finish=lambda o, p: o * np.sqrt(p.w_k.shape[1]))


@wrong("scaled", "scale")
def adds_one_to_the_root(scores, q, k, p):
    """Divide the scores by √d_k + 1 instead of √d_k.

    The code should add a very small number, to avoid a division by zero, but it adds `1e-0`, which is 1.
    """
    return scores / (np.sqrt(k.shape[1]) + 1)
