"""Fixtures for the tests of pages: page states, their screens, and a language model that is missing or tiny."""

from pathlib import Path

import pytest

from attention_core.language_model import answer, gguf
from attention_core.language_model.answer import AnswerCache
from attention_core.language_model.model import LanguageModel
from language_models import MATRICES, SETTINGS, write
from pages.shared.model_access import asking
from pages.shared.real_heads import reading
from pages.shared.takehome.screen import ShownPage
from taken_home import STATES, State, screen_at
from visiting import new_visitor, visiting


@pytest.fixture(scope="session", params=STATES, ids=str)
def state(request: pytest.FixtureRequest) -> State:
    """Give the test each tested state in turn, as a pair: the name of the page, and the link as a dictionary."""
    return request.param


@pytest.fixture(scope="session")
def screen(state: State) -> ShownPage:
    """Give the test the screen of each tested state in turn. A screen is opened once for all tests of its state."""
    page, link = state
    return screen_at(page, **link)


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the app behave as on a machine without the real language model, and forget earlier answers of the model."""
    monkeypatch.setattr(asking, "TURNS", answer.Turns())
    monkeypatch.setattr(asking, "CACHE", AnswerCache())
    monkeypatch.setattr(asking, "_OPENED", {})
    monkeypatch.setattr(gguf, "PACKAGE", "no-such-package")
    reading._question.cache_clear()  # type: ignore[attr-defined]


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LanguageModel:
    """Give the test a tiny language model with random weights, which takes the place of the real model."""
    monkeypatch.setenv(gguf.SETTING, str(write(tmp_path / "toy.gguf", SETTINGS, MATRICES, {})))
    return asking.model()


@pytest.fixture
def visitor_session():
    """Give the test a visitor's session on the page "Attention, step by step"."""
    with visiting(new_visitor()) as visitor:
        yield visitor
