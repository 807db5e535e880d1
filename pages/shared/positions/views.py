"""The views that the page can show, in the order in which they tell their story."""

from pages.shared.positions.bag import bag
from pages.shared.positions.encoding import distance, encoding, rotation
from pages.shared.positions.formulas import formulas
from pages.shared.positions.relative import alibi, rope

VIEWS = {
    "bag": ("A bag of tokens", bag),
    "encoding": ("The encoding", encoding),
    "rotation": ("A shift is a rotation", rotation),
    "distance": ("Distance", distance),
    "formulas": ("Three formulas", formulas),
    "rope": ("RoPE", rope),
    "alibi": ("ALiBi", alibi),
}
