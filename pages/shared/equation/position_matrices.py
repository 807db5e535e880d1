"""The equations about positions: encodings are added, pairs are rotated, and positions are compared.

A `CellCalculations` trace has the numbers of each matrix by name, together with the arithmetic of each cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core import SelfAttentionTrace
from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic.position_rules import outcome_rules, shuffle_rules
from attention_core.examples import Example
from attention_core.experiments.positions import EmbeddingTrace, ShuffleTrace
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.computation import Computation
from pages.shared.equation.matrices import attention_matrices
from pages.shared.equation.model import Labels, labels_of

# The rules of the outputs: from which cells they are computed, without positions and with them.
FIRST_LAYER = {"bag": ("embedded[:,:]",), "placed": ("embedded[:,:]", "sinusoidal[:,:]")}
# Ways to write a position into a token’s row.
WAYS = {"nowhere": "no position", "counted": "1, 2, 3 …", "in_bits": "bits", "in_waves": "waves"}
INSIDE = ("x", "q", "k", "v", "scores", "scaled", "masked", "weights", "output")  # the matrices of attention
MOVED = "Z^{moved}"  # in the equation's simple LaTeX, which has no \text


def position_labels(n: int) -> tuple[str, ...]:
    """Return the labels of `n` positions, counted from 0 as in the formula."""
    return tuple(map(str, range(n)))


def wave_labels(width: int) -> tuple[str, ...]:
    """Return the labels of the columns of the encoding: a sine and a cosine for each pair."""
    return tuple(f"{'cos' if column % 2 else 'sin'} {column // 2 + 1}" for column in range(width))


def position_matrix(
    name: str, values: np.ndarray, computation: Computation, *, right: np.ndarray | None = None
) -> Matrix:
    """Return a matrix with one row for each position, ready to show."""
    n, width = values.shape
    return Matrix.named(
        name, values, right=right,
        row_labels=position_labels(n),
        column_labels=wave_labels(width) if name == "sinusoidal" else _number_labels(width),
        computation=computation, origin=(name,),
    )  # fmt: skip


def encoding_lines(worked: CellCalculations) -> list[Line]:
    """Return two equations: the positional encoding, and the wavelength of each pair of its columns."""
    n, width = worked.rules["sinusoidal"][0].shape
    pairs = tuple(f"pair {pair + 1}" for pair in range(width // 2))
    returns = "After how many positions each pair repeats"
    return [
        Line((_encoding(worked, position_labels(n)),), "One row for each position, one column for each wave"),
        Line((_matrix(worked, "wavelengths", column_labels=pairs),), returns),
    ]


def sum_lines(example: Example, embedding: CellCalculations) -> list[Line]:
    """Return the equation “embeddings + encoding = sum”, in which the positional encoding is added to the embeddings.

    If the example first multiplies its embeddings by √d_model, the equation shows this product too. `embedding` has the
    matrices with the arithmetic of their cells.
    """
    x = attention_matrices(example, example.attention())["x"]
    larger = embedding.rules["embedded"][0]
    scaled = bool((larger != x.values).any())
    labels = Labels(row_labels=example.tokens, column_labels=x.column_labels)
    embedded, positioned = (_matrix(embedding, name, **labels) for name in ("embedded", "positioned"))
    first = (x, Sign("× √d_model", arrow=True), embedded) if scaled else (x,)
    encoding = _encoding(embedding, position_labels(len(example.tokens)))
    return [
        Line((*first, "+", encoding, "=", positioned), "The row of each token and the encoding of its position, added")
    ]


def outcome_line(
    trace: ShuffleTrace,
    embedding: EmbeddingTrace,
    suffix: str,
    tokens: Sequence[str],
    label: str,
    example: Example,
) -> Line:
    """Return the equation “output of the shuffled tokens − shuffled original output = difference”."""
    worked = shuffle_rules(trace)
    of_output = labels_of("output", example, worked.rules["moved"][0].shape[-1])
    labels = Labels(**of_output | {"row_labels": tuple(tokens)})
    shuffled, moved, difference = (
        _matrix(worked, name, **labels).with_suffix(f"_{suffix}", worked.rules)
        for name in ("shuffled", "moved", "difference")
    )
    positions = suffix == "placed"
    shuffled, moved = (
        _from_embeddings(matrix, outcome_rules(trace, name, embedding, positions=positions))
        for name, matrix in (("shuffled", shuffled), ("moved", moved))
    )
    first = FIRST_LAYER[suffix]  # the rules say that every token attends to all tokens
    short = replace(difference, row_labels=())  # the tokens are beside the other two matrices
    return Line((shuffled.with_reads(*first), "−", _with_symbol(moved, MOVED).with_reads(*first), "=", short), label)


def _from_embeddings(matrix: Matrix, worked: CellCalculations) -> Matrix:
    """Return an output whose formula goes back to the embeddings. What lies between has ids of its own."""
    own = {name: f"{name}_{matrix.id}" for name in INSIDE} | {matrix.origin[0]: matrix.id, "tokens": "x"}
    return replace(matrix, computation=Computation(worked, rename=lambda id: own.get(id, id)))


def shift_line(worked: CellCalculations, position: int, shift: int) -> Line:
    """Return the equation “pair · rotation = same pair at a later position”."""
    after, waves = position + shift, ("sin", "cos")
    before = _matrix(worked, "before", row_labels=(str(position),), column_labels=waves)
    moved = _matrix(worked, "after", row_labels=(str(after),), column_labels=waves)
    rotation = _with_symbol(_matrix(worked, "rotation"), f"R({shift})")
    return Line((_with_symbol(before, f"PE({position})"), "·", rotation, "=", _with_symbol(moved, f"PE({after})")))


def similarity_lines(worked: CellCalculations, worked_width_4: CellCalculations) -> list[Line]:
    """Return two equations with similarities: of every position with every other, and of position 0 with each."""
    labels = position_labels(len(worked.rules["similarity"][0]))
    similar = _similarity(worked, labels)
    four = _similarity(worked_width_4, position_labels(len(worked_width_4.rules["similarity"][0])), suffix="four")
    return [
        Line((similar,), "How similar every position is to every other"),
        Line((four.row(0, "sim_0"),), "At width 4: how similar position 0 is to each"),
    ]


def numbering_lines(example: Example, worked: CellCalculations) -> list[Line]:
    """Return the equation “scores → softmax → weights” of the last token, in a list."""
    labels = Labels(row_labels=tuple(WAYS.values()), column_labels=example.key_tokens)
    says = f"The row of “{example.tokens[-1]}”, once for each way"
    shares = _matrix(worked, "numbered", **labels)
    return [Line((_matrix(worked, "numbered_scores", **labels), Sign("softmax", arrow=True), shares), says)]


def rope_lines(
    example: Example, trace: SelfAttentionTrace, worked: CellCalculations, query_index: int, key_index: int
) -> list[Line]:
    """Return two equations for RoPE: a query and a key, and the scores after both are rotated for every position."""
    m = attention_matrices(example, trace)
    q, k = m["q"].row(query_index, "q"), m["k"].row(key_index, "k")
    labels = position_labels(len(worked.rules["scores_turned"][0]))
    turned = Labels(row_labels=labels, column_labels=_number_labels(worked.rules["q_turned"][0].shape[-1]))
    q_turned, k_turned = (_matrix(worked, f"{name}_turned", suffix="rope", **turned) for name in ("q", "k"))
    scores = _matrix(
        worked, "scores_turned", suffix="rope", row_labels=labels, column_labels=labels,
    )  # fmt: skip
    return [
        Line(
            (q, "and", k),
            f"The query of “{example.tokens[query_index]}” and the key of “{example.key_tokens[key_index]}”",
        ),
        Line((q_turned, "·", k_turned.transpose("K'^T"), "=", scores), "Both at every position, turned"),
    ]


def alibi_lines(
    example: Example,
    trace: SelfAttentionTrace,
    without_penalties: SelfAttentionTrace,
    worked: CellCalculations,
    head: int,
) -> list[Line]:
    """Return three equations for ALiBi: the slopes of all heads, the scores with penalties, and their weights."""
    m, before = attention_matrices(example, trace), attention_matrices(example, without_penalties)
    labels = Labels(row_labels=example.tokens, column_labels=example.key_tokens)
    slopes, small = worked.rules["slopes"][0], {"suffix": "alibi", "decimals": decimals_of(worked.rules["slopes"][0])}
    bias = _matrix(worked, "bias", **labels, **small)
    masked = m["masked"].with_reads("scaled[i,j]", "bias_alibi[i,j]")
    unbent = before["weights"].with_suffix("_plain", ("masked", "weights"))
    heads = tuple(f"head {h}" for h in _number_labels(slopes.shape[-1]))
    return [
        Line((_matrix(worked, "slopes", column_labels=heads, **small),), "One slope for each head"),
        Line((m["scaled"], "+", bias, "=", masked), "Each step of distance subtracts one slope"),
        Line((unbent, Sign("with the penalty", arrow=True), m["weights"]), "Weights without it, and with it"),
    ]


def decimals_of(values: np.ndarray) -> int:
    """Return the number of decimals that show two digits of the smallest number other than 0.

    >>> decimals_of(np.array([0.5, 0.0039]))
    4
    """
    return max(0, 1 - math.floor(math.log10(np.abs(values[values != 0]).min())))


def _encoding(worked: CellCalculations, labels: tuple[str, ...]) -> Matrix:
    width = worked.rules["sinusoidal"][0].shape[-1]
    return _matrix(worked, "sinusoidal", row_labels=labels, column_labels=wave_labels(width))


def _similarity(worked: CellCalculations, labels: tuple[str, ...], **more: Any) -> Matrix:
    return _matrix(worked, "similarity", row_labels=labels, column_labels=labels, **more)


def _matrix(worked: CellCalculations, name: str, *, suffix: str = "", **more: Any) -> Matrix:
    made = Matrix.named(name, worked.rules[name][0], **more)
    return made.with_computation(Computation(worked)).with_suffix(f"_{suffix}" * bool(suffix), worked.rules)


def _with_symbol(matrix: Matrix, symbol: str) -> Matrix:
    return replace(matrix, symbol=symbol)


def _number_labels(n: int) -> tuple[str, ...]:
    return tuple(str(i + 1) for i in range(n))
