"""The titles and the functions of all views of the page “Positional encoding”, in the order of the lesson."""

from pages.shared.lessons.positional_encoding.bag import bag
from pages.shared.lessons.positional_encoding.encoding import distance, encoding, rotation
from pages.shared.lessons.positional_encoding.formulas import formulas
from pages.shared.lessons.positional_encoding.numbering import numbering
from pages.shared.lessons.positional_encoding.relative import alibi, rope

TITLES = {
    "bag": "Does the order matter?",
    "numbering": "Why not 1, 2, 3 …?",
    "encoding": "The encoding",
    "rotation": "A shift is a rotation",
    "distance": "What distance does",
    "formulas": "Three formulas",
    "rope": "RoPE",
    "alibi": "ALiBi",
}
VIEWS = {
    "bag": bag,
    "numbering": numbering,
    "encoding": encoding,
    "rotation": rotation,
    "distance": distance,
    "formulas": formulas,
    "rope": rope,
    "alibi": alibi,
}
