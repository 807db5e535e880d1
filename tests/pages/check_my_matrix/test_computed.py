"""Test that a pasted answer is diagnosed once, however often its page is drawn."""

from contextlib import contextmanager

import pytest
from hypothesis import given

from hostile import checks
from pages.check_my_matrix import computed
from simulating import open_page, page_text
from strategies import law

pytestmark = [pytest.mark.lowest, pytest.mark.filterwarnings("ignore::RuntimeWarning")]


@contextmanager
def diagnoses():
    """Give the `with` block a list of the problems that are diagnosed in it. No earlier diagnosis is kept."""
    found, diagnose = [], computed.diagnose_pasted
    computed._diagnosis_of.cache_clear()  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(computed, "diagnose_pasted", lambda task, *more: found.append(task) or diagnose(task, *more))
        yield found


def draw_in_other_looks(link):
    """Open a link of “Check my matrix” in three looks: with other decimals, and with a selected cell."""
    for look in ({}, {"digits": "8"}, {"cell": "scores.0.0"}):
        app = open_page("check_my_matrix", **link | look)
        assert not app.exception
        app.run()
    return app


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_a_wrong_answer_is_diagnosed_once(layout):
    own = {
        "source": "weights",
        "own_x": "1 2; 3 4",
        "own_w_q": "1 0; 0 2",
        "own_w_k": "1 1; 0 1",
        "own_w_v": "2 0; 1 1",
    }
    with diagnoses() as found:
        app = draw_in_other_looks(own | {"answer": "1.25 2.5; 3.75 4.25", "layout": layout})
        assert len(found) == 1
        next(each for each in app.text_area if str(each.value).startswith("1.25")).set_value("9 8; 7 6").run()
    assert len(found) == 2


@pytest.mark.long
@law
@given(checks())
def test_no_problem_is_diagnosed_at_each_press(link):
    with diagnoses() as found:
        draw_in_other_looks(link)
    assert len(found) <= 1


@pytest.mark.parametrize(
    ("values", "answer", "said", "not_said"),
    [
        ("123456 0.5", "tensor([[1.2346e+05, 5.0000e-01]])", "to all digits that you wrote", "is wrong"),
        ("-1567294.36 -26707.75", "tensor([[-1.5673e+06, -2.6708e+04]])", "to all digits that you wrote", "should be"),
        ("123456 0.5", "tensor([[1.2346e+05, 6.0000e-01]])", "One number is wrong", "numbers are correct"),
        ("1000000000 0.5", "1000000000 1.4", "One number is wrong", "Every number is correct"),
    ],
)
def test_each_number_counts_to_its_own_last_digit(values, answer, said, not_said):
    text = page_text(open_page("check_my_matrix", source="queries", own_q="1", own_k="1", own_v=values, answer=answer))
    assert said in text
    assert not_said not in text


@pytest.mark.parametrize("link", [
    {"scale": "own", "factor": "[Sign in](//elsewhere.example)"},
    {"mask": "padding", "hidden": "![](https://elsewhere.example/p.png)"},
    {"positions": "rotary_pairs", "base": "**ten**"},
    {"positions": "alibi", "slope": "[a](//elsewhere.example)"},
])  # fmt: skip
def test_what_a_link_writes_into_a_setting_is_quoted_as_code(link):
    (words,) = (text for name, text in link.items() if name in ("factor", "hidden", "base", "slope"))
    text = "\n".join(info.value for info in open_page("check_my_matrix", **link).info)
    assert f"`{words[:20]}" in text
    assert words[:20] not in text.replace(f"`{words[:20]}", "")
