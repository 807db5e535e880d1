"""Test the mistakes of the catalogue in the layers of a language model.

The layers of a tiny model are compared with a computation from the core's own functions.
"""

from dataclasses import replace

import numpy as np
import pytest

from attention_core import attend, causal_mask, merge_heads, project, repeat_heads, rope, softmax, split_heads
from attention_core.language_model.mistakes import (
    CANDIDATES,
    NoNumberError,
    applicable_mistakes,
    average_heads,
    cut_heads,
    parts_with,
    replace_output,
)
from attention_core.language_model.model import Head, LayerSettings, open_model, run_model, unpacked_model
from attention_core.mistakes import Mistake
from language_models import HEADS, KV_HEADS, LAYERS, MATRICES, PACKED, SETTINGS, write

TEXT = [100, 5, 9, 5, 30, 7, 200]  # the number of tokens differs from the numbers of heads and columns
GROUP = 2
OF_A_LAYER = LayerSettings(n_heads=HEADS, n_kv_heads=KV_HEADS, base=10_000.0, eps=1e-5)
MISTAKES = {mistake.name: mistake for mistake in CANDIDATES}


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Give the test a tiny language model with random weights."""
    return open_model(write(tmp_path_factory.mktemp("toy") / "toy.gguf", SETTINGS, MATRICES, PACKED))


@pytest.fixture(scope="module")
def layer(toy):
    """Give the test the trace of layer 1 of the tiny model, and the weights of that layer."""
    return run_model(toy, TEXT, keep=[1]).layers[1], toy.layer(1)


class Steps:
    """The attention of one layer, computed with the core's functions. Other functions may replace single steps."""

    def __init__(self, x, w, **other):
        """Keep the layer's input `x`, its weights `w`, and the functions that replace steps (`other`)."""
        self.x, self.w, self.other = x, w, other

    def run_step(self, name, correct, *given):
        """Run the step `name` on the matrices in `given`, and return its result."""
        return self.other.get(name, correct)(*given)

    def rotate(self, heads):
        """Return the queries or keys of all heads after RoPE with neighbouring pairs, as this model needs."""
        return rope(heads, np.arange(len(self.x)), base=10_000.0, interleaved=True)

    def output(self):
        """Return the output of the layer's attention, with the replaced steps."""
        q, k, v = (split_heads(project(self.x, w), n) for w, n in ((self.w.w_q, 4), (self.w.w_k, 2), (self.w.w_v, 2)))
        k, v = (repeat_heads(each, GROUP) for each in (k, v))
        v = self.run_step("values", lambda q, k, v: v, q, k, v)
        q, k = self.run_step("queries", self.rotate, q), self.run_step("keys", self.rotate, k)
        weights = self.run_step("weights", lambda q, k: attend(q, k, v, mask=causal_mask(len(self.x))).weights, q, k)
        concat = self.run_step("merged", merge_heads, weights @ v)
        return self.run_step("output", lambda concat: concat @ self.w.w_o, concat)


def mask_scores(scaled, fill=-np.inf):
    """Return the scaled scores with `fill` in place of every score that the causal mask hides."""
    return np.where(causal_mask(len(TEXT)), scaled, fill)


def dot_products(q, k):
    """Return the dot product of each query with each key, head by head."""
    return q @ k.swapaxes(-1, -2)


def rotate_halves(heads):
    """Return the heads after RoPE with the pairs (0, d/2), (1, d/2 + 1), …, which are wrong for this model."""
    return rope(heads, np.arange(len(TEXT)), base=10_000.0, interleaved=False)


ROOT = np.sqrt(8)
EXPECTED = {
    "not_scaled": {"weights": lambda q, k: softmax(mask_scores(dot_products(q, k)))},
    "mask_forgotten": {"weights": lambda q, k: softmax(dot_products(q, k) / ROOT)},
    "mask_with_zeros": {"weights": lambda q, k: softmax(mask_scores(dot_products(q, k) / ROOT, 0))},
    "softmax_over_columns": {"weights": lambda q, k: softmax(mask_scores(dot_products(q, k) / ROOT), axis=-2)},
    "keys_times_queries": {"weights": lambda q, k: softmax(mask_scores(dot_products(k, q) / ROOT))},
    "heads_scaled_by_full_width": {"weights": lambda q, k: softmax(mask_scores(dot_products(q, k) / np.sqrt(32)))},
    "keys_as_values": {"values": lambda q, k, v: k},
    "heads_averaged": {"merged": lambda heads: np.concatenate([heads.mean(axis=0)] * HEADS, axis=1)},
    "w_o_forgotten": {"output": lambda concat: concat},
    "never_turned": {"queries": lambda heads: heads, "keys": lambda heads: heads},
    "queries_turned_alone": {"keys": lambda heads: heads},
    "halves_turned": {"queries": rotate_halves, "keys": rotate_halves},
    "base_misses_a_zero": dict.fromkeys(
        ("queries", "keys"), lambda heads: rope(heads, np.arange(len(TEXT)), base=1000.0, interleaved=True)
    ),
    "degrees_for_radians": dict.fromkeys(
        ("queries", "keys"), lambda heads: rope(heads, np.arange(len(TEXT)) * np.pi / 180, interleaved=True)
    ),
    "attention_left_out": {"output": np.zeros_like},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_mistake_is_what_its_description_says(name, layer):
    trace, w = layer
    wrong = parts_with(MISTAKES[name]).attention(1, trace.normed, w, OF_A_LAYER, np.arange(len(TEXT)))
    np.testing.assert_allclose(wrong.mixed, Steps(trace.normed, w, **EXPECTED[name]).output(), atol=1e-5)
    assert name == "attention_left_out" or np.abs(wrong.mixed - trace.mixed).max() > 1e-3


def test_the_steps_without_a_mistake_are_the_layer(layer):
    trace, w = layer
    np.testing.assert_allclose(Steps(trace.normed, w).output(), trace.mixed, atol=1e-5)
    harmless = Mistake(
        name="as_it_is", concept="attention", stage="output", title="", why="", code="scaled = scaled * 1"
    )
    again = parts_with(harmless).attention(1, trace.normed, w, OF_A_LAYER, np.arange(len(TEXT)))
    for name in ("scores", "scaled", "masked", "weights", "output"):
        np.testing.assert_allclose(getattr(again.heads, name), getattr(trace.heads, name), atol=1e-5)
    np.testing.assert_allclose(again.q, trace.q, atol=1e-5)
    np.testing.assert_allclose(again.concat, trace.concat, atol=1e-5)
    np.testing.assert_allclose(again.mixed, trace.mixed, atol=1e-5)


def test_a_mistake_can_be_made_in_one_layer(toy):
    right, wrong = (
        run_model(toy, TEXT, keep=[0, 1]),
        run_model(toy, TEXT, keep=[0, 1], parts=parts_with(NOT_SCALED, [1])),
    )
    assert (wrong.layers[0].output == right.layers[0].output).all()
    assert (wrong.layers[1].heads.scaled == wrong.layers[1].heads.scores).all()
    everywhere = run_model(toy, TEXT, keep=[0], parts=parts_with(NOT_SCALED))
    assert (everywhere.layers[0].heads.scaled == everywhere.layers[0].heads.scores).all()


def test_heads_can_be_cut_where_a_mistake_is_made(toy):
    parts = replace(parts_with(NOT_SCALED), change=cut_heads([Head(1, head) for head in range(HEADS)]))
    assert (run_model(toy, TEXT, keep=[1], parts=parts).layers[1].mixed == 0).all()


NOT_SCALED = MISTAKES["not_scaled"]
# The rules that leave a mistake out: the layer has no such step, the shapes do not fit, or nothing changes.
NO_PLACE = {
    "outer_products", "outer_products_not_scaled", "terms_taken_for_outputs", "sines_then_cosines",
    "embedding_not_scaled", "sine_and_cosine_swapped", "sines_alone", "positions_multiplied",
    "positions_multiplied_unscaled", "root_after_the_sum", "embedding_divided", "positions_appended",
}  # fmt: skip
NO_FIT = {
    "features_weighted", "weights_times_input", "q_times_k", "elementwise_scores", "w_i_with_n_rows",
    "sums_without_keepdims", "input_added", "attention_across_heads", "heads_summed", "heads_averaged_without_w_o",
    "not_split", "not_split_but_scaled_by_a_head", "one_head_without_w_o", "tokens_cut_into_heads",
}  # fmt: skip
NO_CHANGE = {
    "softmax_without_maximum", "biases_forgotten", "query_bias_forgotten", "key_bias_forgotten",
    "value_bias_forgotten", "context_ignored", "values_from_those_who_ask", "keys_from_those_who_ask",
    "roles_swapped", "divided_by_root_d_v", "positions_from_one",
}  # fmt: skip
LEFT_OUT = NO_PLACE | NO_FIT | NO_CHANGE


def test_mistakes_that_a_layer_cannot_have_are_left_out(layer):
    trace, w = layer
    found = {mistake.name for mistake in applicable_mistakes(trace.normed, w, OF_A_LAYER)}
    assert {mistake.name for mistake in CANDIDATES} - found == LEFT_OUT | {
        "base_of_another_model"
    }  # the base of the tiny model is 10,000


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sines_alone", r"a mistake must have a place in the steps of a layer; got sines_alone: take one that has"),
        ("heads_summed", r"what heads add must be \(7, 32\), as the residual stream is; got \(7, 8\): compute output"),
        (
            "features_weighted",
            r"needs matrices that fit each other, but the shapes are v_heads \(4, 7, 8\), weights \(4, 7, 7\)",
        ),
    ],
)
def test_a_mistake_that_cannot_be_made_says_why(name, said, toy):
    with pytest.raises(ValueError, match=said):
        run_model(toy, TEXT, parts=parts_with(MISTAKES[name]))


@pytest.mark.parametrize("name", ["mask_inverted_to_nan", "logarithms_of_the_weights"])
def test_a_mistake_that_leaves_no_number_says_so(name, toy):
    with pytest.raises(NoNumberError, match=r"what heads add must be numbers below 1e\+18; got nan"):
        run_model(toy, TEXT, parts=parts_with(MISTAKES[name]))


# --- heads that are changed ---


def test_the_output_of_a_head_is_removed_averaged_or_replaced(toy):
    found = run_model(toy, TEXT, keep=[1]).layers[1].heads.output
    heads, row = [Head(1, 2), Head(0, 3)], np.arange(8.0)
    nothing, mean, other = (
        change(1, found) for change in (cut_heads(heads), average_heads(heads), replace_output(Head(1, 2), row))
    )
    for changed in (nothing, mean, other):
        assert (np.delete(changed, 2, axis=0) == np.delete(found, 2, axis=0)).all()
    assert (nothing[2] == 0).all()
    np.testing.assert_allclose(mean[2], [found[2].mean(axis=0)] * len(TEXT))
    np.testing.assert_allclose(other[2], [*found[2][:-1], row])
    assert cut_heads(heads)(LAYERS, found) is found
    assert str(Head(1, 2)) == "L1H2"


def test_an_unpacked_model_gives_the_same_logits(toy):
    unpacked = unpacked_model(toy)
    assert (run_model(toy, TEXT).logits == run_model(unpacked, TEXT).logits).all()
    assert not unpacked.layer(0).w_q.flags.writeable
