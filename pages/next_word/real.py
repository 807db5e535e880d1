"""The real language model continues a text of the visitor."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

import streamlit as st

from attention_core.checks import Array
from attention_core.language_model.answer import ReadSoFar, read_in_steps
from attention_core.language_model.shipped import (
    LIKELIEST,
    NextWords,
    next_words_of,
    shipped_next_words,
    shipped_reading,
)
from attention_core.language_model.tokens import BEGIN
from attention_core.writing.small_model import N_LAYERS, N_TOKENS, Drawing, draw_word
from pages.next_word.lesson import TEXTS
from pages.shared import charts, panel
from pages.shared.model_access import asking, sentence
from pages.shared.model_access.asking import PATIENCE, PAUSE, SLICE, TICK, TURNS, NoModelError, model
from pages.shared.notation.prose import literal
from pages.shared.small_model.state import drawing_of
from pages.shared.state import session
from pages.shared.state.widgets import reserve_container

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
            self.failed = TEXTS.fill("waited_too_long", seconds=PATIENCE, before=self.before)
            self.stop()
        return self.before == 0

    def _one_layer(self) -> None:
        self.heard = self.clock()
        if self.steps is None:
            new = self.prompt if self.so_far is None else self.written[-1:]
            self.steps = read_in_steps(model(), new, self.so_far)
        began = time.thread_time()
        try:
            next(self.steps)
            TURNS.used(self, time.thread_time() - began)
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
        for section, icon, n in (("write_many_tokens", "edit", MOST), ("one_token", "arrow_forward", 1)):
            st.button(
                TEXTS.fill(section, many=MOST),
                icon=f":material/{icon}:",
                key=f"writer.{section}",
                on_click=continuation.begin,
                args=(prompt, drawing, n),
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
    written, before = len(continuation.written), continuation.before
    section = "model_is_busy" if before else "tokens_written"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.progress(written / continuation.n, TEXTS.fill(section, before=before, written=written, n=continuation.n))
        st.button(TEXTS.fill("stop"), icon=":material/stop:", key="writer.stop", on_click=continuation.stop)
    _draw_text(continuation)


def _draw_text(continuation: Writer) -> None:
    prompt, written = (literal(text_of(tokens)) for tokens in (continuation.prompt[1:], continuation.written))
    st.markdown(TEXTS.fill("text_goes_on", prompt=prompt, written=written or "…"))


OWN = "own"
EVERY, LAST = 5, 4  # the table has a row for every fifth block, and for each of the last four


def show(parameters) -> None:
    """Draw a text in the real model: the likeliest next tokens, the guess after each block, and a continuation."""
    st.markdown(TEXTS.fill("in_a_real_model", blocks=N_LAYERS, n_tokens=N_TOKENS))
    panel.draw(parameters, "text", "text")
    tokens = _tokens(parameters)
    with reserve_container("next_words"):
        found = _find_next_words(parameters, tokens)
        if found:
            _draw_likeliest(found)
            _draw_growth(found)
    with reserve_container("written_on"):
        if tokens:
            st.markdown(TEXTS.fill("write_on"))
            draw_settings(parameters)
            draw(tokens, drawing_of(parameters))
        elif not asking.is_available():
            sentence.say_how_to_install(TEXTS.fill("model_is_not_here"))


def draw_settings(parameters, *others: str | panel.Item) -> None:
    """Draw the settings with which a word is chosen at random, and other controls."""
    panel.draw(parameters, "drawing", "temperature", "top_k", "top_p", "seed", *others)


def _tokens(parameters) -> tuple[int, ...] | None:
    """Return the tokens of the text that the model can continue, or None if there is no model or no text."""
    with reserve_container("own"):
        if parameters.text == OWN:
            return sentence.draw(parameters, "own")
    return shipped_reading(parameters.text).tokens if asking.is_available() else None


def _find_next_words(parameters, tokens: tuple[int, ...] | None) -> NextWords | None:
    if parameters.text != OWN:
        return shipped_next_words(parameters.text)
    writer = visitor_writer()
    if writer.prompt != tokens or writer.read is None or writer.goes_on:
        return None
    return session.visitor_object(NextWordsCache).next_words_after(writer.read)


class NextWordsCache:
    """A visitor's cache with one entry: the next words after the last text that this visitor asked about."""

    def __init__(self) -> None:
        """Begin with an empty cache."""
        self.read: ReadSoFar | None = None
        self.found: NextWords | None = None

    def next_words_after(self, read: ReadSoFar) -> NextWords:
        """Return the next words after the text of `read`. They are stored, and computed again only for another text."""
        if self.found is None or self.read is not read:
            self.read, self.found = read, next_words_of(asking.model(), read)
        return self.found


def _draw_likeliest(found: NextWords) -> None:
    said = TEXTS.fill(
        "what_comes_next_and_then" if found.written else "what_comes_next", text=sentence.tokens_text(found.pieces),
        n_tokens=N_TOKENS, likeliest=literal(found.likeliest[0]), chances=found.chances, shown=LIKELIEST,
        written=literal(" ".join(found.written)),
    )  # fmt: skip
    st.markdown(said)
    series: dict[str, Array] = {TEXTS.fill("probability"): found.chances}
    charts.chances([piece or "␣" for piece in found.likeliest], series, key="likeliest")


def _draw_growth(found: NextWords) -> None:
    blocks = len(found.guesses) - 1
    half = next((n for n, chance in enumerate(found.of_the_last) if chance >= 0.5 * found.of_the_last[-1]), blocks)
    shown = sorted({*range(0, blocks + 1, EVERY), *range(max(0, blocks - LAST), blocks + 1)})
    guesses = [
        TEXTS.fill(
            "guess_after_block" if number else "guess_before_the_blocks", number=number,
            guess=literal(found.guesses[number]), chance=found.guess_chances[number],
            of_the_last=found.of_the_last[number],
        )
        for number in shown
    ]  # fmt: skip
    last_guess = literal(found.guesses[-1])
    section = "how_the_guess_grows"
    st.markdown(TEXTS.fill(section, half=half, blocks=blocks, last_guess=last_guess, guesses="\n".join(guesses)))
