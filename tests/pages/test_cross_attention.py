"""Test the page of cross-attention: a translation, the notebook's numbers, texts of any length, one or two inputs."""

import numpy as np
import pytest

from attention_core.examples import EXAMPLES, example
from attention_core.examples.sentence import CATS, french
from notebooks import notebook_values
from pages.cross_attention import lesson
from pages.shared.notation.numbers import significant
from pages.shared.state.session import Workspace
from simulating import (
    choose,
    chosen_in_panels,
    controls_in_panels,
    equations,
    link_of,
    notices,
    open_page,
    shown_values,
    visit_of,
)

pytestmark = pytest.mark.lowest


def matrices_of_equation(app, key):
    items = [item for line in equations(app)[key] for item in line["items"]]
    return {item["id"]: shown_values(item) for item in items if "values" in item}


def matrices_for_one(app):
    """Return the matrices that the page shows for the chosen query token: its scores and its output, by id."""
    return matrices_of_equation(app, "cross_attention.equation.one") | matrices_of_equation(
        app, "cross_attention.equation.handed"
    )


def test_question_1_stands_on_the_page():
    shown = matrices_for_one(open_page("cross_attention", example="context"))
    for name, path in {
        "scores": "scores",
        "scaled": "scaled_scores",
        "weights": "attention_weights",
    }.items():
        np.testing.assert_allclose(shown[name].ravel(), notebook_values(f"3/q1/{path}"), rtol=1e-12)
    np.testing.assert_allclose(shown["output"].ravel(), notebook_values("3/q1_right_context/context"), rtol=1e-12)


def test_the_other_decoder_state_and_all_at_once():
    app = open_page("cross_attention", example="context", word="0", look="all")
    one, all_ask = matrices_for_one(app), matrices_of_equation(app, "cross_attention.equation.all")
    for shown in (one, all_ask):
        np.testing.assert_allclose(shown["output"][0], notebook_values("3/q1_decoder_state_0/context"), rtol=1e-12)
    np.testing.assert_allclose(all_ask["output"][1], notebook_values("3/q1_right_context/context"), rtol=1e-12)


def test_the_notebook_s_wrong_vector_beside_the_right_one():
    app = open_page("cross_attention", example="context", mistake="features_weighted")
    shown = matrices_of_equation(app, "cross_attention.equation.mistake")
    wrong, right = shown["output_mistake"][1], shown["output_right"][1]
    np.testing.assert_allclose(wrong, [0.07694035, -0.00526995, 0.38974566, 0.45122057], atol=5e-9)
    np.testing.assert_allclose(right, notebook_values("3/q1_right_context/context"), rtol=1e-12)
    off = np.abs(shown["output_mistake"] - shown["output_right"]).max()
    assert any(f"The output is off by up to {significant(off, 4)}." in text.value for text in app.markdown)


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_any_numbers_of_queries_and_keys(name, layout):
    this = example(name)
    n_q, n_k = len(this.tokens) - 1, len(this.key_tokens) - 1
    app = open_page("cross_attention", example=name, queries=str(n_q), keys=str(n_k), layout=layout, look="all")
    assert not app.exception
    shown = matrices_of_equation(app, "cross_attention.equation.all")
    part = this.shortened(n_q, n_k).attention()
    turn = np.transpose if layout == "columns" else np.asarray
    np.testing.assert_allclose(shown["weights"], turn(part.weights), rtol=1e-12)
    one = matrices_of_equation(app, "cross_attention.equation.one")
    everyone = this.shortened(len(this.tokens), n_k).attention()
    np.testing.assert_allclose(one["weights"].ravel(), everyone.weights[-1], rtol=1e-12)
    assert f"Tokens that ask: {n_q}. Tokens that answer: {n_k}." in "\n".join(text.value for text in app.markdown)


def test_self_attention_is_this_with_one_input():
    app = open_page("cross_attention", example="context", itself="on", look="all")
    shown = matrices_of_equation(app, "cross_attention.equation.all")
    assert "context" not in shown
    np.testing.assert_allclose(shown["output"], example("context").as_self_attention().attention().output, rtol=1e-12)
    assert any("One input: this is self-attention" in text.value for text in app.markdown)
    app = choose(app, "itself", "off")
    assert "context" in matrices_of_equation(app, "cross_attention.equation.all")
    assert link_of(app) == {"example": "context", "look": "all"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_x_may_ask_itself_where_there_is_a_context_as_wide(name):
    app = open_page("cross_attention", example=name, itself="on", look="all")
    assert not app.exception
    context = example(name).context
    may = context is not None and context.shape[1] == example(name).x.shape[1]
    assert ("itself" in controls_in_panels(app)) == may


def test_what_has_one_input_says_so_and_offers_two():
    app = open_page("cross_attention", example="story")
    assert any("one input, whose tokens attend" in button.label for button in app.button)
    app = app.button(key="offer.french").click().run()
    assert link_of(app) == {}
    assert chosen_in_panels(app, "example") == ["french"]
    assert not any("one input, whose tokens attend" in button.label for button in app.button)


def test_rows_of_x_that_answer_are_edited_in_x_alone():
    app = open_page("cross_attention", example="hand", queries="2", look="all")
    items = [item for line in equations(app)["cross_attention.equation.all"] for item in line["items"] if "id" in item]
    assert {item["id"]: item["editable"] for item in items if item["id"] in ("x", "context")} == {
        "x": True,
        "context": False,
    }
    assert notices(app).count("must be") == 0


# --- why ---


def reason_text(example, i):
    """Return the sentences of the page that say what token `i` of the example attends to, and why."""
    return lesson.why(example, example.attention(), i, 2)


PRODUCT = "3\u00a0·\u00a02\u00a0=\u00a0**6**"  # with spaces at which no line breaks


def test_each_word_says_by_which_feature_it_finds_its_word():
    assert f"“le” looks for a noun (3), and “cat” is a noun (2): {PRODUCT}. No" in reason_text(french(), 0)
    assert f"“chat” looks for an adjective (3), and “black” is an adjective (2): {PRODUCT}. No" in reason_text(
        french(), 1
    )
    assert reason_text(french(), 0).startswith(lesson.TEXTS.fill("two_texts"))


def test_a_score_of_several_features_says_what_one_of_them_gives():
    both = [[1, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0], *french().matrices()["context"][2:]]
    said = reason_text(french().with_matrices({"context": both}), 0)
    assert f"“le” looks for a noun (3), and “black” is a noun (2): {PRODUCT} of its score of 8." in said


def test_the_word_that_is_named_scores_highest():
    for this in (french(), french().with_matrices(CATS), example("story")):
        for i, scores in enumerate(this.attention().scores):
            best = this.key_tokens[int(scores.argmax())]
            assert f"“{best}” is " in reason_text(this, i) or (scores == 0).all()


def test_what_asks_itself_and_finds_nothing_says_so():
    said = reason_text(french().as_self_attention(), 1)
    assert said.startswith(lesson.TEXTS.fill("one_text"))
    assert said.endswith("All scores of “chat” are 0, so it attends to all tokens alike, with **0.50**.")


def test_without_names_the_reason_stands_alone():
    assert reason_text(example("context"), 0) == lesson.TEXTS.fill("two_texts")
    assert reason_text(example("hand"), 0) == lesson.TEXTS.fill("one_text")


def test_a_word_that_is_touched_asks():
    app = open_page("cross_attention", word="0")
    np.testing.assert_array_equal(
        matrices_of_equation(app, "cross_attention.equation.one")["weights"], french().attention().weights[:1]
    )
    assert any("“le” looks for a noun" in text.value for text in app.markdown)
    assert link_of(app) == {"word": "0"}


# --- what it opens with ---


def test_a_bare_link_opens_the_translation_and_one_with_an_example_that():
    assert visit_of(open_page("cross_attention")).workspace == Workspace("french")
    app = open_page("cross_attention", example="story")
    assert visit_of(app).workspace == Workspace("story")
    assert link_of(app) == {"example": "story"}
