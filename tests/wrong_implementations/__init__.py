"""Wrong implementations of scaled dot-product attention.

Their authors had not seen the app's catalogue of mistakes.
"""

from . import masks, outputs, projections, scores_and_scale, several, softmaxes
from .pairs import PAIRS
from .parts import one_head as right_one_head
from .parts import several_heads as right_several_heads
from .record import ALL, Wrong

__all__ = [
    "ALL",
    "PAIRS",
    "Wrong",
    "masks",
    "outputs",
    "projections",
    "right_one_head",
    "right_several_heads",
    "scores_and_scale",
    "several",
    "softmaxes",
]
