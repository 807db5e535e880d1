"""Test the dot product as two lengths and an angle, and the plane that comes closest to the scores of a query."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from attention_core.examples import EXAMPLES, example
from attention_core.experiments.heads import align, closest_plane
from strategies import law, queries_keys_values, random_numbers


def test_by_hand():
    found = align([3, 4], [[6, 8], [-4, 3], [-3, -4], [0, 0]])
    assert found.length == 5
    np.testing.assert_array_equal(found.lengths, [10, 5, 5, 0])
    np.testing.assert_array_equal(found.products, [50, 0, -25, 0])
    np.testing.assert_allclose(found.degrees, [0, 90, 180, 90], atol=1e-6)


@law
@given(queries_keys_values())
def test_a_product_is_both_lengths_times_the_cosine(qkv):
    found = align(qkv.q[0], qkv.k)
    np.testing.assert_allclose(found.products, qkv.k @ qkv.q[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.length * found.lengths * found.cosines, found.products, rtol=1e-9, atol=1e-12)


@law
@given(queries_keys_values())
def test_the_angle_does_not_depend_on_lengths(qkv):
    one, longer = align(qkv.q[0], qkv.k), align(3 * qkv.q[0], 2 * qkv.k)
    np.testing.assert_allclose(longer.cosines, one.cosines, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(longer.products, 6 * one.products, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("degrees", [0, 30, 89, 90, 91, 150, 180])
def test_a_product_is_0_at_90_degrees_and_negative_beyond(degrees):
    turned = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    found = align([7, 0], 5 * turned[None])
    np.testing.assert_allclose(found.degrees, degrees, atol=1e-6)
    assert np.sign(np.round(found.products[0], 9)) == np.sign(90 - degrees)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if example(name).w_q.shape[1] <= 4])
def test_no_other_plane_comes_closer_to_the_scores(name):
    trace = example(name).attention()
    for query, scores in zip(trace.q, trace.scores, strict=True):
        missed = {
            pair: np.square(scores - trace.k[:, pair] @ query[[*pair]]).sum()
            for pair in combinations(range(len(query)), 2)
        }
        a, b = closest_plane(query, trace.k)
        assert missed[a, b] <= min(missed.values()) + 1e-9


def test_in_the_story_the_plane_keeps_the_whole_score_of_it_and_cat():
    trace = example("story").attention()
    plane = closest_plane(trace.q[4], trace.k)
    names = example("story").names
    assert [names.q[c] for c in plane] == ["looks for somebody", "looks for something"]
    assert align(trace.q[4][[*plane]], trace.k[:, plane]).products[0] == trace.scores[4, 0] == 6


def test_other_widths_are_refused():
    with pytest.raises(
        ValueError, match=r"query and keys must share d_k; got query \(2,\), keys \(3, 4\): check w_q and"
    ):
        align(random_numbers(2), random_numbers(3, 4))
