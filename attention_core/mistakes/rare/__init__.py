"""Rarer mistakes, which only the diagnosis names.

Each mistake is made from a row of a table, when it is first used.
"""

from __future__ import annotations

from functools import cache

from attention_core.mistakes import WRITTEN_OUT
from attention_core.mistakes.rare.around_attention import wrong_around_attention
from attention_core.mistakes.rare.by_hand import mistakes_by_hand
from attention_core.mistakes.rare.distances import wrong_distances
from attention_core.mistakes.rare.empty_rows import wrong_empty_rows
from attention_core.mistakes.rare.entry import RareMistakes
from attention_core.mistakes.rare.functions import wrong_functions
from attention_core.mistakes.rare.fused import wrong_fused_projections
from attention_core.mistakes.rare.grouped_heads import wrong_grouped_heads
from attention_core.mistakes.rare.heads import wrong_heads
from attention_core.mistakes.rare.heads_merged import heads_wrongly_merged
from attention_core.mistakes.rare.left_out import terms_left_out
from attention_core.mistakes.rare.masks import wrong_masks
from attention_core.mistakes.rare.misleading_lines import misleading_lines
from attention_core.mistakes.rare.projection import wrong_projections
from attention_core.mistakes.rare.rotations import wrong_rotations
from attention_core.mistakes.rare.scaling import wrong_scaling
from attention_core.mistakes.rare.scores import wrong_scores
from attention_core.mistakes.rare.shared_keys import wrong_shared_keys
from attention_core.mistakes.rare.softmax import wrong_softmaxes
from attention_core.mistakes.rare.waves import wrong_waves
from attention_core.mistakes.rare.windows import wrong_windows


@cache
def rare_mistakes() -> RareMistakes:
    """Return the rare mistakes of all modules of this package. The mistakes that are more common come first."""
    return (
        *wrong_empty_rows(), *wrong_projections(), *wrong_scores(), *wrong_scaling(), *wrong_softmaxes(),
        *wrong_masks(), *wrong_around_attention(), *terms_left_out(), *wrong_heads(), *wrong_grouped_heads(),
        *heads_wrongly_merged(), *wrong_waves(), *wrong_rotations(), *mistakes_by_hand(), *misleading_lines(),
        *wrong_functions(), *wrong_distances(), *wrong_shared_keys(), *wrong_fused_projections(), *wrong_windows(),
    )  # fmt: skip


@cache
def every_mistake() -> RareMistakes:
    """Return all mistakes that the diagnosis can name, the rare ones last."""
    return (*WRITTEN_OUT, *rare_mistakes())
