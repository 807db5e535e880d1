"""Mistakes in the weighted sum of one head, and in what is done to it."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .positions_right import encoding
from .record import run, wrong


@wrong("output", "mix")
def multiplies_values_cell_by_cell(weights, v):
    """`weights * v`."""
    return weights * v


@wrong("output", "mix")
def multiplies_values_from_the_left(weights, v):
    """`v.T @ weights`: the rows of the result are features, and the sums run over queries."""
    return v.T @ weights


@wrong("output", "mix")
def multiplies_transposed_values(weights, v):
    """`weights @ v.T`, which runs where values are square."""
    return weights @ v.T


@wrong("output", "mix")
def takes_the_mean_of_weighted_values(weights, v):
    """`np.mean` in place of `np.sum` over the tokens."""
    return weights @ v / len(v)


@wrong("output", "mix")
def weighs_its_own_value(weights, v):
    """`weights[i, j] * v[i]` in the loop: the sum of the weights times the token's own value."""
    return weights.sum(1, keepdims=True) * v


@wrong("output", "mix")
def weighs_its_own_value_by_its_own_weight(weights, v):
    """Only the diagonal of the weights is used."""
    return np.diag(weights)[:, None] * v[: len(weights)]


@wrong("output", "mix")
def overwrites_in_place_of_adding(weights, v):
    """`out[i] = w[i, j] * v[j]`: the last token alone is left."""
    return weights[:, -1:] * v[-1]


@wrong("output", "mix")
def stops_before_the_last_token(weights, v):
    """`for j in range(n - 1)`."""
    return weights[:, :-1] @ v[:-1]


@wrong("output", "mix")
def begins_with_the_second_token(weights, v):
    """`for j in range(1, n)`."""
    return weights[:, 1:] @ v[1:]


@wrong("output", "mix")
def does_not_reset_the_sum(weights, v):
    """`out` is set to 0 once and not for each token: the outputs add up."""
    return (weights @ v).cumsum(axis=0)


@wrong("output", "mix")
def takes_the_greatest_term(weights, v):
    """The greatest term of the sum is taken in place of the sum."""
    return (weights[:, :, None] * v[None]).max(axis=1)


@wrong("output", "finish")
def copies_the_first_output(output, p):
    """The first row stands in every row."""
    return np.repeat(output[:1], len(output), axis=0)


@wrong("output", "finish")
def sums_over_the_tokens(output, p):
    """`output.sum(axis=0)`: one row is left."""
    return output.sum(axis=0, keepdims=True)


@wrong("output", "finish")
def takes_the_mean_over_the_tokens(output, p):
    """`output.mean(axis=0)`: one row is left, as for a classifier."""
    return output.mean(axis=0, keepdims=True)


@wrong("output", "finish")
def adds_the_residual(output, p):
    """`output + x`, though the task is attention alone."""
    return output + p.x


@wrong("output", "finish", rare=True)
def adds_the_values(output, p):
    """`output + v`."""
    return output + project(p)[2]


@wrong("output", "finish", rare=True)
def adds_the_queries(output, p):
    """`output + q`, as a set transformer does."""
    return output + project(p)[0]


@wrong("output", "finish")
def normalizes_the_output(output, p):
    """A layer norm stands after the attention."""
    return (output - output.mean(1, keepdims=True)) / np.sqrt(output.var(1, keepdims=True) + 1e-5)


@wrong("output", "finish")
def adds_the_residual_and_normalizes(output, p):
    """`layer_norm(output + x)`."""
    return normalizes_the_output(output + p.x, p)


@wrong("output", "finish")
def multiplies_by_w_o_unasked(output, p):
    """One head is multiplied by W_O, though the task is one head alone."""
    return output @ p.w_o


@wrong("output", "finish", rare=True)
def joins_x_and_the_output(output, p):
    """`concatenate([output, x])`."""
    return np.hstack([output, p.x])


@wrong("output", "finish")
def applies_the_softmax_to_the_output(output, p):
    """softmax(q kᵀ v): the bracket closes too late."""
    return softmax(output)


@wrong("weights")
def applies_the_softmax_to_the_output_alone(p):
    """softmax((q kᵀ / √d_k) v): the bracket closes too late, and there is no other softmax."""
    return run(p, softmax=lambda s: s, finish=lambda o, p: softmax(o))


@wrong("output", "finish", rare=True)
def applies_relu_to_the_output(output, p):
    """An activation stands after the attention, where values can be negative."""
    return np.maximum(output, 0)


@wrong("output", "mix", rare=True)
def attends_twice(weights, v):
    """`weights @ (weights @ v)`: the cell of the notebook was run twice."""
    return weights @ (weights @ v)


@wrong("output", "finish", rare=True)
def adds_positions_to_the_output(output, p):
    """The encoding of positions is added at the end."""
    return output + encoding(*output.shape)
