"""One block of SmolLM2 on the path: its steps as a picture, its matrices as a table, and its numbers as bars."""

from __future__ import annotations

from typing import NamedTuple

from attention_core.writing.costs import N_LAYERS, N_TOKENS, SMOLLM2
from pages.shared.lessons.path.bars import Bar, bars_html
from pages.shared.notation.tables import markdown_table

FLOW_STYLE = """
<style>
.flow ol { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.5rem; list-style: none; margin: 0.3rem 0; padding: 0; }
.flow li { margin: 0; }
.flow li + li::before { content: "→" / ""; margin-right: 0.5rem; }
.flow b { display: inline-block; border: 2px solid color-mix(in srgb, currentColor 60%, transparent); border-radius: 0.35rem; padding: 0.15rem 0.55rem; font-weight: 600; }
.flow p { margin: 0.4rem 0; opacity: 0.85; font-size: 0.9rem; }
</style>
"""  # noqa: E501
DECIMALS = 3  # of numbers in millions: with two decimals, the parts would not add up to their total
STEPS = ("each row", "<b>Attention</b>", "add to the row", "<b>Feed-forward network</b>", "add to the row")


class Part(NamedTuple):
    """A part of the model: its name, its matrices, and how many learned numbers it has."""

    name: str
    matrices: str
    numbers: int


def block_flow_html() -> str:
    """Return a list of the steps of one block, and a sentence that says how many blocks and heads the model has."""
    steps = "".join(f"<li>{step}</li>" for step in STEPS)
    said = (
        f"The steps of one block. The model has {N_LAYERS} blocks, one after the other, "
        f"and each has {SMOLLM2.n_heads} heads."
    )
    begun = '<div class="flow" role="group" aria-label="The steps of one block">'
    return f"{FLOW_STYLE}{begun}<p>{said}</p><ol>{steps}</ol></div>"


def block_table(*, revealed: bool, whole: bool) -> str:
    """Return a table of the matrices in one block of SmolLM2, or in the model if `whole`; if `revealed`, with sizes."""
    parts = parts_of(whole=whole)[: None if revealed else 2]
    head = ("Part of the model" if whole else "Part of the block", "Matrices", *["Numbers"] * revealed)
    rows = [(part.name, part.matrices, *[f"{part.numbers:,}"] * revealed) for part in parts]
    if revealed:
        rows.append(("All parts", "", f"{sum(part.numbers for part in parts):,}"))
    return markdown_table(head, rows, ":--")


def block_bars_html(*, whole: bool) -> str:
    """Return bars with the share of learned numbers in each part of one block, or of the whole model if `whole`."""
    parts = parts_of(whole=whole)
    total = sum(part.numbers for part in parts)
    title = f"The {total / 1e6:.{DECIMALS}f} million learned numbers of {'the whole model' if whole else 'one block'}"
    bars = (Bar(part.name, part.numbers / total, f"{part.numbers / 1e6:.{DECIMALS}f} million") for part in parts)
    return bars_html(title, bars)


def parts_of(*, whole: bool) -> list[Part]:
    """Return the parts of one block, or of the whole model."""
    s = SMOLLM2
    keys = s.n_kv_heads * s.d_k
    of_keys = f"{s.d_model}×{keys}, twice ($W^K$, $W^V$)"
    shapes = f"{s.d_model}×{s.d_model}, twice ($W^Q$, $W^O$); {of_keys}"
    parts = [
        Part("Attention", shapes, s.attention),
        Part("Feed-forward network", f"{s.d_model}×{s.d_hidden}, twice, then {s.d_hidden}×{s.d_model}", s.feed_forward),
        Part("Normalisation", f"{s.d_model} numbers, twice", 2 * s.d_model),
    ]
    if not whole:
        return parts
    times = [Part(f"{part.name}, {N_LAYERS} blocks", part.matrices, N_LAYERS * part.numbers) for part in parts]
    shapes, numbers = f"{parts[-1].matrices}, and {s.d_model} after the last block", times[-1].numbers + s.d_model
    times[-1] = times[-1]._replace(matrices=shapes, numbers=numbers)
    return [*times, Part("Table of tokens", f"{N_TOKENS:,}×{s.d_model}", N_TOKENS * s.d_model)]
