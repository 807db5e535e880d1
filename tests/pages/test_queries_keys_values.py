"""Test the page of queries, keys and values: its reasons, its arrows (a dragged tip edits a matrix), three matrices."""

import json
import re

import numpy as np
import pytest
from scipy.special import softmax

from attention_core.examples import EXAMPLES, example
from pages.queries_keys_values import lesson
from pages.shared.controls import Parameters
from simulating import edits, link_of, matrices, open_page, page_text, with_edit

pytestmark = pytest.mark.lowest
STORY = example("story")
TRACE = STORY.attention()
CAT, DRANK, MILK, BECAUSE, IT = range(5)
ALONE = [name for name in EXAMPLES if example(name).context is None]


def plane_in(app):
    """Return the data that the browser gets for the picture of arrows."""
    (proto,) = (each.proto for each in app.get("bidi_component") if each.proto.component_name == "attention_lab_plane")
    return json.loads(proto.json)[0]


# --- the reason ---


def test_the_reason_is_said_in_the_numbers_of_the_story():
    assert (TRACE.q[IT, 0], TRACE.k[CAT, 0]) == (3, 2)
    assert TRACE.scores[IT].argmax() == CAT
    said = page_text(open_page("queries_keys_values"))
    product = "3\u00a0·\u00a02\u00a0=\u00a0**6**"  # with spaces at which no line breaks
    assert f"“it” looks for somebody (3), and “cat” is somebody (2): {product}. No other word has a higher" in said
    assert f"So “it” takes the value of “cat” times **{TRACE.weights[IT, CAT]:.2f}**, its weight." in said


def test_the_reason_follows_who_asks_and_what_is_edited():
    assert "“cat” looks for an action (2), and “drank” is an action (2)" in page_text(
        open_page("queries_keys_values", token="0")
    )
    sour = "1,0,0,0,0,0;0,0,1,0,0,0;0,1,0,0,0,0;0,0,0,1,0,0;0,0,0,1,0,1"
    assert "“it” looks for something (3), and “milk” is something (2)" in page_text(
        open_page("queries_keys_values", x=sour)
    )


def test_a_token_whose_scores_are_all_0_attends_to_all_alike():
    silent = STORY.with_matrices({"x": np.zeros_like(STORY.x)})
    said = lesson.why_text(Parameters(), silent, silent.attention(), IT)
    assert said.endswith("All scores of “it” are 0, so it attends to all tokens alike, with **0.20**.")


def test_learned_is_said_with_a_number_that_moves():
    n = STORY.w_q.size + STORY.w_k.size + STORY.w_v.size
    after = softmax(np.array([8, 2, 2, 0, 0]) / 2)[0]
    said = page_text(open_page("queries_keys_values"))
    assert f"nobody writes these {n} numbers" in said
    assert (
        f"to *looks for somebody* is 2 instead of 1. Then “it” attends to “cat” with **{after:.2f}** instead of "
        "0.73" in said
    )


def test_a_nudge_that_no_digit_shows_is_not_told():
    this = example("wide")
    assert "For example, suppose" not in lesson.training_text(Parameters(), this, this.attention(), 9)
    assert "For example, suppose" in lesson.training_text(Parameters(digits="8"), this, this.attention(), 9)


# --- as arrows ---


def test_arrows_are_the_rows_of_q_and_k_in_the_two_dimensions_that_are_named():
    sent = plane_in(open_page("queries_keys_values", look="arrows"))
    assert sent["axes"] == ["looks for somebody · is somebody", "looks for something · is something"]
    assert (sent["dimensions"], sent["of"], sent["edited"]) == ([0, 1], 4, False)
    *keys, query = sent["arrows"]
    np.testing.assert_array_equal([key["at"] for key in keys], TRACE.k[:, :2])
    assert (query["token"], query["at"], query["from"]) == ("it", [3, 1], "w_q")
    assert (query["x"], sent["beside"]) == ([0, 0, 0, 1, 1, 0], CAT)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_said_of_an_angle_is_so(name):
    this = example(name)
    trace, i = this.attention(), len(this.tokens) - 1
    plane = lesson.plane_of(name, i)
    j = int(trace.scores[i].argmax())
    said = lesson.arrows_text(Parameters(digits="8"), this, trace, i, plane)
    numbers = re.search(r": ([−\d.,]+) · ([−\d.,]+) · cos (\d+)° = \*\*([−\d.,]+)\*\*(.*?)\. At", said)
    assert numbers
    q, k, degrees, product = (float(n.replace("−", "-").replace(",", "")) for n in numbers.groups()[:4])
    np.testing.assert_allclose(product, trace.q[i][[*plane]] @ trace.k[j][[*plane]], atol=1e-7)
    assert abs(q * k * np.cos(np.radians(degrees)) - product) <= q * k * np.radians(0.51)
    assert (numbers[5] == ", their whole score") == np.isclose(product, trace.scores[i, j])


def test_the_table_holds_every_key():
    rows = lesson.table(STORY, TRACE, IT, (0, 1), 2).splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert cells[CAT] == ["cat", "2", "18°", "6", "6", "0.73"]
    assert cells[DRANK][2:6] == ["–", "0", "2", "0.10"]
    np.testing.assert_array_equal([float(cell[3]) for cell in cells], TRACE.k[:, :2] @ TRACE.q[IT, :2])
    np.testing.assert_array_equal([float(cell[4]) for cell in cells], TRACE.scores[IT])


def test_a_dragged_arrow_is_an_edit_of_its_matrix_and_the_page_follows():
    app = open_page("queries_keys_values", look="arrows")
    cells = [[3, 0, 0], [3, 1, 1.5], [4, 0, 1], [4, 1, 0.5]]  # the query of “it” moves from (3, 1) to (1, 2)
    app = with_edit(app, {"kind": "edit", "id": "w_q", "cells": cells, "gesture": "a", "done": True})
    assert not app.exception
    assert [*edits(app)] == ["w_q"]
    sent = plane_in(app)
    assert (sent["arrows"][-1]["at"], sent["beside"], sent["edited"], sent["dimensions"]) == (
        [1, 2],
        MILK,
        True,
        [0, 1],
    )
    assert matrices(app)["q"]["values"][IT] == [1, 2, 0, 1]
    assert "“milk”" in page_text(app)
    assert "w_q" in link_of(app)


def test_what_is_too_large_to_edit_cannot_be_dragged():
    sent = plane_in(open_page("queries_keys_values", look="arrows", example="wide"))
    assert (sent["editable"], {len(arrow["x"]) for arrow in sent["arrows"]}) == ([], {0})


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("look", ["arrows", "three"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_view_is_drawn_on_every_example(name, look, layout):
    app = open_page("queries_keys_values", example=name, look=look, layout=layout)
    assert not app.exception
    assert not {"nan", "NaN", "inf"} & {*re.findall(r"\w+", page_text(app))}


# --- why three matrices ---


def test_one_matrix_is_symmetric_and_the_story_loses_the_cat():
    shown = matrices(open_page("queries_keys_values", look="three"))
    scores, weights = (np.array(shown[id]["values"]) for id in ("scores_one", "weights_one"))
    np.testing.assert_array_equal(scores, scores.T)
    np.testing.assert_array_equal(scores, TRACE.q @ TRACE.q.T)
    said = page_text(open_page("queries_keys_values", look="three"))
    assert "The score of “it” with “cat” is **6**, and that of “cat” with “it” is **0**." in said
    assert f"both scores are **{scores[IT, CAT]:.0f}**" in said
    lost, itself = weights[IT, [CAT, IT]]
    assert (
        f"attend to “cat” with **{lost:.2f}** instead of **0.73**. It attends most to itself, with {itself:.2f}."
        in said
    )
    assert lost < 0.02 < 0.5 < itself


@pytest.mark.parametrize("name", ALONE)
def test_what_is_said_of_one_matrix_is_so(name):
    this = example(name)
    trace = this.attention()
    for i in range(len(this.tokens)):
        found = lesson.matrices_alike(this, trace.scale)
        assert found is not None
        one, j = found[1], lesson.most_attended_other(trace, i)
        assert j != i
        assert trace.scores[i, j] == np.delete(trace.scores[i], i).max()
        said = lesson.three_matrices_text(Parameters(), this, trace, one, i)
        assert ("It attends most to " in said) == (int(one.weights[i].argmax()) != j)
        np.testing.assert_allclose(one.scores[i, j], one.scores[j, i], rtol=1e-12)


@pytest.mark.parametrize("name", sorted(set(EXAMPLES) - set(ALONE)))
def test_where_two_texts_meet_the_view_says_so_and_offers_one_text(name):
    app = open_page("queries_keys_values", look="three", example=name)
    assert lesson.TEXTS.fill("two_texts") in page_text(app)
    app = app.button(key="offer.story").click().run()
    assert link_of(app) == {"look": "three"}
    assert "With $W^K = W^Q$" in page_text(app)
