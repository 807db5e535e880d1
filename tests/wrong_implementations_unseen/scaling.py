"""Mistakes in the scale: what divides the scores, and where."""

import numpy as np

from .record import run, wrong

VIT = "https://github.com/lucidrains/vit-pytorch/issues/65"


@wrong("scaled", "scale")
def forgets_to_scale(scores, q, k, p):
    """Nothing divides the scores."""
    return scores


@wrong("scaled", "scale")
def divides_by_d_k(scores, q, k, p):
    """The root is forgotten."""
    return scores / k.shape[1]


@wrong("scaled", "scale", source="https://github.com/esceptico/perceiver-io/issues/9")
def multiplies_by_the_root(scores, q, k, p):
    """`scores / d ** -0.5`: the root multiplies."""
    return scores / k.shape[1] ** -0.5


@wrong("scaled", "scale", source=VIT)
def divides_by_the_root_of_d_model(scores, q, k, p):
    """`sqrt(x.shape[-1])`: the width of the embeddings."""
    return scores / np.sqrt(p.x.shape[1])


@wrong("scaled", "scale")
def divides_by_d_model(scores, q, k, p):
    """The width of the embeddings, without a root."""
    return scores / p.x.shape[1]


@wrong("scaled", "scale")
def divides_by_the_root_of_the_number_of_tokens(scores, q, k, p):
    """`sqrt(k.shape[0])`: the wrong axis of the shape."""
    return scores / np.sqrt(k.shape[0])


@wrong("scaled", "scale")
def divides_by_the_number_of_tokens(scores, q, k, p):
    """`len(k)`: neither the axis nor the root is right."""
    return scores / len(k)


@wrong("scaled", "scale")
def divides_by_the_root_of_d_v(scores, q, k, p):
    """`sqrt(v.shape[-1])`: the width of the values."""
    return scores / np.sqrt(p.w_v.shape[1])


@wrong("scaled", "scale", rare=True)
def divides_by_the_root_of_the_size(scores, q, k, p):
    """`sqrt(k.size)`: the number of all numbers in k."""
    return scores / np.sqrt(k.size)


@wrong("scaled", "scale")
def halves_by_precedence(scores, q, k, p):
    """`scores / d_k ** 1 / 2`: the power is taken before the division."""
    return scores / k.shape[1] ** 1 / 2


@wrong("scaled", "scale", rare=True)
def divides_by_the_square(scores, q, k, p):
    """`d_k ** 2`."""
    return scores / k.shape[1] ** 2


@wrong("scaled", "scale", rare=True)
def divides_by_the_root_of_512(scores, q, k, p):
    """The width of the paper's embeddings is typed in."""
    return scores / np.sqrt(512)


@wrong("scaled", "scale")
def divides_by_the_greatest_score(scores, q, k, p):
    """`scores / scores.max()`."""
    return scores / scores.max()


@wrong("scaled", "scale", rare=True)
def divides_by_the_greatest_score_of_the_row(scores, q, k, p):
    """`scores / scores.max(axis=1)`, with the axis kept."""
    return scores / np.abs(scores).max(axis=1, keepdims=True)


@wrong("scaled", "scale", rare=True)
def standardizes_the_scores(scores, q, k, p):
    """Each row of scores has its mean subtracted and is divided by its standard deviation."""
    return (scores - scores.mean(1, keepdims=True)) / scores.std(1, keepdims=True)


@wrong("scaled", "scale", rare=True)
def divides_by_the_spread(scores, q, k, p):
    """`scores / scores.std()`."""
    return scores / scores.std()


@wrong("scaled", "scale", rare=True)
def divides_by_the_logarithm(scores, q, k, p):
    """`scores / np.log(d_k)`."""
    return scores / np.log(k.shape[1])


@wrong("scaled", "scale", rare=True)
def divides_by_one_feature_less(scores, q, k, p):
    """`sqrt(d_k - 1)`, as for a sample's variance."""
    return scores / np.sqrt(k.shape[1] - 1)


@wrong("scaled", "scale", rare=True)
def multiplies_by_d_k(scores, q, k, p):
    """The width multiplies."""
    return scores * k.shape[1]


@wrong("scaled", "scale", rare=True)
def divides_by_the_root_of_twice_d_k(scores, q, k, p):
    """`sqrt(2 * d_k)`: queries and keys are both counted."""
    return scores / np.sqrt(2 * k.shape[1])


@wrong("scaled", "scale", rare=True)
def uses_the_exponential_of_d_k(scores, q, k, p):
    """`np.exp(-0.5)` in place of `d_k ** -0.5`."""
    return scores * np.exp(-0.5)


@wrong("scaled")
def scales_after_the_softmax(p):
    """softmax(q kᵀ) / √d_k: the bracket closes too early."""
    return run(p, scale=lambda s, q, k, p: s, after=lambda w, mask, p: w / np.sqrt(p.w_k.shape[1]))


@wrong("weights")
def scales_before_and_after_the_softmax(p):
    """The root divides the scores and the weights."""
    return run(p, after=lambda w, mask, p: w / np.sqrt(p.w_k.shape[1]))


@wrong("scaled")
def scales_the_output(p):
    """softmax(q kᵀ) v, times √d_k."""
    return run(p, scale=lambda s, q, k, p: s, finish=lambda o, p: o * np.sqrt(p.w_k.shape[1]))


@wrong("scaled", "scale")
def adds_one_to_the_root(scores, q, k, p):
    """`np.sqrt(d_k) + 1e-0`: the small number against division by zero is typed as 1."""
    return scores / (np.sqrt(k.shape[1]) + 1)
