"""Mistakes of single-head attention, made in each head of multi-head attention."""

from functools import partial

import numpy as np

from wrong_implementations.parts import hide, project, softmax, source_of_keys, split

from .record import run, wrong
from .splitting import reshape_without_transpose

several = partial(wrong, heads="several")


@several("weights", "softmax")
def applies_the_softmax_twice_in_each_head(masked_scores):
    """Apply the softmax to the masked scores of each head twice instead of once."""
    return softmax(softmax(masked_scores))


@several("weights", "softmax")
def applies_the_sigmoid_in_each_head(masked_scores):
    """Return the sigmoid of each masked score as its weight, instead of the softmax of each row."""
    return 1 / (1 + np.exp(-masked_scores))


@several("weights", "softmax")
def takes_the_greatest_alone_in_each_head(masked_scores):
    """Give weight 1 to the best key of each query and weight 0 to the others, in each head, instead of using a softmax.

    The code uses `argmax`.
    """
    return np.eye(masked_scores.shape[2])[masked_scores.argmax(axis=2)]


@several("weights", "softmax")
def forgets_to_normalize_in_each_head(masked_scores):
    """Return the exponentials of the masked scores as weights, without dividing them by their sum."""
    return np.exp(masked_scores)


@several("weights", "softmax")
def divides_scores_by_their_sum_in_each_head(masked_scores):
    """Divide the masked scores of each row by their sum, without taking exponentials first."""
    return masked_scores / masked_scores.sum(axis=2, keepdims=True)


@several("weights", "after")
def leaves_dropout_on_in_each_head(weights, mask, p):
    """Apply dropout to the weights, although dropout belongs to training only.

    About half of the weights become 0 at random (with seed 0), and the others are doubled.
    """
    return weights * (np.random.default_rng(0).random(weights.shape) < 0.5) / 0.5


@several("K", "project")
def projects_keys_of_all_heads_with_w_q(p):
    """Compute queries, keys and values of the inputs `p`, but make the keys with W^Q instead of W^K."""
    q, _, v = project(p)
    return q, source_of_keys(p) @ p.w_q, v


@several("Q", "project")
def projects_queries_of_all_heads_with_w_k(p):
    """Compute queries, keys and values of the inputs `p`, but make the queries with W^K instead of W^Q."""
    _, k, v = project(p)
    return p.x @ p.w_k, k, v


@several("V", "project")
def mixes_the_embeddings_in_all_heads(p):
    """Compute queries and keys of the inputs `p`, but use the tokens as values, without W^V.

    The code runs if tokens are as wide as values.
    """
    return *project(p)[:2], source_of_keys(p)


@several("Q", "project")
def attends_without_any_projection_in_all_heads(p):
    """Use the tokens of the inputs `p` as queries, keys and values, without W^Q, W^K and W^V."""
    return p.x, source_of_keys(p), source_of_keys(p)


@several("Q", "project", needs="bias")
def forgets_all_biases_in_all_heads(p):
    """Compute queries, keys and values of the inputs `p`, but add no biases."""
    c = source_of_keys(p)
    return p.x @ p.w_q, c @ p.w_k, c @ p.w_v


@several("K", "project", needs="context")
def takes_keys_and_values_of_all_heads_from_x(p):
    """Compute queries, keys and values of the inputs `p`, but make keys and values from x instead of the context."""
    return p.x @ p.w_q, p.x @ p.w_k, p.x @ p.w_v


@several("masked", "hide", needs="mask")
def inverts_the_mask_in_each_head(scaled, mask):
    """Hide the scores where the mask is True instead of where it is False, by setting them to -1e9."""
    return np.where(mask, -1e9, scaled)


@several("masked", "hide", needs="mask")
def lets_the_next_token_be_seen_in_each_head(scaled, mask):
    """Apply a causal mask to the scores, but let each token also attend to the next token."""
    return hide(scaled, mask | np.eye(*mask.shape, k=1, dtype=bool))


@several("masked", "hide", needs="mask")
def adds_the_boolean_mask_in_each_head(scaled, mask):
    """Add the mask to the scores as 1 (True) and 0 (False), instead of setting masked scores to minus infinity."""
    return scaled + mask


@several("masked", "hide")
def masks_the_future_unasked_in_each_head(scaled, mask):
    """Apply a causal mask to the scores, although the exercise has no mask."""
    return hide(scaled, np.tri(*scaled.shape[1:], dtype=bool))


@several("heads")
def cuts_queries_alone_without_a_transpose(p):
    """Compute multi-head attention on the inputs `p`, but split the queries into heads without transposing.

    Keys and values are split correctly.
    """
    return run(p, "several", split=reshape_without_transpose, split_k=split, split_v=split)


@several("heads")
def cuts_keys_and_values_without_a_transpose(p):
    """Compute multi-head attention on the inputs `p`, but split keys and values into heads without transposing.

    Queries are split correctly.
    """
    return run(p, "several", split_k=reshape_without_transpose, split_v=reshape_without_transpose)


@several("output", "leave")
def multiplies_by_w_o_from_the_left(concat, p):
    """Return W^O times the concatenated heads, instead of the concatenated heads times W^O."""
    return p.w_o @ concat


@several("output", "leave")
def adds_the_residual_before_w_o(concat, p):
    """Add the tokens x to the concatenated heads before multiplying by W^O.

    The exercise asks for attention alone, without this residual connection.
    """
    return (concat + p.x) @ p.w_o


@several("output", "leave")
def normalizes_before_w_o(concat, p):
    """Normalize each row of the concatenated heads before multiplying by W^O, although attention does not.

    The code applies a layer normalization.
    """
    return (concat - concat.mean(1, keepdims=True)) / np.sqrt(concat.var(1, keepdims=True) + 1e-5) @ p.w_o


@several("output", "leave", rare=True)
def applies_relu_before_w_o(concat, p):
    """Apply a ReLU to the concatenated heads before multiplying by W^O, although attention has no ReLU."""
    return np.maximum(concat, 0) @ p.w_o


@several("output", "leave")
def rounds_the_concatenation_to_integers(concat, p):
    """Round the concatenated heads to integers before multiplying by W^O, instead of keeping their decimals."""
    return np.round(concat) @ p.w_o


@several("output", "leave")
def copies_the_first_output_of_all_heads(concat, p):
    """Return the output of the first token in every row, instead of each token's own output."""
    return np.repeat(concat[:1], len(concat), axis=0) @ p.w_o
