"""The formulas of the ten steps of attention, in LaTeX.

Some formulas depend on the page: on biases, on a second input, on the scale, or on a mask.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attention_core.examples import Example

MASKED = r"M_{ij} = \begin{cases} S'_{ij} & \text{if } i \text{ may attend to } j \\ -\infty & \text{else} \end{cases}"


@dataclass(frozen=True, slots=True)
class Case:
    """The parts of a computation that change how its formulas are written, such as a mask or a bias."""

    scaled: bool = True  # whether scores are divided by the root of d_k
    masked: bool = False
    biases: tuple[str, ...] = ()  # the projections with a bias: "q", "k", "v"
    context: bool = False  # whether keys and values come from a second input


Formula = Callable[[Case], str]  # in LaTeX, written for tokens as rows


def case_of(example: Example, mask: str, scale: float | None) -> Case:
    """Return the `Case` of an example with a mask and a scale: it decides how the formulas are written.

    `mask` is the kind of the mask, such as "none". If `scale` is None, the factor is 1/√d_k.
    """
    biases = tuple(name for name in "qkv" if getattr(example, f"b_{name}") is not None)
    return Case(scale is None, mask != "none", biases, example.context is not None)


def always(latex: str) -> Formula:
    """Return a function that returns the formula `latex` for every `Case`."""
    return lambda case: latex


def projections(case: Case) -> str:
    """Return the formulas of queries, keys and values, such as Q = X W^Q + b^Q if there is a bias."""
    inputs = {"q": "X", "k": "C" if case.context else "X", "v": "C" if case.context else "X"}
    return r", \quad ".join(_projection(name, x, name in case.biases) for name, x in inputs.items())


def _projection(name: str, x: str, biased: bool) -> str:
    letter = name.upper()
    return f"{letter} = {x} W^{letter}" + f" + b^{letter}" * biased


def scores(case: Case) -> str:
    """Return the formulas that lead from the queries and keys to the input of the softmax."""
    scaled = r"S' = \frac{S}{\sqrt{d_k}}" if case.scaled else "S' = S"
    return r", \quad ".join(["S = Q K^\\top", scaled, *[MASKED] * case.masked])


def softmax(case: Case) -> str:
    """Return the formula of the weights. It begins with the masked scores if there is a mask."""
    taken = "M" if case.masked else "S'"
    return rf"A_{{ij}} = \frac{{e^{{{taken}_{{ij}}}}}}{{\sum_{{j'}} e^{{{taken}_{{ij'}}}}}}"


def heads(case: Case) -> str:
    """Return the formula of one head, for attention with several heads."""
    scores = r"\frac{Q_i K_i^\top}{\sqrt{d_k}}" if case.scaled else r"Q_i K_i^\top"
    if not case.masked:
        return rf"\text{{head}}_i = \operatorname{{softmax}}\!\left({scores}\right) \, V_i"
    return rf"\text{{head}}_i = \operatorname{{softmax}}(M_i) \, V_i, \quad M_i = \text{{mask}}\left({scores}\right)"
