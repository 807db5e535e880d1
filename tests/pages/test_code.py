"""Test the code that pages show: it starts with the page's numbers, and computes the numbers in its equations."""

import inspect
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import Mistake
from pages.attention.code import code as code_of_steps
from pages.attention.steps import STEPS
from pages.shared.state.link_text import encode
from pages.shared.state.session import matrix_inputs
from pages.shared.takehome.code import given_of, literal, rows_literal, source_of, start_of
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
