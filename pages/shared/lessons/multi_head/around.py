"""What a model does with the output of the heads: it adds the input, and normalises the sum."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from attention_core.add_and_norm import AddAndNormTrace, add_and_norm
from attention_core.arithmetic.layer_rules import add_and_norm_rules
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.heads import MultiHeadTrace
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.computation import Computation
from pages.shared.notation.glossary import define
from pages.shared.notation.numbers import format_as_shown


@cache_recent
def add_and_norm_of_heads(example: Example, heads: MultiHeadTrace) -> AddAndNormTrace:
    """Return the computation that adds the output of all heads to the input, and normalises the sum."""
    return add_and_norm(example.x, heads.output)


def reasons_text(example: Example, trace: AddAndNormTrace, decimals: int) -> str:
    """Return a text that says why the output is added to the input, and why the sum is normalised.

    The numbers are those of the token that the heads change most.
    """
    gains = np.abs(trace.found)
    token, gained = map(int, np.unravel_index(int(gains.argmax()), gains.shape))
    own = int(np.abs(trace.x[token]).argmax())
    feature = partial(_feature, example.names.x)

    def say(value: float) -> str:
        return format_as_shown(float(value), decimals)

    return (
        "## Around the heads: add, then normalise\n\n"
        f"**Why add?** The output of the heads is added to the input, so no token loses its own row: "
        f"“{example.tokens[token]}” keeps its **{say(trace.x[token, own])}** {feature(own)}, and "
        f"**{say(trace.found[token, gained])}** {feature(gained)} is added. The heads need to compute only what is "
        f"missing. In training, the {define('gradient')} of a sum reaches both summands unchanged, however many layers "
        "there are.\n\n"
        "**Why normalise?** Each layer adds something, so the numbers would grow from layer to layer. The features of "
        f"each token are therefore brought to mean 0 and spread 1. Before this, the spreads here are from "
        f"{say(trace.norm.spread.min())} to {say(trace.norm.spread.max())}. After it, a small network works on each "
        "token by itself. Most models today normalise before the heads, and leave the sum as it is."
    )


def _feature(names: tuple[str, ...], column: int) -> str:
    return f"of *{names[column]}*" if names else f"in column {column + 1}"


def lines(m: Mapping[str, Matrix], trace: AddAndNormTrace) -> list[Line]:
    """Return two lines: the input plus the output of the heads, and the normalised sum.

    `m` holds the matrices of the page by name.
    """
    worked = Computation(add_and_norm_rules(trace), rename=lambda name: "output" if name == "mixed" else name)
    rows, features = {"row_labels": m["x"].row_labels}, {"column_labels": m["x"].column_labels}

    def matrix(name: str, values: np.ndarray, **more) -> Matrix:
        return Matrix.named(name, values, **rows, **more).with_computation(worked)

    x, summed = m["x"], matrix("summed", trace.summed, **features)
    means, spreads = matrix("means", trace.norm.mean, limit=1.0), matrix("spreads", trace.norm.spread, limit=1.0)
    normed = matrix("normed", trace.output, **features)
    return [
        Line((x, "+", m["output"], "=", summed), "The input and the output of the heads, added"),
        Line(
            (means, spreads, Sign("(U − μ) ÷ σ", arrow=True), normed), "Each row minus its mean, divided by its spread"
        ),
    ]
