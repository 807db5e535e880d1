"""What the tests of pages may ask for."""

from pathlib import Path

import pytest

from attention_core.language_model import model_path, turns
from attention_core.language_model.answer_cache import AnswerCache
from attention_core.language_model.model import LanguageModel
from gguf_writing import write
from pages.shared.lessons.real_heads import reading
from pages.shared.model_access import asking, local_model
from pages.shared.takehome.screen import Screen
from taken_home import STATES, State, screen_at
from toy_model import MATRICES, SETTINGS


@pytest.fixture(scope="session", params=STATES, ids=str)
def state(request: pytest.FixtureRequest) -> State:
    """Each state in turn: the page and its link."""
    return request.param


@pytest.fixture(scope="session")
def screen(state: State) -> Screen:
    """The screen in each state in turn, opened once for all tests of the state."""
    page, link = state
    return screen_at(page, **link)


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the real model, on which nobody has asked anything yet."""
    monkeypatch.setattr(asking, "TURNS", turns.Turns())
    monkeypatch.setattr(asking, "CACHE", AnswerCache())
    monkeypatch.setattr(local_model, "_OPENED", {})
    monkeypatch.setattr(model_path, "PACKAGE", "no-such-package")
    reading._question.cache_clear()  # type: ignore[attr-defined]


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LanguageModel:
    """A small model with random numbers in the place of the real one."""
    monkeypatch.setenv(model_path.SETTING, str(write(tmp_path / "toy.gguf", SETTINGS, MATRICES, {})))
    return local_model.model()
