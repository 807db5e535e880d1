"""The small model of “The cat drank the …”, made by hand, in which every number has a meaning.

A row of the vocabulary says which features make its word likely: “milk” comes after an article and after drinking. The
row of “the” says only that an article came last. Only attention can add what was done with the thing. The query of an
article looks for an action, and takes from the action's value whether the action was drinking or chasing.
"""

from __future__ import annotations

from functools import cache

from attention_core.examples.example import frozen_copy
from attention_core.writing.small_model import SmallModel

FEATURES = ("article", "noun", "action", "drinking", "chasing")
QUERIES, KEYS, VALUES = (
    ("looks for an action", "looks for a noun"),
    ("is an action", "is a noun"),
    ("drinking", "chasing"),
)
VERBS = ("drank", "chased")
END = "."
TABLE = {
    "The": (1, 0, 0, 0, 0),
    "cat": (0, 1, 0, 0, 0),
    "drank": (0, 0, 1, 1, 0),
    "chased": (0, 0, 1, 0, 1),
    "the": (1, 0, 0, 0, 0),
    "milk": (0, 1, 0, 0, 0),
    "mouse": (0, 1, 0, 0, 0),
    "roof": (0, 1, 0, 0, 0),
    "sleeps": (0, 0, 1, 0, 0),
    END: (0, 0, 0, 0, 0),
}
VOCABULARY = {
    "milk": (2, -2, 0, 1, 0),  # after an article, not after a noun; after drinking
    "mouse": (2, -2, 0, 0, 1),
    "roof": (2, -2, 0, 0, 0),
    "sleeps": (0, 2, -2, -1, -1),  # after a noun, and only if nothing was done yet
    END: (-3, 1, 0, 1, 1),  # after a noun; more likely if something was done
}
W_Q = ((2, 0), (1, 0), (0, 2), (0, 0), (0, 0))  # an article looks for an action, a noun too with a smaller number
W_K = ((0, 0), (0, 2), (2, 0), (0, 0), (0, 0))
W_V = ((0, 0), (0, 0), (0, 0), (2, 0), (0, 2))
W_O = ((0, 0, 0, 1, 0), (0, 0, 0, 0, 1))
# Two hidden units. The first is above 0 only if there is drinking, but neither a noun nor an action.
HIDDEN = ("thing to drink", "thing to chase")
W_UP = ((0, 0), (-2, -2), (-2, -2), (1, 0), (0, 1))
W_DOWN = ((0, 0, 0, 1, 0), (0, 0, 0, 0, 1))


@cache
def story_model() -> SmallModel:
    """Return the small model of “The cat drank the …”.

    >>> story_model().vocabulary.shape
    (5, 5)
    """
    return SmallModel(
        tokens=tuple(TABLE), words=tuple(VOCABULARY), table=frozen_copy([*TABLE.values()]),
        w_q=frozen_copy(W_Q), w_k=frozen_copy(W_K), w_v=frozen_copy(W_V), w_o=frozen_copy(W_O),
        vocabulary=frozen_copy([*VOCABULARY.values()]), w_up=frozen_copy(W_UP), w_down=frozen_copy(W_DOWN),
    )  # fmt: skip


def beginning(verb: str) -> tuple[str, ...]:
    """Return the tokens of “The cat … the” with a verb in the gap.

    >>> beginning("chased")
    ('The', 'cat', 'chased', 'the')
    """
    return ("The", "cat", verb, "the")
