"""Boxes: all steps of one head as matrices with their shapes; those that are learned are marked after the guess."""

from __future__ import annotations

import html
from collections.abc import Mapping

from attention_core.examples import Example
from pages.shared.equation import Line
from pages.shared.lessons.path.matrices import story_matrices

ROOT = "÷ √dₖ"
# The steps: matrices by name, and the signs between them.
STEPS = (
    ("x", "·", "w_q", "=", "q"),
    ("x", "·", "w_k", "=", "k"),
    ("x", "·", "w_v", "=", "v"),
    ("softmax(", "q", "·", "k^T", ROOT + " ) =", "weights"),
    ("weights", "·", "v", "=", "output", "·", "w_o", "=", "mixed"),
    ("x", "+", "mixed", "=", "summed"),
)
LEARNED = ("w_q", "w_k", "w_v", "w_o")
CHOICES: Mapping[str, str] = {
    "x": "X", "w_q": "W^Q", "w_k": "W^K", "w_v": "W^V", "w_o": "W^O", "q": "Q", "k": "K", "v": "V",
    "weights": "A", "output": "Z", "mixed": "Y",
}  # fmt: skip
STYLE = """
<style>
.boxes { display: grid; gap: 0.5rem; margin: 0.2rem 0; }
.boxes > div { display: flex; flex-wrap: wrap; gap: 0.45rem; align-items: center; }
.boxes .box { border: 1.5px solid color-mix(in srgb, currentColor 55%, transparent); border-radius: 0.35rem;
  padding: 0.2rem 0.6rem;
  text-align: center; line-height: 1.25; }
.boxes .box b { font: italic 700 1.15rem KaTeX_Main, serif; }
.boxes .box small { display: block; font-size: 0.75rem; }
.boxes .learned { border-width: 3px; background: color-mix(in srgb, gray 22%, transparent); }
</style>
"""


def boxes_html(example: Example, *, revealed: bool) -> str:
    """Return the boxes of all steps as HTML."""
    m = story_matrices(example)

    def drawn(item: str) -> str:
        name, turned = item.removesuffix("^T"), item.endswith("^T")
        if name not in m:
            return f"<span>{html.escape(item)}</span>"
        rows, columns = m[name].values.shape
        shape = f"{columns}×{rows}" if turned else f"{rows}×{columns}"
        learned = revealed and name in LEARNED
        symbol = _symbol(m[name].symbol) + "<sup>⊤</sup>" * turned
        said = f"{shape}{' learned' * learned}"
        return f'<span class="box{" learned" * learned}"><b>{symbol}</b><small>{said}</small></span>'

    lines = "".join(f"<div>{''.join(map(drawn, step))}</div>" for step in STEPS)
    return f'{STYLE}<div class="boxes">{lines}</div>'


def box_lines(example: Example, name: str) -> list[Line]:
    """Return the matrix of a box with its numbers."""
    return [Line((story_matrices(example)[name],))]


def _symbol(symbol: str) -> str:
    base, _, raised = symbol.partition("^")
    return f"{base}<sup>{raised}</sup>" if raised else base
