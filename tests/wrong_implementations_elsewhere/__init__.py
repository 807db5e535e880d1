"""A second set of wrong implementations of attention.

Their authors had not seen the app's catalogue of mistakes, nor the first set (`wrong_implementations`).
"""

from . import around_heads, by_hand, inside_heads, masking, mixing, normalizing, pairs, projecting, scoring, splitting
from .record import ALL, PAIRS

__all__ = [
    "ALL",
    "PAIRS",
    "around_heads",
    "by_hand",
    "inside_heads",
    "masking",
    "mixing",
    "normalizing",
    "pairs",
    "projecting",
    "scoring",
    "splitting",
]
