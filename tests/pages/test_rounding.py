"""Test how a script compares its numbers with the page's: each matrix has its own tolerance.

The script claims nothing about numbers that depend on rounding.
"""

import re
from dataclasses import replace

import numpy as np
import pytest

from attention_core.examples import example
from bare_python import run
from pages.shared.takehome.screen import EXACT, checks, tolerance_of
from pages.shared.takehome.script import notebook, script, shown_literal, torch_script
from taken_home import PROVED, screen_at


@pytest.mark.parametrize(
    ("value", "moved", "near"),
    [
        ([1.0, 2.0], [1.0, 2.0], EXACT),
        ([1.0, 0.0], [1.0, 1e-6], 1e-6),
        ([0.5, 0.5], [1.0, 0.0], np.inf),  # rounding decides the result, so there is no tolerance
        ([1e18, 1.0], [1e18 + 1e8, 1.0], EXACT),  # the tolerance follows the digits of each number
        ([1e-7, 0.0], [1e-7, 0.0], 1e-15),  # small numbers that are certain get a small tolerance
        ([3e-15, 0.0], [0.0, 3e-15], 3e-15),  # these numbers are 0 up to rounding
        ([np.inf, np.nan], [np.inf, np.nan], EXACT),
        ([np.inf, 1.0], [1e308, 1.0], np.inf),
        ([1.0, 1.0], [np.nan, 1.0], np.inf),
    ],
)
def test_nearness_is_measured_by_shaking_the_numbers(value, moved, near):
    assert tolerance_of("m", {"m": np.array(value)}, [{"m": np.array(moved)}]) == pytest.approx(near, rel=0.01)


def link_with_all_numbers(number):
    """Return the link of a state in which every number of the example "hand" is replaced by `number`."""
    shapes = {name: m.shape for name, m in example("hand").matrices().items() if name != "w_o"}
    same = {name: ";".join([",".join([str(number)] * columns)] * rows) for name, (rows, columns) in shapes.items()}
    return {"example": "hand", "token": "0", "look": "look_up", **same}


def script_with_wrong_number(screen, name, by):
    """Return the script of a screen in which one expected number is wrong: the first number of the matrix `name`.

    `by` is added to this number.
    """
    (check,) = [c for _, found in checks(screen) for c in found if c.expression == name]
    wrong = np.array(check.shown)
    wrong.flat[0] += by
    text = script(replace(screen, link=""))
    before, line, after = text.partition(f'show("{name}", {name}')
    right, end, rest = after.partition("\n\n")
    old, new = (shown_literal(values, 2 * len(name) + 11) for values in (np.array(check.shown), wrong))
    assert old in right
    return before + line + right.replace(old, new) + end + rest


@pytest.mark.many
@pytest.mark.parametrize(("name", "by"), [("q", 1.0), ("scores[0]", 1e3), ("weights[0]", 0.01), ("output[0]", 20.0)])
def test_a_wrong_number_is_found_among_large_ones_by_the_measure_of_its_own_matrix(name, by, tmp_path):
    screen = screen_at("queries_keys_values", **link_with_all_numbers(30))
    right = run(script(screen), tmp_path)
    assert right.returncode == 0, right.stderr
    assert PROVED in right.stdout
    done = run(script_with_wrong_number(screen, name, by), tmp_path)
    assert done.returncode != 0
    assert name in done.stderr


@pytest.mark.parametrize("make", [script, torch_script, notebook], ids=["NumPy", "PyTorch", "notebook"])
def test_what_rounding_decides_is_named_and_not_called_proved(make):
    text = make(screen_at("queries_keys_values", **link_with_all_numbers(10_000)))
    assert PROVED not in text
    assert re.search(r"Not compared: weights\[0\]\. Rounding alone decides these large numbers", text)
    assert text.count("# not compared") == 1


def test_what_rounding_does_not_decide_is_compared_beside_what_it_does(tmp_path):
    screen = screen_at("queries_keys_values", **link_with_all_numbers(10_000))
    right = run(script(screen), tmp_path)
    assert right.returncode == 0, right.stderr
    assert "Not compared: weights[0]." in right.stdout
    for name in ("q", "scores[0]", "output[0]"):
        done = run(script_with_wrong_number(screen, name, 1e15), tmp_path)
        assert done.returncode != 0
        assert name in done.stderr
