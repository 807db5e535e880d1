"""Test the home page: first a sentence whose words attend to each other, and then the same as matrices."""

import json

import numpy as np
import pytest

from attention_core import attend
from attention_core.examples import EXAMPLES, example
from attention_core.examples.sentence import SOUR, story
from pages.home.lesson import why_attention
from pages.shared.equation import matrices_of
from simulating import drawn_equations, edits, link_of, open_page, visit_of, with_edit

WORDS = "attention_lab_words"
SOUR_X = {"x": ";".join(",".join(map(str, row)) for row in SOUR["x"])}


def sentence_data(app):
    """Return the data that the browser gets for the picture of the sentence."""
    (drawn,) = [each.proto for each in app.get("bidi_component") if each.proto.component_name == WORDS]
    return json.loads(drawn.json)[0]


def words_of_sentence(app):
    return [piece["text"] for piece in sentence_data(app)["pieces"]]


def title(app):
    """Return the title of the page, which is the first text that begins with "# "."""
    return next(text.value for text in app.markdown if text.value.startswith("# "))


def test_the_question_is_that_of_the_sentence_or_else_what_attention_computes():
    assert title(open_page("home")) == "# What does “it” refer to?"
    assert title(open_page("home", example="hand")) == "# What does attention compute?"


def test_it_takes_from_the_cat_and_where_it_was_sour_from_the_milk():
    thirsty, sour = open_page("home"), open_page("home", **SOUR_X)
    assert (words_of_sentence(thirsty)[-2], words_of_sentence(sour)[-2]) == ("thirsty", "sour")
    assert np.argmax(sentence_data(thirsty)["weights"][-1]) == story().tokens.index("cat")
    assert np.argmax(sentence_data(sour)["weights"][-1]) == story().tokens.index("milk")


def test_the_last_word_edits_the_features_as_a_cell_would():
    app = open_page("home")
    (cells,) = [piece["cells"] for piece in sentence_data(app)["pieces"] if piece["cells"]]
    with_edit(app, {"kind": "edit", "id": "x", "cells": cells, "done": True})
    assert link_of(app) == SOUR_X
    assert words_of_sentence(app)[-2] == "sour"
    with_edit(app, {"kind": "undo"})
    assert edits(app) == {}
    assert words_of_sentence(app)[-2] == "thirsty"


def test_the_chosen_word_is_in_the_link():
    app = open_page("home")
    assert sentence_data(app)["word"] == -1
    with_edit(app, {"kind": "ask", "word": 1})
    assert (sentence_data(app)["word"], link_of(app)) == (1, {"word": "1"})
    assert sentence_data(open_page("home", word="1"))["word"] == 1
    with_edit(app, {"kind": "ask", "word": -1})
    assert link_of(app) == {}


@pytest.mark.parametrize("name", EXAMPLES)
def test_on_every_example_its_own_words_and_weights_are_shown(name):
    this, shown = example(name), sentence_data(open_page("home", example=name))
    tokens = [piece["text"] for piece in shown["pieces"] if piece["token"] is not None]
    assert tokens == list(this.tokens)
    assert shown["answers"] == (None if this.context_tokens is None else list(this.context_tokens))
    np.testing.assert_array_equal(shown["weights"], this.attention().weights)


def test_a_word_that_the_example_does_not_have_is_replaced_by_the_first():
    app = open_page("home", example="hand", word="4")
    assert visit_of(app).parameters.word == 0


# --- why attention at all ---


def test_it_is_said_how_far_a_word_is_from_the_one_it_takes_most_from():
    this = example("story")
    assert "from “cat” to “it” in **4 steps**" in why_attention(this, this.attention().weights, 4)
    assert "from “milk” to “it” in **2 steps**" in why_attention(this, this.with_matrices(SOUR).attention().weights, 4)
    # "cat" attends most to "drank", which is its neighbour
    assert "in one step" in why_attention(this, this.attention().weights, 0)


def test_the_distance_is_that_of_the_greatest_weight_on_another():
    for name in EXAMPLES:
        this = example(name)
        weights = this.attention().weights
        for i, row in enumerate(weights):
            text = why_attention(this, weights, i)
            if this.context is not None:
                assert f"each of the **{len(this.key_tokens)}** words directly" in text
                continue
            others = np.delete(row, i)
            steps = {abs(i - (j + (j >= i))) for j in np.flatnonzero(others == others.max())}
            assert any(("in one step" if n == 1 else f"in **{n} steps**") in text for n in steps)


def test_each_matrix_is_shown_once_but_a_scene_shows_every_factor():
    """Check that the home page shows each matrix once, but in a scene of a lecture shows all factors of each product.

    The page opens with at most 150 numbers.
    """

    def ids(app):
        return [matrix.id for matrix in matrices_of(drawn_equations(app)["all"])]

    read, told = ids(open_page("home")), ids(open_page("home", scene="5"))
    assert read == ["x", "q", "k", "v", "scores", "weights", "output"]
    assert told == ["x", "q", "k", "v", "q", "k", "scores", "weights", "weights", "v", "output"]
    assert sum(matrix.values.size for matrix in matrices_of(drawn_equations(open_page("home"))["all"])) <= 150


def test_one_word_has_the_same_output_as_all_words_at_once():
    """Check that the output of each word is the same, whether attention is computed for one word or for all at once."""
    for name in EXAMPLES:
        trace = example(name).attention()
        alone = [attend(trace.q[i : i + 1], trace.k, trace.v).output[0] for i in range(len(trace.q))]
        np.testing.assert_allclose(trace.output, alone, rtol=1e-12, atol=1e-12)


def test_the_reason_is_on_the_page_and_follows_the_word():
    assert any("from “cat” to “it”" in text.value for text in open_page("home").markdown)
    assert any("in one step" in text.value for text in open_page("home", word="0").markdown)
    assert any("each of the **5** words" in text.value for text in open_page("home", example="french").markdown)
