"""Test the code that pages show: it starts with the page's numbers, and computes the numbers in its equations."""

import inspect
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import WITH_SWITCH, Mistake
from pages.attention.code import code as code_of_steps
from pages.attention.lesson import STEPS
from pages.shared.codes.mistake import two_sides
from pages.shared.codes.pieces import Change, Source, for_example, rename_name, without_mask
from pages.shared.state.link_text import encode
from pages.shared.state.session import matrix_inputs
from pages.shared.takehome.code import for_columns, given_of, literal, rows_literal, source_of, start_of
from pages.shared.takehome.screen import checks
from pagesutil import DECLARED, KINDS, USUAL, fit_to_example, states
from simulating import open_page, visit_of
from taken_home import check_code, screen_at, screen_of

MOST_NUMBERS = 1000  # the most numbers of a matrix that is written out in code

few = settings(
    deadline=None,
    max_examples=6,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.many
def test_the_code_gives_what_is_on_the_screen_and_each_block_has_a_name_of_its_own(screen):
    check_code(screen)
    titles = [block.title for block in screen.code.blocks]
    assert len(set(titles)) == len(titles)


@pytest.mark.many
@pytest.mark.parametrize("page", USUAL)
def test_the_code_gives_what_is_on_the_screen_in_any_state(page):
    @few
    @given(st.data())
    def in_any(data):
        workspace, parameters = fit_to_example(data.draw(states(KINDS[page])))
        assume(not hasattr(parameters, "draws") or parameters.draws <= 10_000)
        app = open_page(page, **encode(workspace, parameters))
        makes_example = DECLARED[page].makes_example
        assume(makes_example is None or makes_example(visit_of(app).parameters) is not None)
        check_code(screen_of(page, app))

    in_any()


@pytest.mark.many
@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_every_example_is_computed_by_the_code(name, layout):
    check_code(screen_at("attention", example=name, layout=layout, step="8"))


def test_a_wrong_line_is_noticed():
    screen = screen_at("home")
    *others, last = screen.code.blocks
    wrong = replace(screen.code, blocks=(*others, replace(last, rows="output = weights.T @ v")))
    with pytest.raises(AssertionError, match="output"):
        check_code(replace(screen, code=wrong))


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_drawn_where_it_is_too_large_to_be_written_down(name):
    this = example(name)
    too_large = [matrix for matrix, values in this.matrices().items() if values.size > MOST_NUMBERS]
    drawn = start_of(this).get("drawn_names", ())
    assert {*too_large} <= {*drawn}
    assert given_of(this).keys() == this.matrices().keys() - {*drawn}
    for matrix in drawn:
        # otherwise an edit of this matrix would be missing from the code
        assert matrix not in matrix_inputs(name, KINDS["attention"])


@pytest.mark.parametrize("page", USUAL)
def test_the_core_is_shown_by_its_own_source(page):
    code = screen_at(page).code
    assert code.core
    for function in code.core:
        assert not isinstance(function, Mistake)  # no mistake is switched on
        assert source_of(function) == inspect.getsource(function)
        assert function.__module__.startswith("attention_core.")


def test_code_is_made_only_when_it_is_opened():
    assert not [code for code in open_page("attention").code if "np.array" in code.value]


def test_opened_code_has_the_current_numbers():
    app = open_page("attention", example="hand", x="7,0,0,2,0;1,0,1,0,0;0,1,0,1,1")
    app.session_state["attention.in_code"] = True
    app = app.run()
    ours, core = (code.value for code in app.code if "def " in code.value or "np.array" in code.value)
    assert "[[7, 0, 0, 2, 0]," in ours
    assert "def attend(" in core


def test_the_lines_of_a_step_are_those_of_the_page():
    screen = screen_at("attention", example="columns", step="8", mask="causal", layout="rows")
    for step in STEPS[:8]:
        for line in step.code.splitlines():
            if "context" not in line and "scale " not in line and "import" not in line:
                assert line in screen.code.text(columns=False)
    assert callable(code_of_steps)


@pytest.mark.parametrize("value", [0.1 + 0.2, 1e-7, 5e-324, -10000.0, 3.0, float("inf"), -float("inf"), 1e300])
def test_numbers_come_back_as_they_were(value):
    array = np.array([[value, 1.0], [-2.5, 1 / 3]])
    assert eval(literal(value), {"np": np}) == value
    np.testing.assert_array_equal(eval(literal(array), {"np": np}), array)
    np.testing.assert_array_equal(eval(rows_literal(array), {"np": np}), array)
    assert eval(literal(array[0]), {"np": np}).dtype == float


def test_wide_rows_are_wrapped():
    text = literal(np.arange(64.0).reshape(1, 64) / 7)
    assert max(map(len, text.splitlines())) <= 125
    np.testing.assert_array_equal(eval(text, {"np": np}), np.arange(64.0).reshape(1, 64) / 7)


def test_checks_are_of_what_the_page_shows():
    shown = {c.expression: c.shown for _, found in checks(screen_at("home")) for c in found if c.shown is not None}
    assert set(shown) == {"q", "k", "v", "scores", "weights", "output"}


HAND, BIASED, WITH_CONTEXT = (example(name) for name in ("hand", "columns", "context"))


def test_changes_leave_the_rest_as_it_was_written():
    source = Source("é = (a +   b)   # “a” stays")
    names = {node.id: node for node in ast_names(source)}
    changed = source.with_changes(
        [source.renaming(names["a"], "ä"), source.renaming(names["b"], "b.T"), Change(0, 2, "z")]
    )
    assert changed == "z = (ä +   b.T)   # “a” stays"
    assert source.with_changes([]) == "é = (a +   b)   # “a” stays"


def ast_names(source):
    """Return the two names in the source `é = (a + b)`, as nodes of the syntax tree."""
    return [source.tree.body[0].value.left, source.tree.body[0].value.right]


@pytest.mark.parametrize(
    ("code", "tailored"),
    [
        ("q = x @ w_q + b_q", "q = x @ w_q"),
        ("q = b_q + x @ w_q   # a + b_q", "q = x @ w_q   # a + b_q"),
        ("k = (context @ w_k) + (b_k)", "k = (x @ w_k)"),
        ("k = (\n    context @ w_k\n    + b_k\n)", "k = (\n    x @ w_k\n)"),
        ("q, k = f(x @ w_q + b_q), f((context @ w_k + b_k).T)", "q, k = f(x @ w_q), f((x @ w_k).T)"),
        ("def f(context):\n    return context @ w_q + b_q", "def f(context):\n    return context @ w_q"),
    ],
)
def test_biases_and_a_context_that_are_not_there_are_left_out(code, tailored):
    assert for_example(code, HAND) == tailored
    assert for_example(code, BIASED).count("b_") == code.count("b_")
    assert for_example(code, WITH_CONTEXT).count("context") == code.count("context")


def test_a_bias_that_is_no_summand_is_refused():
    with pytest.raises(ValueError, match=r"a bias must be a summand, .*; got b_q in q = x @ w_q - b_q: add it"):
        for_example("q = x @ w_q - b_q", HAND)


@pytest.mark.parametrize(
    ("code", "tailored"),
    [
        ("masked = np.where(allowed, scaled, -np.inf)\nweights = softmax(masked)\n", "weights = softmax(scaled)\n"),
        ("weights = softmax(np.where(allowed, -masked, -np.inf))", "weights = softmax(-scaled)"),
        ("masked = np.where(allowed, 2 * scaled, 0)", "scaled = 2 * scaled"),
        ("a = np.where(allowed, scores + 1, 0) / 2", "a = (scores + 1) / 2"),
        ("a = np.where(allowed, (scores + 1), 0).T", "a = (scores + 1).T"),
        ("a = np.where(allowed, scores @ np.where(allowed, v, 0), 0)", "a = scores @ v"),
        ("a = np.where(allowed, scores, f(0, (1)))[0]   # (0)", "a = scores[0]   # (0)"),
        ("a = np.where(\n    allowed,\n    b\n    + c,\n    0,\n)", "a = (b\n    + c)"),
        ("a = [masked for masked in rows] + masked", "a = [masked for masked in rows] + scaled"),
        ("a = np.where(scores > 0, masked, 0)", "a = np.where(scores > 0, scaled, 0)"),
    ],
)
def test_code_without_its_mask_keeps_the_rest(code, tailored):
    assert without_mask(code) == tailored


def test_a_mask_in_another_place_is_refused():
    with pytest.raises(ValueError, match=r"read it in np\.where\(allowed, …, …\); got a = scores \* allowed: write"):
        without_mask("a = scores * allowed")
    assert without_mask("a = np.where(mask, b, c)", "mask") == "a = b"


def test_local_names_of_a_function_are_not_renamed():
    assert rename_name("a = k\ndef f(k): return k + a\nk = f(k)", "k", "q") == "a = q\ndef f(k): return k + a\nq = f(q)"


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
