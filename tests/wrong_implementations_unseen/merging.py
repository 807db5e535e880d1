"""Mistakes in putting heads together, and in the output projection."""

from functools import partial

import numpy as np

from wrong_implementations.parts import merge, split

from .record import run, wrong

several = partial(wrong, heads="several")
PERMUTE = "https://github.com/ajhalthor/Transformer-Neural-Network/issues/8"


@several("concat", "merge", source=PERMUTE)
def merges_without_a_transpose(heads):
    """`heads.reshape(n, d)`: the rows of the first head fill the first rows."""
    return heads.reshape(heads.shape[1], -1)


@several("concat", "merge")
def merges_with_the_wrong_transpose(heads):
    """`heads.transpose(0, 2, 1).reshape(n, d)`: the last two axes are exchanged."""
    if heads.shape[2] == 1:
        raise ValueError("a head of one column leaves nothing to exchange")
    return heads.transpose(0, 2, 1).reshape(heads.shape[1], -1)


@several("concat", "merge", rare=True)
def merges_with_all_axes_reversed(heads):
    """`heads.T.reshape(n, d)`."""
    return heads.T.reshape(heads.shape[1], -1)


@several("concat", "merge")
def alternates_the_heads(heads):
    """`np.stack(heads, axis=-1)`: the columns of the heads alternate."""
    return heads.transpose(1, 2, 0).reshape(heads.shape[1], -1)


@several("concat", "merge")
def reverses_the_heads(heads):
    """The last head stands first."""
    return merge(heads[::-1])


@several("concat", "merge")
def repeats_the_mean_of_the_heads(heads):
    """The mean of the heads stands in the place of each, so that the shapes fit."""
    return np.tile(heads.mean(axis=0), len(heads))


@several("concat", "merge", rare=True)
def repeats_the_sum_of_the_heads(heads):
    """The sum of the heads stands in the place of each."""
    return np.tile(heads.sum(axis=0), len(heads))


@several("concat", "merge")
def keeps_the_last_head_alone(heads):
    """The array of all heads is made anew in the loop: only the last head is left in it."""
    return merge(np.concatenate([np.zeros_like(heads[:-1]), heads[-1:]]))


@several("concat", "merge")
def forgets_the_last_head(heads):
    """`range(n_heads - 1)`: the last head's place stays 0."""
    return merge(np.concatenate([heads[:-1], np.zeros_like(heads[-1:])]))


@several("concat", "merge", rare=True)
def adds_up_the_heads(heads):
    """`head += ...` in the loop: each head has those before it in it."""
    return merge(heads.cumsum(axis=0))


@several("output")
def averages_the_heads(p):
    """`heads.mean(axis=0)` is the output, without a concatenation and without W_O."""
    return without_concat(p, lambda heads: heads.mean(axis=0))


@several("output")
def sums_the_heads(p):
    """`heads.sum(axis=0)` is the output, without a concatenation and without W_O."""
    return without_concat(p, lambda heads: heads.sum(axis=0))


@several("output")
def stacks_the_heads(p):
    """`np.concatenate(heads, axis=0)`: the heads stand one below the other, and W_O is left out."""
    return without_concat(p, np.concatenate)


@several("output")
def returns_the_first_head(p):
    """`return` stands inside the loop: it ends with the first head."""
    return without_concat(p, lambda heads: heads[0])


@several("output", "leave")
def forgets_w_o(concat, p):
    """The concatenated heads are the output."""
    return concat


@several("output", "leave")
def transposes_w_o(concat, p):
    """`concat @ w_o.T`."""
    return concat @ p.w_o.T


@several("output", "leave", rare=True)
def multiplies_by_w_o_twice(concat, p):
    """The output projection stands in the function and in its caller."""
    return concat @ p.w_o @ p.w_o


@several("output", "leave")
def multiplies_by_w_v_for_w_o(concat, p):
    """`concat @ w_v`: a wrong variable."""
    return concat @ p.w_v


@several("output", "leave")
def averages_what_the_heads_add(concat, p):
    """The output is divided by the number of heads."""
    return concat @ p.w_o / p.n_heads


@several("output", "leave")
def uses_one_block_of_w_o_for_all_heads(concat, p):
    """Each head is multiplied by the first rows of W_O."""
    return split(concat, p.n_heads).sum(axis=0) @ np.split(p.w_o, p.n_heads)[0]


@several("output", "leave")
def adds_the_residual_after_w_o(concat, p):
    """`concat @ w_o + x`, though the task is attention alone."""
    return concat @ p.w_o + p.x


@several("output", "leave", rare=True)
def adds_the_concatenation_to_the_output(concat, p):
    """`concat @ w_o + concat`."""
    return concat @ p.w_o + concat


@several("output", "leave")
def normalizes_after_w_o(concat, p):
    """A layer norm stands after the output projection."""
    output = concat @ p.w_o
    return (output - output.mean(1, keepdims=True)) / np.sqrt(output.var(1, keepdims=True) + 1e-5)


def without_concat(p, joined):
    """Run all heads, and let a function of them be the output."""
    made = run(p, "several")
    del made["concat"]
    return {**made, "output": joined(made["heads"])}
