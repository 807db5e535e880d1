"""Test the second set of wrong implementations: each runs, is wrong, and gives other numbers than all others."""

from collections import Counter

import numpy as np
import pytest

from count_named import answers
from wrong_implementations.parts import one_head, several_heads
from wrong_implementations.record import Wrong
from wrong_implementations_elsewhere import ALL, PAIRS
from wrong_implementations_elsewhere.by_hand import divides_by_the_count
from wrong_implementations_elsewhere.record import add, pair
from wrong_implementations_elsewhere.scoring import forgets_the_root, forgets_the_scale

pytestmark = pytest.mark.once

BOTH = {**ALL, **PAIRS}


def share_for(of: str) -> float:
    """Return the fraction of all mistakes, from 0 to 1, that are for `of`, which is "one" head or "several" heads."""
    return Counter(mistake.heads for mistake in ALL.values())[of] / len(ALL)


def rounded_answers(mistake: Wrong) -> tuple:
    """Return the rounded answers of a mistake to all problems, as a tuple, so that mistakes can be compared."""
    return mistake.heads, *((name, a.shape, *np.round(a + 0.0, 6).flat) for name, a, _ in answers(mistake))


@pytest.mark.parametrize("name", BOTH)
def test_it_runs_and_is_wrong(name):
    ran = list(answers(BOTH[name]))
    assert ran
    for _, answer, right in ran:
        assert answer.shape != right.output.shape or np.abs(answer - right.output).max() > 1e-6


def test_no_two_of_them_give_the_same_numbers():
    by_numbers: dict[tuple, str] = {}
    for name, mistake in BOTH.items():
        assert by_numbers.setdefault(rounded_answers(mistake), name) == name


def test_the_set_has_the_promised_sizes():
    assert len(ALL) >= 120
    assert sum(mistake.common for mistake in ALL.values()) >= 80
    assert share_for("one") > 0.5
    assert share_for("several") > 1 / 3
    assert sum(mistake.whole is not None for mistake in ALL.values()) > len(ALL) / 2
    assert len(PAIRS) >= 40
    assert all(mistake.says.endswith(".") for mistake in BOTH.values())


@pytest.mark.parametrize("right", [one_head, several_heads])
def test_a_right_answer_is_left_out(right):
    mistake = Wrong(
        name="right",
        says="It is right.",
        common=False,
        heads="one" if right is one_head else "several",
        needs=None,
        source="",
        parts={},
        whole=right,
    )
    assert not list(answers(mistake))


def test_a_name_is_taken_once():
    with pytest.raises(ValueError, match="a name must be new; got forgets_the_root: choose another one"):
        add(ALL["forgets_the_root"], dict(ALL))


@pytest.mark.parametrize("second", [forgets_the_scale, divides_by_the_count])
def test_a_pair_replaces_two_parts(second):
    with pytest.raises(ValueError, match="a pair needs two different parts"):
        pair(forgets_the_root, second)
