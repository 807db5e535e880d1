"""Test the course notebook's sentence on the page "Your sentence", to the digits that the notebook prints."""

import numpy as np

from attention_core.examples import example
from attention_core.examples.sentence import row_statistics
from notebooks import notebook_values
from pages.shared.notation.numbers import number
from sentence_page import labels, values_by_id
from simulating import captions, open_page, page_text

HALF_A_UNIT = 0.5e-4  # half a unit of the last decimal that notebook 004 prints


def test_the_notebook_s_rows_rank_the_words_alike():
    app, trace = open_page("your_sentence", look="drawn", source="cat"), example("cat").attention()
    found = row_statistics(trace.scaled, trace.weights)
    row = next(line for line in page_text(app).splitlines() if line.startswith("| uniform, 0 to 1"))
    for value in (found.mean_score, found.deviation, found.entropy):
        assert f"${number(value)}$" in row
    assert row.endswith("| 1 of 5 |")


def test_the_notebook_s_queries_keys_and_values_stand_on_the_page():
    app = open_page("your_sentence", look="computed", source="cat", digits="4")
    assert labels(app) == ["The", "cat", "chased", "the", "mouse"]
    for name, path in {"q": "queries", "k": "keys", "v": "values_first4"}.items():
        printed = notebook_values(f"4/printed/{path}")
        np.testing.assert_allclose(values_by_id(app)[name][: len(printed)], printed, rtol=0, atol=HALF_A_UNIT)
    np.testing.assert_allclose(
        values_by_id(app)["weights"], notebook_values("4/attention_from_recovered_weights/attention"), rtol=0, atol=1e-6
    )
    assert "are recovered from these" in captions(app)
    assert not app.text_input
