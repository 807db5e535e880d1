"""The matrices and pictures of the story, the sentence of the path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import streamlit as st
import streamlit.components.v2 as components

from attention_core.arithmetic.training_rules import path_rules, plain_softmax_rules
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.training import path_steps, random_scores
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.computation import Computation
from pages.shared.equation.matrices import attention_matrices
from pages.shared.equation.model import Labels, labels_of
from pages.shared.notation.texts import texts_beside
from pages.shared.state import session

TEXTS = texts_beside(__file__)


@cache_recent
def story_matrices(example: Example) -> Mapping[str, Matrix]:
    """Return all matrices of the path by name; those that end in `_plain` belong to scores not divided by √d_k."""
    steps = path_steps(example)
    m = dict(attention_matrices(example, steps.attention))
    computation = Computation(path_rules(steps, example.w_o))
    pairs, rows = labels_of("scores", example, 0), labels_of("x", example, example.x.shape[1])
    m["overlaps"] = Matrix.named("overlaps", steps.overlaps, **pairs).with_computation(computation)
    m["mixed"] = Matrix.named("mixed", steps.mixed, **rows).with_computation(computation)
    m["summed"] = Matrix.named("summed", steps.summed, **rows).with_computation(computation)
    return MappingProxyType(m | _plain(example, pairs))


def _plain(example: Example, labels: Labels) -> dict[str, Matrix]:
    steps = path_steps(example)
    computation = Computation(plain_softmax_rules(steps))
    powers = Matrix.named("powers", steps.powers, tint="plain", **labels)
    made = {"powers": powers, "weights": Matrix.named("weights", steps.plain.weights, **labels)}
    return {
        f"{name}_plain": each.with_computation(computation).with_suffix("_plain", made) for name, each in made.items()
    }


def bare_matrix(id: str, values: np.ndarray, labels: Labels) -> Matrix:
    """Return a matrix whose cells have no explanation."""
    return Matrix.named(id.partition("_")[0], values, id=id, **labels)


CAT, MILK, IT = 0, 2, 4  # the rows of the story that screens follow
LAMP = "lamp"  # replaces a token if all features of the token are removed

# A board returns its lines for an example, whether the answer is shown, and how often its button was pressed.
Board = Callable[[Example, bool, int], Sequence[Line]]


def _table(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    x = story_matrices(example)["x"]
    labels = tuple(t if row.any() else LAMP for t, row in zip(x.row_labels, x.values, strict=True))
    return [Line((replace(x, row_labels=labels),), TEXTS.fill("input_rows"))]


def _query(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    m = story_matrices(example)
    if not revealed:
        return [Line((m["x"],), TEXTS.fill("input_rows"))]
    compared = m["overlaps"].row(IT, "x_{5}X^T")
    made = (_of_it(m, "x"), "·", m["w_q"].read_only(), "=", _of_it(m, "q"))
    return [
        Line((compared,), TEXTS.fill("compared_rows")),
        Line(made, TEXTS.fill("query_of_it")),
    ]


def _score(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    m = story_matrices(example)
    match = (m["q"], "·", m["k"].transpose("K^T"))
    if not revealed:
        return [Line(match, TEXTS.fill("queries_and_keys"))]
    return [Line((*match, "=", m["scores"]), TEXTS.fill("all_scores"))]


def _key_of_cat(example: Example) -> Sequence[Line]:
    m = story_matrices(example)
    key = (m["x"].row(CAT, "x_1").read_only(), "·", m["w_k"], "=", m["k"].row(CAT, "k_1"))
    return [Line(key, TEXTS.fill("key_of_cat"))]


def _softmax(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    m = story_matrices(example)
    scores = m["scores"].row(IT, "s_5")
    if not revealed:
        return [Line((scores,), TEXTS.fill("scores_of_it"))]
    if tries % 2:
        columns = bare_matrix("weights_columns", path_steps(example).by_columns, labels_of("scores", example, 0))
        by_rows, by_columns = (replace(each.with_sums("columns"), decimals=3) for each in (m["weights_plain"], columns))
        return [
            Line((by_rows,), TEXTS.fill("softmax_of_rows")),
            Line((by_columns,), TEXTS.fill("softmax_of_columns")),
        ]
    powers = m["powers_plain"].row(IT, "p_5")
    weights = replace(m["weights_plain"].with_sums("rows").row(IT, "a_5"), decimals=3)
    divided = Sign(TEXTS.fill("divided_by_their_sum"), arrow=True)
    return [
        Line((scores, Sign("e^score", arrow=True), powers), TEXTS.fill("powers_of_scores")),
        Line((powers, divided, weights), TEXTS.fill("powers_divided")),
    ]


def _random(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    drawn = random_scores(tries)
    keys = tuple(TEXTS.fill("random_key", n=n) for n in range(1, 6))
    labels = Labels(row_labels=(TEXTS.fill("random_query"),), column_labels=keys)
    scores = bare_matrix("scores_drawn", drawn.scores, labels)
    if not revealed:
        return [Line((scores,), TEXTS.fill("random_scores"))]
    scaled = bare_matrix("scaled_drawn", drawn.scaled, labels)
    plain = bare_matrix("weights_plain_drawn", drawn.weights_plain, labels).with_sums("rows")
    divided = bare_matrix("weights_drawn", drawn.weights, labels).with_sums("rows")
    return [
        Line((scores, Sign("softmax", arrow=True), plain), TEXTS.fill("random_not_divided")),
        Line((scaled, Sign("softmax", arrow=True), divided), TEXTS.fill("random_divided")),
        Line(_division_line(story_matrices(example)), TEXTS.fill("our_sentence_divided")),
    ]


def _division_line(m: Mapping[str, Matrix]) -> tuple[Matrix | Sign, ...]:
    symbols = {"scores": "s_5", "scaled": "s'_5", "weights": "a_5"}
    scores, scaled, weights = (m[name].read_only().row(IT, symbol) for name, symbol in symbols.items())
    return scores, Sign("÷ 2", arrow=True), scaled, Sign("softmax", arrow=True), weights


def _mixture(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    m = story_matrices(example)
    mix, answer = (m["weights"].row(IT, "a_5"), "·", m["v"]), ("=", m["output"].row(IT, "z_5"))
    return [Line(mix + answer * revealed, TEXTS.fill("mixture"))]


def _value_of_milk(example: Example) -> Sequence[Line]:
    m = story_matrices(example)
    value = (m["x"].row(MILK, "x_3").read_only(), "·", m["w_v"], "=", m["v"].row(MILK, "v_3"))
    return [Line(value, TEXTS.fill("value_of_milk"))]


def _residual(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    m = story_matrices(example)
    made = (_of_it(m, "output"), "·", m["w_o"].read_only(), "=", _of_it(m, "mixed"))
    brought = Line(made, TEXTS.fill("output_in_six_numbers"))
    if not revealed:
        return [brought, Line((_of_it(m, "x"),), TEXTS.fill("row_before_attention"))]
    added = (m["x"].row(IT, "x_5"), "+", _of_it(m, "mixed"), "=", _of_it(m, "summed"))
    return [brought, Line(added, TEXTS.fill("row_and_addition"))]


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


ROOT = "÷ √dₖ"
# The steps: matrices by name, and the signs between them.
STEPS = (
    ("x", "·", "w_q", "=", "q"),
    ("x", "·", "w_k", "=", "k"),
    ("x", "·", "w_v", "=", "v"),
    ("softmax(", "q", "·", "k^T", ROOT + " ) =", "weights"),
    ("weights", "·", "v", "=", "output"),
    ("output", "·", "w_o", "=", "mixed"),
    ("x", "+", "mixed", "=", "summed"),
)
FIRST = "w_q"  # the box that is chosen at first
LEARNED = ("w_q", "w_k", "w_v", "w_o")
BOXES = ("x", *LEARNED, "q", "k", "v", "weights", "output", "mixed", "summed")
_HERE = Path(__file__).parent
_KEY = "path_boxes"

_boxes = components.component(
    "attention_lab_path_boxes",
    html='<div class="boxes"></div>',
    css=(_HERE / "boxes.css").read_text(encoding="utf-8"),
    js=(_HERE / "boxes.js").read_text(encoding="utf-8"),
)


def draw_boxes(example: Example, chosen: str, *, revealed: bool) -> None:
    """Draw the boxes of all steps of attention, with a mark on `chosen`; if `revealed`, a press on a box chooses it."""
    steps = [
        {"said": said, "items": [_message_of(item, example, revealed=revealed) for item in step]}
        for said, step in zip(TEXTS.points("steps_in_words"), STEPS, strict=True)
    ]
    _boxes(
        key=_KEY,
        data=[{"steps": steps, "chosen": chosen if revealed else None}],  # a list, because Streamlit searches mappings
        on_box_change=lambda: _choose(st.session_state[_KEY].get("box")),
    )


def box_lines(example: Example, name: str) -> list[Line]:
    """Return an equation with the matrix that belongs to the box `name`."""
    return [Line((story_matrices(example)[name],))]


def _choose(box: Any) -> None:
    if isinstance(box, str) and box in BOXES:
        session.set_parameters(box=box, cell=None)


def _message_of(item: str, example: Example, *, revealed: bool) -> dict[str, Any]:
    name, turned = item.removesuffix("^T"), item.endswith("^T")
    if name not in BOXES:
        return {"sign": item}
    matrix = story_matrices(example)[name]
    rows, columns = matrix.values.shape[:: -1 if turned else 1]
    base, _, raised = (matrix.symbol + "^⊤" * turned).partition("^")
    return {
        "name": name, "base": base, "raised": raised, "shape": f"{rows}×{columns}", "said": matrix.name,
        "learned": revealed and name in LEARNED,
    }  # fmt: skip
