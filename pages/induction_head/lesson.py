"""What an induction head reads, its equations, and what the page says about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.induction.model import (
    ALPHABET,
    CONTEXT,
    N_SEQUENCES,
    N_SYMBOLS,
    LayerTrace,
    Measures,
    Model,
    ModelTrace,
    letters_in,
    run,
    symbol_numbers,
    weights_instead,
)
from attention_core.induction.training import STEPS, ModelId, Points
from attention_core.softmax import softmax
from pages.induction_head.live import TEXTS, measure_model, model, shown_model
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.matrices import attention_matrices
from pages.shared.equation.model import Labels
from pages.shared.notation.prose import markdown_table, short

MOST_LETTERS = 20  # at later positions the first head has hardly learned anything, because training seldom needs them
NAMES = ("first", "second")  # the names of the layers


def letters_of(parameters) -> tuple[str, ...]:
    """Return the letters of the visitor's text that the model reads."""
    return letters_in(parameters.text)[:MOST_LETTERS]


def left_out_text(text: str) -> str:
    """Return a sentence that names the characters and letters that the model does not read, or "" if there are none."""
    unknown = "".join(dict.fromkeys(each for each in text if not each.isspace() and not letters_in(each)))
    more = len(letters_in(text)) - MOST_LETTERS
    sections = {
        (True, False): "unknown_is_left_out",
        (False, True): "rest_is_left_out",
        (True, True): "unknown_and_rest_are_left_out",
    }
    section = sections.get((bool(unknown), more > 0))
    return TEXTS.fill(section, unknown=short(unknown), most=MOST_LETTERS, more=more) if section else ""


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
        name="letters", title=TEXTS.fill("example_title"), about=TEXTS.fill("example_about"),
        source=TEXTS.fill("example_source", seed=which.seed), tokens=letters,
        x=trace.layers[layer].head.x, w_q=learned.w_q, w_k=learned.w_k, w_v=learned.w_v, w_o=learned.w_o, n_heads=1,
    )  # fmt: skip


SHOWN = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "scaled", "masked", "weights", "output")
TITLES = {1: ("weights_of_only_head",), 2: ("weights_of_first_head", "weights_of_second_head")}  # by number of layers


def next_symbols(trace: ModelTrace) -> np.ndarray:
    """Return the number of the next symbol for each position: at the last one, it is the model's best guess."""
    return np.append(trace.tokens[1:], trace.logits[-1].argmax())


def probabilities_of_next(trace: ModelTrace) -> np.ndarray:
    """Return the probability that the model gave to the next symbol at each position: (n,)."""
    return softmax(trace.logits)[np.arange(len(trace.tokens)), next_symbols(trace)]


@cache_recent
def who_lines(examples: tuple[Example, ...], trace: ModelTrace, first: str, alphabet: str) -> Sequence[Line]:
    """Return an equation with the weights of each head, and one with the probabilities of the next symbols."""
    heads = [_matrices(example, trace.layers[i], i, first)["weights"] for i, example in enumerate(examples)]
    weights = [Line((head,), TEXTS.fill(title)) for head, title in zip(heads, TITLES[len(heads)], strict=True)]
    return [*weights, Line((_guesses_matrix(trace, alphabet),), TEXTS.fill("probabilities"))]


def _guesses_matrix(trace: ModelTrace, alphabet: str) -> Matrix:
    nexts = [alphabet[number] for number in next_symbols(trace)]
    rows = tuple(f"→ {then}" for then in nexts)
    made = Matrix.named("guesses", probabilities_of_next(trace)[:, None], row_labels=rows)
    return made.as_given().with_reads(f"weights_{NAMES[len(trace.layers) - 1]}[i,:]")


@cache_recent
def head_lines(example: Example, trace: ModelTrace, layer: int, first: str) -> Sequence[Line]:
    """Return the equations of the head in `layer`, from its input to its output."""
    m = _matrices(example, trace.layers[layer], layer, first)
    transposed = m["k"].transpose(f"K_{layer + 1}^T")
    product = (m["q"], "·", transposed, "=", m["scores"])
    parts = [] if layer == 0 else [_parts_line(example, trace, m["scores"])]
    shares = (m["scores"], Sign(TEXTS.fill("scores_to_weights"), arrow=True), m["weights"])
    own = Line(shares, TEXTS.fill("line_of_weights"))
    instead = Line((m["weights"],), TEXTS.fill("line_of_other_weights"))
    return [
        *parts,
        *(Line((m["x"], "·", m[f"w_{name}"], "=", m[name])) for name in "qk"),
        Line(product, TEXTS.fill("line_of_scores")),
        instead if layer == 0 and first != "trained" else own,
        Line((m["x"], "·", m["w_v"], "=", m["v"]), TEXTS.fill("line_of_values")),
        Line((m["weights"], "·", m["v"], "=", m["output"]), TEXTS.fill("line_of_output")),
    ]


def scores_from_first_head(trace: ModelTrace, w_k: np.ndarray) -> np.ndarray:
    """Return the part of the second head's scores that its keys, made with `w_k`, read from the first head: (n, n)."""
    return trace.layers[1].head.q @ (trace.layers[0].added @ w_k).T


def _parts_line(example: Example, trace: ModelTrace, scores: Matrix) -> Line:
    """Return the scores of the second head as a sum: from letters and positions, and from the first head."""
    brought = scores_from_first_head(trace, example.w_k)
    labels = Labels(row_labels=scores.row_labels, column_labels=scores.column_labels)
    parts = {"scores_own": scores.values - brought, "scores_brought": brought}
    own, by_head = (
        Matrix.named(name, values, **labels).as_given().with_reads("q_second[i,:]", f"{scores.id}[i,j]")
        for name, values in parts.items()
    )
    return Line((own, "+", by_head, "=", scores), TEXTS.fill("line_of_parts"))


def _matrices(example: Example, steps: LayerTrace, layer: int, first: str) -> dict[str, Matrix]:
    made = dict(attention_matrices(example, steps.head))
    if layer == 0 and first != "trained":
        made["weights"] = made["weights"].as_given()
    return {name: _of_layer(made[name], layer) for name in SHOWN}


def _of_layer(matrix: Matrix, layer: int) -> Matrix:
    own = matrix.with_suffix(f"_{NAMES[layer]}", SHOWN).read_only()
    name = TEXTS.fill("name_in_layer", name=matrix.name, number=layer + 1)
    return replace(own, symbol=f"{matrix.symbol}_{layer + 1}", name=name)


HALF, QUARTER = 0.5, 0.25
FEWEST = 4  # with fewer measurements, one cannot say what was learned first
ALONE = ModelId(0, 1, STEPS[-1])
FIRST = ("trained", "previous", "uniform")  # the weights that the first head can have


def why(trace: ModelTrace | None, letters: Sequence[str]) -> str:
    """Return a text that says what the model learns, and what it expects after the visitor's letters."""
    if trace is None:
        return TEXTS.fill("why")
    best, share = ALPHABET[next_symbols(trace)[-1]], probabilities_of_next(trace)[-1]
    if len(letters) == 1:
        return TEXTS.fill("why_with_one_letter", best=best, share=share)
    back = np.diagonal(trace.layers[0].head.weights, offset=-1).mean()
    found = _after_first(letters)
    if found is None:
        return TEXTS.fill("why_with_a_new_letter", best=best, share=share, back=back)
    weight = trace.layers[-1].head.weights[-1, found]
    return TEXTS.fill(
        "why_with_two_heads" if len(trace.layers) > 1 else "why_with_one_head",
        best=best, share=share, back=back, here=letters[-1], then=letters[found], weight=weight,
    )  # fmt: skip


def _after_first(letters: Sequence[str]) -> int | None:
    found = letters.index(letters[-1]) + 1
    return found if found < len(letters) else None


def input_text(trace: ModelTrace, layer: int, letters: Sequence[str], w_k: np.ndarray) -> str:
    """Return a text about the input of the head in `layer`; `w_k` gives the keys of the second head."""
    if layer == 0:
        return TEXTS.fill("numbers_of_first_head")
    found = _after_first(letters)
    if found is None:
        return TEXTS.fill("numbers_of_second_head")
    return TEXTS.fill(
        "numbers_of_second_head_with_a_score", here=letters[-1], then=letters[found],
        score=trace.layers[1].head.scores[-1, found], brought=scores_from_first_head(trace, w_k)[-1, found],
        weight=trace.layers[0].head.weights[found, found - 1],
    )  # fmt: skip


def loss_and_accuracy_text(which: ModelId, now: Measures, first: str) -> str:
    """Return a text with the loss and the accuracy of the shown model, whose first head has the weights `first`."""
    return TEXTS.fill(
        "measured" if first == "trained" else "measured_with_other_weights", steps=which.step,
        weights=TEXTS.words("weights_in_sentences").options[first], loss=now.loss, accuracy=now.accuracy,
        n_symbols=N_SYMBOLS, n_sequences=N_SEQUENCES, context=CONTEXT,
    )  # fmt: skip


def missing_models_text(steps: Sequence[int]) -> str:
    """Return a sentence that says after which training steps models are available, or "" if all models are."""
    if len(steps) == len(STEPS):
        return ""
    *most, last = map(str, steps)
    listed = TEXTS.fill("steps_and_last_step", steps=", ".join(most), last=last) if most else last
    return TEXTS.fill("missing_models", steps=listed)


def first_change_text(points: Points) -> str:
    """Return a text that says at which step each of three curves has made a quarter of its whole change."""
    if len(points) < FEWEST:
        return TEXTS.fill("too_few_measurements", n=len(points))
    back, found, fell = (_step_of_a_quarter(points, name) for name in ("previous", "induction", "loss"))
    return TEXTS.fill("first_change", back=back, found=found, fell=fell)


def _step_of_a_quarter(points: Points, name: str) -> int:
    values = [getattr(now, name) for _, now in points]
    way = values[-1] - values[0]
    gone = [(value - values[0]) / way if way else 1.0 for value in values]
    return next(step for (step, _), share in zip(points, gone, strict=True) if share >= QUARTER)


def measurements_table(points: Points, steps: Sequence[int]) -> str:
    """Return a Markdown table of the measurements at the steps whose models are available."""
    rows = [
        (str(step), f"{now.loss:.2f}", f"{now.accuracy:.2f}", f"{now.previous:.2f}", f"{now.induction:.2f}")
        for step, now in points
        if step in steps
    ]
    table = markdown_table(TEXTS.points("columns_of_measurements"), rows)
    return f"{table}\n\n{TEXTS.fill('meaning_of_measurements')}"


def causes_table(which: ModelId) -> str:
    """Return a table of how well a model predicts with each kind of weights in its first head, and one layer alone."""
    words = TEXTS.words("weights_in_sentences")
    rows = [(words.options[first], *_measures_as_texts(measure_model(which, first))) for first in FIRST]
    alone = TEXTS.fill("one_layer_alone", steps=ALONE.step)
    return markdown_table(
        (words.label, *TEXTS.points("columns_of_causes")),
        [*rows, (alone, *_measures_as_texts(measure_model(ALONE)))],
    )


def causes_text(which: ModelId) -> str:
    """Return a text that says what the table of causes shows."""
    alone = measure_model(ALONE).accuracy
    if which.n_layers == 1:
        return TEXTS.fill("no_head_below", alone=alone)
    back, even = (measure_model(which, first).accuracy for first in ("previous", "uniform"))
    section = "second_head_not_learned_yet" if back < HALF else "second_head_needs_first"
    return TEXTS.fill(section, steps=which.step, back=back, even=even, alone=alone)


def _measures_as_texts(now: Measures) -> tuple[str, str, str]:
    return f"{now.loss:.2f}", f"{now.accuracy:.2f}", f"{now.induction:.2f}"
