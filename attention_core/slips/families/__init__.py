"""Families of mistakes that the diagnosis alone names: tables in which every row is one, made when first asked for."""

from __future__ import annotations

from functools import cache

from attention_core.slips import USUAL
from attention_core.slips.families.around import outside_attention
from attention_core.slips.families.divisors import divisors
from attention_core.slips.families.family import Entries
from attention_core.slips.families.functions import functions
from attention_core.slips.families.left_out import left_out
from attention_core.slips.families.likenesses import wrong_scores
from attention_core.slips.families.masks import masks
from attention_core.slips.families.merged import merged
from attention_core.slips.families.of_heads import of_heads
from attention_core.slips.families.operands import operands
from attention_core.slips.families.shares import wrong_softmaxes


@cache
def families() -> Entries:
    """Return the mistakes of all families, the more usual families first."""
    return (
        *operands(), *wrong_scores(), *divisors(), *wrong_softmaxes(), *masks(), *outside_attention(), *left_out(),
        *of_heads(), *merged(), *functions(),
    )  # fmt: skip


@cache
def every_slip() -> Entries:
    """Return all mistakes that the diagnosis names, the usual ones first."""
    return (*USUAL, *families())
