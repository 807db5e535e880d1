"""Say in a sentence what each cell is that summarises repeated measurements."""

from __future__ import annotations

MEAN = "all numbers of its column, added up and divided by how many there are."
ERROR = (
    "how far chance moves the mean: each number’s distance from it squared, their sum over one less than there are, "
    "the root of that, over the root of how many there are."
)


def measure_sentences(feature: int) -> dict[str, str]:
    """Return a sentence for a cell of each matrix of measures. `feature` counts its column from 1."""
    return {"averages": MEAN if feature == 1 else ERROR, "counts": "1 for each number of its column below 0, added up."}
