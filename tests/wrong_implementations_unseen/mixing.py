"""Mistakes in the weighted sum of one head, and additions and other changes to the output."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .positions_right import encoding
from .record import run, wrong


@wrong("output", "mix")
def multiplies_values_cell_by_cell(weights, v):
    """Multiply weights and values cell by cell, `weights * v`, instead of as matrices."""
    return weights * v


@wrong("output", "mix")
def multiplies_values_from_the_left(weights, v):
    """Return `v.T @ weights` instead of `weights @ v`.

    The rows of the result are columns of the values, and the sums run over the queries.
    """
    return v.T @ weights


@wrong("output", "mix")
def multiplies_transposed_values(weights, v):
    """Return `weights @ v.T` instead of `weights @ v`, which runs if the values are a square matrix."""
    return weights @ v.T


@wrong("output", "mix")
def takes_the_mean_of_weighted_values(weights, v):
    """Return the mean of the weighted values instead of their sum."""
    return weights @ v / len(v)


@wrong("output", "mix")
def weighs_its_own_value(weights, v):
    """Multiply each weight by the token's own value instead of the value of the key.

    The loop says `weights[i, j] * v[i]` instead of `weights[i, j] * v[j]`.
    """
    return weights.sum(1, keepdims=True) * v


@wrong("output", "mix")
def weighs_its_own_value_by_its_own_weight(weights, v):
    """Return each token's own value times its weight for itself, instead of the weighted sum of all values."""
    return np.diag(weights)[:, None] * v[: len(weights)]


@wrong("output", "mix")
def overwrites_in_place_of_adding(weights, v):
    """Return only the last weighted value of each sum: the loop says `out[i] = …` instead of `out[i] += …`."""
    return weights[:, -1:] * v[-1]


@wrong("output", "mix")
def stops_before_the_last_token(weights, v):
    """Multiply the weights by the values, but leave out the last token: the loop runs over `range(n - 1)`."""
    return weights[:, :-1] @ v[:-1]


@wrong("output", "mix")
def begins_with_the_second_token(weights, v):
    """Multiply the weights by the values, but leave out the first token: the loop runs over `range(1, n)`."""
    return weights[:, 1:] @ v[1:]


@wrong("output", "mix")
def does_not_reset_the_sum(weights, v):
    """Multiply the weights by the values, but add to each output all outputs above it.

    The loop does not set `out` back to 0 for each token.
    """
    return (weights @ v).cumsum(axis=0)


@wrong("output", "mix")
def takes_the_greatest_term(weights, v):
    """Return the greatest term of each weighted sum instead of the sum."""
    return (weights[:, :, None] * v[None]).max(axis=1)


@wrong("output", "finish")
def copies_the_first_output(output, p):
    """Return the first row of the output in every row, instead of each token's own output."""
    return np.repeat(output[:1], len(output), axis=0)


@wrong("output", "finish")
def sums_over_the_tokens(output, p):
    """Return the sum of all rows of the output as one row, instead of one row for each token."""
    return output.sum(axis=0, keepdims=True)


@wrong("output", "finish")
def takes_the_mean_over_the_tokens(output, p):
    """Return the mean of all rows of the output as one row, instead of one row for each token."""
    return output.mean(axis=0, keepdims=True)


@wrong("output", "finish")
def adds_the_residual(output, p):
    """Add the tokens x to the output, although the exercise asks for attention alone."""
    return output + p.x


@wrong("output", "finish", rare=True)
def adds_the_values(output, p):
    """Add the values to the output, although attention ends with the output."""
    return output + project(p)[2]


@wrong("output", "finish", rare=True)
def adds_the_queries(output, p):
    """Add the queries to the output, although attention ends with the output.

    A model called Set Transformer makes this addition.
    """
    return output + project(p)[0]


@wrong("output", "finish")
def normalizes_the_output(output, p):
    """Normalize each row of the output (layer normalization), although attention ends with the output."""
    return (output - output.mean(1, keepdims=True)) / np.sqrt(output.var(1, keepdims=True) + 1e-5)


@wrong("output", "finish")
def adds_the_residual_and_normalizes(output, p):
    """Add the tokens x to the output and normalize each row, although the exercise asks for neither."""
    return normalizes_the_output(output + p.x, p)


@wrong("output", "finish")
def multiplies_by_w_o_unasked(output, p):
    """Multiply the output of one head by W^O, although the exercise asks for the one head alone."""
    return output @ p.w_o


@wrong("output", "finish", rare=True)
def joins_x_and_the_output(output, p):
    """Return the output and the tokens x side by side, instead of the output alone."""
    return np.hstack([output, p.x])


@wrong("output", "finish")
def applies_the_softmax_to_the_output(output, p):
    """Apply a second softmax to the output, although attention has only the softmax of the scores."""
    return softmax(output)


@wrong("weights")
def applies_the_softmax_to_the_output_alone(p):
    """Compute softmax((Q Kᵀ / √d_k) V) on the inputs `p`, instead of softmax(Q Kᵀ / √d_k) V.

    The parenthesis closes too late.
    """
    return run(p, softmax=lambda s: s, finish=lambda o, p: softmax(o))


@wrong("output", "finish", rare=True)
def applies_relu_to_the_output(output, p):
    """Apply a ReLU to the output, although outputs can be negative."""
    return np.maximum(output, 0)


@wrong("output", "mix", rare=True)
def attends_twice(weights, v):
    """Multiply the values by the weights twice instead of once: `weights @ (weights @ v)`.

    Somebody ran the notebook cell twice.
    """
    return weights @ (weights @ v)


@wrong("output", "finish", rare=True)
def adds_positions_to_the_output(output, p):
    """Add a sinusoidal positional encoding to the output instead of to the tokens."""
    return output + encoding(*output.shape)
