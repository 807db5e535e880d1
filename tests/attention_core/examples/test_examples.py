"""Test the examples: nobody can change them, and they have the numbers that their sources print.

The first two examples give different numbers for every wrong formula.
"""

import re
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
import scipy.special

from attention_core import causal_mask
from attention_core.checks import greatest_difference
from attention_core.examples import EXAMPLES, MATRICES, Example, example
from attention_core.mistakes import ONE_HEAD_MISTAKES, blind_spots
from notebooks import notebook_values

of_every_example = pytest.mark.parametrize("name", EXAMPLES)


# --- what every example owes ---


@of_every_example
def test_an_example_is_the_same_every_time_and_cannot_be_written_to(name):
    assert example(name) is example(name)
    for matrix in example(name).matrices().values():
        assert matrix.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            matrix[0] = 1


@of_every_example
def test_an_example_says_what_it_is_and_where_it_is_from(name):
    this = example(name)
    assert this.name == name
    assert all((this.title, this.about.endswith("."), this.source.endswith(".")))


@of_every_example
def test_shapes_fit_together(name):
    this = example(name)
    (n, d_model), n_k = this.x.shape, len(this.key_tokens)
    (d_context, d_k), d_v = this.w_k.shape, this.w_v.shape[1]
    assert len(this.tokens) == n
    assert (this.x if this.context is None else this.context).shape == (n_k, d_context)
    assert this.w_q.shape == (d_model, d_k)
    assert this.w_v.shape == (d_context, d_v)
    assert this.w_o.shape == (d_v, d_model)
    assert d_k % this.n_heads == d_v % this.n_heads == 0
    assert [b.shape for b in (this.b_q, this.b_k, this.b_v) if b is not None] in ([], [(d_k,), (d_k,), (d_v,)])
    assert this.attention().output.shape == (n, d_v)
    assert this.multi_head().output.shape == (n, d_model)


def test_its_attention_is_computed_once_and_cannot_be_written_to():
    this = example("hand")
    trace = this.attention()
    assert this.attention() is trace
    assert this.attention(scale=1.0) is not trace
    assert this.with_matrices({"x": this.x + 1}).attention() is not trace
    for values in (trace.q, trace.scores, trace.weights, trace.output):
        with pytest.raises(ValueError, match="read-only"):
            values[0, 0] = 2


def test_an_example_lists_only_its_own_matrices_in_the_order_of_the_formulas():
    assert list(example("hand").matrices()) == ["x", "w_q", "w_k", "w_v", "w_o"]
    assert list(example("columns").matrices()) == [name for name in MATRICES if name != "context"]
    assert list(example("context").matrices()) == ["x", "context", "w_q", "w_k", "w_v", "w_o"]


def test_sizes_of_the_large_ones():
    assert example("wide").x.shape == (10, 64)
    assert (example("heads_512").x.shape, example("heads_512").n_heads) == ((3, 512), 8)
    assert example("heads_512").multi_head().heads.q.shape == (8, 3, 64)


def test_an_example_that_is_not_there():
    with pytest.raises(ValueError, match=r"example must be one of story, hand, .*; got bok: choose one of these"):
        example("bok")


# --- edits ---


def test_editing_an_example_makes_a_new_one_and_leaves_the_old_one():
    this = example("hand")
    edited = this.with_matrices({"x": this.x + 1})
    np.testing.assert_array_equal(edited.x, this.x + 1)
    assert edited.w_q is this.w_q
    assert not edited.x.flags.writeable
    assert this.x[0, 0] == 1


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ({"q": [[1]]}, r"hand has no matrix q; got q: choose one of x, w_q, w_k, w_v, w_o\."),
        ({"b_q": [1, 2, 3, 4]}, r"hand has no matrix b_q"),
        ({"x": np.ones((3, 4))}, r"x must keep its shape; got \(3, 4\), x \(3, 5\): give 3 rows\."),
        ({"w_v": np.ones((5, 2)) * np.nan}, r"w_v must be finite; got nan at \(0, 0\)"),
    ],
)
def test_edits_that_are_refused(edits, message):
    with pytest.raises(ValueError, match=message):
        example("hand").with_matrices(edits)


# --- masks ---


@of_every_example
def test_masks_have_the_size_of_the_scores(name):
    this = example(name)
    n_q, n_k = len(this.tokens), len(this.key_tokens)
    assert this.mask("none") is None
    np.testing.assert_array_equal(this.mask("causal"), causal_mask(n_q, n_k))
    padded = this.attention(mask=this.mask("padding")).weights
    assert (padded[:, -1] == 0).all()
    np.testing.assert_allclose(padded[:, :-1].sum(axis=1), 1)


def test_a_mask_of_another_kind():
    with pytest.raises(ValueError, match=r"kind must be one of none, causal, padding; got diagonal: choose"):
        example("hand").mask("diagonal")


# --- the first two examples: no mistake hides in them ---


in_which_no_mistake_hides = pytest.mark.parametrize("name", ["story", "hand"])


@in_which_no_mistake_hides
def test_its_sizes_all_differ_and_its_numbers_are_for_pencil_and_paper(name):
    this = example(name)
    trace = this.attention()
    sizes = (len(this.tokens), *this.w_q.shape, this.w_v.shape[1])
    assert len({*sizes}) == 4
    assert not np.allclose(trace.scores, trace.scores.T)
    for matrix in (*this.matrices().values(), trace.q, trace.k, trace.v, trace.scores):
        np.testing.assert_array_equal(matrix, np.round(matrix))
    assert trace.scale == 0.5


def variants(example: Example):
    """Yield every combination of softmax axis, scale, order of Q and K, and mask, with its output to 2 decimals.

    `example` supplies the matrices. Each item is a pair: the names of the four choices, and the output.
    """
    trace = example.attention()
    allowed = causal_mask(len(example.tokens))
    axes = {"rows": 1, "columns": 0, "whole": None}
    scales = {"1": 1, "√d_k": trace.q.shape[1] ** 0.5, "d_k": trace.q.shape[1], "√d_model": example.x.shape[1] ** 0.5}
    orders = {"QKᵀ": trace.q @ trace.k.T, "KQᵀ": trace.k @ trace.q.T}
    masks = {
        "none": lambda s, axis: scipy.special.softmax(s, axis),
        "before": lambda s, axis: scipy.special.softmax(np.where(allowed, s, -np.inf), axis),
        "after": lambda s, axis: np.where(allowed, scipy.special.softmax(s, axis), 0),
    }
    for axis, scale, order, mask in product(axes, scales, orders, masks):
        weights = masks[mask](orders[order] / scales[scale], axes[axis])
        yield (axis, scale, order, mask), np.round(weights @ trace.v, 2)


@in_which_no_mistake_hides
def test_all_72_ways_to_combine_the_usual_mistakes_differ_at_two_decimals(name):
    outputs = dict(variants(example(name)))
    assert len(outputs) == 72
    np.testing.assert_array_equal(outputs["rows", "√d_k", "QKᵀ", "none"], np.round(example(name).attention().output, 2))
    same = [(a, b) for a, b in combinations(outputs, 2) if np.array_equal(outputs[a], outputs[b])]
    assert same == []


@in_which_no_mistake_hides
@pytest.mark.parametrize("kind", ["none", "causal", "padding"])
def test_every_mistake_that_shows_changes_its_output(name, kind):
    trace = example(name).attention(mask=example(name).mask(kind))
    assert blind_spots(trace, ONE_HEAD_MISTAKES) == ()
    for mistake in ONE_HEAD_MISTAKES:
        if not mistake.shows(trace):
            assert mistake.needs.endswith(".")
            continue
        try:
            difference = greatest_difference(trace.output, mistake.apply(trace).output)
            assert difference >= 0.005, (
                f"{mistake.name} must show here; got {difference}: say in its shows= where it does"
            )
        except ValueError as error:  # the shapes do not allow this mistake
            assert re.search("; got |, but ", str(error))  # noqa: PT017


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


HALF_A_UNIT = 0.5e-4  # half a unit of the last decimal that notebook 004 prints
AS_GIVEN = 1e-6  # the recovered weights are stored with 6 decimals


@pytest.mark.parametrize("seed", ["0", "1"])
def test_book_is_the_ten_steps(seed):
    trace = example("book").attention(scale=example("book").scale)
    for name, path in {
        "q": "step3_qkv/Q",
        "k": "step3_qkv/K",
        "v": "step3_qkv/V",
        "scores": "step4_scores_k_d_1/scores",
        "weights": "step5_weights_unscaled/attention",
        "output": "right_output_unscaled/output",
    }.items():
        np.testing.assert_allclose(getattr(trace, name), notebook_values(f"{seed}/{path}"), rtol=1e-12)
    np.testing.assert_allclose(
        example("book").attention().output, notebook_values(f"{seed}/right_scaled_sqrt3/output"), rtol=1e-12
    )


@pytest.mark.parametrize(("scale", "path"), [(1.0, "right_unscaled"), (None, "right_scaled")])
def test_columns_is_the_notebook_transposed(scale, path):
    trace = example("columns").attention(scale=scale)
    for name, seed in {"q": "Q", "k": "K", "v": "V"}.items():
        np.testing.assert_allclose(getattr(trace, name).T, notebook_values(f"2/qkv_columns/{seed}"), rtol=1e-12)
    np.testing.assert_allclose(trace.output.T, notebook_values(f"2/{path}/X_prime"), rtol=1e-12)


def test_context_is_question_1():
    trace = example("context").attention()
    np.testing.assert_allclose(trace.scores[1], notebook_values("3/q1/scores"), rtol=1e-12)
    np.testing.assert_allclose(trace.scaled[1], notebook_values("3/q1/scaled_scores"), rtol=1e-12)
    np.testing.assert_allclose(trace.weights[1], notebook_values("3/q1/attention_weights"), rtol=1e-12)
    np.testing.assert_allclose(trace.output[1], notebook_values("3/q1_right_context/context"), rtol=1e-12)
    np.testing.assert_allclose(trace.output[0], notebook_values("3/q1_decoder_state_0/context"), rtol=1e-12)


def test_translation_is_question_2():
    trace = example("translation").attention()
    np.testing.assert_allclose(trace.q[1:2], notebook_values("3/q2/Q_is"), rtol=1e-12)
    for name, seed in {"k": "K", "v": "V"}.items():
        np.testing.assert_allclose(getattr(trace, name), notebook_values(f"3/q2/{seed}"), rtol=1e-12)
    np.testing.assert_allclose(trace.weights[1:2], notebook_values("3/q2/attention_weights"), rtol=1e-12)
    np.testing.assert_allclose(trace.output[1:2], notebook_values("3/q2/output"), rtol=1e-12)


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_cat_gives_the_printed_queries_keys_and_values(name):
    path = {"q": "queries", "k": "keys", "v": "values_first4"}[name]  # the notebook does not print the fifth value
    printed = notebook_values(f"4/printed/{path}")
    np.testing.assert_allclose(
        getattr(example("cat").attention(), name)[: len(printed)], printed, rtol=0, atol=HALF_A_UNIT
    )


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_cat_has_the_recovered_weights(name):
    weights = getattr(example("cat"), f"w_{name}")
    recovered = {
        bound: notebook_values(f"4/recovered_W_{name}/{bound}") for bound in ("least_squares", "lower", "upper")
    }
    np.testing.assert_allclose(weights, recovered["least_squares"], rtol=0, atol=AS_GIVEN)
    assert ((recovered["lower"] <= weights) & (weights <= recovered["upper"])).all()
    # the text of the example says this number
    assert np.abs(recovered["upper"] - recovered["lower"]).max() / 2 < 0.0004


def test_cat_attends_as_its_recovered_weights_do():
    this = example("cat")
    np.testing.assert_array_equal(this.x, notebook_values("4/sentence_x/x_float64"))
    trace = this.attention()
    np.testing.assert_allclose(
        trace.weights, notebook_values("4/attention_from_recovered_weights/attention"), rtol=0, atol=1e-6
    )
    np.testing.assert_allclose(trace.output, notebook_values("4/output/output"), rtol=0, atol=5e-6)
