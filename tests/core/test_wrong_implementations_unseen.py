"""Test the third set of implementations: each runs, and its labels are true.

Each is wrong, unless its label says that it is correct.
"""

from typing import Any

import numpy as np
import pytest

from count_named import answers, problems
from wrong_implementations_unseen import ALL, ONE_CELL, PAIRS, POSITIONS, RIGHT, Unseen
from wrong_implementations_unseen.positions_right import right_positions
from wrong_implementations_unseen.problems import blind_row, position_problems
from wrong_implementations_unseen.record import STEPS, add, run

pytestmark = pytest.mark.once

BOTH = {**ALL, **PAIRS}
# heads are split before the scores, but are shown after the weights
IN_ORDER = [step for step in STEPS if step != "heads"]
HALF_A_UNIT = 0.51


def are_equal(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two arrays have the same shape and the same numbers up to rounding. NaN equals NaN."""
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, equal_nan=True))


def first_change(case: Unseen, p: Any) -> str | None:
    """Return the name of the first step of `case` that differs from the correct one on the problem `p`, or None."""
    with np.errstate(all="ignore"):
        made, right = case(p), run(p, case.heads)
    return next(
        (step for step in IN_ORDER if step in made and step in right and not are_equal(made[step], right[step])), None
    )


def problems_for(case: Unseen) -> dict[str, Any]:
    """Return the problems that `case` can be tried on, by name."""
    if case.needs == "blind row":
        return {"blind row": blind_row()}
    return {name: p for name, (p, has) in problems().items() if not case.needs or case.needs in has}


def rounded_answers(case: Unseen) -> tuple:
    """Return the rounded answers of a case to all problems, as a tuple, so that cases can be compared."""
    return case.heads, *((name, a.shape, *np.round(a + 0.0, 6).flat) for name, a, _ in answers(case))


def wrong_and_correct_encodings(case: Unseen) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return a list with one pair for each problem: the encoding that `case` gives, and the correct encoding."""
    return [(case(p)["output"], right_positions(p)[case.about]) for p in position_problems().values()]


@pytest.mark.parametrize("name", BOTH)
def test_it_runs_and_is_wrong_from_where_it_says(name):
    case = BOTH[name]
    ran = [problem for problem, _, _ in answers(case)]
    assert ran
    changes = {first_change(case, problems()[problem][0]) for problem in ran}
    assert None not in changes
    if name in PAIRS:  # on some problems, the first of two mistakes changes nothing
        assert case.about in changes or case.about == "heads"
    elif case.about != "heads":
        assert changes == {case.about}


def test_no_two_of_them_give_the_same_numbers():
    by_numbers: dict[tuple, str] = {}
    for name, case in BOTH.items():
        assert by_numbers.setdefault(rounded_answers(case), name) == name


@pytest.mark.parametrize("name", POSITIONS)
def test_positions_are_finite_and_wrong(name):
    given = wrong_and_correct_encodings(POSITIONS[name])
    assert all(np.isfinite(a).all() for a, _ in given)
    assert not all(are_equal(a, right) for a, right in given)


def test_no_two_mistakes_in_positions_give_the_same_numbers():
    given = [
        tuple(float(n) for a, _ in wrong_and_correct_encodings(case) for n in np.round(a + 0.0, 6).flat)
        for case in POSITIONS.values()
    ]
    assert len(set(given)) == len(given)


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_labelled_right_is_right(name):
    case = RIGHT[name]
    assert problems_for(case)
    for p in problems_for(case).values():
        given = case(p)["output"]
        with np.errstate(invalid="ignore"):
            right = run(p, case.heads)["output"]
        shown = given.T if name == "writes_tokens_as_columns" else given
        seen = np.ones(len(right), bool) if case.needs != "blind row" else p.mask.any(axis=1)
        assert shown.shape == right.shape
        assert np.abs(shown - right)[seen].max() <= HALF_A_UNIT * 10.0**-case.decimals
        assert np.isfinite(shown[seen]).all()


@pytest.mark.parametrize("name", ONE_CELL)
def test_one_cell_is_wrong_where_it_says(name):
    assert any(is_wrong_in_its_cell_alone(ONE_CELL[name], p) for p in problems_for(ONE_CELL[name]).values())


def is_wrong_in_its_cell_alone(case: Unseen, p: Any) -> bool:
    """Return whether `case` is wrong in exactly the cell that it names, and whether the other matrices are as expected.

    If the cell was calculated wrongly, another matrix must be wrong too. If the cell was only typed wrongly, all other
    matrices must be correct.
    """
    made, right = case(p), run(p, case.heads)
    wrong = np.argwhere(np.abs(made[case.about] - right[case.about]) > 0.0051).tolist()
    others = [step for step in IN_ORDER if step in made and step != case.about]
    spread = [step for step in others if not np.allclose(made[step], right[step], atol=0.0051)]
    last = case.about == "output"
    return wrong == [list(case.cell or ())] and (last or bool(spread) != case.typed)


def test_the_set_has_the_promised_sizes():
    mistakes = [*ALL.values(), *POSITIONS.values()]
    assert sum(case.common for case in mistakes) >= 110
    assert sum(not case.common for case in mistakes) >= 40
    assert min(len(RIGHT), len(ONE_CELL), len(PAIRS)) >= 25
    assert all(case.says.endswith(".") for each in (BOTH, POSITIONS, RIGHT, ONE_CELL) for case in each.values())


def test_most_of_them_show_all_of_their_steps():
    p = problems()["square"][0]
    whole = {"Q", "K", "V", "scores", "scaled", "weights", "output"}
    ran = [
        case
        for case in ALL.values()
        if case.needs is None and "square" in [name for name, _, _ in answers(case, ("square",))]
    ]
    with np.errstate(all="ignore"):
        shown = [whole <= case(p).keys() for case in ran]
    assert sum(shown) > 0.95 * len(shown)


def test_a_name_is_taken_once():
    with pytest.raises(ValueError, match="a name must be new; got forgets_to_scale: choose another one"):
        add(ALL["forgets_to_scale"], ALL)
