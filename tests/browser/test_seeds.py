"""The pages show the numbers of the notebooks."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from browser.equation import figure
from browsing import settle
from notebooks import notebook_values

BOOK, COLUMNS = "/attention?example=book&digits=8", "/attention?example=columns&digits=8"
HEADS = "/multi_head?example=translation&digits=8"

SHOWN = [  # where, the step, the matrix, the path of its numbers, whether the notebook has them transposed
    *((BOOK, 3, name, f"0/step3_qkv/{name.upper()}", False) for name in "qkv"),
    (BOOK, 4, "scores", "0/step4_scores_k_d_1/scores", False),
    (BOOK, 5, "weights", "0/step5_weights_unscaled/attention", False),
    (BOOK, 5, "weights_root", "0/right_scaled_sqrt3/attention", False),
    (BOOK, 8, "output", "0/right_output_unscaled/output", False),
    (BOOK, 8, "output_root", "0/right_scaled_sqrt3/output", False),
    ("/softmax_axes?source=array&digits=8", None, "weights_rows", "0/softmax_side_note/axis1", False),
    ("/softmax_axes?source=array&digits=8", None, "weights_columns", "0/softmax_side_note/axis0", False),
    ("/softmax_axes?source=array&digits=8", None, "weights_whole", "0/softmax_side_note/all", False),
    (COLUMNS, 3, "q", "2/qkv_columns/Q", True),
    (f"{COLUMNS}&scale=none", 5, "weights", "2/right_unscaled/attention_columns_sum_to_1", True),
    (f"{COLUMNS}&scale=none", 8, "output", "2/right_unscaled/X_prime", True),
    (COLUMNS, 5, "weights", "2/right_scaled/attention", True),
    (COLUMNS, 8, "output", "2/right_scaled/X_prime", True),
    (HEADS, None, "heads.0", "3/q3_right/head1/head", False),
    (HEADS, None, "heads.1", "3/q3_right/head2/head", False),
    (f"{HEADS}&look=attentions", None, "weights.0", "3/q3_right/head1/attention", False),
    (f"{HEADS}&look=shares", None, "concat", "3/q3_right/concat", False),
]


def shown_numbers(page, name):
    """Return the numbers in a matrix's cells, rounded as they are shown, with tokens as rows."""
    cells = figure(page, name).first.locator("td.cell")
    expect(cells.first).not_to_be_empty()
    texts = cells.evaluate_all(
        "cells => cells.map(({ dataset, textContent }) => [dataset.row, dataset.column, textContent])"
    )
    numbers = {(int(row), int(column)): float(text.replace("−", "-")) for row, column, text in texts}
    rows, columns = (1 + max(place) for place in zip(*numbers, strict=True))
    return np.array([[numbers[i, j] for j in range(columns)] for i in range(rows)])


@pytest.mark.parametrize("path", dict.fromkeys(path for path, *_ in SHOWN))
def test_a_notebooks_numbers_stand_on_the_page(path, visit):
    page = visit(path)
    for _, step, matrix, printed, transposed in (shown for shown in SHOWN if shown[0] == path):
        if step:
            page.get_by_role("radio", name=re.compile(f"^{step} ")).click()
            settle(page)
        expected = notebook_values(printed).T if transposed else notebook_values(printed)
        np.testing.assert_allclose(shown_numbers(page, matrix), expected, rtol=0, atol=5.001e-9, err_msg=matrix)


def test_the_notebooks_encoding_stands_beside_the_papers(visit):
    page = visit("/positional_encoding?look=formulas")
    row = page.get_by_role("row").filter(has_text="cosine of positions 2 and 10").get_by_role("cell")
    _, paper, doubled, _ = row.all_inner_texts()
    for text, name in ((paper, "right"), (doubled, "wrong")):
        assert text == f"{notebook_values(f'1/positional_encoding/cosine_2_10_{name}'):.5f}"
