"""The equations of the page “The next word”: from the last row to the probabilities of the next word, and others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic.training_rules import add_and_norm_rules, loss_rules
from attention_core.caching import cache_recent
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.computation import Computation
from pages.shared.equation.matrices import projection
from pages.shared.small_model.matrices import matrices, matrix_of
from pages.shared.small_model.state import Writing

SOFTMAX = Sign("softmax", arrow=True)


def main_lines(m: Mapping[str, Matrix], writing: Writing) -> list[Line]:
    """Return the equations from the last row to the probabilities of the next word. `m` holds the matrices by name."""
    row, number = writing.last, writing.last + 1
    x, mixed, summed = (m[name].row(row, f"{letter}_{number}") for name, letter in zip(MAIN, "xyu", strict=True))
    vocabulary, logits = m["vocabulary"].transpose("Vocab^T"), m["logits"].row(row, "Logits")
    return [
        Line((x, "+", mixed, "=", summed), "The last row, and what attention adds to it"),
        Line((summed, "·", vocabulary, "=", logits), "The dot product with the row of every word"),
        Line((logits, SOFTMAX, m["chances"].row(row, "Probability")), "Softmax turns the logits into probabilities"),
    ]


MAIN = ("x", "mixed", "summed")


def attention_lines(m: Mapping[str, Matrix], writing: Writing) -> list[Line]:
    """Return the equations of the head whose output is added to the rows: queries, keys, values, weights and output."""
    equals = "=" if writing.attends else Sign("times 0: switched off", arrow=True)
    mask = Sign("÷ √d_k, causal mask, softmax", arrow=True)
    return [
        *(projection(m, "x", name, "") for name in "qkv"),
        Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"], mask, m["weights"])),
        Line((m["weights"], "·", m["v"], "=", m["output"])),
        Line((m["output"], "·", m["w_o"], equals, m["mixed"])),
    ]


def table_line(m: Mapping[str, Matrix]) -> Line:
    """Return an equation with the table of all tokens, from which the row of each token of the text is taken."""
    return Line((m["table"], Sign("the row of each token", arrow=True), m["x"]))


def draw_line(m: Mapping[str, Matrix], writing: Writing) -> Line:
    """Return an equation with the logits of the last row, and the probabilities with which the next word is chosen.

    Between them, the logits are divided by the temperature, some words are left out, and softmax is applied.
    """
    return Line((m["logits"].row(writing.last, "Logits"), Sign("÷ T, leave out, softmax", arrow=True), m["kept"]))


def rows_line(m: Mapping[str, Matrix]) -> Line:
    """Return an equation with the probabilities of the next word after each word of the text."""
    return Line((m["summed"], "·", m["vocabulary"].transpose("Vocab^T"), "=", m["logits"], SOFTMAX, m["chances"]))


def feed_lines(m: Mapping[str, Matrix]) -> list[Line]:
    """Return the equations of the feed-forward network, and the sum of its input and its output."""
    bend = Sign("max(0, F)", arrow=True)
    return [
        Line((m["summed"], "·", m["w_up"], "=", m["widened"], bend, m["bent"])),
        Line((m["bent"], "·", m["w_down"], "=", m["fed"])),
        Line((m["summed"], "+", m["fed"], "=", m["stream"])),
    ]


@cache_recent
def norm_lines(writing: Writing, trace) -> list[Line]:
    """Return an equation in which each row is normalised: its mean is subtracted, and it is divided by its spread.

    `trace` holds the results of these steps.
    """
    m = matrices(writing)
    worked = Computation(add_and_norm_rules(trace))
    values = {"means": trace.norm.mean, "spreads": trace.norm.spread, "normed": trace.output}
    made = {
        name: replace(matrix_of(name, writing, each, None), computation=worked, origin=(name,))
        for name, each in values.items()
    }
    return [Line((m["summed"], made["means"], made["spreads"], Sign("(U − μ) ÷ σ", arrow=True), made["normed"]))]


def loss_lines(m: Mapping[str, Matrix], writing: Writing, word: str) -> list[Line]:
    """Return an equation with the loss if `word` comes next, and an equation with W^Q, which a visitor can edit."""
    target = writing.model.words.index(word)
    rules = loss_rules(writing.trace.chances, target)
    values = rules["word_loss"][0]
    loss = Matrix.named("word_loss", values, column_labels=(word,)).with_computation(
        Computation(CellCalculations(rules))
    )
    return [
        Line((m["chances"].row(writing.last, "Probability"), Sign("−ln of this word", arrow=True), loss)),
        Line((m["w_q"],), "One of the learned matrices: change a number, and watch the loss"),
    ]


def cache_lines(m: Mapping[str, Matrix], at: int) -> list[Line]:
    """Return the equations of the word at position `at` with a cache: the new rows, the stored rows, and the output."""
    q, k, v = (m[name].row(at, f"{name}_{at + 1}") for name in "qkv")
    first = Line((m["x"], Sign("· W^Q , W^K , W^V", arrow=True), q, k, v), "New: one row")
    if not at:
        return [first]
    shorter = (replace(m[name], values=m[name].values[:at], row_labels=m[name].row_labels[:at]) for name in "kv")
    kept = tuple(matrix.with_suffix("_kept", ("k", "v")) for matrix in shorter)
    takes = Line(
        (m["weights"].row(at, f"a_{at + 1}"), "·", m["v"], "=", m["output"].row(at, f"z_{at + 1}")),
        "New: one row of weights, and one of the output",
    )
    return [first, Line(kept, "Kept: the keys and values of the words before"), takes]
