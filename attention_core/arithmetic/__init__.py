"""Show how any cell of any matrix was calculated: which numbers were multiplied, added, and so on."""

from attention_core.arithmetic.explain import explain, explain_all, explain_sinusoidal, shape_of
from attention_core.arithmetic.rules import ExplainedTrace, rules_of
from attention_core.arithmetic.terms import Cell, Number, Operation, Symbol, Term, evaluate, operands
from attention_core.arithmetic.worked import CellCalculations, Rules

__all__ = [
    "Cell",
    "CellCalculations",
    "ExplainedTrace",
    "Number",
    "Operation",
    "Rules",
    "Symbol",
    "Term",
    "evaluate",
    "explain",
    "explain_all",
    "explain_sinusoidal",
    "operands",
    "rules_of",
    "shape_of",
]
