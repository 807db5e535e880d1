"""Test traced arrays: their formulas give the numbers that NumPy computes, also with the code of each mistake."""

import itertools

import numpy as np
import pytest

from attention_core.arithmetic import evaluate
from attention_core.arithmetic.mistake_rules import mistake_rules
from attention_core.arithmetic.traced import Traced, softmax
from attention_core.examples import example
from attention_core.mistakes import WITH_SWITCH
from attention_core.mistakes.engine import code_lines
from attention_core.rotation import encode
from strategies import random_numbers

X, CUBE = random_numbers(3, 4), random_numbers(2, 3, 4)
KEEP = np.array([[True], [False], [True]])
CODES = {
    "cells": (X, lambda x: np.exp(-x / 2) + np.sqrt(x**2) - np.sin(x) * np.cos(3 + x)),
    "parts": (X, lambda x: x[1:, ::2] * x[0][None, 1::2]),
    "last": (CUBE, lambda x: x[..., -1] + x[:, :, 0]),
    "transposed": (X, lambda x: x @ x.T @ x),
    "heads": (CUBE, lambda x: x @ x.swapaxes(-1, -2)),
    "vector": (X, lambda x: x @ x[0]),
    "shape": (CUBE, lambda x: x.swapaxes(0, 1).reshape(len(x[0]), -1)),
    "reshaped": (X, lambda x: x.reshape(2, 3, -1)),
    "sums": (CUBE, lambda x: x.sum(axis=-1, keepdims=True) * x.mean(axis=0)),
    "chosen": (X, lambda x: np.where(KEEP, x, -1.0)),
    "joined": (X, lambda x: np.concatenate([x, 2 * x[:1]], axis=0)),
    "stacked": (X, lambda x: np.stack([-x[:, 1::2], x[:, ::2]], axis=-1).reshape(x.shape)),
    "split": (X, lambda x: np.concatenate(np.split(x, 2, axis=1)[::-1], axis=1)),
    "repeated": (CUBE, lambda x: np.repeat(x, 2, axis=0)),
    "outer": (X, lambda x: np.stack([np.outer(row, row) for row in x])),
    "constant": (X, lambda x: np.ones((2, 3)) @ x + np.arange(4)),
}


def numbers_of(array: Traced) -> np.ndarray:
    formula = array.formula
    return np.array([evaluate(formula(*at)) for at in np.ndindex(array.shape)]).reshape(array.shape)


@pytest.mark.parametrize("code", CODES)
def test_a_formula_gives_what_numpy_gives(code):
    values, function = CODES[code]
    expected, found = function(values), numbers_of(function(Traced.given("x", values)))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("axis", [-1, -2, (-2, -1), (0, 1, 2)])
def test_a_softmax_along_any_axes(axis):
    scores = np.where(CUBE > 1, -np.inf, CUBE)
    scores[0, 0] = scores[0, :, 0] = -np.inf
    found = numbers_of(softmax(Traced.given("scores", scores), axis))
    np.testing.assert_allclose(found, code_lines.softmax(scores, axis), rtol=1e-12)


def test_code_that_chooses_by_numbers_has_no_formula():
    for choose in (np.abs, np.sort):
        with pytest.raises(TypeError):
            choose(Traced.given("x", X))  # type: ignore[operator]


# --- mistakes ---


def traces_of(mistake):
    """Yield traces of the small examples in which a mistake is possible."""
    for name, mask in itertools.product(("book", "story", "hand", "square", "columns"), ("none", "causal")):
        this = example(name)
        if mistake.concept == "positional_encoding":
            yield encode(this.x, range(len(this.x)))
        elif mistake.concept == "multi_head":
            yield this.multi_head(mask=this.mask(mask))
        else:
            yield this.attention(mask=this.mask(mask))


def rules_in(mistake):
    for trace in traces_of(mistake):
        try:
            wrong = mistake.apply(trace)
        except ValueError:
            continue  # the shapes do not allow the mistake
        yield wrong, mistake_rules(mistake, trace).rules


@pytest.mark.parametrize("mistake", WITH_SWITCH, ids=lambda mistake: mistake.name)
def test_the_formulas_of_a_mistake_give_its_numbers(mistake):
    found = list(itertools.islice(rules_in(mistake), 2))
    assert found
    for wrong, rules in found:
        name = "sinusoidal" if mistake.concept == "positional_encoding" else "output"
        np.testing.assert_array_equal(rules[name][0], wrong.output if name == "output" else wrong.encoding)
        for each, (values, formula) in rules.items():
            some = list(np.ndindex(values.shape))[:: 1 + values.size // 4]  # one of outer products is a second
            computed = [evaluate(formula(*at)) for at in some]
            np.testing.assert_allclose(computed, [values[at] for at in some], rtol=1e-9, atol=1e-12, err_msg=each)


def test_a_mistake_reads_the_wrong_steps_before_it():
    mistake = next(mistake for mistake in WITH_SWITCH if mistake.name == "scaled_after_softmax")
    rules = mistake_rules(mistake, example("story").attention()).rules
    np.testing.assert_array_equal(rules["scaled"][0], rules["scores"][0])
    np.testing.assert_allclose(rules["weights"][0].sum(axis=1), 0.5)
