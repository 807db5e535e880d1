"""The code that pages show is run, and gives the numbers that they show."""

import numpy as np
import pytest
import scipy.special

from attention_core import (
    alibi_bias,
    contributions,
    embed_positions,
    entropy,
    rope,
    sentence,
    sinusoidal,
    softmax_steps,
)
from attention_core.examples import EXAMPLES, example
from attention_core.scaling import jacobian_norm
from pages.shared.steps import STEPS
from pagesutil import DECLARED
from strategies import drawn

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
def test_scaling(name, layout):
    this = example(name)
    trace, code = (
        this.attention(),
        DECLARED["scaling"].columns_code if layout == "columns" else DECLARED["scaling"].code,
    )
    rows = {"q": trace.q, "k": trace.k, "v": trace.v}
    given = turned(rows) if layout == "columns" else rows
    found = run(code, **given, n=10_000, rng=np.random.default_rng(0))
    found_as_rows = turned(found) if layout == "columns" else found
    for matrix in ("scores", "weights", "output"):
        same(found_as_rows[matrix], getattr(trace, matrix))
    np.testing.assert_allclose(found["norm"], jacobian_norm(trace.weights)[0], atol=1e-9)
    assert found["d_k"] == this.w_q.shape[-1]
    assert (
        abs(found["measured"] - found["predicted"]) < 8 * found["error"]
    )  # 8: products at a small d_k have long tails
    assert found["error"] == found["measured"] / np.sqrt(2 * 9999)


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


@of_both_layouts
@of_small_examples
def test_multi_head(name, layout):
    found, trace = run_in(layout, "multi_head", **named(example(name))), example(name).multi_head()
    for matrix, expected in {"heads": trace.heads.output, "concat": trace.concat, "shares": trace.shares}.items():
        same(found[matrix], expected)
    same(found["output"], trace.output)
    same(found["same"], trace.output)


@of_both_layouts
@of_small_examples
def test_positional_encoding(name, layout):
    this = example(name)
    found = run_in(layout, "positional_encoding", x=this.x, n_heads=4)
    trace = embed_positions(this.x)
    same(found["encoding"], trace.encoding)
    same(found["first_layer"], trace.positioned)
    same(found["bias"], alibi_bias(4, len(this.x)))


@of_both_layouts
@pytest.mark.parametrize("d", [2, 6])
def test_rope(d, layout):
    x = drawn(5, d)
    given = x.T if layout == "columns" else x
    page = DECLARED["positional_encoding"]
    defined = run(page.columns_code if layout == "columns" else page.code, x=given, n_heads=2)
    turned_x, encoding = defined["rope"](given), defined["sinusoidal"](5, d)
    same(turned_x.T if layout == "columns" else turned_x, rope(x, range(5)))
    same(encoding.T if layout == "columns" else encoding, sinusoidal(5, d))


def test_the_code_of_the_ten_steps_is_what_each_step_shows():
    shown = DECLARED["attention"].code
    assert [shown.index(step.code) for step in STEPS] == sorted(shown.index(step.code) for step in STEPS)
    turned_code = DECLARED["attention"].columns_code
    assert all(step.columns_code in turned_code for step in STEPS)


def test_every_concept_page_shows_its_code():
    assert {name for name, page in DECLARED.items() if not page.code} == {"home"}
