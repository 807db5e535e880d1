"""The example “story”: a sentence whose numbers all have a meaning, so that one can read attention from its matrices.

Each row of w_q, w_k and w_v belongs to a feature. The row of w_q says what a token with this feature looks for. The row
of w_k says as what the token is found, and the row of w_v says what other tokens take from it. “it” refers to
something, so “it” looks for somebody and for something, with the number 1 each. “it” is thirsty, and therefore looks
for somebody with 2 more. “cat” is somebody with 2. The score is 3 · 2 = 6, the greatest of its row: “it” takes most
from “cat”.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from attention_core.examples.example import Example, example_of
from attention_core.examples.feature_names import FeatureNames

NAMES = FeatureNames(
    x=("alive", "drinkable", "action", "refers", "thirsty", "sour"),
    # Head 1 looks for the person or thing that is meant. Head 2 looks for the drink or the action.
    q=("looks for somebody", "looks for something", "looks for a drink", "looks for an action"),
    k=("is somebody", "is something", "is a drink", "is an action"),
    v=("living", "thing"),
)
X = (
    (1, 0, 0, 0, 0, 0),  # cat
    (0, 0, 1, 0, 0, 0),  # drank
    (0, 1, 0, 0, 0, 0),  # milk
    (0, 0, 0, 1, 0, 0),  # because: it refers to everything that was said
    (0, 0, 0, 1, 1, 0),  # it: the sentence says that it was thirsty
)
# “thirsty” becomes “sour” in story().with_matrices(SOUR), and “it” no longer means the cat but the milk.
SOUR: Mapping[str, Sequence[Sequence[int]]] = {"x": (*X[:-1], (0, 0, 0, 1, 0, 1))}


@cache
def story() -> Example:
    """Return the example “story”: five words of a sentence, with a name for each feature, and two heads.

    “drank” looks for two words: for somebody who drank, and for something to drink. Both get the same score. With one
    head, they have to share the weights of one row. If two heads have the same w_q and w_k, each head attends to one of
    the two words.
    """
    return example_of(
        name="story",
        title="What does “it” refer to?",
        about=(
            "Five words of the sentence “The cat drank the milk because it was thirsty”. What the sentence says about "
            "“it” is a number in the row of “it”. Each column has a name and a meaning. We set these numbers by hand; "
            "a model would have learned them. With one head, n = 5, d_model = 6, d_k = 4 and d_v = 2 all differ, and "
            "√d_k = 2."
        ),
        source="Made for this dashboard so that every number means something. Nothing in it is trained.",
        tokens=("cat", "drank", "milk", "because", "it"),
        sentence="The {cat} {drank} the {milk} {because} {it} was {thirsty|sour}.",
        names=NAMES,
        x=X,
        w_q=[
            [0, 0, 0, 2],  # a living thing looks for what it did
            [0, 0, 0, 1],  # a drink looks for what was done to it, with a smaller number
            [3, 0, 3, 0],  # an action looks for who did it, and to what
            [1, 1, 0, 1],  # a word that refers looks for anything that was said
            [2, 0, 0, 0],  # only somebody can be thirsty
            [0, 2, 0, 0],  # only something can be sour
        ],
        w_k=[[2, 0, 0, 0], [0, 2, 2, 0], [0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        w_v=[[2, 0], [0, 2], [0, 1], [0, 0], [1, 0], [0, 1]],
        w_o=[[1, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0]],  # a living being is alive; a thing can be drunk, or is an action
        n_heads=2,
    )
