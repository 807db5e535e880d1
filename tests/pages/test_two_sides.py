"""Test the lines of a mistake below the correct lines: the names of their matrices, and which lines are needed."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core.examples import example
from attention_core.mistakes import WITH_SWITCH
from pages.shared.codes.mistake import two_sides
from pages.shared.takehome.code import for_columns

BY_NAME = {mistake.name: mistake for mistake in WITH_SWITCH}

# The lines that a mistake may have, and what these lines become if there is no mask.
MADE_UP = {
    "a helper line": (
        "spread = scores.std(axis=-1, keepdims=True)   # of each row\nscaled = scores / spread",
        "spread = scores_right.std(axis=-1, keepdims=True)   # of each row\n"
        "scaled_mistake = scores_right / spread   # ✗",
    ),
    "an expression behind the mask": (
        "weights = softmax(np.where(allowed, -masked, -np.inf))",
        "weights_mistake = softmax(-scaled_right)   # ✗\noutput_mistake = weights_mistake @ v_right",
    ),
    "a masked matrix of its own": (
        "masked = np.where(allowed, scores + 1, 0) / 2",
        "scaled_mistake = (scores_right + 1) / 2   # ✗\nweights_mistake = softmax(scaled_mistake)",
    ),
    "a function with names of its own": (
        "size = 3\ndef met(k, other=q):\n    return np.stack([other @ k / size for k in k], axis=1)\nscores = met(k)",
        "size = 3\n\ndef met(k, other=q_right):\n    return np.stack([other @ k / size for k in k], axis=1)\n\n"
        "scores_mistake = met(k_right)   # ✗",
    ),
    "an expression of several lines": (
        "output = (   # of each token\n    weights\n    @ k\n)",
        "output_mistake = (   # of each token\n    weights_right\n    @ k_right\n)   # ✗\n"
        "weights_mistake = weights_right",
    ),
    "a step that is read after it has changed": (
        "scaled = scores\nweights = softmax(masked) / 2",
        "scaled_mistake = scores_right   # ✗\nweights_mistake = softmax(scaled_mistake) / 2   # ✗",
    ),
}


@pytest.mark.parametrize(("code", "lines"), MADE_UP.values(), ids=MADE_UP)
def test_the_lines_of_a_mistake_get_the_names_of_their_side(code, lines):
    mistake, hand = replace(BY_NAME["scores_as_weights"], code=code), example("hand")
    assert lines in two_sides(mistake, hand, "none", columns=False)
    for columns in (False, True):
        given = {name: for_columns(m) if columns else m for name, m in hand.matrices().items()}
        exec(two_sides(mistake, hand, "none", columns), {"np": np} | given)


def test_what_is_transposed_twice_is_not_transposed():
    text = two_sides(BY_NAME["w_o_transposed"], example("hand"), "none", columns=True)
    assert "output_right = concat_right @ w_o.T\n\noutput_mistake = concat_right @ w_o   # ✗" in text
    assert ".T.T" not in text


def test_only_what_depends_on_the_mistake_is_computed_again():
    text = two_sides(BY_NAME["keys_as_values"], example("hand"), "none", columns=False)
    assert text.split("\n\n")[-1] == (
        "v_mistake = k_right   # ✗\noutput_mistake = weights_right @ v_mistake\n"
        "weights_mistake = weights_right   # as it should be"
    )
