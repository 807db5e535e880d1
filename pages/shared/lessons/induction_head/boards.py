"""The equations of a trained model: the weights of each head, the model's probabilities, and every step of a head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.induction.model import LayerTrace, ModelTrace
from attention_core.softmax import softmax
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.labels import Labels
from pages.shared.equation.matrices import attention_matrices
from pages.shared.lessons.induction_head.reading import NAMES

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
