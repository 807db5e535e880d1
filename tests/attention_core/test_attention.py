"""Test attention: numbers by hand, laws about permutations, causality and batches, types, and error messages.

Also looking a value up, and the masks.
"""

import dataclasses

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

from attention_core import attend, causal_mask, contributions, look_up, padding_mask, project, self_attention
from attention_core.lookup import sharpened_scale
from attention_core.masks import apply_mask
from strategies import law, queries_keys_values, random_numbers, read_only, sizes

LN2 = np.log(2)


def test_by_hand():
    q, k, v = [[LN2, 0]], [[2, 1], [0, 7], [1, 0]], [[7, 0, 14], [0, 7, 0], [0, 0, 7]]
    trace = attend(q, k, v, scale=1)
    np.testing.assert_allclose(trace.scores, [[2 * LN2, 0, LN2]])
    np.testing.assert_allclose(trace.weights, [[4 / 7, 1 / 7, 2 / 7]])
    np.testing.assert_allclose(trace.output, [[4, 1, 10]])


def test_scale_defaults_to_one_over_root_d_k():
    trace = attend([[1, 1, 1, 1]], [[2, 2, 2, 2]], [[5]])
    assert trace.scale == 0.5
    assert (trace.scores, trace.scaled) == (8, 4)


@law
@given(queries_keys_values())
def test_is_the_formula(qkv):
    q, k, v = qkv
    weights = scipy.special.softmax(q @ k.T / np.sqrt(q.shape[1]), axis=1)
    trace = attend(q, k, v)
    np.testing.assert_allclose(trace.weights, weights, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(trace.output, weights @ v, rtol=1e-9, atol=1e-12)


@law
@given(queries_keys_values())
def test_outputs_are_averages_of_values(qkv):
    trace = attend(*qkv)
    np.testing.assert_allclose(trace.weights.sum(axis=1), 1, rtol=1e-14)
    assert (trace.output >= qkv.v.min(axis=0) - 1e-12).all()
    assert (trace.output <= qkv.v.max(axis=0) + 1e-12).all()


@law
@given(queries_keys_values(), st.randoms())
def test_the_output_does_not_depend_on_the_order_of_keys_and_values(qkv, random):
    order = random.sample(range(len(qkv.k)), len(qkv.k))
    shuffled = attend(qkv.q, qkv.k[order], qkv.v[order])
    np.testing.assert_allclose(shuffled.output, attend(*qkv).output, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(shuffled.weights, attend(*qkv).weights[:, order], rtol=1e-9, atol=1e-15)


@law
@given(queries_keys_values(), st.randoms())
def test_outputs_come_in_the_order_of_queries(qkv, random):
    order = random.sample(range(len(qkv.q)), len(qkv.q))
    shuffled = attend(qkv.q[order], qkv.k, qkv.v)
    np.testing.assert_allclose(shuffled.output, attend(*qkv).output[order], rtol=1e-9, atol=1e-12)


@law
@given(queries_keys_values(square=True), st.data())
def test_under_a_causal_mask_later_tokens_do_not_change_earlier_outputs(qkv, data):
    now = data.draw(st.integers(0, len(qkv.q) - 1))
    k, v = qkv.k.copy(), qkv.v.copy()
    k[now + 1 :], v[now + 1 :] = 99, -99
    mask = causal_mask(len(qkv.q))
    past = slice(now + 1)
    np.testing.assert_array_equal(attend(qkv.q, k, v, mask=mask).output[past], attend(*qkv, mask=mask).output[past])


@law
@given(queries_keys_values(), st.data())
def test_masked_keys_change_no_output(qkv, data):
    kept = data.draw(st.integers(1, len(qkv.k)))
    mask = np.arange(len(qkv.k)) < kept
    short = attend(qkv.q, qkv.k[:kept], qkv.v[:kept])
    np.testing.assert_allclose(attend(*qkv, mask=mask).output, short.output, rtol=1e-9, atol=1e-12)


def test_boolean_and_additive_masks_agree():
    q, k, v = random_numbers(3, 4), random_numbers(3, 4, seed=1), random_numbers(3, 2)
    additive = np.where(causal_mask(3), 0, -np.inf)
    by_bool, by_float = attend(q, k, v, mask=causal_mask(3)), attend(q, k, v, mask=additive)
    np.testing.assert_array_equal(by_bool.masked, by_float.masked)
    np.testing.assert_array_equal(by_bool.output, by_float.output)


def test_a_query_with_every_key_masked_gets_zeros():
    trace = attend(random_numbers(2, 3), random_numbers(4, 3), random_numbers(4, 5), mask=[[False] * 4, [True] * 4])
    assert (trace.weights[0] == 0).all()
    assert (trace.output[0] == 0).all()
    assert trace.weights[1].sum() == pytest.approx(1)


def test_batches_equal_the_loop():
    q, k, v = random_numbers(2, 3, 4, 5), random_numbers(2, 3, 6, 5), random_numbers(2, 3, 6, 2)
    mask = random_numbers(2, 1, 4, 6) > -1
    batch = attend(q, k, v, mask=mask)
    for b in range(2):
        for h in range(3):
            one = attend(q[b, h], k[b, h], v[b, h], mask=mask[b, 0])
            np.testing.assert_allclose(batch.weights[b, h], one.weights, rtol=1e-13)
            np.testing.assert_allclose(batch.output[b, h], one.output, rtol=1e-13)


def test_leading_axes_broadcast():
    q, k, v = random_numbers(2, 1, 4, 5), random_numbers(3, 6, 5), random_numbers(6, 2)
    assert attend(q, k, v).output.shape == (2, 3, 4, 2)
    np.testing.assert_allclose(attend(q, k, v).output[1, 2], attend(q[1, 0], k[2], v).output, rtol=1e-13)


def test_self_attention_projects_and_attends():
    x, w_q, w_k, w_v = random_numbers(3, 4), random_numbers(4, 2), random_numbers(4, 2, seed=1), random_numbers(4, 5)
    b_q, b_k, b_v = random_numbers(2), random_numbers(2, seed=1), random_numbers(5)
    trace = self_attention(x, w_q, w_k, w_v, b_q=b_q, b_k=b_k, b_v=b_v, mask=causal_mask(3), scale=0.3)
    inner = attend(project(x, w_q, b_q), project(x, w_k, b_k), project(x, w_v, b_v), mask=causal_mask(3), scale=0.3)
    for field in dataclasses.fields(inner):
        np.testing.assert_array_equal(getattr(trace, field.name), getattr(inner, field.name))
    assert trace.context is trace.x
    for name, matrix in {"w_q": w_q, "w_k": w_k, "w_v": w_v, "b_q": b_q, "b_k": b_k, "b_v": b_v}.items():
        np.testing.assert_array_equal(getattr(trace, name), matrix)
    assert self_attention(x, w_q, w_k, w_v).b_q is None


def test_cross_attention_takes_keys_and_values_from_the_context():
    x, context, w_q, w_k, w_v = (
        random_numbers(2, 4),
        random_numbers(5, 3),
        random_numbers(4, 2),
        random_numbers(3, 2),
        random_numbers(3, 6),
    )
    trace = self_attention(x, w_q, w_k, w_v, context=context)
    np.testing.assert_array_equal(trace.k, project(context, w_k))
    np.testing.assert_array_equal(trace.v, project(context, w_v))
    assert trace.weights.shape == (2, 5)
    assert trace.output.shape == (2, 6)


def test_contributions_add_up_to_the_outputs():
    trace = attend(random_numbers(2, 3, 4), random_numbers(2, 5, 4), random_numbers(2, 5, 6))
    terms = contributions(trace)
    np.testing.assert_array_equal(terms[1, 2, 4], trace.weights[1, 2, 4] * trace.v[1, 4])
    np.testing.assert_allclose(terms.sum(axis=-2), trace.output, rtol=1e-13)


@pytest.mark.parametrize(("dtype", "expected"), [(np.int64, np.float64), (np.float32, np.float32)])
def test_types(dtype, expected):
    x, w, b = (read_only(np.ones(shape, dtype)) for shape in ((3, 2), (2, 2), (2,)))
    mask = read_only(np.zeros((3, 3)))
    trace = self_attention(x, w, w, w, b_q=b, b_k=b, b_v=b, mask=mask, scale=np.float64(0.5))
    for name in ("q", "k", "v", "scores", "scaled", "masked", "weights", "output"):
        assert getattr(trace, name).dtype == expected, name
    assert attend(x, x, x).output.dtype == expected


def test_traces_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(attend([[1]], [[1]], [[1]]), "scale", 2)  # noqa: B010 - it is refused, which is the test


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (
            ((4, 8), (5, 6), (5, 2)),
            r"q and k must share d_k, but q is \(4, 8\) and k is \(5, 6\)\. Check w_q and w_k\.",
        ),
        (
            ((4, 8), (5, 8), (6, 2)),
            r"k and v must share n_k, but k is \(5, 8\) and v is \(6, 2\)\. Give each key its value\.",
        ),
        (((2, 4, 8), (3, 5, 8), (5, 2)), r"leading axes of q, k and v must broadcast; got q \(2, 4, 8\)"),
        (((8,), (5, 8), (5, 2)), r"q must have at least 2 axes; got shape \(8,\): write it as a matrix"),
        (((4, 8), (5, 8), (0, 2)), r"v must not be empty; got shape \(0, 2\)"),
    ],
)
def test_errors_of_shape(shapes, message):
    with pytest.raises(ValueError, match=message):
        attend(*(np.ones(shape) for shape in shapes))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scale": np.nan}, r"scale must be finite; got nan"),
        ({"scale": np.inf}, r"scale must be finite; got inf"),
        ({"mask": np.ones((3, 4), bool)}, r"mask must broadcast to the scores; got mask \(3, 4\), scores \(4, 4\)"),
        ({"k": np.full((4, 2), np.nan)}, r"k must be finite; got nan at \(0, 0\): replace it by a number"),
        ({"v": [[1, 2], [3]]}, r"v must be rectangular; got rows of different lengths"),
    ],
)
def test_errors_of_value(arguments, message):
    ones = np.ones((4, 2))
    with pytest.raises(ValueError, match=message):
        attend(**{"q": ones, "k": ones, "v": ones, **arguments})


@pytest.mark.parametrize("wrong", ["w_q", "w_k", "w_v"])
def test_errors_of_projection_name_the_matrix(wrong):
    matrices = [np.ones((2, 2) if name == wrong else (3, 2)) for name in ("w_q", "w_k", "w_v")]
    with pytest.raises(ValueError, match=rf"{wrong}: x and w must share d_in, but x is \(4, 3\) and w is \(2, 2\)"):
        self_attention(np.ones((4, 3)), *matrices)


def test_by_hand_of_lookup():
    trace = look_up([2 * np.log(2)], [[1], [0], [0.5]], [[7, 0], [0, 7], [14, 7]], [0, 0.5, 1, np.inf])
    np.testing.assert_allclose(trace.weights[[0, 2, 3]], [[1 / 3] * 3, [4 / 7, 1 / 7, 2 / 7], [1, 0, 0]])
    np.testing.assert_allclose(trace.results[[0, 2, 3]], [[7, 14 / 3], [8, 3], [7, 0]])


@law
@given(queries_keys_values())
def test_sharpness_one_is_attention(qkv):
    trace = look_up(qkv.q[0], qkv.k, qkv.v, [1])
    np.testing.assert_allclose(trace.results, attend(qkv.q[:1], qkv.k, qkv.v).output, rtol=1e-9, atol=1e-12)


def test_sharpness_is_a_scale():
    query, keys, values = random_numbers(4), random_numbers(3, 4), random_numbers(3, 2)
    assert sharpened_scale(4, 3.0) == 1.5
    by_scale = attend(query[None], keys, values, scale=sharpened_scale(4, 3.0))
    np.testing.assert_allclose(look_up(query, keys, values, [3]).results, by_scale.output, rtol=1e-13)


@law
@given(queries_keys_values())
def test_the_best_key_gains_as_sharpness_grows(qkv):
    weights = look_up(qkv.q[0], qkv.k, qkv.v, [0, 0.5, 1, 4, 100, np.inf]).weights
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-14)
    assert (np.diff(weights[:, np.argmax(weights[-1])]) > -1e-12).all()


def test_equally_good_keys_share():
    np.testing.assert_array_equal(look_up([1], [[1], [0], [1]], [[2], [9], [4]], [np.inf]).results, [[3]])


@pytest.mark.parametrize(("dtype", "expected"), [(np.int64, np.float64), (np.float32, np.float32)])
def test_types_of_lookup(dtype, expected):
    query, keys, values = (read_only(np.ones(shape, dtype)) for shape in ((3,), (2, 3), (2, 4)))
    trace = look_up(query, keys, values, [0.5, np.inf])
    assert trace.weights.dtype == trace.results.dtype == expected


@pytest.mark.parametrize("sharpness", [-0.5, np.nan])
def test_errors_of_sharpness(sharpness):
    with pytest.raises(ValueError, match=r"sharpness must be at least 0; got .*: 0 blurs all, 1 is attention"):
        look_up([1], [[1]], [[1]], [1, sharpness])


def test_errors_of_shape_of_lookup():
    with pytest.raises(
        ValueError, match=r"q and k must share d_k, but q is \(1, 2\) and k is \(3, 4\)\. Check w_q and w_k"
    ):
        look_up(random_numbers(2), random_numbers(3, 4), random_numbers(3, 1), [1])


NEVER = -np.inf


def test_causal_by_hand():
    expected = [[True, False, False], [True, True, False], [True, True, True]]
    np.testing.assert_array_equal(causal_mask(3), expected)
    np.testing.assert_array_equal(causal_mask(2, 3), expected[:2])
    np.testing.assert_array_equal(causal_mask(3, 2), np.array(expected)[:, :2])


@law
@given(sizes, sizes)
def test_causal_is_j_up_to_i(n_q, n_k):
    mask = causal_mask(n_q, n_k)
    assert mask.dtype == bool
    np.testing.assert_array_equal(mask, np.arange(n_k) <= np.arange(n_q)[:, None])


def test_padding_by_hand():
    np.testing.assert_array_equal(padding_mask(2, 3), [[True, True, False]])
    batch = padding_mask([1, 0, 3], 3)
    assert batch.shape == (3, 1, 3)
    np.testing.assert_array_equal(batch[:, 0], [[True, False, False], [False] * 3, [True] * 3])


@pytest.mark.parametrize("n", [0, -2, 1.5, True])
def test_lengths_of_causal_masks(n):
    with pytest.raises(ValueError, match=r"n_q must be a whole number of at least 1; got .*: give 1, 2, 3"):
        causal_mask(n)
    with pytest.raises(ValueError, match=r"n_k must be a whole number of at least 1; got .*: give 1, 2, 3"):
        causal_mask(2, n)


@pytest.mark.parametrize("lengths", [4, -1, [1, 4], [1.0, 2.0], [True]])
def test_lengths_of_padding(lengths):
    with pytest.raises(ValueError, match=r"lengths must be whole numbers from 0 to n_k = 3; got .*: count the real"):
        padding_mask(lengths, 3)


def test_boolean_mask_forbids_where_false():
    scaled = read_only([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(apply_mask(scaled, causal_mask(2)), [[1, NEVER], [3, 4]])


def test_additive_mask_is_added():
    scaled = read_only([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(apply_mask(scaled, [[0.5, NEVER], [-1, 0]]), [[1.5, NEVER], [2, 4]])


def test_no_mask_changes_nothing():
    scaled = np.ones((2, 2))
    assert apply_mask(scaled, None) is scaled


@pytest.mark.parametrize("mask", [np.ones((2, 2), bool), np.zeros((2, 2)), np.full((2, 2), -1e300)])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_mask_leaves_the_type_of_the_scores(mask, dtype):
    assert apply_mask(np.ones((2, 2), dtype), mask).dtype == dtype


def test_a_penalty_beyond_the_range_forbids():
    lowest = np.full((1, 1), np.finfo(np.float64).min)
    assert apply_mask(np.array([[-5]], np.float32), lowest) == NEVER
    assert apply_mask(lowest, lowest) == NEVER


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (
            np.ones((3, 2), bool),
            r"mask must broadcast to the scores; got mask \(3, 2\), scores \(2, 3\): give it one row",
        ),
        (np.ones((1, 2, 3), bool), r"mask must broadcast to the scores; got mask \(1, 2, 3\), scores \(2, 3\)"),
        (np.ones((4,), bool), r"mask must broadcast to the scores; got mask \(4,\)"),
        ([[0, 1, 1], [1, 1, 1]], r"mask must be boolean or float; got int64: write True for 'may attend'"),
        (np.full((2, 3), np.nan), r"an additive mask must be finite or −∞; got NaN or \+∞: use −∞ to forbid"),
        (np.full((2, 3), np.inf), r"an additive mask must be finite or −∞; got NaN or \+∞"),
    ],
)
def test_errors(mask, message):
    with pytest.raises(ValueError, match=message):
        apply_mask(np.ones((2, 3)), mask)
