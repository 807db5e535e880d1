"""The views that the page can show, in the order in which they tell their story."""

from pages.shared.positions.bag import bag
from pages.shared.positions.encoding import distance, encoding, rotation
from pages.shared.positions.formulas import formulas
from pages.shared.positions.relative import alibi, rope

TITLES = {
    "bag": "A bag of tokens",
    "encoding": "The encoding",
    "rotation": "A shift is a rotation",
    "distance": "Distance",
    "formulas": "Three formulas",
    "rope": "RoPE",
    "alibi": "ALiBi",
}
VIEWS = {
    "bag": bag,
    "encoding": encoding,
    "rotation": rotation,
    "distance": distance,
    "formulas": formulas,
    "rope": rope,
    "alibi": alibi,
}
