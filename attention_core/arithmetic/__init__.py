"""Show how any cell of any matrix was calculated: which numbers were multiplied, added, and so on."""

from attention_core.arithmetic.attention_rules import (
    ExplainedTrace,
    explain,
    explain_all,
    rules_of,
    shape_of,
)
from attention_core.arithmetic.terms import (
    Cell,
    CellCalculations,
    Number,
    Operation,
    Rules,
    Symbol,
    Term,
    evaluate,
    operands,
)

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
    "operands",
    "rules_of",
    "shape_of",
]
