"""Unembedding: compute the score of each word of a vocabulary as the next word."""

from __future__ import annotations

from numpy.typing import ArrayLike

from attention_core.checks import Array, floats


def unembed(x: ArrayLike, vocabulary: ArrayLike) -> Array:
    """Return the logits: after each row, the score of each word as the next word.

    x vocabularyᵀ: the dot product of each row with the row of every word.

    Shapes: x (…, n, d_model), vocabulary (n_words, d_model) → (…, n, n_words).
    Range:  any number; `softmax` turns a row into probabilities, as in `sample`.
    Raises: ValueError if x and the vocabulary differ in d_model.
    Source: Vaswani et al. 2017, section 3.4; Press & Wolf 2017, arXiv:1608.05859.

    >>> unembed([[1.0, 2.0]], [[1, 0], [0, 1], [1, 1]])
    array([[1., 2., 3.]])
    """
    x, vocabulary = floats("x", x, min_rank=2), floats("vocabulary", vocabulary, min_rank=2)
    if vocabulary.ndim != 2 or x.shape[-1] != vocabulary.shape[1]:
        raise ValueError(
            f"x and vocabulary must share d_model; got x {x.shape}, vocabulary {vocabulary.shape}: "
            "give the vocabulary one row a word and one column a feature."
        )
    return x @ vocabulary.T
