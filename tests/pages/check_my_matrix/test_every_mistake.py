"""Test that each mistake can be named: what a mistake gives in a problem is pasted, and its verdict is drawn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile import hostile
from named_mistakes import draw_verdict, problems, wrong_results
from simulating import open_page, page_text

# Mistakes in large numbers may overflow. NumPy warns of that, but visitors do not see it.
pytestmark = [pytest.mark.lowest, pytest.mark.filterwarnings("ignore::RuntimeWarning")]
ROTATED = {
    "source": "queries", "own_q": "1 2\n3 4", "own_k": "2 1\n1 3", "own_v": "1 0\n0 1", "positions": "rotary_halves",
    "asked": "scores",
}  # fmt: skip


def test_a_forgotten_rotation_is_named_with_the_first_number_to_compute_again():
    app = open_page("check_my_matrix", **ROTATED, answer="4 7\n10 15")
    assert not app.exception
    assert "By hand: row 1, column 2 of the scores should be $2.94$" in page_text(app)


ENDS = {
    "a tiny factor": {"scale": "own", "factor": "1e-155"},
    "a factor below all": {"scale": "own", "factor": "1e-320"},
    "more queries than keys": {
        **ROTATED, "own_q": "1 2\n3 4\n5 6", "own_k": "1 2", "own_v": "1 2", "mask": "causal", "answer": "1\n2\n3",
    },
}  # fmt: skip


@pytest.mark.parametrize("link", ENDS.values(), ids=ENDS)
def test_a_setting_at_the_end_of_its_range_is_posed_or_refused(link):
    app = open_page("check_my_matrix", **{"answer": "1 2\n3 4\n5 6"} | link)
    assert not app.exception
    refused = [said.value for said in app.info if "The scale must be from a billionth to a billion" in said.value]
    assert bool(refused) == ("scale" in link)


@pytest.mark.long
@hostile
@given(st.data())
def test_each_mistake_can_be_named_in_each_problem(data):
    link = data.draw(st.sampled_from(problems()))
    results = [result for _, result in wrong_results(link)]
    draw_verdict(link, data.draw(st.sampled_from(results)))
