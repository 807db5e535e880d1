"""A visitor's letters in a model: the trace of all its steps, and each layer as an example of attention."""

from __future__ import annotations

from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.induction.letters import letters_in, symbol_numbers
from attention_core.induction.model import Model, ModelTrace, run
from attention_core.induction.rewiring import weights_instead
from attention_core.induction.snapshots import ModelId
from pages.shared.lessons.induction_head.models import model, shown_model
from pages.shared.notation.prose import literal, short

MOST_LETTERS = 20  # at later positions the first head has hardly learned anything, because training seldom needs them
NAMES = ("first", "second")  # the names of the layers

ABOUT = "Letters read by a trained model: vectors and weights are learned, as whole thousandths."


def letters_of(parameters) -> tuple[str, ...]:
    """Return the letters of the visitor's text that the model reads. Further letters are left out."""
    return letters_in(parameters.text)[:MOST_LETTERS]


def left_out_text(text: str) -> str:
    """Return a sentence that names what the model does not read, or "" if it reads the whole text.

    The model leaves out characters that it does not know, and letters beyond the first 20.
    """
    strange = "".join(dict.fromkeys(each for each in text if not each.isspace() and not letters_in(each)))
    more = len(letters_in(text)) - MOST_LETTERS
    said = [f"the model does not know {literal(short(strange))}"] * bool(strange)
    said += [f"the first {MOST_LETTERS} letters are read, {more} more are left out"] * (more > 0)
    return f":material/content_cut: Here {' and '.join(said)}." if said else ""


def trace_of(parameters) -> ModelTrace:
    """Return every intermediate result of the shown model for the visitor's letters."""
    return _read(letters_of(parameters), shown_model(parameters), parameters.first)


def example_of(parameters) -> Example | None:
    """Return the first layer as an example of attention, or None if the visitor's text has no letters."""
    return layer_of(parameters, 0) if letters_of(parameters) else None


def layer_of(parameters, layer: int) -> Example:
    """Return the layer with this index as an example of attention: its input and its matrices."""
    return _layer(letters_of(parameters), shown_model(parameters), parameters.first, layer)


def model_of(parameters) -> Model:
    """Return the model that is shown."""
    return model(shown_model(parameters))


@cache_recent
def _read(letters: tuple[str, ...], which: ModelId, first: str) -> ModelTrace:
    return run(model(which), symbol_numbers(letters), weights_instead(first, len(letters)))


@cache_recent
def _layer(letters: tuple[str, ...], which: ModelId, first: str, layer: int) -> Example:
    trace, learned = _read(letters, which, first), model(which).layers[layer]
    return Example(
        name="letters", title="Your letters", about=ABOUT, source=f"Trained with seed {which.seed}.", tokens=letters,
        x=trace.layers[layer].head.x, w_q=learned.w_q, w_k=learned.w_k, w_v=learned.w_v, w_o=learned.w_o, n_heads=1,
    )  # fmt: skip
