"""A second set of wrong implementations of attention, made without sight of the catalogue and of the first set."""

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
