"""The example “french”: two words of a translation attend to the five words of the text that is translated.

“chat” is a noun. In French its adjective comes next. So its query looks for an adjective with the number 3, and for a
verb with 2. “black” is an adjective with 2. Their score is 3 · 2 = 6, the greatest of its row, although “black” comes
before “cat” in English.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from attention_core.examples.example import Example, example_of
from attention_core.examples.feature_names import FeatureNames

WORDS = ("article", "noun", "adjective", "verb", "end", "plural")
NAMES = FeatureNames(
    x=WORDS,
    context=WORDS,
    q=("looks for a noun", "looks for an adjective", "looks for a verb", "looks for the end"),
    k=("is a noun", "is an adjective", "is a verb", "is the end"),
    v=("thing", "trait", "several"),
)
CONTEXT = (
    (1, 0, 0, 0, 0, 0),  # the
    (0, 0, 1, 0, 0, 0),  # black
    (0, 1, 0, 0, 0, 0),  # cat
    (0, 0, 0, 1, 0, 0),  # sleeps
    (0, 0, 0, 0, 1, 0),  # the mark of the end
)
# “cat” becomes “cats” in french().with_matrices(CATS). Its key stays the same, and its value gets “several” as well.
CATS: Mapping[str, Sequence[Sequence[int]]] = {"context": (*CONTEXT[:2], (0, 1, 0, 0, 0, 1), *CONTEXT[3:])}


@cache
def french() -> Example:
    """Return the example “french”: a decoder has written two words, and attends to five words of the encoder."""
    return example_of(
        name="french",
        title="What comes next in French?",
        about=(
            "The text to translate is “the black cat sleeps”. The translation so far is “le chat” (the cat). Each "
            "column has a name and a meaning. We set these numbers by hand; a model would have learned them. 2 tokens "
            "ask, 5 answer, d_model = 6, d_k = 4 and d_v = 3: all these numbers differ, and √d_k = 2. There is one "
            "head, because 4 and 3 have no common divisor."
        ),
        source="Made for this dashboard so that every number means something. Nothing in it is trained.",
        tokens=("le", "chat"),
        sentence="{le} {chat} … (the cat …)",
        context_tokens=("the", "black", "cat", "sleeps", "(end)"),
        names=NAMES,
        x=[[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]],
        context=CONTEXT,
        w_q=[
            [3, 1, 0, 0],  # after an article comes a noun, and sometimes an adjective before it: le petit chat
            [0, 3, 2, 0],  # after a noun comes its adjective, or else the verb
            [1, 0, 3, 0],  # after an adjective comes the verb, and sometimes the noun
            [0, 0, 0, 3],  # after the verb, the end
            [0, 0, 0, 0],
            [0, 0, 0, 0],
        ],
        w_k=[[0, 0, 0, 0], [2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 2], [0, 0, 0, 0]],
        w_v=[[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 1, 0], [0, 0, 0], [0, 0, 2]],
        w_o=[[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]],  # the word that was found is written
        n_heads=1,
    )
