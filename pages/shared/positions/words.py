"""Words for positions: what each matrix is called, and what the calculation of a cell does, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

# As in notation: symbol in formulas, name in words.
POSITION_SYMBOLS: Mapping[str, tuple[str, str]] = {
    "sinusoidal": ("PE", "positional encoding"),
    "wavelengths": ("λ", "wavelengths"),
    "similarity": ("S", "similarity of positions"),
    "before": ("PE(p)", "the pair before"),
    "rotation": ("R", "rotation"),
    "after": ("PE(p+k)", "the pair after"),
    "embedded": ("E", "scaled embeddings"),
    "positioned": ("X'", "embeddings with positions"),
    "shuffled": ("Z'", "output of the shuffled tokens"),
    "moved": (r"Z^{\text{moved}}", "outputs moved along"),
    "difference": ("D", "difference"),
    "q_turned": ("Q'", "turned query"),
    "k_turned": ("K'", "turned key"),
    "scores_turned": ("S'", "scores of the turned"),
    "slopes": ("m", "slopes"),
    "bias": ("B", "penalty of distance"),
}


def shown_as(stage: str) -> str:
    """Return the id under which the matrix of a stage is shown: the core's encoding is the sinusoidal one."""
    return {"encoding": "sinusoidal"}.get(stage, stage)


def position_sentences(asks: str, answers: str, feature: int) -> dict[str, str]:
    """Say for each matrix of positions what one of its cells is; `asks` and `answers` name its row and column."""
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
        "q_turned": f"the query, its pair turned by the angle of {asks}.",
        "k_turned": f"the key, its pair turned by the angle of {asks}.",
        "scores_turned": f"the query at {asks} meets the key at {answers}: multiply feature by feature, and add.",
        "slopes": f"how fast the attention of head {feature} fades with every step of distance.",
        "bias": f"the slope times the distance of {asks} and {answers}, to be taken away from their score.",
    }
