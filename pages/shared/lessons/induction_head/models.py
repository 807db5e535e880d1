"""The models that can be shown: those that the app ships, and those that visitors have trained on this server."""

from __future__ import annotations

from attention_core.caching import cache_up_to, read_only
from attention_core.induction.measures import Measures, measure
from attention_core.induction.model import Model
from attention_core.induction.snapshots import STEPS, ModelId, find_model, is_available, model_from
from attention_core.induction.training_run import Points, TrainingRun

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
    """Return the identity of the model that is shown for the visitor's choice.

    If the chosen model is not trained yet, this is the next later model, or the last one if none is later.
    """
    steps = steps_of(parameters)
    later = [step for step in steps if step >= asked_model(parameters).step]
    return asked_model(parameters)._replace(step=later[0] if later else steps[-1])


def model(which: ModelId) -> Model:
    """Return the model with this identity, from the shipped file or from a training on this server."""
    return find_model(which) if is_available(which) else _TRAINED[which]


@cache_up_to(64)
def measure_model(which: ModelId, first: str = "trained") -> Measures:
    """Return the measurements of a model.

    `first` says which weights the first head has: "trained" for its own, or "previous" or "uniform" for others.
    """
    return measure(model(which), first)


def measurements_of(parameters) -> Points:
    """Return the measurements of the chosen training, each with its training step.

    If no visitor has watched this training, they are those of the available models.
    """
    which = asked_model(parameters)
    watched = _MEASURED.get((which.seed, which.n_layers), ())
    return watched or tuple((step, measure_model(which._replace(step=step))) for step in steps_of(parameters))


def _is_known(which: ModelId) -> bool:
    return is_available(which) or which in _TRAINED
