"""Mistakes in concatenating the heads, and in the output projection W^O."""

from functools import partial

import numpy as np

from wrong_implementations.parts import merge, split

from .record import run, wrong

several = partial(wrong, heads="several")
PERMUTE = "https://github.com/ajhalthor/Transformer-Neural-Network/issues/8"


@several("concat", "merge", source=PERMUTE)
def merges_without_a_transpose(heads):
    """Concatenate the heads, but reshape (h, n, d) to (n, h d) without transposing.

    So the rows of the first head fill the first rows.
    """
    return heads.reshape(heads.shape[1], -1)


@several("concat", "merge")
def merges_with_the_wrong_transpose(heads):
    """Concatenate the heads, but swap the wrong two axes before reshaping: `heads.transpose(0, 2, 1)`.

    Raises: ValueError if a head has only one column, because the swap then changes nothing.
    """
    if heads.shape[2] == 1:
        raise ValueError("a head of one column leaves nothing to exchange")
    return heads.transpose(0, 2, 1).reshape(heads.shape[1], -1)


@several("concat", "merge", rare=True)
def merges_with_all_axes_reversed(heads):
    """Concatenate the heads, but reverse all three axes before reshaping: `heads.T.reshape(n, d)`."""
    return heads.T.reshape(heads.shape[1], -1)


@several("concat", "merge")
def alternates_the_heads(heads):
    """Concatenate the heads, but let their columns alternate.

    The code calls `np.stack(heads, axis=-1)` before reshaping.
    """
    return heads.transpose(1, 2, 0).reshape(heads.shape[1], -1)


@several("concat", "merge")
def reverses_the_heads(heads):
    """Concatenate the heads in reverse order instead of their own order."""
    return merge(heads[::-1])


@several("concat", "merge")
def repeats_the_mean_of_the_heads(heads):
    """Concatenate as many copies of the mean of the heads as there are heads, instead of the heads."""
    return np.tile(heads.mean(axis=0), len(heads))


@several("concat", "merge", rare=True)
def repeats_the_sum_of_the_heads(heads):
    """Concatenate as many copies of the sum of the heads as there are heads, instead of the heads."""
    return np.tile(heads.sum(axis=0), len(heads))


@several("concat", "merge")
def keeps_the_last_head_alone(heads):
    """Concatenate the heads, but with zeros in place of all heads except the last.

    For each head, the loop creates the array of all heads again, with zeros.
    """
    return merge(np.concatenate([np.zeros_like(heads[:-1]), heads[-1:]]))


@several("concat", "merge")
def forgets_the_last_head(heads):
    """Concatenate the heads, but with zeros in place of the last head: the loop runs over `range(n_heads - 1)`."""
    return merge(np.concatenate([heads[:-1], np.zeros_like(heads[-1:])]))


@several("concat", "merge", rare=True)
def adds_up_the_heads(heads):
    """Concatenate the heads, but add to each head all heads before it: the loop says `head += …`."""
    return merge(heads.cumsum(axis=0))


@several("output")
def averages_the_heads(p):
    """Compute multi-head attention on the inputs `p`, but return the mean of the heads, without W^O."""
    return without_concat(p, lambda heads: heads.mean(axis=0))


@several("output")
def sums_the_heads(p):
    """Compute multi-head attention on the inputs `p`, but return the sum of the heads, without W^O."""
    return without_concat(p, lambda heads: heads.sum(axis=0))


@several("output")
def stacks_the_heads(p):
    """Compute multi-head attention on the inputs `p`, but put the heads one below the other, and do not use W^O."""
    return without_concat(p, np.concatenate)


@several("output")
def returns_the_first_head(p):
    """Compute multi-head attention on the inputs `p`, but return the first head alone: `return` is inside the loop."""
    return without_concat(p, lambda heads: heads[0])


@several("output", "leave")
def forgets_w_o(concat, p):
    """Return the concatenated heads as the output, without multiplying them by W^O."""
    return concat


@several("output", "leave")
def transposes_w_o(concat, p):
    """Multiply the concatenated heads by W^O transposed instead of W^O."""
    return concat @ p.w_o.T


@several("output", "leave", rare=True)
def multiplies_by_w_o_twice(concat, p):
    """Multiply the concatenated heads by W^O twice instead of once: in the function and in its caller."""
    return concat @ p.w_o @ p.w_o


@several("output", "leave")
def multiplies_by_w_v_for_w_o(concat, p):
    """Multiply the concatenated heads by W^V instead of W^O."""
    return concat @ p.w_v


@several("output", "leave")
def averages_what_the_heads_add(concat, p):
    """Multiply the concatenated heads by W^O, but then divide the output by the number of heads."""
    return concat @ p.w_o / p.n_heads


@several("output", "leave")
def uses_one_block_of_w_o_for_all_heads(concat, p):
    """Multiply every head by the first block of rows of W^O, instead of its own block, and add the results."""
    return split(concat, p.n_heads).sum(axis=0) @ np.split(p.w_o, p.n_heads)[0]


@several("output", "leave")
def adds_the_residual_after_w_o(concat, p):
    """Multiply the concatenated heads by W^O, and then add the tokens x.

    The exercise asks for attention alone, without this residual connection.
    """
    return concat @ p.w_o + p.x


@several("output", "leave", rare=True)
def adds_the_concatenation_to_the_output(concat, p):
    """Multiply the concatenated heads by W^O, but then add the concatenated heads."""
    return concat @ p.w_o + concat


@several("output", "leave")
def normalizes_after_w_o(concat, p):
    """Multiply the concatenated heads by W^O, but then normalize each row (layer normalization)."""
    output = concat @ p.w_o
    return (output - output.mean(1, keepdims=True)) / np.sqrt(output.var(1, keepdims=True) + 1e-5)


def without_concat(p, joined):
    """Run multi-head attention on the inputs `p`, and return its matrices with `joined(heads)` as the output.

    The matrix `concat` is left out, because such code does not concatenate the heads.
    """
    made = run(p, "several")
    del made["concat"]
    return {**made, "output": joined(made["heads"])}
