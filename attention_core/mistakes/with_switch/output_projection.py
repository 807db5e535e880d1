"""Mistakes of the output projection: W^O left out, or transposed."""

from __future__ import annotations

from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import Mistake

OUTPUT_MISTAKES: tuple[Mistake[MultiHeadTrace], ...] = (
    Mistake(
        name="w_o_forgotten",
        concept="multi_head",
        stage="output",
        title="Wᴼ forgotten",
        formula=r"\operatorname{Concat}(\text{head}_1, \ldots, \text{head}_h)",
        code="output = concat",
        why="Without it the heads’ findings stay in their own blocks of columns: nothing mixes them, and only by luck "
        "are they as wide as the input.",
        sources=("000-17", "001-13"),
    ),
    Mistake(
        name="w_o_transposed",
        concept="multi_head",
        stage="output",
        title="Wᴼ transposed",
        formula=r"\operatorname{Concat}(\text{head}_1, \ldots, \text{head}_h) \, (W^O)^\top",
        code="output = concat @ w_o.T + b_o",
        why="The rows of W^O belong to the heads’ columns: transposed, as PyTorch keeps it, each head meets the wrong "
        "ones. It runs only where W^O is square.",
        sources=("skyzh/tiny-llm#60",),
        state="example=square",
    ),
)
