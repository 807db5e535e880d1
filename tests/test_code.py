"""The code that pages show is run, and gives the numbers that they show."""

import numpy as np
import pytest
import scipy.special

from attention_core import contributions, entropy, sentence, softmax_steps
from attention_core.examples import EXAMPLES, example
from pages.shared.steps import STEPS
from pagesutil import DECLARED

SMALL = [name for name in EXAMPLES if example(name).x.size <= 64]
of_both_layouts = pytest.mark.parametrize("layout", ["rows", "columns"])
SCORES = np.array([[1, 0.5, 0.2, 3], [1, -1, 7, 3], [2, 12, 13, 3]])

of_small_examples = pytest.mark.parametrize("name", SMALL)


def run(code, **names):
    """What the code defines, given the names that a page's matrices have."""
    exec(compile(code, "code shown on a page", "exec"), names)
    return names


def run_in(layout, page, **names):
    """What a page's code defines in a layout, with tokens as rows."""
    if layout == "rows":
        return run(DECLARED[page].code, **names)
    return turned(run(DECLARED[page].columns_code, **turned(names)))


def turned(names):
    """Every matrix transposed, head by head; a bias stands as one column."""
    matrices = {name: np.atleast_2d(m) for name, m in names.items() if isinstance(m, np.ndarray)}
    vectors = {"output_of_token"}
    return names | {name: m.mT for name, m in matrices.items() if name not in vectors}


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


@of_both_layouts
@pytest.mark.parametrize("temperature", [1.0, 0.3, 4.0])
def test_softmax_axes(temperature, layout):
    code = DECLARED["softmax_axes"].columns_code if layout == "columns" else DECLARED["softmax_axes"].code
    assert f"tokens as {layout}, this is attention's" in code
    found = run(code, scores=SCORES, temperature=temperature)
    for name, axis in {"rows": -1, "columns": 0, "whole": None}.items():
        same(found[name], softmax_steps(SCORES, axis, temperature).weights)


@of_both_layouts
@of_small_examples
def test_queries_keys_values(name, layout):
    this = example(name)
    found, trace = run_in(layout, "queries_keys_values", **named(this)), this.attention()
    for matrix in ("q", "k", "v", "scores", "weights", "output"):
        same(found[matrix], getattr(trace, matrix))


@of_both_layouts
@of_small_examples
def test_cross_attention(name, layout):
    this = example(name)
    found, trace = run_in(layout, "cross_attention", **named(this)), this.attention()
    for matrix in ("q", "k", "v", "scores", "weights", "output"):
        same(found[matrix], getattr(trace, matrix))


@of_both_layouts
def test_your_sentence(layout):
    this = sentence(("The", "cat", "猫", "<b>", "cat"), 6, seed=7)
    found, trace = run_in(layout, "your_sentence", tokens=this.tokens, d_model=6, seed=7), this.attention()
    same(found["x"], this.x)
    for matrix in ("w_q", "w_k", "w_v", "weights", "output"):
        same(found[matrix], getattr(trace, matrix))
    same(found["entropies"].ravel(), entropy(trace.weights))


@pytest.mark.parametrize("scale", [None, 1.0])
@pytest.mark.parametrize("kind", ["none", "causal", "padding"])
@of_both_layouts
@of_small_examples
def test_the_ten_steps(name, layout, kind, scale):
    this = example(name)
    found = run_in(layout, "attention", **named(this, kind=kind, scale=scale))
    mask = this.mask(kind)
    one, several = this.attention(mask=mask, scale=scale), this.multi_head(mask=mask, scale=scale)
    for matrix in ("q", "k", "v", "scores", "scaled", "masked", "weights", "output"):
        same(found[matrix], getattr(one, matrix))
    same(found["terms"], contributions(one)[1])
    same(found["output_of_token"], one.output[1])
    same(found["heads"], several.heads.output)
    same(found["concat"], several.concat)
    same(found["multi_head_output"], several.output)
    sizes = (*this.x.shape, one.q.shape[1], one.v.shape[1])
    assert (found["n_q"], found["d_model"], found["d_k"], found["d_v"]) == sizes


def test_the_code_of_the_ten_steps_is_what_each_step_shows():
    shown = DECLARED["attention"].code
    assert [shown.index(step.code) for step in STEPS] == sorted(shown.index(step.code) for step in STEPS)
    turned_code = DECLARED["attention"].columns_code
    assert all(step.columns_code in turned_code for step in STEPS)


def test_every_concept_page_shows_its_code():
    assert {name for name, page in DECLARED.items() if not page.code} == {"home"}
