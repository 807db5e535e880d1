"""Mistakes that are known from one head, made in each of several heads."""

from functools import partial

import numpy as np

from wrong_implementations.parts import hide, project, softmax, source_of_keys, split

from .record import run, wrong
from .splitting import reshaped

several = partial(wrong, heads="several")


@several("weights", "softmax")
def applies_the_softmax_twice_in_each_head(hidden):
    """The function that returns weights is followed by one more softmax."""
    return softmax(softmax(hidden))


@several("weights", "softmax")
def applies_the_sigmoid_in_each_head(hidden):
    """Each score alone becomes a weight."""
    return 1 / (1 + np.exp(-hidden))


@several("weights", "softmax")
def takes_the_greatest_alone_in_each_head(hidden):
    """`argmax`: the best key gets all of the weight."""
    return np.eye(hidden.shape[2])[hidden.argmax(axis=2)]


@several("weights", "softmax")
def forgets_to_normalize_in_each_head(hidden):
    """The weights are the exponentials themselves."""
    return np.exp(hidden)


@several("weights", "softmax")
def divides_scores_by_their_sum_in_each_head(hidden):
    """The exponential is forgotten."""
    return hidden / hidden.sum(axis=2, keepdims=True)


@several("weights", "after")
def leaves_dropout_on_in_each_head(weights, mask, p):
    """Half of the weights, drawn with seed 0, become 0, and the others are doubled."""
    return weights * (np.random.default_rng(0).random(weights.shape) < 0.5) / 0.5


@several("K", "project")
def projects_keys_of_all_heads_with_w_q(p):
    """The keys use W_Q."""
    q, _, v = project(p)
    return q, source_of_keys(p) @ p.w_q, v


@several("Q", "project")
def projects_queries_of_all_heads_with_w_k(p):
    """The queries use W_K."""
    _, k, v = project(p)
    return p.x @ p.w_k, k, v


@several("V", "project")
def mixes_the_embeddings_in_all_heads(p):
    """W_V is left out, which runs where embeddings are as wide as values."""
    return *project(p)[:2], source_of_keys(p)


@several("Q", "project")
def attends_without_any_projection_in_all_heads(p):
    """Only W_O is used."""
    return p.x, source_of_keys(p), source_of_keys(p)


@several("Q", "project", needs="bias")
def forgets_all_biases_in_all_heads(p):
    """The three biases are left out."""
    c = source_of_keys(p)
    return p.x @ p.w_q, c @ p.w_k, c @ p.w_v


@several("K", "project", needs="context")
def takes_keys_and_values_of_all_heads_from_x(p):
    """The context is not used."""
    return p.x @ p.w_q, p.x @ p.w_k, p.x @ p.w_v


@several("masked", "hide", needs="mask")
def inverts_the_mask_in_each_head(scaled, mask):
    """True hides, with −1e9."""
    return np.where(mask, -1e9, scaled)


@several("masked", "hide", needs="mask")
def lets_the_next_token_be_seen_in_each_head(scaled, mask):
    """Each row sees one token too many."""
    return hide(scaled, mask | np.eye(*mask.shape, k=1, dtype=bool))


@several("masked", "hide", needs="mask")
def adds_the_boolean_mask_in_each_head(scaled, mask):
    """`scaled + mask`."""
    return scaled + mask


@several("masked", "hide")
def masks_the_future_unasked_in_each_head(scaled, mask):
    """A causal mask is applied, though the task has none."""
    return hide(scaled, np.tri(*scaled.shape[1:], dtype=bool))


@several("heads")
def cuts_queries_alone_without_a_transpose(p):
    """The transpose is forgotten for the queries."""
    return run(p, "several", split=reshaped, split_k=split, split_v=split)


@several("heads")
def cuts_keys_and_values_without_a_transpose(p):
    """The transpose is forgotten for keys and values."""
    return run(p, "several", split_k=reshaped, split_v=reshaped)


@several("output", "leave")
def multiplies_by_w_o_from_the_left(concat, p):
    """`w_o @ concat`."""
    return p.w_o @ concat


@several("output", "leave")
def adds_the_residual_before_w_o(concat, p):
    """`(concat + x) @ w_o`, though the task is attention alone."""
    return (concat + p.x) @ p.w_o


@several("output", "leave")
def normalizes_before_w_o(concat, p):
    """A layer norm stands between the heads and W_O."""
    return (concat - concat.mean(1, keepdims=True)) / np.sqrt(concat.var(1, keepdims=True) + 1e-5) @ p.w_o


@several("output", "leave", rare=True)
def applies_relu_before_w_o(concat, p):
    """An activation stands between the heads and W_O."""
    return np.maximum(concat, 0) @ p.w_o


@several("output", "leave")
def rounds_the_concatenation_to_integers(concat, p):
    """The concatenated heads are rounded to integers on the way."""
    return np.round(concat) @ p.w_o


@several("output", "leave")
def copies_the_first_output_of_all_heads(concat, p):
    """The first row stands in every row."""
    return np.repeat(concat[:1], len(concat), axis=0) @ p.w_o
