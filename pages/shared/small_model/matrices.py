"""The matrices of the small model that writes the next word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic.training_rules import feed_forward_rules, kept_rules, next_word_rules
from attention_core.caching import cache_recent
from attention_core.normalization import residual
from attention_core.writing.small_model import feed_forward_trace
from attention_core.writing.story_model import HIDDEN
from pages.shared.equation import Matrix
from pages.shared.equation.computation import Computation
from pages.shared.equation.matrices import attention_matrices
from pages.shared.notation.symbols import OF_A_PAGE
from pages.shared.small_model.state import EDITABLE, Writing

STREAM = ("summed", "mixed", "fed", "stream", "normed")  # their columns are the features of X
SHARES = ("chances", "kept")


@cache_recent
def matrices(writing: Writing) -> Mapping[str, Matrix]:
    """Return every matrix of the small model by its name."""
    t, model = writing.trace, writing.model
    fed = feed_forward_trace(model, t)
    worked = {
        **next_word_rules(t, model.w_o, attends=writing.attends).rules,
        **feed_forward_rules(fed, residual(t.summed, fed.output)),
        **kept_rules(writing.drawing, t.logits),
    }
    head = attention_matrices(writing.example, t.head)
    words = {"x": head["x"].column_labels, "summed": head["x"].column_labels, "vocabulary": head["x"].column_labels}
    names = {name: matrix.computation.names for name, matrix in head.items() if matrix.computation}
    computation = Computation(CellCalculations(worked), {**next(iter(names.values())), **words})
    made = {name: matrix.read_only().with_computation(computation) for name, matrix in head.items()}
    made |= {name: matrix_of(name, writing, worked[name][0], computation) for name in worked if name not in made}
    made["kept"] = made["kept"].with_reads(f"logits[{writing.last},:]")  # words that are left out have logits too
    owned = {name: each.with_suffix(OF_A_PAGE, EDITABLE) for name, each in made.items()}
    owned["table"] = matrix_of("table", writing, model.table, None).as_given()
    owned |= {name: replace(owned[name], editable=True) for name in ("vocabulary", "table", *EDITABLE)}
    return MappingProxyType(owned)


def matrix_of(name: str, writing: Writing, values: np.ndarray, computation: Computation | None) -> Matrix:
    """Return the matrix `name` of the small model, with its labels and its tint."""
    features, tokens = writing.example.names.x, writing.example.tokens
    columns = {
        **dict.fromkeys((*STREAM, "vocabulary", "table", "w_down"), features),
        **dict.fromkeys(("logits", *SHARES), writing.model.words),
        **dict.fromkeys(("w_up", "widened", "bent"), HIDDEN),
    }
    rows = {"vocabulary": writing.model.words, "table": writing.model.tokens, "w_up": features, "w_down": HIDDEN}
    rows["kept"] = tokens[-1:]
    made = Matrix.named(
        name,
        values,
        row_labels=rows.get(name, tokens),
        column_labels=columns.get(name, ()),
    )
    return made.with_computation(computation) if computation else made
