"""A press on the numbers of a page sends few elements, because its cost grows with their number."""

import pytest

from crowd import run
from measure.elements import elements_of_a_press, states
from pagesutil import DECLARED

MOST = 9  # one of them is Streamlit's own container of what runs again
# The most elements of the pages that send more. These numbers must only become smaller.
STILL = {
    "path": 18,
    "training_step": 14,
    "check_my_matrix": 25,
    "next_word": 18,
    "spot_the_bug": 16,
    "real_model": 15,
    "positional_encoding": 15,
    "lecturers": 14,
    "induction_head": 14,  # a chart has two panels
    "softmax_axes": 12,
    "multi_head": 12,
    "real_heads": 12,
    "cross_attention": 11,
    "scaling": 11,  # a chart has three panels
    "attention": 10,
    "your_sentence": 10,
}


@pytest.mark.parametrize("page", DECLARED)
def test_a_press_sends_few_elements(page, server):
    sent = {query: run(elements_of_a_press(server, page, query)) for name, query in states() if name == page}
    most = max(map(len, sent.values()))
    assert most <= STILL.get(page, MOST), sent
    assert most > MOST or page not in STILL, f"{page} sends {most} elements: take it out of STILL"
