"""The real model writes a text token by token while a visitor watches. It writes for one visitor at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

import streamlit as st

from attention_core.language_model.pieces import BEGIN
from attention_core.language_model.writing import ReadSoFar, read_in_steps
from attention_core.writing.small_model import Drawing, draw_word
from pages.shared.model_access.asking import PATIENCE, PAUSE, SLICE, TICK, TURNS
from pages.shared.model_access.local_model import NoModelError, model
from pages.shared.notation.prose import literal
from pages.shared.state import session

MOST = 40  # the number of tokens that one press asks for
ENDS = (BEGIN, "<|im_end|>")  # a text ends after one of these tokens


@dataclass(slots=True, eq=False)
class Writer:
    """A text that the real model continues for one visitor.

    The visitors take turns. After each token, the model works for the visitor who has waited longest.
    """

    prompt: tuple[int, ...] = ()
    drawing: Drawing = field(default_factory=Drawing)
    n: int = 0  # how many tokens to write
    written: tuple[int, ...] = ()
    read: ReadSoFar | None = None  # what is stored after the prompt alone
    so_far: ReadSoFar | None = None  # what is stored after everything that was read
    steps: Generator[int, None, ReadSoFar] | None = None  # reads the present token, layer by layer
    goes_on: bool = False
    before: int = 0  # how many visitors wait before this visitor
    heard: float = 0.0  # when the model last worked for this visitor
    failed: str = ""
    clock: Callable[[], float] = time.monotonic

    def begin(self, prompt: tuple[int, ...], drawing: Drawing, n: int) -> None:
        """Begin to continue the text `prompt` with `n` tokens, chosen at random with the settings `drawing`.

        An earlier continuation is dropped. If the text is the same as before, its keys and values are used again.
        """
        if prompt != self.prompt:
            self.read = None
        self.prompt, self.drawing, self.n, self.written = prompt, drawing, n, ()
        self.so_far, self.steps, self.goes_on, self.failed, self.heard = self.read, None, True, "", self.clock()
        self.choose_token()

    def stop(self) -> None:
        """Stop writing, and keep the tokens that were written so far."""
        self.goes_on, self.steps = False, None
        TURNS.leave(self)

    def go_on(self, seconds: float = SLICE) -> None:
        """Let the model write for `seconds` of computing, if it is this visitor’s turn to use the model."""
        until = time.thread_time() + seconds
        try:
            while self.goes_on and self._has_the_turn() and time.thread_time() < until:
                self._one_layer()
                time.sleep(PAUSE)
        except NoModelError as error:
            self.failed = str(error)
            self.stop()

    def _has_the_turn(self) -> bool:
        self.before = TURNS.before(self)
        if self.before and self.clock() - self.heard > PATIENCE:
            self.failed = (
                f"You waited for {PATIENCE:.0f} seconds. People still before you: {self.before}. "
                "Ask again in a few minutes."
            )
            self.stop()
        return self.before == 0

    def _one_layer(self) -> None:
        self.heard = self.clock()
        if self.steps is None:
            new = self.prompt if self.so_far is None else self.written[-1:]
            self.steps = read_in_steps(model(), new, self.so_far)
        try:
            next(self.steps)
        except StopIteration as end:
            self.so_far, self.steps = end.value, None
            self.read = self.read or end.value
            TURNS.leave(self)
            self.choose_token()

    def choose_token(self) -> None:
        """Choose the next token at random, with the model's probabilities. Stop if the text is finished."""
        if self.so_far is None or not self.goes_on:
            return
        if len(self.written) == self.n:
            self.stop()
            return
        token = int(draw_word(self.drawing, self.so_far.logits, len(self.written)).drawn)
        self.written = (*self.written, token)
        if model().vocabulary.tokens[token] in ENDS:
            self.stop()


def visitor_writer() -> Writer:
    """Return the object that holds the text which the model continues for this visitor."""
    return session.visitor_object(Writer)


def text_of(tokens: tuple[int, ...]) -> str:
    """Return the text that these token numbers stand for."""
    return model().vocabulary.decode(tokens)


def draw(prompt: tuple[int, ...], drawing: Drawing) -> None:
    """Draw the text so far, and buttons that let the model continue `prompt`. While it writes, draw its progress.

    `drawing` has the settings with which tokens are chosen at random.
    """
    continuation = visitor_writer()
    if continuation.goes_on and continuation.prompt == prompt:
        _write_and_draw()
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            f"Write {MOST} tokens",
            icon=":material/edit:",
            key="writer.begin",
            on_click=continuation.begin,
            args=(prompt, drawing, MOST),
        )
        st.button(
            "One token",
            icon=":material/arrow_forward:",
            key="writer.one",
            on_click=continuation.begin,
            args=(prompt, drawing, 1),
        )
    if continuation.failed:
        st.warning(continuation.failed, icon=":material/hourglass_disabled:")
    elif continuation.prompt == prompt and continuation.written:
        _draw_text(continuation)


@st.fragment(run_every=TICK)
def _write_and_draw() -> None:
    """Let the model write for a short time, and draw the text so far. Streamlit calls this again and again."""
    continuation = visitor_writer()
    continuation.go_on()
    if not continuation.goes_on:
        st.rerun()
    said = (
        f"The model is busy. People before you: {continuation.before}."
        if continuation.before
        else f"Token {len(continuation.written)} of {continuation.n}"
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.progress(len(continuation.written) / continuation.n, said)
        st.button("Stop", icon=":material/stop:", key="writer.stop", on_click=continuation.stop)
    _draw_text(continuation)


def _draw_text(continuation: Writer) -> None:
    st.markdown(
        f"{literal(text_of(continuation.prompt[1:]))} **goes on:** {literal(text_of(continuation.written)) or '…'}"
    )
