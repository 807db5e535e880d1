"""The browser finds the cells to highlight in blocks. They are the cells that the tests find one by one."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from lit_cells import board_of, items, lit_cells, sent_equations, some_cells
from pages.shared.equation.engine import join_modules
from pagesutil import VIEWS
from serving import ROOT
from simulating import open_page

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
  return places.map(([e, i, row, column]) => {
    const { id, reads } = items[e][i]
    const found = addRead(new Map(), reads, blockOf(id, row, column), equations[e].hidden, stands)
    return [...found.values()].filter(Boolean).map(({ id, rows, columns }) => [id, ...rows, ...columns])
  })
}
"""


@pytest.fixture(scope="module")
def light(browser):
    """Give the tests a page with the script that finds the cells to highlight."""
    page = browser.new_page()
    page.add_script_tag(content=join_modules([(ROOT / "pages/shared/equation/reads.js").read_text("utf-8")]))
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
        assert cells == lit_cells(item["reads"], row, column, board, equations[e]["hidden"]), (item["id"], row, column)


def cells_of(block, board):
    """Return the cells of a block that the board shows."""
    id, top, bottom, left, right = block
    height, width = board.shapes[id]
    rows, columns = range(max(top, 0), int(min(bottom, height))), range(max(left, 0), int(min(right, width)))
    return board.shown({(id, row, column) for row in rows for column in columns})
