"""The pictures of chapters 1 and 2: equations with the numbers of the story, before the guess and after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from attention_core.examples import Example
from attention_core.experiments.path_steps import path_steps, random_scores
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.labels import Labels, labels_of
from pages.shared.lessons.path.matrices import bare_matrix, story_matrices

CAT, MILK, IT = 0, 2, 4  # the rows of the story that screens follow
LAMP = "lamp"  # replaces a token if all features of the token are removed

# A board returns its lines for an example, whether the answer is shown, and how often its button was pressed.
Board = Callable[[Example, bool, int], Sequence[Line]]


def _table(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    x = story_matrices(example)["x"]
    labels = tuple(t if row.any() else LAMP for t, row in zip(x.row_labels, x.values, strict=True))
    return [Line((replace(x, row_labels=labels),), "One row for each token, one column for each feature")]


def _query(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    m = story_matrices(example)
    if not revealed:
        return [Line((m["x"],), "One row for each token, one column for each feature")]
    compared = m["overlaps"].row(IT, "x_{5}X^T")
    made = (_of_it(m, "x"), "·", m["w_q"].read_only(), "=", _of_it(m, "q"))
    return [
        Line((compared,), "The dot products of the row of “it” (row 5, called x₅) with every row of X"),
        Line(made, "q₅, the query of “it”, made from its row x₅"),
    ]


def _score(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    m = story_matrices(example)
    match = (m["q"], "·", m["k"].transpose("K^T"))
    if not revealed:
        return [Line(match, "Q: each row is a query. K turned over (Kᵀ): each column is a key")]
    return [Line((*match, "=", m["scores"]), "The scores S: each query with each key")]


def _key_of_cat(example: Example) -> Sequence[Line]:
    m = story_matrices(example)
    key = (m["x"].row(CAT, "x_1").read_only(), "·", m["w_k"], "=", m["k"].row(CAT, "k_1"))
    return [Line(key, "k₁, the key of “cat”, made from its row x₁")]


def _softmax(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    m = story_matrices(example)
    scores = m["scores"].row(IT, "s_5")
    if not revealed:
        return [Line((scores,), "s₅: the scores of “it” with every token")]
    if tries % 2:
        columns = bare_matrix("weights_columns", path_steps(example).by_columns, labels_of("scores", example, 0))
        by_rows, by_columns = (replace(each.with_sums("columns"), decimals=3) for each in (m["weights_plain"], columns))
        return [
            Line((by_rows,), "Softmax of rows: each row adds up to 1"),
            Line((by_columns,), "Softmax of columns: each column adds up to 1"),
        ]
    powers, weights = (
        m["powers_plain"].row(IT, "p_5"),
        replace(m["weights_plain"].with_sums("rows").row(IT, "a_5"), decimals=3),
    )
    return [
        Line((scores, Sign("e^score", arrow=True), powers), "e to the power of each score"),
        Line(
            (powers, Sign("÷ their sum", arrow=True), weights),
            "Each power, divided by the sum of all five; Σ is the sum of a row",
        ),
    ]


def _random(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    drawn = random_scores(tries)
    labels = Labels(row_labels=("query",), column_labels=tuple(f"key {n}" for n in range(1, 6)))
    scores = bare_matrix("scores_drawn", drawn.scores, labels)
    if not revealed:
        return [Line((scores,), "The scores of one random query with five random keys")]
    scaled = bare_matrix("scaled_drawn", drawn.scaled, labels)
    plain = bare_matrix("weights_plain_drawn", drawn.weights_plain, labels).with_sums("rows")
    divided = bare_matrix("weights_drawn", drawn.weights, labels).with_sums("rows")
    return [
        Line((scores, Sign("softmax", arrow=True), plain), "Random numbers, not divided"),
        Line((scaled, Sign("softmax", arrow=True), divided), "The same scores, divided by √d_k = 8"),
        Line(_division_line(story_matrices(example)), "Our sentence: the scores of “it”, divided by √d_k = 2"),
    ]


def _division_line(m: Mapping[str, Matrix]) -> tuple[Matrix | Sign, ...]:
    symbols = {"scores": "s_5", "scaled": "s'_5", "weights": "a_5"}
    scores, scaled, weights = (m[name].read_only().row(IT, symbol) for name, symbol in symbols.items())
    return scores, Sign("÷ 2", arrow=True), scaled, Sign("softmax", arrow=True), weights


def _mixture(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    m = story_matrices(example)
    mix, answer = (m["weights"].row(IT, "a_5"), "·", m["v"]), ("=", m["output"].row(IT, "z_5"))
    return [Line(mix + answer * revealed, "a₅: the weights of “it”. V: the values, one row for each token")]


def _value_of_milk(example: Example) -> Sequence[Line]:
    m = story_matrices(example)
    value = (m["x"].row(MILK, "x_3").read_only(), "·", m["w_v"], "=", m["v"].row(MILK, "v_3"))
    return [Line(value, "v₃, the value of “milk”, made from its row x₃")]


def _residual(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    m = story_matrices(example)
    made = (_of_it(m, "output"), "·", m["w_o"].read_only(), "=", _of_it(m, "mixed"))
    brought = Line(made, "z₅, the output of “it”, becomes six numbers, y₅")
    if not revealed:
        return [brought, Line((_of_it(m, "x"),), "The row of “it” before attention")]
    added = (m["x"].row(IT, "x_5"), "+", _of_it(m, "mixed"), "=", _of_it(m, "summed"))
    return [brought, Line(added, "The row of “it”, and the six numbers that are added to it")]


def _of_it(m: Mapping[str, Matrix], name: str) -> Matrix:
    letter = {"mixed": "y", "summed": "u", "output": "z"}.get(name, name[0])
    return m[name].row(IT, f"{letter}_5")


STORY_BOARDS: Mapping[str, Board] = {
    "table": _table,
    "query": _query,
    "score": _score,
    "softmax": _softmax,
    "random": _random,
    "mixture": _mixture,
    "residual": _residual,
}

# Further equations below the answer, for boards in which nothing can be changed.
TRIALS: Mapping[str, Callable[[Example], Sequence[Line]]] = {"score": _key_of_cat, "mixture": _value_of_milk}


def count_of_cells(lines: Sequence[Line]) -> int:
    """Return how many numbers the equations `lines` show."""
    matrices = [item for line in lines for item in line.items if isinstance(item, Matrix)]
    return sum(m.values.shape[1] if m.only_row is not None else np.size(m.values) for m in matrices)
