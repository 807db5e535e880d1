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
from pages.induction_head.live import measure_model, model, shown_model
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.matrices import attention_matrices
from pages.shared.equation.model import Labels
from pages.shared.notation.glossary import define
from pages.shared.notation.prose import literal, markdown_table, short

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


SHOWN = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "scaled", "masked", "weights", "output")
TITLES = ("The first head: what each letter attends to", "The second head: what each letter attends to")
HOW = "÷ √d_k · mask · softmax"


def next_symbols(trace: ModelTrace) -> np.ndarray:
    """Return the numbers of the symbols that come next, one for each position.

    At the last position, the text has no next symbol, so the number is the model's best guess.
    """
    return np.append(trace.tokens[1:], trace.logits[-1].argmax())


def probabilities_of_next(trace: ModelTrace) -> np.ndarray:
    """Return the probability that the model gave to the next symbol at each position: (n,)."""
    return softmax(trace.logits)[np.arange(len(trace.tokens)), next_symbols(trace)]


@cache_recent
def who_lines(examples: tuple[Example, ...], trace: ModelTrace, first: str, alphabet: str) -> Sequence[Line]:
    """Return an equation with the weights of each head, and an equation with the probabilities of the next symbols.

    `examples` has one example for each layer. `first` says which weights the first head has: "trained" for its own, or
    "previous" or "uniform" for others. `alphabet` has the letter of each symbol number.
    """
    heads = [_matrices(example, trace.layers[i], i, first)["weights"] for i, example in enumerate(examples)]
    titles = TITLES if len(heads) > 1 else ("The only head: what each letter attends to",)
    weights = [Line((head,), title) for head, title in zip(heads, titles, strict=True)]
    return [*weights, Line((_guesses_matrix(examples[0], trace, alphabet),), "The probability of the next letter")]


def _guesses_matrix(example: Example, trace: ModelTrace, alphabet: str) -> Matrix:
    nexts = [alphabet[number] for number in next_symbols(trace)]
    rows = tuple(f"→ {then}" for then in nexts)
    made = Matrix.named("guesses", probabilities_of_next(trace)[:, None], row_labels=rows)
    return made.as_given().with_reads(f"weights_{NAMES[len(trace.layers) - 1]}[i,:]")


@cache_recent
def head_lines(example: Example, trace: ModelTrace, layer: int, first: str) -> Sequence[Line]:
    """Return the equations of the head in `layer`, from its input to its output.

    `first` says which weights the first head has: "trained" for its own, or "previous" or "uniform" for others.
    """
    m = _matrices(example, trace.layers[layer], layer, first)
    transposed = m["k"].transpose(f"K_{layer + 1}^T")
    product = (m["q"], "·", transposed, "=", m["scores"])
    parts = [] if layer == 0 else [_parts_line(example, trace, m["scores"])]
    shares = (m["scores"], Sign(HOW, arrow=True), m["weights"])
    own = Line(shares, "Softmax turns scores into weights")
    instead = Line((m["weights"],), "Other weights replace its own")
    return [
        *parts,
        *(Line((m["x"], "·", m[f"w_{name}"], "=", m[name])) for name in "qk"),
        Line(product, "The score of each query with each key"),
        instead if layer == 0 and first != "trained" else own,
        Line((m["x"], "·", m["w_v"], "=", m["v"]), "The values of the letters"),
        Line((m["weights"], "·", m["v"], "=", m["output"]), "What each letter takes"),
    ]


def scores_from_first_head(trace: ModelTrace, w_k: np.ndarray) -> np.ndarray:
    """Return the part of the second head's scores that comes from the output of the first head: (n, n).

    The keys of the second head read this output with the matrix `w_k`.
    """
    return trace.layers[1].head.q @ (trace.layers[0].added @ w_k).T


def _parts_line(example: Example, trace: ModelTrace, scores: Matrix) -> Line:
    """Return the scores of the second head as a sum of two parts.

    One part comes from letters and positions, the other from the output of the first head.
    """
    brought = scores_from_first_head(trace, example.w_k)
    labels = Labels(row_labels=scores.row_labels, column_labels=scores.column_labels)
    parts = {"scores_own": scores.values - brought, "scores_brought": brought}
    own, by_head = (
        Matrix.named(name, values, limit=scores.limit, **labels)
        .as_given()
        .with_reads("q_second[i,:]", f"{scores.id}[i,j]")
        for name, values in parts.items()
    )
    return Line(
        (own, "+", by_head, "=", scores),
        "Two parts: from letters and positions, and from the first head",
    )


def _matrices(example: Example, steps: LayerTrace, layer: int, first: str) -> dict[str, Matrix]:
    made = dict(attention_matrices(example, steps.head))
    if layer == 0 and first != "trained":
        made["weights"] = made["weights"].as_given()
    return {name: _of_layer(made[name], layer) for name in SHOWN}


def _of_layer(matrix: Matrix, layer: int) -> Matrix:
    own = matrix.with_suffix(f"_{NAMES[layer]}", SHOWN).read_only()
    return replace(own, symbol=f"{matrix.symbol}_{layer + 1}", name=f"{matrix.name}, layer {layer + 1}")


HALF, QUARTER = 0.5, 0.25
FEWEST = 4  # with fewer measurements, one cannot say what was learned first
ALONE = ModelId(0, 1, STEPS[-1])
FIRST = {
    "trained": "its own",
    "previous": "one place back",
    "uniform": "equal weights",
}  # the names of these weights on the page
MEASURED = ("loss", "right guesses", "first head, one back", "second head, to the match")
MEANT = (
    "*One back* is the weight with which the first head attends to the symbol before. *To the match* is the weight "
    "with which the second head attends to the symbol that came next the first time. Both are means over all repeated "
    "symbols of the sequences, which are longer than your text."
)


def why(trace: ModelTrace | None, letters: Sequence[str]) -> str:
    """Return a text that says what the model learns, and what it expects after the visitor's letters."""
    told = "" if trace is None else _next_symbol_text(trace, letters)
    return (
        "A part of this text comes twice. To predict the second part, a model can copy what followed the first time. "
        "**Two heads learn to do this together.** For each letter, the first head attends to the letter before, and "
        "adds it to the row. The second head looks for a row that carries *its own* letter as the letter before: the "
        f"letter of that row comes next. The second head is called an *induction head*.\n\n{told}"
    )


def _next_symbol_text(trace: ModelTrace, letters: Sequence[str]) -> str:
    best, share = ALPHABET[next_symbols(trace)[-1]], probabilities_of_next(trace)[-1]
    looks = "; ".join(filter(None, (_first_head_text(trace, letters), _second_head_text(trace, letters))))
    return f"{looks and f'Here {looks}. '}So the model expects **{best}** next, with a probability of {share:.2f}."


def _first_head_text(trace: ModelTrace, letters: Sequence[str]) -> str:
    back = np.diagonal(trace.layers[0].head.weights, offset=-1)
    return f"the first head attends to the letter before with {back.mean():.2f} on average" if len(letters) > 1 else ""


def _second_head_text(trace: ModelTrace, letters: Sequence[str]) -> str:
    here, found = letters[-1], letters.index(letters[-1]) + 1
    if found == len(letters):
        return ""
    weight = trace.layers[-1].head.weights[-1, found]
    head = "second" if len(trace.layers) > 1 else "only"
    return (
        f"in the {head} head, the last {here} attends to {letters[found]}, which followed the first {here}, with "
        f"{weight:.2f}"
    )


def input_text(trace: ModelTrace, layer: int, letters: Sequence[str], w_k: np.ndarray) -> str:
    """Return a text about the input of the head in `layer`.

    For the second head, it also says how much of one score comes from the first head. `w_k` gives the second head's
    keys.
    """
    if layer == 0:
        return "$X_1$ has a row for each letter: a vector for the letter plus one for its position, both learned."
    return (
        "$X_2 = X_1 + Z_1 W^O_1$: the output of the first head is added to each letter’s row. So each key is a sum of "
        f"two parts, and so is each score.{_score_parts_text(trace, letters, w_k)}"
    )


def _score_parts_text(trace: ModelTrace, letters: Sequence[str], w_k: np.ndarray) -> str:
    here, found = letters[-1], letters.index(letters[-1]) + 1
    if found == len(letters):
        return ""
    score, brought = trace.layers[1].head.scores[-1, found], scores_from_first_head(trace, w_k)[-1, found]
    share = trace.layers[0].head.weights[found, found - 1]
    return (
        f" The last {here} and the {letters[found]} that followed the first {here} have the score {score:.2f}. "
        f"**{brought:.2f}** of it comes from the output of the first head at this {letters[found]}: there, the first "
        f"head attends to the {here} before with {share:.2f}. The other {score - brought:.2f} comes from the "
        f"{letters[found]} itself and its position."
    )


def loss_and_accuracy_text(which: ModelId, now: Measures, first: str) -> str:
    """Return a text with the loss and the accuracy of the shown model.

    `first` says which weights the first head has: "trained" (its own weights), "previous" (all weight on the previous
    token) or "uniform" (equal weights).
    """
    instead = "" if first == "trained" else f", with other weights in the first head ({FIRST[first]})"
    return (
        f"After **{which.step} steps** of training{instead}, the model has a loss of **{now.loss:.2f}** "
        f"{define('nats')}, and predicts **{now.accuracy:.0%}** of the repeated symbols. The model knows {N_SYMBOLS} "
        f"symbols: the letters, and 1 to 6. We measured it on {N_SEQUENCES} new sequences of {CONTEXT} symbols. Blind "
        f"guessing has a loss of {np.log(N_SYMBOLS):.2f}, and is right in {1 / N_SYMBOLS:.0%}."
    )


def missing_models_text(steps: Sequence[int]) -> str:
    """Return a sentence that says after which training steps models are available, or "" if all models are."""
    if len(steps) == len(STEPS):
        return ""
    return f" The app ships this model after {_step_list(steps)} steps. **Train it** to see the steps between."


def first_change_text(points: Points) -> str:
    """Return a text that says at which step each of three curves begins to move, from the measurements of a training.

    A curve counts as moved when it has made a quarter of its whole change.
    """
    if len(points) < FEWEST:
        return f"{len(points)} measurements are too few to tell what came first. **Train it**, and watch."
    back, found, fell = (_step_of_a_quarter(points, name) for name in ("previous", "induction", "loss"))
    return (
        "Which curve moves first? We note the step at which each curve has gone a quarter of the way from its first "
        "value to its last: step "
        f"**{back}** for the first head, step **{found}** for the second head, and step **{fell}** for the loss."
    )


def _step_of_a_quarter(points: Points, name: str) -> int:
    """Return the first step at which the measurement `name` has made a quarter of its whole change."""
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
    return f"{markdown_table(('step', *MEASURED), rows)}\n\n{MEANT}"


def causes_table(which: ModelId) -> str:
    """Return a Markdown table of how well a model predicts if other weights replace those of its first head.

    The last row is a model with one layer only.
    """
    rows = [(words, *_measures_as_texts(measure_model(which, first))) for first, words in FIRST.items()]
    return markdown_table(
        ("the first head’s weights", *MEASURED[:2], MEASURED[-1]),
        [*rows, (f"one layer alone, after {ALONE.step} steps", *_measures_as_texts(measure_model(ALONE)))],
    )


def causes_text(which: ModelId) -> str:
    """Return a text that says what the table of causes shows. The text depends on how long the model was trained."""
    back, even = (measure_model(which, first).accuracy for first in ("previous", "uniform"))
    return f"{_head_below_text(which, back, even)} {_one_layer_text()}"


def _head_below_text(which: ModelId, back: float, even: float) -> str:
    if which.n_layers == 1:
        return "This model has a single layer, so there is no head below whose weights could be replaced."
    if back < HALF:
        return (
            f"After {which.step} steps the second head has not learned its task yet. Even if the first head attends "
            f"exactly one place back, the model predicts only {back:.0%}."
        )
    return (
        "**The second head needs a first head that attends one place back.** Replace the weights of the first head by "
        "hand, and change nothing else. If it attends exactly one place back, the model predicts "
        f"**{back:.0%}** of the repeated symbols. If it attends equally to all letters, the model predicts "
        f"**{even:.0%}**."
    )


def _one_layer_text() -> str:
    return (
        f"**A model with one layer** predicts only **{measure_model(ALONE).accuracy:.0%}**. Its keys carry their own "
        "letter and position, but not the letter before. So no query can find the letter that followed. Choose *One* "
        "above, and train it yourself."
    )


def _measures_as_texts(now: Measures) -> tuple[str, str, str]:
    return f"{now.loss:.2f}", f"{now.accuracy:.2f}", f"{now.induction:.2f}"


def _step_list(steps: Sequence[int]) -> str:
    *most, last = map(str, steps)
    return f"{', '.join(most)} and {last}" if most else last
