"""A third set of wrong implementations of attention.

Their authors had not seen the app's catalogue of mistakes, nor the other two sets.
"""

from . import (
    in_each_head,
    inputs,
    inside_heads,
    loops,
    masking,
    masking_further,
    merging,
    mixing,
    mixing_rarely,
    normalizing,
    normalizing_rarely,
    one_cell,
    positions,
    positions_waves,
    precision,
    projecting,
    right_forms,
    right_heads,
    right_prints,
    scaling,
    scoring,
    splitting,
)
from .pairs import TOGETHER
from .record import ALL, ONE_CELL, PAIRS, POSITIONS, RIGHT, Unseen

__all__ = [
    "ALL",
    "ONE_CELL",
    "PAIRS",
    "POSITIONS",
    "RIGHT",
    "TOGETHER",
    "Unseen",
    "in_each_head",
    "inputs",
    "inside_heads",
    "loops",
    "masking",
    "masking_further",
    "merging",
    "mixing",
    "mixing_rarely",
    "normalizing",
    "normalizing_rarely",
    "one_cell",
    "positions",
    "positions_waves",
    "precision",
    "projecting",
    "right_forms",
    "right_heads",
    "right_prints",
    "scaling",
    "scoring",
    "splitting",
]
