"""Mistakes with the output projection: W^O is left out, or transposed."""

from __future__ import annotations

from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import Mistake

OUTPUT_MISTAKES: tuple[Mistake[MultiHeadTrace], ...] = (
    Mistake(
        name="w_o_forgotten",
        concept="multi_head",
        stage="output",
        title="The product with Wᴼ is missing",
        formula=r"\operatorname{Concat}(\text{head}_1, \ldots, \text{head}_h)",
        code="output = concat",
        why="You put the outputs of the heads side by side, but did not multiply them by W^O. This last step combines "
        "the heads, and gives the output its width.",
        sources=("000-17", "001-13"),
    ),
    Mistake(
        name="w_o_transposed",
        concept="multi_head",
        stage="output",
        title="Wᴼ is transposed",
        formula=r"\operatorname{Concat}(\text{head}_1, \ldots, \text{head}_h) \, (W^O)^\top",
        code="output = concat @ w_o.T + b_o",
        why="Each row of W^O belongs to one column of the heads. Transposed, as PyTorch stores it, it multiplies the "
        "wrong columns. The code runs only if W^O is square.",
        sources=("skyzh/tiny-llm#60",),
        state="example=square",
    ),
)
