"""Test "add and norm": numbers by hand, laws on every example, the arithmetic of its cells, and the page's text."""

import numpy as np
import pytest

from attention_core import add_and_norm
from attention_core.arithmetic import evaluate
from attention_core.arithmetic.training_rules import add_and_norm_rules
from attention_core.examples import EXAMPLES, example
from pages.multi_head.lesson import reasons_text
from simulating import open_page

every_example = pytest.mark.parametrize("name", EXAMPLES)


def add_and_norm_of(name):
    this = example(name)
    return add_and_norm(this.x, this.multi_head().output)


def test_by_hand():
    trace = add_and_norm([[1.0, 0.0, 2.0]], [[2.0, 0.0, 1.0]], eps=0)
    assert (trace.summed == [[3, 0, 3]]).all()
    assert (trace.norm.mean == [[2]]).all()
    np.testing.assert_allclose(trace.output, np.array([[1, -2, 1]]) / np.sqrt(2))


@every_example
def test_each_token_has_mean_0_and_spread_1(name):
    trace = add_and_norm_of(name)
    np.testing.assert_allclose(trace.output.mean(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(trace.output.std(axis=-1), 1, rtol=1e-3)
    np.testing.assert_allclose(trace.summed - trace.found, trace.x, atol=1e-12)


@every_example
def test_every_cell_is_worked_to_its_number(name):
    for values, rule in add_and_norm_rules(add_and_norm_of(name)).rules.values():
        for place in {(0, 0), (values.shape[0] - 1, values.shape[1] - 1)}:
            assert evaluate(rule(*place)) == pytest.approx(values[place], abs=1e-12)


def test_shapes_that_differ_are_refused():
    with pytest.raises(ValueError, match=r"one shape; got x \(1, 2\), found \(1, 3\): bring found to the width of x"):
        add_and_norm([[1, 2]], [[1, 2, 3]])


def test_the_page_says_what_a_token_keeps_and_what_is_added():
    said = reasons_text(example("story"), add_and_norm_of("story"), 2)
    assert "“drank” keeps its **1** of *action*, and **1.90** of *alive* is added." in said
    assert "of *" not in reasons_text(example("hand"), add_and_norm_of("hand"), 2)
    shown = open_page("multi_head", look="around", heads="1")
    assert not shown.exception
    assert "keeps its" in "\n".join(text.value for text in shown.markdown)
