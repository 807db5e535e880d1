"""Test the mistakes of multi-head attention: each makes exactly the mistake that its name says."""

import re

import numpy as np
import pytest

from attention_core import attend, multi_head_attention
from attention_core.checks import greatest_difference
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import HEAD_MISTAKES, mistakes_of
from house_rules import oracle_of
from random_traces import random_weights
from strategies import random_numbers

BY_NAME = {mistake.name: mistake for mistake in HEAD_MISTAKES}
X = random_numbers(6, 6, seed=20)  # there are as many tokens as features, so that every mistake can be made


def correct_trace():
    """Return the correct trace (all matrices of the computation) of multi-head attention with 3 heads."""
    return multi_head_attention(X, random_weights(3, d_v=2), 3)


def project_concat(t, concat):
    """Return the output of the trace `t`, computed from `concat`: the concatenated heads times W^O, plus the bias."""
    return concat @ t.projections.w_o + t.projections.b_o


def output_by_reshape(t):
    """Return the wrong output for heads that are split and merged by reshaping, without transposing."""
    heads = [attend(*(m.reshape(3, 6, 2)[h] for m in (t.q, t.k, t.v))).output for h in range(3)]
    return project_concat(t, np.stack(heads).reshape(6, 6))


def output_by_slices(t):
    """Return the wrong output of multi-head attention in which each head sees only a slice of the input columns."""
    w, heads = t.projections, []
    for h in range(3):
        b = slice(2 * h, 2 * h + 2)
        columns = zip((w.w_q, w.w_k, w.w_v), (w.b_q, w.b_k, w.b_v), strict=True)
        heads.append(attend(*(t.x[:, b] @ m[b, b] + bias[b] for m, bias in columns)).output)
    return project_concat(t, np.hstack(heads))


EXPECTED = {
    "heads_by_reshape": output_by_reshape,
    "heads_averaged": lambda t: project_concat(t, np.tile(t.heads.output.mean(axis=0), 3)),
    "heads_slice_the_input": output_by_slices,
    "heads_scaled_by_full_width": lambda t: multi_head_attention(X, t.projections, 3, scale=6**-0.5).output,
    "w_i_with_n_rows": lambda t: t.output,  # this is correct here, because n equals d_model
    "w_o_forgotten": lambda t: t.concat,
    "w_o_transposed": lambda t: t.concat @ t.projections.w_o.T + t.projections.b_o,
}


@pytest.mark.parametrize("mistake", HEAD_MISTAKES, ids=lambda mistake: mistake.name)
def test_each_mistake_does_what_it_says(mistake):
    trace = correct_trace()
    wrong = mistake.apply(trace)
    np.testing.assert_allclose(wrong.output, oracle_of(mistake.name, EXPECTED, __file__)(trace), atol=1e-12)
    assert wrong.output.shape == wrong.concat.shape == (6, 6)
    np.testing.assert_array_equal(trace.output, correct_trace().output)


def test_the_concept_has_them_all():
    assert mistakes_of("multi_head") == HEAD_MISTAKES
    assert BY_NAME.keys() == EXPECTED.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_on_every_example_each_is_computed_or_says_why_not(name):
    trace = example(name).multi_head()
    for mistake in HEAD_MISTAKES:
        try:
            assert greatest_difference(trace.output, mistake.apply(trace).output) >= 0
        except ValueError as error:
            assert re.search("; got |, but ", str(error))  # noqa: PT017


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "heads_slice_the_input",
            r"`q, k, v = sliced.*` needs matrices that fit .*, but the shapes are .*x \(3, 5\)\. Correct",
        ),
        ("w_i_with_n_rows", r"`q = x @ w_q.reshape.*` needs .*, but the shapes are w_q \(5, 4\), x \(3, 5\)\. Correct"),
        ("w_o_transposed", r"`output = concat @ w_o\.T .*` needs .*, but the shapes are concat \(3, 2\), w_o \(2, 5\)"),
    ],
)
def test_what_cannot_be_computed_says_so(name, message):
    with pytest.raises(ValueError, match=message):
        BY_NAME[name].apply(example("hand").multi_head())
