"""Test the code of the exhibits and of "Check my matrix".

It computes every exhibit and every check, does not reveal the wrong line, and compares a pasted result.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from attention_core.museum import EXHIBITS
from attention_core.reading.matrix_text import read_matrix, write_matrix
from attention_core.rotation import POSITION_KINDS
from pages.check_my_matrix.problem import ASKED
from pages.shared.takehome.code import run
from pages.spot_the_bug.code import code as exhibit_code
from strategies import random_numbers
from taken_home import check_code, screen_at

OWN = {"own_q": "1 2\n2 2", "own_k": "3 4\n5 9", "own_v": "1\n2"}


@pytest.mark.many
@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("help_asked_for", [{}, {"aid": "beside"}, {"aid": "answer"}], ids=str)
@pytest.mark.parametrize("shown", EXHIBITS, ids=lambda shown: shown.name)
def test_every_exhibit_is_computed_by_its_cell(shown, help_asked_for, layout):
    check_code(screen_at("spot_the_bug", exhibit=shown.name, layout=layout, **help_asked_for))


@pytest.mark.parametrize("shown", EXHIBITS, ids=lambda shown: shown.name)
def test_the_code_does_not_give_the_line_away(shown):
    for aid in ("", "beside"):
        text = exhibit_code(SimpleNamespace(exhibit=(shown.name, 0), aid=aid), shown.own_example()).text(columns=False)
        assert shown.code in text
        assert shown.corrected_code not in text
        assert shown.why not in text
        assert not {"✓", "✗"} & set(text)
    answered = SimpleNamespace(exhibit=(shown.name, shown.wrong_line), aid="")
    solved = exhibit_code(answered, shown.own_example()).text(columns=False)
    assert f"{shown.lines[shown.wrong_line - 1]}   # ✗" in solved
    assert f"{shown.correct_line}   # ✓" in solved


@pytest.mark.many
@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("asked", ASKED["example"])
def test_every_check_is_computed(asked, mask):
    check_code(screen_at("check_my_matrix", asked=asked, mask=mask, answer="1 2 3\n4 5 6", example="columns"))
    check_code(screen_at("check_my_matrix", asked=asked, mask=mask, answer="1", example="context", layout="columns"))


SETTINGS = (
    {"mask": "padding", "hidden": "4", "scale": "own", "factor": "1/8"},
    {"mask": "window", "window": "2", "scale": "none"},
    {"mask": "own", "own_mask": "\n".join(["1 0 1 1 0"] * 5), "head": "2"},
)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_the_code_of_a_check_has_the_mask_and_the_scale_of_its_setting(setting, layout):
    mask = {"own_mask": "\n".join(["1 1 1 1 1", "0 0 0 0 0"] * 2 + ["1 1 1 1 1"])} if layout == "columns" else {}
    for asked in ("output", "mixed"):
        own = setting | (mask if "own_mask" in setting else {})
        check_code(screen_at("check_my_matrix", asked=asked, example="story", layout=layout, answer="1 2", **own))


X_AND_W = {
    "source": "weights", "heads": "4", "kv_heads": "2", "own_x": write_matrix(random_numbers(3, 4), 3),
    "own_w_q": write_matrix(random_numbers(4, 8, seed=1), 3), "own_w_k": write_matrix(random_numbers(4, 4, seed=2), 3),
    "own_w_v": write_matrix(random_numbers(4, 4, seed=3), 3),
}  # fmt: skip


@pytest.mark.many
@pytest.mark.parametrize("positions", [kind for kind in POSITION_KINDS if kind != "none"])
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_the_code_of_a_check_has_the_positions_and_the_shared_heads_of_its_setting(positions, layout):
    own = (
        X_AND_W
        if layout == "rows"
        else X_AND_W
        | {name: write_matrix(read_matrix(X_AND_W[name]).values.T, 3) for name in X_AND_W if name.startswith("own_")}
    )
    for asked, more in {"mixed": {}, "output": {"head": "3", "mask": "causal"}}.items():
        check_code(
            screen_at("check_my_matrix", asked=asked, positions=positions, layout=layout, answer="1", **own, **more)
        )
    check_code(screen_at("check_my_matrix", example="story", positions=positions, layout=layout, answer="1"))
    check_code(screen_at("check_my_matrix", example="story", asked="mixed", positions=positions, layout=layout))


def test_a_pasted_result_is_compared_number_by_number():
    screen = screen_at("check_my_matrix", asked="scores", source="queries", answer="11 23\n14.01 NaN", **OWN)
    *_, (_, names) = run(screen.code, screen.columns)
    np.testing.assert_array_equal(names["scores"], [[11, 23], [14, 28]])
    np.testing.assert_array_equal(names["wrong"], [[False, False], [True, True]])


def test_before_anything_is_pasted_the_code_is_that_of_attention():
    code = screen_at("check_my_matrix", source="queries").code
    *_, (block, names) = run(code, columns=False)
    assert block.says.startswith("Paste what is still missing")
    np.testing.assert_allclose(names["attention"](np.eye(1), np.eye(1), np.array([[7.0]])), [[7.0]])
