"""The matrices of attention with one head and with several, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arithmetic import CellCalculations, Number, Operation, Rules, Term, evaluate
from attention_core.arithmetic.attention_rules import softmax_rules
from attention_core.attention import SelfAttentionTrace, contributions
from attention_core.caching import cache_recent
from attention_core.checks import greatest_difference
from attention_core.examples import Example, FeatureNames
from attention_core.heads import MultiHeadTrace
from attention_core.softmax import SoftmaxTrace
from pages.shared.equation import Line, Matrix
from pages.shared.equation.computation import Computation
from pages.shared.equation.model import Labels, labels_of, words_above
from pages.shared.notation.numbers import number
from pages.shared.notation.records import SYMBOLS
from pages.shared.state.session import LONGEST_EDITABLE_SIDE

COMPUTED = ("q", "k", "v", "scores", "scaled", "masked", "weights", "output")


@cache_recent
def attention_matrices(
    example: Example, trace: SelfAttentionTrace, right: SelfAttentionTrace | None = None
) -> Mapping[str, Matrix]:
    """Return every matrix of a computation with one head, ready to show, by name."""
    values = example.matrices() | {name: getattr(trace, name) for name in COMPUTED}
    rights = {} if right is None else {name: getattr(right, name) for name in COMPUTED}
    labels = labels_of_all(values, example)
    computation = Computation(right or trace, words_above(labels))
    made = {
        name: matrix_of(name, example, matrix, computation, right=rights.get(name), labels=labels[name])
        for name, matrix in values.items()
    }
    return MappingProxyType(made)


def example_matrices(example: Example) -> dict[str, Matrix]:
    """Return the given matrices of an example, ready to show and without a computation, by name."""
    values = example.matrices()
    labels = labels_of_all(values, example)
    return {name: matrix_of(name, example, matrix, None, labels=labels[name]) for name, matrix in values.items()}


def labels_of_all(values: Mapping[str, np.ndarray], example: Example) -> dict[str, Labels]:
    """Return the labels of the rows and columns of each matrix in `values`, by id."""
    return {id: labels_of(id, example, matrix.shape[-1]) for id, matrix in values.items()}


def projection(matrices: Mapping[str, Matrix], source: str, name: str, label: str, *, again: bool = False) -> Line:
    """Return the equation of queries, keys or values, such as “X · W^Q = Q”, with the label `label` above it."""
    bias = ("+", matrices[f"b_{name}"]) if f"b_{name}" in matrices else ()
    first = matrices[source].symbol if again else matrices[source]
    return Line((first, "·", matrices[f"w_{name}"], *bias, "=", matrices[name]), label)


def term_matrices(example: Example, trace: SelfAttentionTrace, token: int) -> dict[str, Matrix]:
    """Return a dict with the matrix "terms". Its rows are all values, each times the weight that `token` gives it."""
    terms = contributions(trace)[token]
    computation = attention_matrices(example, trace)["v"].computation
    return {"terms": matrix_of("terms", example, terms, computation, part=token)}


def softmax_matrices(
    trace: SoftmaxTrace,
    name: str,
    row_labels: tuple[str, ...],
    column_labels: tuple[str, ...],
    rules: Rules | None = None,
) -> dict[str, Matrix]:
    """Return three matrices of a softmax, ready to show, by name: "powers", "weights" and "entropies".

    `rules` are those of the softmax, if not the usual ones.
    """
    per_row, per_column = trace.axis in (-1, 1), trace.axis in (0, -2)
    labels = Labels(row_labels=row_labels, column_labels=column_labels)
    sums = {"rows": trace.row_sums, "columns": trace.column_sums}
    if trace.axis is None:
        sums["all"] = trace.row_sums.sum(keepdims=True)
    computation = Computation(CellCalculations(rules or softmax_rules(trace)))
    of_lines = Labels(row_labels=row_labels if per_row else (), column_labels=column_labels if per_column else ())
    made = {
        "powers": Matrix.named("powers", trace.powers, **labels),
        "weights": Matrix.named("weights", trace.weights, name="Shares", sums=sums, **labels),
        "entropies": Matrix.named("entropies", trace.entropies, name="Entropies", **of_lines),
    }
    return {each: matrix.with_computation(computation).with_suffix(f"_{name}", made) for each, matrix in made.items()}


def scores_matrix(
    name: str, scores: ArrayLike, row_labels: tuple[str, ...], column_labels: tuple[str, ...], *, editable: bool
) -> Matrix:
    """Return scores as a matrix that is not computed from others, ready to show."""
    values = np.asarray(scores, dtype=float)
    made = Matrix.named(name, values, editable=editable, row_labels=row_labels, column_labels=column_labels)
    return made.as_given()


def matrix_of(
    name: str,
    example: Example,
    values: np.ndarray,
    computation: Computation | None,
    *,
    part: int | None = None,
    block_width: int | None = None,
    right: np.ndarray | None = None,
    labels: Labels | None = None,
) -> Matrix:
    """Return one matrix, ready to show. `name` is its name in the table `SYMBOLS`, and `values` are its numbers."""
    made = Matrix.named(
        name,
        values,
        part=part,
        editable=part is None and name in example.matrices() and max(values.shape) <= LONGEST_EDITABLE_SIDE,
        blocks=block_width,
        right=right,
        **(labels or labels_of(name, example, values.shape[-1])),
    )
    return made.with_computation(computation) if computation else made


def head_matrices(example: Example, trace: MultiHeadTrace, right: MultiHeadTrace | None = None) -> dict[str, Matrix]:
    """Return the matrices of several heads by id, ready to show."""
    d_k, d_v = trace.heads.q.shape[-1], trace.heads.v.shape[-1]
    computed = {"q": trace.q, "k": trace.k, "v": trace.v, "concat": trace.concat, "output": trace.output}
    inner = {name: getattr(trace.heads, name) for name in ("scores", "scaled", "masked", "weights")}
    per_head = {**inner, "heads": trace.heads.output, "shares": trace.shares}
    values = example.matrices() | computed
    blocks = {"q": d_k, "k": d_k, "v": d_v, "w_q": d_k, "w_k": d_k, "w_v": d_v, "concat": d_v}
    rights = {} if right is None else {"concat": right.concat, "output": right.output}
    each = {f"{name}.{h}": matrix for name, matrices in per_head.items() for h, matrix in enumerate(matrices)}
    labels = labels_of_all(values | each, example)
    labels["output"] = labels_of("shares", example, trace.output.shape[-1])  # W^O maps the heads to the features again
    computation = Computation(right or trace, words_above(labels))
    whole = {
        name: matrix_of(
            name, example, matrix, computation,
            block_width=blocks.get(name), right=rights.get(name), labels=labels[name],
        )
        for name, matrix in values.items()
    }  # fmt: skip
    whole["output"] = replace(whole["output"], symbol=SYMBOLS["mixed"].symbol)
    heads = {
        f"{name}.{h}": matrix_of(name, example, per_head[name][h], computation, part=h, labels=labels[f"{name}.{h}"])
        for h in range(trace.n_heads)
        for name in per_head
    }
    return whole | heads


@cache_recent
def rewired_matrices(example: Example, trace: MultiHeadTrace) -> Mapping[str, Matrix]:
    """Return the matrices of several heads, ready to show, for a trace with other weight matrices than the example."""
    used = {name: getattr(trace.projections, name) for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v")}
    own = {name: getattr(example, name) for name in used}
    changed = [name for name in used if used[name] is not None and greatest_difference(used[name], own[name]) > 0]
    m = head_matrices(replace(example, **used, names=_names_of_the_rest(example.names, changed)), trace)
    return MappingProxyType(m | {name: replace(m[name], editable=False) for name in changed})


def _names_of_the_rest(names: FeatureNames, changed: list[str]) -> FeatureNames:
    return replace(names, **{name: () for name in ("q", "k", "v") if f"w_{name}" in changed})


ColumnNames = Mapping[str, tuple[str, ...]]  # the names of the columns of each matrix, by its id


def by_name(term: Term, names: ColumnNames, digits: int = 4) -> str:
    """Return a sum of products as a sentence with column names, such as "By name: 1 *refers* × 2 *thirsty*."

    `term` is the sum, `names` has the column names of matrices by id, and `digits` is the number of decimals. Products
    that are 0 are left out. Return "" if a column has no name.
    """
    products = term.terms if isinstance(term, Operation) and term.symbol == "sum" else (term,)
    if not all(_is_named(product, names) for product in products):
        return ""
    written = [_write_product(product, names, digits) for product in products if evaluate(product)]
    return f"By name: {' + '.join(written)}." if written else "By name: every product is 0."


def _is_named(term: Term, names: ColumnNames) -> bool:
    factors = term.terms if isinstance(term, Operation) and term.symbol == "product" else ()
    return len(factors) == 2 and all(isinstance(factor, Number) and _name(factor, names) for factor in factors)


def _write_product(product: Term, names: ColumnNames, digits: int) -> str:
    factors = [factor for factor in getattr(product, "terms", ()) if isinstance(factor, Number)]
    return " × ".join(f"${number(factor.value, digits)}$ *{_name(factor, names)}*" for factor in factors)


def _name(factor: Number, names: ColumnNames) -> str:
    if factor.name is None or not factor.index:
        return ""
    head, last = factor.index[0], factor.index[-1]
    id = f"{factor.name}.{head}" if len(factor.index) > 2 else factor.name
    return names[id][last] if id in names else ""
