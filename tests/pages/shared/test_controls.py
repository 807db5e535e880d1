"""Test the controls: what pages declare, and what visitors can set on every page."""

import math
from dataclasses import FrozenInstanceError, dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared import controls
from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.example_kinds import Count, TextInput
from pages.shared.controls.kinds import BOUNDS, CellInput, Choice, MatrixInput, Slider, Steps, Switch, read_number
from pages.shared.notation.numbers import number_text
from pagesutil import entries, of_every_page, texts
from strategies import law


def test_defaults():
    @dataclass(frozen=True, kw_only=True)
    class Page(Parameters):
        axis: str = controls.choice("rows", "columns")
        base: str = controls.choice({"e": "e", "2": "2"}, default="2")
        mistake: str = controls.switches("twice")
        warmth: float = controls.slider(0.1, 10.0, step=0.1, default=1.0)
        subtract: bool = controls.switch(default=True)
        token: int = controls.token()
        last: int = controls.token(default=1)
        keys: int = controls.count(of="key_tokens")
        text: str = controls.text(longest=9, default="a b")
        scores: object = controls.matrix([[1, 2], [3, 4]])

    values = {name: getattr(Page(), name) for name in controls_of(Page)}
    assert values == {
        "digits": "2", "cell": None, "axis": "rows", "base": "2", "mistake": "", "warmth": 1.0, "subtract": True,
        "token": 0, "last": 1, "keys": 0, "text": "a b", "scores": ((1.0, 2.0), (3.0, 4.0)),
    }  # fmt: skip
    assert Page().decimals == 2
    assert controls_of(Page)["scores"] == MatrixInput(2, 2)
    assert [controls_of(Page)[name].optional for name in ("axis", "mistake")] == [False, True]


@of_every_page
def test_each_default_is_a_value_of_its_control(kind):
    for name, control in controls_of(kind).items():
        default = getattr(kind(), name)
        if default not in (None, ""):
            assert control.decode(control.encode(default)) == default
    with pytest.raises(FrozenInstanceError):
        setattr(kind(), "digits", "4")  # noqa: B010 - it is refused, which is the test


WHOLE = Slider("Constant", -1000, 1000, 10)
TENTHS = Slider("Temperature", 0.1, 10.0, 0.1)
CHOICE = Choice("Axis", {"rows": "Rows", "columns": "Columns"})


# --- numbers ---


@pytest.mark.parametrize(
    ("value", "text"),
    [(2, "2"), (2.0, "2"), (-0.5, "-0.5"), (0.1 + 0.2, "0.30000000000000004"), (1e-7, "1e-07"), (-0.0, "-0")],
)
def test_numbers_are_written_as_short_as_they_can_be(value, text):
    assert number_text(value) == text


@law
@given(entries)
def test_numbers_read_back_the_same(value):
    assert math.copysign(1, read_number(number_text(value))) == math.copysign(1, value)
    assert read_number(number_text(value)) == value


@pytest.mark.parametrize(("text", "value"), [("10000", 10000), ("-1e4", -10000), (".5", 0.5), (" 1\n", 1), ("+3", 3)])
def test_numbers_that_are_read(text, value):
    assert read_number(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one",
        "nan",
        "NaN",
        "inf",
        "-Infinity",
        "1e999",
        "10000.1",
        "-10001",
        "1_000",
        "0x10",
        "1,5",
        "1" * 31,
        "1/2",
    ],
)
def test_numbers_that_are_refused(text):
    with pytest.raises(ValueError, match=r"^numbers from -10000 to 10000$"):
        read_number(text)


def test_bounds_are_said_as_they_are():
    assert BOUNDS == (-10_000, 10_000)


# --- sliders ---


@pytest.mark.parametrize(
    ("slider", "text", "value"),
    [
        (WHOLE, "-1000", -1000), (WHOLE, "1000", 1000), (WHOLE, "70", 70), (WHOLE, "7e2", 700), (WHOLE, "-0", 0),
        (TENTHS, "0.1", 0.1), (TENTHS, "10", 10.0), (TENTHS, "0.3", 0.3), (TENTHS, "0.30000000000000004", 0.3),
    ],
)  # fmt: skip
def test_sliders_snap_to_their_steps(slider, text, value):
    decoded = slider.decode(text)
    assert (decoded, type(decoded)) == (value, type(value))
    assert slider.decode(slider.encode(decoded)) == decoded


def test_sliders_take_each_of_their_steps():
    steps = [round(0.1 * n, 10) for n in range(1, 101)]
    assert [TENTHS.decode(number_text(step)) for step in steps] == steps


@pytest.mark.parametrize("text", ["-1010", "1000.0001", "5", "70.5", "1e4"])
def test_sliders_refuse_what_is_no_step(text):
    with pytest.raises(ValueError, match=r"^-1000 to 1000 in steps of 10$"):
        WHOLE.decode(text)


@pytest.mark.parametrize("text", ["0", "10.1", "0.15", "0.1001"])
def test_sliders_name_their_own_bounds(text):
    with pytest.raises(ValueError, match=r"^0\.1 to 10 in steps of 0\.1$"):
        TENTHS.decode(text)


# --- choices, switches, cells, tokens ---


def test_a_choice_is_one_of_its_options():
    assert CHOICE.decode(CHOICE.encode("columns")) == "columns"
    for text in ("Columns", "", "rows,columns"):
        with pytest.raises(ValueError, match=r"^one of rows, columns$"):
            CHOICE.decode(text)


def test_steps_are_the_numbers_given():
    steps = Steps("d_k", (1, 2, 1024))
    assert [steps.decode(steps.encode(value)) for value in (1, 2, 1024)] == [1, 2, 1024]
    for text in ("", "3", "1.0", "01", "1,024", "²"):
        with pytest.raises(ValueError, match=r"^one of 1, 2, 1024$"):
            steps.decode(text)


def test_a_switch_is_on_or_off():
    switch = Switch("Subtract")
    assert [switch.decode(switch.encode(value)) for value in (True, False)] == [True, False]
    for text in ("", "On", "true", "1"):
        with pytest.raises(ValueError, match=r"^on or off$"):
            switch.decode(text)


@pytest.mark.parametrize("place", [("scores", 1, 0), ("weights_rows", 0, 12), ("weights.1", 2, 0), ("terms.0", 1, 1)])
def test_cells_come_back(place):
    assert CellInput().decode(CellInput().encode(place)) == place


@pytest.mark.parametrize(
    "text", ["", "scores", "scores.1", "scores.1.", "scores.-1.0", "scores.1.x", ".1.0", "a b.1.0", "scores.a.1.0", "²"]
)
def test_cells_that_are_refused(text):
    with pytest.raises(ValueError, match=r"^a matrix, a row and a column, counted from 0, as scores\.1\.0$"):
        CellInput().decode(text)


def test_no_selected_cell_is_an_empty_text():
    assert CellInput().encode(None) == ""


# --- matrices ---


def test_a_matrix_is_rows_of_numbers():
    control = MatrixInput(2, 3)
    rows = ((1.0, -2.5, 0.0), (1e-7, 10000.0, 0.1))
    assert control.encode(rows) == "1,-2.5,0;1e-07,10000,0.1"
    assert control.decode(control.encode(rows)) == rows


@law
@given(st.data(), st.integers(1, 16), st.integers(1, 16))
def test_every_matrix_fits_its_limit_of_characters(data, n_rows, n_columns):
    row = st.tuples(*[st.sampled_from([-1.2345678901234567e-300, -9999.999999999998, 1 / 3])] * n_columns)
    rows = data.draw(st.tuples(*[row] * n_rows))
    assert MatrixInput(n_rows, n_columns).decode(MatrixInput(n_rows, n_columns).encode(rows)) == rows


@pytest.mark.parametrize("text", ["1,2,3", "1,2;3,4;5,6", "1,2;3,4,5", "1,2,3,4,5,6", "1,2,3;4,5,6;7,8,9"])
def test_a_matrix_of_another_shape_is_refused(text):
    with pytest.raises(ValueError, match=r"^2 rows of 3 numbers, as 1,2;3,4$"):
        MatrixInput(2, 3).decode(text)


@pytest.mark.parametrize(
    "text", ["", "1,2,3;4,5,", "1,2,3;4,5,6;", "1,2,3;4,5,nan", "1,2,3;4,5,1e5", "[[1,2,3],[4,5,6]]"]
)
def test_a_matrix_of_no_numbers_is_refused(text):
    with pytest.raises(ValueError, match=r"^numbers from -10000 to 10000$"):
        MatrixInput(2, 3).decode(text)


def test_a_matrix_that_is_too_long_is_not_even_read():
    with pytest.raises(ValueError, match=r"^2×3 numbers$"):
        MatrixInput(2, 3).decode("1," * 1000)


def test_a_count_is_a_number_of_tokens():
    count = Count("How many?", "tokens")
    assert [count.decode(count.encode(n)) for n in (0, 1, 7, 99)] == [0, 1, 7, 99]
    for text in ("", "-1", "100", "1.0", "²", "all"):
        with pytest.raises(ValueError, match=r"^a number of tokens, to 99, or 0 for all$"):
            count.decode(text)


# --- texts ---

LINE = TextInput("Sentence", 400)


@law
@given(texts(LINE.longest))
def test_every_text_comes_back_as_it_is(text):
    assert LINE.decode(LINE.encode(text)) == text
    assert LINE.encode(text) == (text or " ")


@law
@given(texts(40), st.sampled_from("\0\t\n\r\x1b\x7f\x85\ud800\u2028\u2029\u202e\u2066"), texts(40))
def test_control_characters_are_refused_wherever_they_stand(before, control, after):
    with pytest.raises(
        ValueError, match=r"^one line of at most 400 characters, with no tab or other control character"
    ):
        LINE.decode(before + control + after)


def test_a_text_has_a_longest_length():
    assert LINE.decode("é" * 400) == "é" * 400
    assert LINE.decode("") == ""
    with pytest.raises(ValueError, match=r"^one line of at most 400 characters"):
        LINE.decode("é" * 401)
