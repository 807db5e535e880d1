"""Test "Check my matrix" with a visitor's own matrices instead of an example's."""

import re

import numpy as np
import pytest

from attention_core import sinusoidal, softmax
from attention_core.reading.matrix_text import write_matrix
from checking import check_page, heading
from simulating import open_page, page_text

# --- own numbers ---

OWN = {
    "own_x": "[[1, 0], [0, 1], [1, 1]]",
    "own_w_q": "1 2\n0 1",
    "own_w_k": "1;0\n2;1",
    "own_w_v": "1,5\t2\n0\t1",
}


def test_own_weights():
    x, w_q, w_k, w_v = np.array([[1, 0], [0, 1], [1, 1.0]]), [[1, 2], [0, 1]], [[1, 0], [2, 1]], [[1.5, 2], [0, 1]]
    scores = (x @ w_q @ (x @ w_k).T) / 2
    powers = np.exp(scores)
    app = check_page(powers / powers.sum(axis=1, keepdims=True) @ (x @ w_v), source="weights", **OWN)
    assert re.fullmatch(r"## \d+ known mistakes give these numbers", heading(app))  # a token is as wide as a key here
    assert "without the root" in page_text(app)
    assert "The scores are divided by" in page_text(app)


def test_own_queries_and_own_scores():
    q, k, v = np.eye(2), np.array([[1, 2], [3, 4.0]]), np.array([[1, 2, 3], [0, 1, 5.0]])
    own_qkv = {"own_q": write_matrix(q), "own_k": write_matrix(k), "own_v": write_matrix(v)}
    scores = q @ k.T / np.sqrt(2)
    whole = np.exp(scores) / np.exp(scores).sum()
    app = check_page(whole @ v, source="queries", **own_qkv)
    assert "**The softmax runs over the whole matrix.**" in page_text(app)
    app = check_page(write_matrix(whole, 6), source="scores", own_scores=write_matrix(scores, 8))
    assert "**The softmax runs over the whole matrix.**" in page_text(app)
    scores = np.array([[0.7, 2.1], [1.1, 3.3]])
    halved = np.exp(scores / 2) / np.exp(scores / 2).sum(axis=1, keepdims=True)
    assert "No known mistake" in heading(check_page(halved, source="scores", own_scores=write_matrix(scores, 8)))


def test_own_scores_may_be_masked():
    app = check_page("1 0\n0.5 0.5", source="scores", own_scores="1 -inf\n2 2")
    assert heading(app) == "## Right"


def test_what_is_missing_or_does_not_fit_is_said():
    app = open_page("check_my_matrix", source="weights", own_x="1 2")
    assert [text.value for text in app.info] == ["Paste what is still missing: W_Q; W_K; W_V."]
    app = open_page("check_my_matrix", source="weights", **{**OWN, "own_w_q": "1 2 3"})
    assert "w_q: x and w must share d_in, but x is (3, 2) and w is (1, 3)" in app.info[0].value
    app = open_page("check_my_matrix", source="queries", own_q="1 inf", own_k="1 2", own_v="1")
    assert "q must be finite" in app.info[0].value


def test_a_problem_of_positions_needs_only_x():
    """Check that a problem of positions needs only x."""
    fitting = {"own_w_q": "1\n1", "own_w_k": "1\n1", "own_w_v": "1\n1"}
    for x, more in (("1 2", {}), ("1 2", {"own_w_q": "1", "own_w_k": "1", "own_w_v": "1"}), ("1e300 1e300", fitting)):
        app = open_page("check_my_matrix", source="weights", asked="encoding", own_x=x, answer="0 1", **more)
        assert not app.exception
        assert heading(app) == "## Right"
    assert {area.label for area in app.text_area} == {"X", "Your result"}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_that_overflow_are_said():
    large = {"own_x": "1e300 1e300", "own_w_q": "1\n1", "own_w_k": "1e300\n1", "own_w_v": "1\n1"}
    app = open_page("check_my_matrix", source="weights", **large)
    assert "must be finite; got inf" in app.info[0].value


def test_the_positions_of_own_embeddings_need_x_alone():
    x = np.zeros((3, 4))
    app = check_page(sinusoidal(3, 4), source="embeddings", own_x=write_matrix(x, 0))
    assert heading(app) == "## Right"
    squared = sinusoidal(3, 4) ** 2
    assert heading(check_page(squared, source="embeddings", own_x=write_matrix(x, 0))) != "## Right"


def test_own_scores_with_another_scale_may_be_right():
    scores = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0], [1.5, 0.2, -0.7]])
    app = check_page(write_matrix(softmax(scores / 2), 4), source="scores", own_scores=write_matrix(scores))
    assert heading(app) == "## No known mistake gives these numbers, but another scale does"
