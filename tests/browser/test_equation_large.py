"""A matrix of up to 16 × 16 has cells that can be edited. A larger matrix is a picture that can be read out."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from browser.equation import address_query, cell, figure, lights_of_cells, numbers, type_over, until, until_numbers
from browsing import settle
from serving import ROOT, serve

# A page without menu and bar: the largest matrix with cells, and a matrix that is a picture, computed from its rows.
SCRIPT = f"""
import sys
from dataclasses import dataclass

import numpy as np
import streamlit as st

sys.path.insert(0, {str(ROOT)!r})
from pages.shared import controls
from pages.shared.equation import Line, Matrix, equation
from pages.shared.frame import equipment
from pages.shared.state import address, widget_values

@dataclass(frozen=True, kw_only=True)
class Demo(controls.Parameters):
    grid: tuple = controls.matrix([[i - j for j in range(16)] for i in range(16)])

@st.fragment
def content():
    parameters = widget_values.read_widgets().parameters
    grid = np.array(parameters.grid)
    labels = tuple(f"row {{i}}" for i in range(17))
    equation([
        Line((Matrix(
            id="grid", symbol="G", name="Grid", values=grid, limit=15, editable=True, row_labels=labels[:16],
        ),)),
        Line((Matrix(
            id="image", symbol="I", name="Image", values=np.pad(grid, ((0, 1), (0, 1))), limit=15, row_labels=labels,
            lights=("grid[i,:]",),
        ),)),
    ], key="demo", parameters=parameters)
    address.write_link()

address.read_link("demo", Demo)
equipment.load()
content()
"""

GRID = np.subtract.outer(np.arange(16.0), np.arange(16.0))
PIXEL = "(canvas, [x, y]) => [...canvas.getContext('2d').getImageData(x, y, 1, 1).data].join()"
WIDE, HIGH = 12, 15  # pixels of a cell of the picture, whose rows have labels


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Give the tests a server for one page with a matrix of cells and a matrix that is a picture."""
    script = tmp_path_factory.mktemp("large") / "demo.py"
    script.write_text(SCRIPT, encoding="utf-8")
    with serve(script) as running:
        yield running


def test_a_matrix_of_16_by_16_has_cells_that_can_be_edited(demo, visit):
    page = visit("/", server=demo)
    assert figure(page, "grid").get_by_role("gridcell").count() == 256
    assert figure(page, "grid").locator("canvas").count() == 0
    until_numbers(page, "grid", GRID)
    type_over(cell(page, "grid", 15, 15), "7")
    after = GRID.copy()
    after[15, 15] = 7
    until(page, lambda: address_query(page).get("grid", "").endswith(",1,7"), True)
    assert (numbers(settle(page), "grid") == after).all()


def test_a_matrix_of_17_by_17_is_a_picture_that_arrow_keys_read_out(demo, visit):
    page = visit("/", server=demo)
    image = figure(page, "image")
    expect(image.get_by_role("gridcell")).to_have_count(0)
    canvas, readout = image.get_by_role("img", name="Image, 17 by 17, as a heatmap"), image.locator("output")
    canvas.focus()
    expect(readout).to_have_text("row 0, 1: 0")
    for key, says in [
        ("ArrowDown", "row 1, 1: 1"),
        ("ArrowRight", "row 1, 2: 0"),
        ("ArrowUp", "row 0, 2: −1"),
        ("ArrowLeft", "row 0, 1: 0"),
        ("ArrowLeft", "row 0, 1: 0"),  # the edge
        ("ArrowDown", "row 1, 1: 1"),
    ]:
        page.keyboard.press(key)
        expect(readout).to_have_text(says)
    assert _rows_read(page) == {1}

    page.keyboard.press("Enter")
    until(page, lambda: address_query(page).get("cell"), "image.1.0")
    page.keyboard.press("Escape")
    until(page, lambda: address_query(page), {})


def test_the_picture_follows_edits_and_the_mouse(demo, visit):
    page = visit("/", server=demo)
    canvas = figure(page, "image").locator("canvas")
    middle = [WIDE // 2, HIGH // 2]
    blank = canvas.evaluate(PIXEL, middle)
    type_over(cell(page, "grid", 0, 0), "15")
    until(page, lambda: canvas.evaluate(PIXEL, middle) != blank, True)
    canvas.hover(position={"x": 3.5 * WIDE, "y": 2.5 * HIGH})
    expect(figure(page, "image").locator("output")).to_have_text("row 2, 4: −1")
    assert _rows_read(page) == {2}
    canvas.click(position={"x": 3.5 * WIDE, "y": 2.5 * HIGH})
    until(page, lambda: address_query(page).get("cell"), "image.2.3")


def test_with_tokens_as_columns_a_point_of_the_picture_lights_what_it_reads(demo, visit):
    page = visit("/?layout=columns", server=demo)
    figure(page, "image").locator("canvas").focus()
    page.keyboard.press("ArrowRight")
    until(page, lambda: _rows_read(page), {1})
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(figure(page, "image").locator("output")).to_have_text(re.compile("3.*−1"))
    assert _rows_read(page) == {1}


def _rows_read(page):
    lit = [(row, column) for name, row, column, light in lights_of_cells(page) if light == "read" and name == "grid"]
    rows = {row for row, _ in lit}
    assert len(lit) == 16 * len(rows)
    return rows
