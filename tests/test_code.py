"""The code that pages show is run, and gives the numbers that they show."""

import numpy as np
import pytest
import scipy.special

from attention_core import contributions, softmax_steps
from attention_core.examples import EXAMPLES, example
from pages.shared.steps import STEPS
from pagesutil import DECLARED

SMALL = [name for name in EXAMPLES if example(name).x.size <= 64]
SCORES = np.array([[1, 0.5, 0.2, 3], [1, -1, 7, 3], [2, 12, 13, 3]])

of_small_examples = pytest.mark.parametrize("name", SMALL)


def run(code, **names):
    """What the code defines, given the names that a page's matrices have."""
    exec(compile(code, "code shown on a page", "exec"), names)
    return names


def named(this, *, kind="none", scale=None):
    """An example's matrices by their names on the pages; what it does not have adds nothing."""
    everywhere = np.ones((len(this.tokens), len(this.key_tokens)), dtype=bool)
    mask = this.mask(kind)
    return {
        "context": this.x, "b_q": 0.0, "b_k": 0.0, "b_v": 0.0,
        **this.matrices(),
        "n_heads": this.n_heads, "mask": everywhere if mask is None else mask, "token": 1,
        "scale": this.w_q.shape[-1] ** -0.5 if scale is None else scale, "head_scale": scale,
        "softmax": scipy.special.softmax,
    }  # fmt: skip


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("temperature", [1.0, 0.3, 4.0])
def test_softmax_axes(temperature):
    found = run(DECLARED["softmax_axes"].code, scores=SCORES, temperature=temperature)
    for name, axis in {"rows": -1, "columns": 0, "whole": None}.items():
        same(found[name], softmax_steps(SCORES, axis, temperature).weights)


@of_small_examples
def test_queries_keys_values(name):
    this = example(name)
    found, trace = run(DECLARED["queries_keys_values"].code, **named(this)), this.attention()
    for matrix in ("q", "k", "v", "scores", "weights", "output"):
        same(found[matrix], getattr(trace, matrix))


@pytest.mark.parametrize("scale", [None, 1.0])
@pytest.mark.parametrize("kind", ["none", "causal", "padding"])
@of_small_examples
def test_the_ten_steps(name, kind, scale):
    this = example(name)
    found = run(DECLARED["attention"].code, **named(this, kind=kind, scale=scale))
    mask = this.mask(kind)
    one, several = this.attention(mask=mask, scale=scale), this.multi_head(mask=mask, scale=scale)
    for matrix in ("q", "k", "v", "scores", "scaled", "masked", "weights", "output"):
        same(found[matrix], getattr(one, matrix))
    same(found["terms"], contributions(one)[1])
    same(found["output_of_token"], one.output[1])
    same(found["heads"], several.heads.output)
    same(found["concat"], several.concat)
    same(found["multi_head_output"], several.output)
    assert (found["n_q"], found["d_model"], found["d_k"], found["d_v"]) == (
        *this.x.shape,
        one.q.shape[1],
        one.v.shape[1],
    )


def test_the_code_of_the_ten_steps_is_what_each_step_shows():
    shown = DECLARED["attention"].code
    assert [shown.index(step.code) for step in STEPS] == sorted(shown.index(step.code) for step in STEPS)


def test_every_concept_page_shows_its_code():
    assert {name for name, page in DECLARED.items() if not page.code} == {"home"}
