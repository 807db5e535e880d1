"""Pointing at a cell highlights the cells that it is computed from, in every equation of the page.

The browser does this without asking the server.
"""

from collections.abc import Callable
from functools import partial
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from attention_core.examples import example
from browser.equation import (
    address_query,
    cell,
    cells,
    expected_lights,
    focused_cell,
    lights_of_cells,
    until,
    until_numbers,
)
from browsing import settle
from lit_cells import board_of, items, lit_cells, sent_equations, some_cells
from pages.shared.equation.engine import join_modules
from pagesutil import VIEWS
from serving import ROOT
from simulating import open_page

DARK = "nothing is lit"
PLACES = "cells => cells.map((cell) => cell.getBoundingClientRect()).map(({ x, y, width }) => [x, y, width])"

# The cells that each of these is computed from, on a page with two equations. One of them has K transposed.
READS = {
    ("q", 0, 2): lambda name, row, column: (name == "x" and row == 0) or (name == "w_q" and column == 2),
    ("k", 1, 3): lambda name, row, column: (name == "x" and row == 1) or (name == "w_k" and column == 3),
    ("scores", 0, 1): lambda name, row, column: (name == "q" and row == 0) or (name == "k" and row == 1),
    ("output", 0, 1): lambda name, row, column: (name == "weights" and row == 0) or (name == "v" and column == 1),
    ("w_v", 2, 0): lambda *_: False,
}
# A share is a power divided by the sum of its row, of its column, or of the whole matrix.
AXES = {"rows": "Each row", "columns": "Each column", "whole": "The whole matrix"}
SOFTMAX = {"rows": lambda i, j, r, c: r == i, "columns": lambda i, j, r, c: c == j, "whole": lambda *_: True}


def time_last_sent(page):
    """Return the time at which this tab last sent something to the server, in milliseconds."""
    return settle(page).evaluate("labTimes.sent")


def test_hover_and_focus_light_exactly_what_a_cell_reads_without_the_server(visit):
    page = visit("/queries_keys_values?token=0&look=look_up")
    before = time_last_sent(page)
    for place, read in READS.items():
        expected = expected_lights(page, place, read)
        cell(page, *place).hover()
        assert lights_of_cells(page) == expected
        page.mouse.move(2, 2)
        assert not any(light for *_, light in lights_of_cells(page)), DARK
        cell(page, *place).focus()
        assert lights_of_cells(page) == expected
        cell(page, *place).blur()
        assert not any(light for *_, light in lights_of_cells(page)), DARK
    assert time_last_sent(page) == before
    cell(page, "q", 0, 2).click()
    assert time_last_sent(page) > before


def test_every_drawing_of_a_cell_highlights_the_same_cells(visit):
    page = visit("/queries_keys_values?look=look_up")
    place = ("k", 2, 1)
    drawings = cells(page, *place)
    assert drawings.count() == 2  # K^T in one equation, K in the other
    seen = []
    for drawing in drawings.all():
        drawing.hover()
        seen.append(lights_of_cells(page))
    assert seen[0] == seen[1] == expected_lights(page, place, _reads_of_k)


def _reads_of_k(name, row, column):
    return (name == "x" and row == 2) or (name == "w_k" and column == 1)


def test_a_key_is_lit_as_a_column_where_the_keys_are_transposed(visit):
    page = visit("/attention?step=4")
    cell(page, "scores", 2, 1).hover()
    boxes = [key.bounding_box() for key in page.locator('figure[data-id="k"] td.read').all()]
    assert len(boxes) == 4  # d_k
    assert len({box["x"] for box in boxes if box}) == 1
    assert len({box["y"] for box in boxes if box}) == 4


def test_a_softmax_weight_highlights_its_axis_in_two_equations(visit):
    page = visit("/softmax_axes")
    for axis, along in SOFTMAX.items():
        page.get_by_role("radiogroup", name="What adds up to 1").get_by_role(
            "radio", name=AXES[axis], exact=True
        ).click()
        place = (f"weights_{axis}", 1, 2)
        expect(cells(page, *place)).to_have_count(2)  # one drawing in the steps above, and one below with all axes
        settle(page)
        cells(page, *place).last.hover()
        powers = partial(_is_along, f"powers_{axis}", along)
        assert lights_of_cells(page) == expected_lights(page, place, powers)


# On these pages, some matrices are not shown. The cells that they are computed from light up instead.
THROUGH = {
    "/": {
        ("weights", 1, 0): lambda name, row, column: name == "scores" and row == 1,
        ("q", 2, 1): lambda name, row, column: name == "x" and row == 2,
    },
    "/your_sentence?look=computed": {
        ("weights", 1, 0): lambda name, row, column: name == "scores" and row == 1,
        ("entropies_head0", 2, 0): lambda name, row, column: name == "weights" and row == 2,
    },
    "/multi_head?look=blocks": {
        ("heads.1", 0, 0): lambda name, row, column: (
            (name == "weights.1" and row == 0) or (name == "v" and column == 1)
        ),
        ("v", 1, 0): lambda name, row, column: name == "w_v" and column == 0,
    },
    "/scaling?look=tokens": {
        ("v", 1, 0): lambda name, row, column: name == "x" and row == 1,
        ("weights_root", 2, 1): lambda name, row, column: name == "scaled_root" and row == 2,
    },
    # The page shows the scaled scores of one token only, which is not the token of the first cell.
    "/cross_attention?example=story&word=1&look=all": {
        ("weights", 2, 0): lambda name, row, column: name == "scores" and row == 2,
        ("weights", 1, 0): lambda name, row, column: name == "scaled" and row == 1,
    },
}


@pytest.mark.parametrize("path", THROUGH)
def test_sources_of_a_hidden_matrix_light_up_in_its_place(visit, path):
    page = visit(path)
    for place, read in THROUGH[path].items():
        cell(page, *place).hover()
        assert lights_of_cells(page) == expected_lights(page, place, read)
    page.mouse.move(2, 2)


def test_the_light_of_a_selected_cell_follows_the_matrices_on_the_page(visit):
    page = visit("/your_sentence?look=again&cell=weights.1.0")
    assert lights_of_cells(page) == expected_lights(page, ("weights", 1, 0), lambda *_: False)
    looks = page.get_by_role("radiogroup", name="What to look at")
    looks.get_by_role("radio", name="Where the weights come from").click()
    expect(cells(page, "scores", 1, 0)).to_have_count(1)
    page.mouse.move(2, 2)
    assert lights_of_cells(settle(page)) == expected_lights(
        page, ("weights", 1, 0), lambda name, row, _: name == "scores" and row == 1
    )
    looks.get_by_role("radio", name="The same word again").click()
    expect(cells(page, "scores", 1, 0)).to_have_count(0)
    assert lights_of_cells(settle(page)) == expected_lights(page, ("weights", 1, 0), lambda *_: False)


def test_a_lit_cell_does_not_become_larger(visit):
    page = visit("/your_sentence?look=computed")
    boxes = page.locator("td.cell").evaluate_all(PLACES)
    cell(page, "entropies_head0", 2, 0).hover()
    expect(page.locator("td.read")).not_to_have_count(0)
    assert page.locator("td.cell").evaluate_all(PLACES) == boxes


def _is_along(powers, along, name, row, column):
    return name == powers and along(1, 2, row, column)


def test_the_heads_of_one_token_read_their_own_blocks(visit):
    page = visit("/attention?step=9")
    cell(page, "heads.1", 0, 0).hover()
    assert lights_of_cells(page) == expected_lights(
        page,
        ("heads.1", 0, 0),
        lambda name, row, column: (name == "weights.1" and row == 0) or (name == "v" and column == 1),
    )


def test_the_highlight_stays_at_the_focus_while_the_server_answers(visit):
    page = visit("/attention?example=hand&step=3")
    target = cell(page, "x", 1, 2)
    target.focus()
    page.keyboard.press("Alt+ArrowUp")
    x = example("hand").x.copy()
    x[1, 2] += 0.1
    until_numbers(page, "q", x @ example("hand").w_q)
    for key, chosen in [("Enter", "x.1.2"), ("Enter", None)]:
        page.keyboard.press(key)
        until(page, lambda: address_query(page).get("cell"), chosen)
    settle(page)
    assert focused_cell(page) == ("x", 1, 2)
    assert lights_of_cells(page) == expected_lights(page, ("x", 1, 2), lambda *_: False)


PATHS = [
    *VIEWS,
    *(f"/multi_head?example={name}&heads=2&look={look}" for name in ("cat", "columns") for look in ("blocks", "price")),
    "/attention?step=9&example=book",
    "/cross_attention?example=hand&queries=2&keys=1&word=1",
    "/your_sentence?look=computed&heads=4",
    "/check_my_matrix?example=hand&asked=mixed&answer=1 2 3 4 5;0 0 0 0 0;1 1 1 1 1",
]
READ = """
([equations, places]) => {
  const items = equations.map(({ lines }) => lines.flatMap((line) => line.items).filter((item) => item.id))
  const holds = (rows, row) => row === null || (rows[0] <= row && row < rows[1])
  const stands = (block) => items.flat().some(({ id, onlyRow }) => id === block.id && holds(block.rows, onlyRow))
  const formulas = new Map([...equations].reverse().flatMap((equation) => Object.entries(equation.formulas)))
  return places.map(([e, i, row, column]) => {
    const { id, lights } = items[e][i]
    const found = new Map()
    const block = blockOf(id, row, column)
    for (const term of lights ?? [formulas.get(id)?.of]) addRead(found, term, block, formulas, stands)
    return [...found.values()].filter(Boolean).map(({ id, rows, columns }) => [id, ...rows, ...columns])
  })
}
"""


@pytest.fixture(scope="module")
def light(browser):
    """Give the tests a page with the script that finds the cells to highlight."""
    page = browser.new_page()
    page.add_script_tag(content=join_modules([(ROOT / "pages/shared/equation/formulas.js").read_text("utf-8")]))
    yield page
    page.close()


@pytest.mark.many
@pytest.mark.parametrize("path", PATHS)
def test_blocks_highlight_the_same_cells_as_single_cells(light, path):
    address = urlsplit(path)
    equations = sent_equations(open_page(address.path.strip("/") or "home", **dict(parse_qsl(address.query))))
    board = board_of(equations)
    places = [
        (e, i, row, column)
        for e, equation in enumerate(equations)
        for i, item in enumerate(items(equation))
        for row, column in sorted(some_cells(item))
    ]
    for (e, i, row, column), blocks in zip(places, light.evaluate(READ, [equations, places]), strict=True):
        item = list(items(equations[e]))[i]
        cells = set().union(*(cells_of(block, board) for block in blocks))
        assert cells == lit_cells(item["id"], row, column, board, item["lights"]), (item["id"], row, column)


def cells_of(block, board):
    """Return the cells of a block that the board shows."""
    id, top, bottom, left, right = block
    height, width = board.shapes[id]
    rows, columns = range(max(top, 0), int(min(bottom, height))), range(max(left, 0), int(min(right, width)))
    return board.shown({(id, row, column) for row in rows for column in columns})


CATEGORIES = ["devtools.timeline"]
EVERYTHING = """
() => {
  const inside = (shadow) => (shadow ? below(shadow) : [])
  const below = (root) => [...root.querySelectorAll("*")].flatMap((each) => [each, ...inside(each.shadowRoot)])
  return below(document).length
}
"""


@pytest.mark.parametrize("path", ["/queries_keys_values", "/attention"])
def test_an_edit_restyles_only_a_part_of_the_page(path, visit, browser):
    page = visit(path)
    number = page.locator(".editable td.cell").first

    def edit() -> None:
        number.press("Alt+ArrowUp")
        settle(page)

    edit()
    least = min(count_restyled(browser, page, edit) for _ in range(3))  # sometimes the page also fits wider numbers
    assert least < page.evaluate(EVERYTHING) / 2


def count_restyled(browser: Browser, page: Page, act: Callable[[], None]) -> int:
    """Return for how many elements the browser computes the style while `act` runs. Repetitions count."""
    tracing, events, ended = browser.new_browser_cdp_session(), [], []
    tracing.on("Tracing.dataCollected", lambda told: events.extend(told["value"]))
    tracing.on("Tracing.tracingComplete", lambda _: ended.append(True))
    tracing.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": {"includedCategories": CATEGORIES}})
    act()
    tracing.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(20)
    tracing.detach()
    updates = [event for event in events if event["name"] == "UpdateLayoutTree"]
    assert updates, "the browser did not say what it styled"
    return sum(update["args"].get("elementCount", 0) for update in updates)  # missing where the record ends within it
