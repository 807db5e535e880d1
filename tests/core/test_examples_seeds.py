"""Test that the examples from notebooks give the numbers that the notebooks print."""

import numpy as np
import pytest

from attention_core.examples import example
from notebooks import notebook_values

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
