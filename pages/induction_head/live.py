"""The models of the page, trained before or while the visitor waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

import streamlit as st

from attention_core.caching import cache_up_to, read_only
from attention_core.induction.model import Measures, Model, measure, run, symbol_numbers
from attention_core.induction.training import (
    STEPS,
    ModelId,
    Points,
    TrainingRun,
    find_model,
    is_available,
    model_from,
    run_after_step,
    start,
)
from pages.shared import charts
from pages.shared.notation.texts import texts_beside
from pages.shared.state import session

TEXTS = texts_beside(__file__)

# The trainings since the server started. A training depends on its seed alone, so all visitors may share it.
_TRAINED: dict[ModelId, Model] = {}
_MEASURED: dict[tuple[int, int], Points] = {}  # by seed and number of layers


def store_models(training_run: TrainingRun) -> None:
    """Store the models of a training and their measurements, so that every visitor can see them."""
    seed, n_layers, _ = training_run.now
    for step, thousandths in training_run.kept.items():
        _TRAINED.setdefault(ModelId(seed, n_layers, step), read_only(model_from(thousandths)))
    if len(training_run.points) > len(_MEASURED.get((seed, n_layers), ())):
        _MEASURED[seed, n_layers] = training_run.points


def forget_models() -> None:
    """Forget all models that visitors have trained on this server."""
    _TRAINED.clear()
    _MEASURED.clear()


def asked_model(parameters) -> ModelId:
    """Return the identity of the model that the visitor has chosen: its seed, its layers and its training steps."""
    return ModelId(int(parameters.seed), int(parameters.layers), int(parameters.after))


def steps_of(parameters) -> tuple[int, ...]:
    """Return the numbers of training steps after which a model of the chosen training is available."""
    return tuple(step for step in STEPS if _is_known(asked_model(parameters)._replace(step=step)))


def shown_model(parameters) -> ModelId:
    """Return the identity of the model that is shown for the visitor's choice."""
    steps = steps_of(parameters)
    later = [step for step in steps if step >= asked_model(parameters).step]
    return asked_model(parameters)._replace(step=later[0] if later else steps[-1])


def model(which: ModelId) -> Model:
    """Return the model with this identity, from the shipped file or from a training on this server."""
    return find_model(which) if is_available(which) else _TRAINED[which]


@cache_up_to(64)
def measure_model(which: ModelId, first: str = "trained") -> Measures:
    """Return the measurements of a model."""
    return measure(model(which), first)


def measurements_of(parameters) -> Points:
    """Return the measurements of the chosen training, each with its training step."""
    which = asked_model(parameters)
    watched = _MEASURED.get((which.seed, which.n_layers), ())
    return watched or tuple((step, measure_model(which._replace(step=step))) for step in steps_of(parameters))


def _is_known(which: ModelId) -> bool:
    return is_available(which) or which in _TRAINED


TICK = 0.1  # seconds from one slice of a visitor's computing to the next
PROGRESS = {1: "progress_of_one_layer", 2: "progress_of_two_layers"}  # by the number of layers
SLICE = 0.035  # seconds of computing in one slice; a step or a measurement that has begun is finished

# The slices of all visitors take turns. So a visitor who does not train waits for one slice at most. Questions to the
# language model wait in a queue instead, because half an answer helps nobody.
_TURN = Lock()


@dataclass(slots=True)
class Watched:
    """The training that one visitor watches, and whether it is still running."""

    training_run: TrainingRun | None = None
    goes_on: bool = False

    def begin(self, seed: int, n_layers: int) -> None:
        """Begin a new training."""
        self.training_run, self.goes_on = start(seed, n_layers), True

    def stop(self) -> None:
        """Stop the training, and store the models that it has trained so far."""
        self.goes_on = False
        if self.training_run:
            store_models(self.training_run)

    def go_on(self) -> None:
        """Train for a short time, unless the server is training for another visitor at this moment."""
        if not (self.goes_on and self.training_run and _TURN.acquire(blocking=False)):
            return
        try:
            self.training_run = after_a_slice(self.training_run, SLICE)
        finally:
            _TURN.release()
        if self.training_run.done:
            self.stop()


def after_a_slice(
    training_run: TrainingRun, seconds: float, clock: Callable[[], float] = time.thread_time
) -> TrainingRun:
    """Return `training_run` as it is after `seconds` of computing, or at its end if it ends before."""
    until = clock() + seconds
    while not training_run.done and clock() < until:
        training_run = run_after_step(training_run)
    return training_run


def watched_training() -> Watched:
    """Return the object that holds the training of this visitor."""
    return session.visitor_object(Watched)


def draw(letters: tuple[str, ...]) -> None:
    """Draw this visitor's training if there is one."""
    if watched_training().training_run:
        _train_and_draw(letters)


@st.fragment(run_every=TICK)
def _train_and_draw(letters: tuple[str, ...]) -> None:
    watched_training().go_on()
    training_run = watched_training().training_run
    if not (watched_training().goes_on and training_run):
        _show_last_model()
        return
    step, (_, now) = training_run.training.step, training_run.points[-1]
    seed, n_layers, _ = training_run.now
    said = TEXTS.fill(PROGRESS[n_layers], seed=seed, step=step, last=STEPS[-1], loss=now.loss, accuracy=now.accuracy)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.progress(step / STEPS[-1], said)
        stop = watched_training().stop
        st.button(TEXTS.fill("stop"), icon=":material/stop:", key="training.stop", on_click=stop)
    charts.learning(training_run.points, key="training.course")
    _draw_heads(training_run, letters)


def _draw_heads(training_run: TrainingRun, letters: tuple[str, ...]) -> None:
    """Draw a picture of each head's weights on the visitor's letters, with the model of the last measurement."""
    if not letters or training_run.latest is None:
        return
    heads = run(model_from(training_run.latest), symbol_numbers(letters)).layers
    for i, (column, layer) in enumerate(zip(st.columns(len(heads)), heads, strict=True)):
        with column:
            title = TEXTS.fill("head_in_training", number=i + 1)
            charts.raster(layer.head.weights, TEXTS.fill("attends_to"), title, key=f"training.head{i}")


def _show_last_model() -> None:
    training_run, watched_training().training_run = watched_training().training_run, None
    if training_run:
        seed, n_layers, _ = training_run.now
        session.set_parameters(seed=str(seed), layers=str(n_layers), after=str(max(training_run.kept)))
    st.rerun()
