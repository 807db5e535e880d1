"""Test "Your sentence" with a real model and without it: the head that it shows, and links from older versions."""

import numpy as np
import pytest

from attention_core.language_model.shipped import TEXTS, shipped_reading
from pages.shared.model_access import asking
from pages.shared.real_heads import tour
from pages.your_sentence import lesson
from simulating import after_the_answer, equations, link_of, matrices, open_page, visit_of

PAGE = "your_sentence"
pytestmark = pytest.mark.usefixtures("no_model")


def page_text(app):
    return "\n".join(each.value for each in [*app.markdown, *app.info])


@pytest.mark.parametrize("text", TEXTS)
def test_without_the_model_every_shipped_sentence_stands_there(text):
    app = open_page(PAGE, source="model", shipped=text)
    assert not app.exception
    kept = shipped_reading(text)
    head = lesson.head_that_shows_most(kept.maps / 255)
    np.testing.assert_allclose(matrices(app)["weights"]["values"], kept.maps[head] / 255, atol=5e-3)
    assert asking.COMMAND in [code.value for code in app.code]


@pytest.mark.parametrize("text", TEXTS)
def test_the_shown_head_has_a_role_and_the_greatest_weight(text):
    """Check that no head has a greater weight for an earlier token than the shown head, which has a measured role."""
    maps = shipped_reading(text).maps / 255
    strongest = {
        head: max(maps[head][i, j] for i in range(2, len(maps[head])) for j in range(1, i)) for head in lesson.HEADS
    }
    shown = lesson.head_that_shows_most(maps)
    assert strongest[shown] == max(strongest.values()) > 0.4
    assert any(role.head == shown for role in tour.roles_of_tour())


def test_it_says_what_the_word_attends_to():
    app = open_page(PAGE)
    weights = np.array(matrices(app)["weights"]["values"])
    asks, most = np.unravel_index(lesson.weights_on_earlier(weights).argmax(), weights.shape)
    tokens = shipped_reading("cat").pieces
    assert f"`{tokens[asks]}` attends most to `{tokens[most]}`, with **{weights[asks, most]:.2f}**" in page_text(app)


def test_a_sentence_of_ones_own_is_read(toy):
    app = after_the_answer(open_page(PAGE, source="model", own="the the"))
    assert not app.exception
    assert len(matrices(app)["weights"]["values"]) == 1 + len(toy.vocabulary.encode("the the"))


def test_a_link_from_before_the_real_model_opens_random_weights():
    app = open_page(PAGE, text="eins zwei", seed="5")
    assert visit_of(app).parameters.source == "typed"
    assert len(matrices(app)["weights"]["values"]) == 2
    assert open_page(PAGE, **link_of(app)).exception == app.exception
    assert visit_of(open_page(PAGE)).parameters.source == "model"


def test_what_was_set_elsewhere_on_the_page_does_not_change_the_source_of_a_link():
    link = link_of(open_page(PAGE, source="model", seed="5"))
    assert link["source"] == "model"
    assert visit_of(open_page(PAGE, **link)).parameters.source == "model"


def test_it_opens_with_at_most_150_numbers():
    boards = [line for lines in equations(open_page(PAGE)).values() for line in lines]
    assert sum(np.size(item["values"]) for line in boards for item in line["items"] if "values" in item) <= 150
