"""Test "Try it" on its pages: a task is opened, filled in, handed in, explained by hints, and counted once."""

import numpy as np
import pytest

from attention_core.tasks.recipes import RECIPES
from attention_core.tasks.seeded import task
from attention_core.tasks.task import misreadings
from lit_cells import lit_by, sent_equations
from pages.shared.task_block import block
from pages.shared.task_block.answering import blank_id
from simulating import captions, go, link_of, matrices, notices, open_page, visit_of, with_edit

pytestmark = pytest.mark.lowest
SOFTMAX = task("softmax_axes", 17, 1)


def fill_event(numbers, name="weights_task"):
    """Return the event that the browser sends if a visitor fills `numbers` into a blank matrix of the task."""
    cells = [[*place, f"{number:.2f}"] for place, number in np.ndenumerate(numbers)]
    return {"kind": "fill", "id": name, "cells": cells}


def page_text(app):
    return "\n".join(element.value for element in app.markdown)


def press(app, label):
    return next(button for button in app.button if button.label.startswith(label)).click().run()


def task_matrices(app):
    """Return the matrices of the task as the browser gets them, by id."""
    return {name: item for name, item in matrices(app).items() if "_task" in name}


@pytest.mark.parametrize("concept", RECIPES)
def test_closed_it_is_one_button_and_open_it_is_a_task(concept):
    app = open_page(concept)
    assert task_matrices(app) == {}
    assert "## Try it" not in page_text(app)
    app = press(app, "Try it")
    assert not app.exception
    number = int(link_of(app)["task"])
    this = task(concept, number, int(link_of(app).get("difficulty", "1")))
    assert block.question_text(this) in page_text(app)
    assert (
        task_matrices(app)[blank_id(this)]["blank"]
        == [[""] * this.correct_answer.shape[1]] * this.correct_answer.shape[0]
    )
    assert "task" not in link_of(press(app, "Close"))


@pytest.mark.many
@pytest.mark.parametrize("concept", RECIPES)
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_a_wrong_answer_is_named_on_the_page(concept, layout):
    this = task(concept, 17, 2)
    app = open_page(concept, task="17", difficulty="2", layout=layout)
    app = with_edit(app, fill_event(this.wrong_answer(this.mistakes[0]), blank_id(this)))
    assert task_matrices(app)[blank_id(this)]["marks"] is None
    app = press(app, "Commit")
    assert not app.exception
    assert (
        task_matrices(app)[blank_id(this)]["marks"]
        == this.correct_cells(np.round(this.wrong_answer(this.mistakes[0]), 2)).tolist()
    )
    assert "known mistake" in page_text(app) or "several mistakes" in page_text(app)
    assert task_matrices(app)[blank_id(this)]["right"] is None
    app = press(app, "Show the answer")
    assert task_matrices(app)[blank_id(this)]["right"] == this.correct_answer.tolist()
    assert "0 of 1** right" in captions(app)
    app = press(app, "Show worked cell")
    assert link_of(app)["cell"].startswith(f"{blank_id(this)}.")
    assert "not shown here" not in captions(app)


def test_two_visitors_with_the_same_link_have_the_same_task():
    one, other = (task_matrices(open_page("scaling", task="17", difficulty="2")) for _ in range(2))
    assert one == other
    assert one != task_matrices(open_page("scaling", task="18", difficulty="2"))


def test_what_is_written_survives_page_switches_and_is_kept_by_task():
    app = with_edit(
        open_page("softmax_axes", task="17"), {"kind": "fill", "id": "weights_task", "cells": [[0, 1, "1/3"]]}
    )
    app = go(go(app, "scaling"), "softmax_axes")
    assert task_matrices(app)["weights_task"]["blank"][0] == ["", "1/3", ""]
    app = press(app, "New task")
    assert link_of(app)["task"] != "17"
    assert task_matrices(app)["weights_task"]["blank"][0] == [""] * 3


def test_a_task_counts_once_and_only_when_it_is_filled_in():
    app = press(open_page("softmax_axes", task="17"), "Commit")
    assert "6 cells are still empty" in page_text(app)
    app = press(with_edit(app, fill_event(SOFTMAX.correct_answer)), "Commit")
    assert "All right" in page_text(app)
    assert "1 of 1** right" in captions(app)
    assert [button.label for button in app.button if button.label == "Commit"] == []
    app = with_edit(app, {"kind": "fill", "id": "weights_task", "cells": [[0, 0, "9"]]})
    assert "Nothing was written." in notices(app)
    assert "1 of 1** right" in captions(app)


def test_a_hint_points_at_the_first_empty_cell_and_says_more_each_time():
    app = with_edit(
        open_page("softmax_axes", task="17"), {"kind": "fill", "id": "weights_task", "cells": [[0, 0, "1"]]}
    )
    app = press(app, "Hint")
    assert visit_of(app).parameters.cell == ("weights_task", 0, 1)
    # a weight is computed from all columns of its row of scores
    assert lit_by(sent_equations(app), "weights_task", 0, 1) == {("scores_task", 0, j) for j in range(3)}
    assert "how much `token 1` attends to `token 2`" in page_text(app)
    assert "S_{1,2}" not in page_text(app)
    app = press(app, "Hint")
    assert "S_{1,2}" in page_text(app)
    assert "$$\nA_{1,2}\n$$" not in page_text(app)
    app = press(app, "Hint")
    assert "$$\nA_{1,2}\n$$" in page_text(app)
    app = with_edit(app, {"kind": "fill", "id": "weights_task", "cells": [[0, 1, "1"]]})
    app = press(app, "Hint")
    assert visit_of(app).parameters.cell == ("weights_task", 0, 2)
    assert "A_{1,3}" not in page_text(app)


def marks(app):
    """Return the marks (correct or wrong) of the cells of the task's blank matrix."""
    return task_matrices(app)["weights_task"]["marks"]


def test_what_is_wrong_is_marked_without_the_answer_and_may_be_tried_again():
    wrong = np.round(SOFTMAX.correct_answer, 2)
    wrong[0, 1] += 0.3
    app = press(with_edit(open_page("softmax_axes", task="17"), fill_event(wrong)), "Commit")
    assert marks(app) == [[True, False, True], [True] * 3]
    assert task_matrices(app)["weights_task"]["right"] is None
    assert "5 of 6 cells are right. Correct the cells with ✗" in page_text(app)
    assert "right**" not in captions(app)  # the task is not counted yet
    app = press(app, "Hint")
    assert visit_of(app).parameters.cell == ("weights_task", 0, 1)
    app = with_edit(app, fill_event(SOFTMAX.correct_answer))
    assert marks(app) == [[True, None, True], [True] * 3]
    app = press(app, "Commit")
    assert "All right." in page_text(app)
    assert "1 of 1** right" in captions(app)
    assert "in a row" not in captions(app)
    assert not [button for button in app.button if button.label in ("Show the answer", "Hint")]


def test_the_answer_is_shown_at_any_time():
    app = press(open_page("softmax_axes", task="17"), "Show the answer")
    assert "**This is the answer.** In yours, 0 of 6 cells were right, and 6 cells were empty." in page_text(app)
    np.testing.assert_allclose(task_matrices(app)["weights_task"]["right"], SOFTMAX.correct_answer)


def test_the_answer_is_shown_to_those_who_tried():
    app = press(with_edit(open_page("softmax_axes", task="17"), fill_event(np.zeros((2, 3)))), "Commit")
    app = press(app, "Show the answer")
    np.testing.assert_allclose(task_matrices(app)["weights_task"]["right"], SOFTMAX.correct_answer)
    assert "0 of 1** right" in captions(app)
    app = with_edit(app, {"kind": "fill", "id": "weights_task", "cells": [[0, 0, "9"]]})
    assert "Nothing was written." in notices(app)


@pytest.mark.parametrize(
    ("concept", "difficulty", "title"),
    [("softmax_axes", 1, "Base e in place of 2"), ("softmax_axes", 2, "Base 2 in place of e"),
     ("attention", 1, "Weights transposed"), ("cross_attention", 1, "Values transposed"),
     ("multi_head", 1, "Heads swapped"), ("multi_head", 3, "Heads swapped")],
)  # fmt: skip
def test_what_only_a_task_can_misread_is_named(concept, difficulty, title):
    this = task(concept, 17, difficulty)
    answer = next(each.answer for each in misreadings(this) if each.title == title)
    app = open_page(concept, task="17", difficulty=str(difficulty))
    app = press(with_edit(app, fill_event(answer, blank_id(this))), "Commit")
    assert f"*{title}.*" in page_text(app)


@pytest.mark.parametrize(
    ("page", "link", "difficulty"),
    [("attention", {}, "1"), ("attention", {"mask": "causal"}, "2"), ("positional_encoding", {}, "3"),
     ("positional_encoding", {"look": "encoding"}, "1"), ("attention", {"mask": "causal", "difficulty": "3"}, "3")],
)  # fmt: skip
def test_a_task_fits_what_the_page_shows(page, link, difficulty):
    app = press(open_page(page, **link), "Try it")
    assert visit_of(app).parameters.difficulty == difficulty


def test_a_link_may_name_a_cell_that_the_task_has_not():
    assert not open_page("softmax_axes", task="17", cell="weights_task.7.7").exception
    app = press(with_edit(open_page("softmax_axes", task="17"), fill_event(SOFTMAX.correct_answer)), "Commit")
    app = with_edit(app, {"kind": "select", "place": ["weights_task", 7, 7]})
    assert not app.exception


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (
            {"id": "weights_task", "cells": [[0, 0, "1/0"]]},
            "No number can be divided by 0, but you typed `1/0`, so nothing was",
        ),
        (
            {"id": "weights_task", "cells": [[0, 0, "1e9"]]},
            "A cell must hold a number from -10000 to 10000, or a fraction",
        ),
        ({"id": "weights_task", "cells": [[0, 0, "1/1e-9"]]}, "with a value in the same range, but you typed `1/1e-9`"),
        ({"id": "weights_task", "cells": [[2, 0, "1"]]}, "The empty matrix is 2×3. It has no cell 2, 0"),
        ({"id": "scores_task", "cells": [[0, 0, "1"]]}, "You can fill in only the empty matrix of an open task"),
    ],
)
def test_what_the_browser_should_have_refused_writes_nothing(event, message):
    app = with_edit(open_page("softmax_axes", task="17"), {"kind": "fill", **event})
    assert message in notices(app)
    assert task_matrices(app)["weights_task"]["blank"] == [["", "", ""]] * 2
