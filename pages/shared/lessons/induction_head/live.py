"""Training while a visitor watches: in slices, one at a time in the whole process, one training for each visitor."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

import streamlit as st

from attention_core.induction.course import Course, advanced, start
from attention_core.induction.letters import numbered
from attention_core.induction.model import run
from attention_core.induction.snapshots import STEPS, model_from
from pages.shared import charts
from pages.shared.lessons.induction_head.models import keep
from pages.shared.state import session

TICK = 0.1  # seconds from one slice of a visitor's computing to the next
LAYERS = {1: "one layer", 2: "two layers"}
SLICE = 0.035  # seconds of computing in one slice; a step or a measurement that has begun is finished

_TURN = Lock()  # slices of all visitors take turns, so that those who do not train wait for one at most


@dataclass(slots=True)
class Watched:
    """The training that a visitor watches."""

    course: Course | None = None
    goes_on: bool = False

    def begin(self, seed: int, n_layers: int) -> None:
        """Begin a training. One that goes on is given up."""
        self.course, self.goes_on = start(seed, n_layers), True

    def stop(self) -> None:
        """Stop, and keep the models that were trained so far."""
        self.goes_on = False
        if self.course:
            keep(self.course)

    def go_on(self) -> None:
        """Train for one slice, if no other visitor's is under way."""
        if not (self.goes_on and self.course and _TURN.acquire(blocking=False)):
            return
        try:
            self.course = after_a_slice(self.course, SLICE)
        finally:
            _TURN.release()
        if self.course.done:
            self.stop()


def after_a_slice(course: Course, seconds: float, clock: Callable[[], float] = time.thread_time) -> Course:
    """Return a course after so much computing, or at its end."""
    until = clock() + seconds
    while not course.done and clock() < until:
        course = advanced(course)
    return course


def watched() -> Watched:
    """Return the training that this visitor watches."""
    return session.of(Watched)


def draw(letters: tuple[str, ...]) -> None:
    """Draw a training that goes on, and train meanwhile; once it has stopped, show its last model."""
    if watched().course:
        _watch(letters)


@st.fragment(run_every=TICK)
def _watch(letters: tuple[str, ...]) -> None:
    watched().go_on()
    course = watched().course
    if not (watched().goes_on and course):
        _show_the_end()
        return
    step, (_, now) = course.training.step, course.points[-1]
    of_which = f"Seed {course.now.seed}, {LAYERS[course.now.n_layers]}"
    said = f"{of_which}: step {step} of {STEPS[-1]}, loss {now.loss:.2f}, {now.accuracy:.0%} right"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.progress(step / STEPS[-1], said)
        st.button("Stop", icon=":material/stop:", key="training.stop", on_click=watched().stop)
    charts.learning(course.points, key="training.course")
    _draw_heads(course, letters)


def _draw_heads(course: Course, letters: tuple[str, ...]) -> None:
    """Draw each head's weights on the letters as a picture, as they were when the model was measured last."""
    if not letters or course.latest is None:
        return
    heads = run(model_from(course.latest), numbered(letters)).layers
    for i, (column, layer) in enumerate(zip(st.columns(len(heads)), heads, strict=True)):
        with column:
            charts.raster(layer.head.weights, "looks at", f"head {i + 1}", key=f"training.head{i}")


def _show_the_end() -> None:
    """Show the page as the training has left it: at the last of the models that were kept."""
    course, watched().course = watched().course, None
    if course:
        seed, n_layers, _ = course.now
        session.set_parameters(seed=str(seed), layers=str(n_layers), after=str(max(course.kept)))
    st.rerun()
