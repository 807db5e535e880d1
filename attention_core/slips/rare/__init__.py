"""Rarer mistakes, which the diagnosis alone names: tables in which every row is one, made when first asked for."""

from __future__ import annotations

from functools import cache

from attention_core.slips import USUAL
from attention_core.slips.rare.around_attention import outside_attention
from attention_core.slips.rare.entry import Entries
from attention_core.slips.rare.functions import functions
from attention_core.slips.rare.heads import of_heads
from attention_core.slips.rare.heads_merged import merged
from attention_core.slips.rare.left_out import left_out
from attention_core.slips.rare.masks import masks
from attention_core.slips.rare.projection import operands
from attention_core.slips.rare.scaling import divisors
from attention_core.slips.rare.scores import wrong_scores
from attention_core.slips.rare.softmax import wrong_softmaxes


@cache
def rare_slips() -> Entries:
    """Return the mistakes of all tables, the more usual tables first."""
    return (
        *operands(), *wrong_scores(), *divisors(), *wrong_softmaxes(), *masks(), *outside_attention(), *left_out(),
        *of_heads(), *merged(), *functions(),
    )  # fmt: skip


@cache
def every_slip() -> Entries:
    """Return all mistakes that the diagnosis names, the usual ones first."""
    return (*USUAL, *rare_slips())
