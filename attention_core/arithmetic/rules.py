"""Find how each cell of each matrix of a trace is calculated."""

from __future__ import annotations

from attention_core.arithmetic.attention_rules import attention_rules
from attention_core.arithmetic.head_rules import head_rules
from attention_core.arithmetic.positioned_rules import positioned_rules
from attention_core.arithmetic.softmax_rules import softmax_rules
from attention_core.arithmetic.worked import CellCalculations, Rule, Rules
from attention_core.attention import SelfAttentionTrace
from attention_core.heads import MultiHeadTrace
from attention_core.positioned import PositionedHeadsTrace, PositionedTrace
from attention_core.softmax import SoftmaxTrace

ExplainedTrace = SelfAttentionTrace | MultiHeadTrace | SoftmaxTrace | CellCalculations


def rule_of(trace: ExplainedTrace, name: str) -> Rule:
    """Return a pair: the matrix with this name, and a function from the index of a cell to its calculation.

    If the trace has no such matrix, the ValueError says which matrices the trace has.
    """
    rules = rules_of(trace)
    if name not in rules:
        raise ValueError(f"a cell's matrix must be one of {', '.join(rules)}; got {name}: choose one of these.")
    return rules[name]


def rules_of(trace: ExplainedTrace) -> Rules:
    """Return all matrices of a trace by name, each with a function from the index of a cell to its calculation.

    >>> from attention_core.softmax import softmax_steps
    >>> sorted(rules_of(softmax_steps([[0.0, 0.0]])))
    ['entropies', 'powers', 'scores', 'weights']
    """
    if isinstance(trace, CellCalculations):
        return trace.rules
    if isinstance(trace, SoftmaxTrace):
        return softmax_rules(trace)
    if isinstance(trace, PositionedTrace | PositionedHeadsTrace):
        return positioned_rules(trace)
    return head_rules(trace) if isinstance(trace, MultiHeadTrace) else attention_rules(trace)
