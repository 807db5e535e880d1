"""Say in a sentence what each cell of a matrix of positions is."""

from __future__ import annotations


def position_sentences(asks: str, answers: str, feature: int) -> dict[str, str]:
    """Return a sentence for a cell of each matrix of positions.

    `asks` and `answers` are the names of its row and column.
    """
    pair, wave = (feature + 1) // 2, "cosine" if feature % 2 == 0 else "sine"
    return {
        "sinusoidal": f"column {feature} is the {wave} of pair {pair}. Its angle at {asks} is the position, divided by "
        "a power of the base that grows from pair to pair.",
        "wavelengths": f"after so many positions pair {feature} is back where it was: $2\\pi$ over its angle a step.",
        "similarity": f"multiply the encodings of {asks} and {answers}, number by number, and add. Every encoding is "
        "as long as every other, so that over the square of that length is the cosine of the angle between them.",
        "before": f"the {wave} of this pair at the position where it starts.",
        "rotation": "made from the shift and the frequency of the pair alone: the position is not in it.",
        "after": "the pair before, multiplied by a column of the rotation, and added.",
        "embedded": f"feature {feature} of {asks}, made larger by the root of the width.",
        "positioned": f"feature {feature} of {asks}, and on top of it the encoding of the place where it stands.",
        "shuffled": f"feature {feature} of what {asks} takes away where it stands now.",
        "moved": f"what {asks} took away in the first order, written where it stands now.",
        "difference": f"what the new place has changed for {asks}: 0 where order means nothing.",
        "numbered_scores": f"the query meets the key of {answers}, with places written like this: {asks}. Their "
        "numbers are multiplied feature by feature, added, and scaled.",
        "numbered": f"the share that goes to {answers}, with places written like this: {asks}.",
        "q_turned": f"the query, its pair turned by the angle of {asks}.",
        "k_turned": f"the key, its pair turned by the angle of {asks}.",
        "scores_turned": f"the query at {asks} meets the key at {answers}: multiply feature by feature, and add.",
        "slopes": f"how fast the attention of head {feature} fades with every step of distance.",
        "bias": f"the slope times the distance of {asks} and {answers}, to be taken away from their score.",
    }
