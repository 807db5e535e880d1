"""Test the worksheet: its answers are the screen's numbers, its blanks are in the correct places, seeds change it."""

from html.parser import HTMLParser

import numpy as np
import pytest

from pages.shared.equation.model import Matrix
from pages.shared.takehome.code import run
from pages.shared.takehome.dialog import MOST_SHEETS
from pages.shared.takehome.worksheet import answer_sheet, random_numbers, tasks, too_large, worksheet
from taken_home import STATES, screen_at


class Sheet(HTMLParser):
    """The numbers and blanks of each matrix of a worksheet, by section, read from its HTML."""

    def __init__(self, text):
        super().__init__()
        self.sections, self.open = {}, []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        if tag == "section":
            self.here = self.sections[dict(attrs)["class"]] = []
        if tag == "mtable":
            self.here.append([])
        if dict(attrs).get("class") == "blank":
            self.here[-1].append(None)
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["mn"]:
            self.here[-1].append(float(data.replace("−", "-").replace("∞", "inf")))


def cells(matrix):
    """Return the numbers of a matrix in the order in which the page shows them."""
    values = matrix.values if matrix.only_row is None else matrix.values[[matrix.only_row]]
    return (values.T if matrix.transposed else values).ravel()


@pytest.mark.many
def test_the_answers_of_a_worksheet_are_those_of_the_screen(state, screen):
    seed = (0, 7)[STATES.index(state) % 2]
    if too_large(screen):
        with pytest.raises(ValueError, match="choose"):
            worksheet(screen, [seed])
        return
    sheet, every = (
        Sheet(worksheet(screen, [seed]) + answer_sheet(screen, [seed])),
        list(tasks(screen, random_numbers(screen, seed))),
    )
    assert every
    answers = [
        cells(item)
        for task in every
        for item in task.line.items
        if isinstance(item, Matrix) and (item.id, item.only_row) in task.blank
    ]
    filled, empty = ([m for m in sheet.sections[name]] for name in ("answers", "tasks"))
    asked = [matrix for matrix in empty if None in matrix]
    assert [len(matrix) for matrix in asked] == list(map(len, answers))
    assert all(set(matrix) == {None} for matrix in asked)
    for matrix, answer in zip(filled, answers, strict=True):
        np.testing.assert_allclose(matrix, answer, atol=0.5 * 10.0**-screen.decimals + 1e-9, rtol=1e-12)
    if not seed:
        on_the_screen = {
            (m.id, m.only_row): cells(m) for line in screen.lines() for m in line.items if isinstance(m, Matrix)
        }
        for task in every:
            for item in task.line.items:
                common = {"x", "q", "scores", "weights", "scaled", "output"}
                if isinstance(item, Matrix) and (item.id, item.only_row) in on_the_screen and item.id not in common:
                    np.testing.assert_allclose(
                        np.sort(cells(item)), np.sort(on_the_screen[item.id, item.only_row]), rtol=1e-9, atol=1e-9
                    )


def test_a_seed_draws_small_whole_numbers_and_always_the_same():
    screen = screen_at("home", example="hand")
    drawn, again, other = random_numbers(screen, 3), random_numbers(screen, 3), random_numbers(screen, 4)
    assert {name: m.shape for name, m in drawn.items()} == {"x": (3, 5), "w_q": (5, 4), "w_k": (5, 4), "w_v": (5, 2)}
    assert all((m == m.round()).all() and np.abs(m).max() <= 3 for m in drawn.values())
    assert all((drawn[name] == again[name]).all() for name in drawn)
    assert any((drawn[name] != other[name]).any() for name in drawn)
    assert worksheet(screen, [3]) == worksheet(screen, [3]) != worksheet(screen, [4])


def test_a_class_gets_a_sheet_each_and_the_teacher_one_file_of_answers():
    screen = screen_at("home", example="hand")
    sheets, answers = worksheet(screen, range(5, 8)), answer_sheet(screen, range(5, 8))
    for number in (5, 6, 7):
        assert sheets.count(f"<span>Sheet {number}</span>") == 1
        assert answers.count(f"<h2>Answers · Sheet {number}</h2>") == 1
    assert sheets.count('<section class="tasks">') == answers.count('<section class="answers">') == 3
    assert "answer" not in sheets.split("</style>")[1]
    assert all(None in matrix for matrix in Sheet(worksheet(screen, [5])).sections["tasks"][4:])
    assert not any(None in matrix for matrix in Sheet(answers).sections["answers"])


STEPS = [("attention", {"step": "5"}), ("home", {"example": "hand"}), ("attention", {"step": "7"})]


@pytest.mark.parametrize(("page", "state"), STEPS)
def test_the_weights_of_drawn_sheets_can_be_told_from_0_and_1(page, state):
    screen = screen_at(page, **state)
    for seed in range(1, 31):
        *_, (_, names) = run(screen.code, screen.columns, random_numbers(screen, seed))
        weights = names["weights"]
        assert not ((weights > 0) & (weights < 0.01)).any()
        assert not ((weights < 1) & (weights > 0.99)).any()


def test_what_must_be_computed_on_the_way_has_a_blank():
    screen = screen_at("attention", step="5")
    assert {m.id for line in screen.lines() for m in line.items if isinstance(m, Matrix)} == {"scaled", "weights"}
    blank = [id for task in tasks(screen, random_numbers(screen, 1)) for id, _ in sorted(task.blank, key=str)]
    assert blank[:2] == ["q", "k"]
    assert {"scores", "scaled", "weights"} <= {*blank}
    assert "v" not in blank  # no weight needs the values


@pytest.mark.long
def test_a_class_of_200_gets_its_sheets_in_one_file():
    screen = screen_at("home", example="hand")
    assert worksheet(screen, range(1, MOST_SHEETS + 1)).count('<section class="tasks">') == 200


def test_a_worksheet_can_leave_out_the_code():
    screen = screen_at("home", example="hand")
    with_code, without = (worksheet(screen, [0], code=code) for code in (True, False))
    assert "<code>" in with_code
    assert "<code>" not in without
    assert without.count("<li>") == with_code.count("<li>")


def test_a_worksheet_says_why_there_is_none():
    assert "64" in too_large(screen_at("home", example="wide"))
    assert "none" in too_large(screen_at("positional_encoding", look="formulas"))
