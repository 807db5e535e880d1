"""Rarer mistakes, which only the diagnosis names: a TOML file for each page that explains them.

They are read when the diagnosis first asks for them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from attention_core.mistakes import WRITTEN_OUT, Concept, Mistake
from attention_core.mistakes.engine.pipelines import pipeline_with
from attention_core.mistakes.toml_files import read_mistakes

# In the order in which the diagnosis names them.
CONCEPTS: tuple[Concept, ...] = (
    "queries_keys_values", "scaling", "multi_head", "attention", "softmax_axes", "positional_encoding",
)  # fmt: skip
# The computations other than that of its concept that a mistake may edit.
EDITS = {
    "rotary_pairs": pipeline_with("rotary_pairs"),
    "rotary_halves": pipeline_with("rotary_halves"),
    "alibi": pipeline_with("alibi"),
    "shared_keys": pipeline_with("none", several=True, shared=True),
}


@cache
def rare_mistakes() -> tuple[Mistake[Any], ...]:
    """Return the rarer mistakes. Each is in a public report, or many people make it."""
    return tuple(mistake for concept in CONCEPTS for mistake in read_mistakes(f"rare/{concept}.toml", edits=EDITS))


@cache
def every_mistake() -> tuple[Mistake[Any], ...]:
    """Return all mistakes that the diagnosis can name, the rarer ones last."""
    return (*WRITTEN_OUT, *rare_mistakes())
