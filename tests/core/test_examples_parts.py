"""Test smaller versions of an example: fewer queries, fewer keys, or one input instead of two."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from attention_core.examples import EXAMPLES, example


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_can_be_cut_to_any_number_of_queries_and_keys(name):
    this, whole = example(name), example(name).attention()
    for n_q, n_k in product(range(1, len(this.tokens) + 1), range(1, len(this.key_tokens) + 1)):
        part = this.shortened(n_q, n_k)
        trace = part.attention()
        assert (len(part.tokens), len(part.key_tokens)) == trace.scores.shape == (n_q, n_k)
        np.testing.assert_allclose(trace.scores, whole.scores[:n_q, :n_k], rtol=1e-12, atol=1e-12)
        assert (part.context is None) == (this.context is None and n_q == n_k == len(this.tokens))


@pytest.mark.parametrize(("n_q", "n_k", "message"), [
    (3, 4, "n_q must be from 1 to 2; got 3: there are no more tokens"), (1, 5, "n_k must be from 1 to 4; got 5"),
    (0, 1, "n_q must be from 1 to 2; got 0"), (1, 0, "n_k must be from 1 to 4; got 0"),
])  # fmt: skip
def test_more_queries_or_keys_than_exist_are_refused(n_q, n_k, message):
    with pytest.raises(ValueError, match=message):
        example("context").shortened(n_q, n_k)


def test_self_attention_is_cross_attention_with_one_input():
    this = example("context")
    itself = this.as_self_attention()
    both = replace(this, context=this.x, context_tokens=this.tokens)
    np.testing.assert_array_equal(itself.attention().output, both.attention().output)
    assert itself.key_tokens == this.tokens
    assert example("hand").as_self_attention().matrices().keys() == example("hand").matrices().keys()


def test_a_context_of_another_width_cannot_be_left_out():
    this = replace(example("context"), x=np.ones((2, 3)))
    assert not this.can_be_self_attention
    with pytest.raises(ValueError, match=r"x must be as wide as w_k is high .* got x \(2, 3\), w_k \(4, 4\): keep"):
        this.as_self_attention()
