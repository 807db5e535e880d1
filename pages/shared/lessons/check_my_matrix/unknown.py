"""Sentences for a result that nothing explains: what was tried, what was not tried, and what to do next."""

from __future__ import annotations

import numpy as np

from attention_core.attention import AttentionTrace
from attention_core.checks import Array
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.explaining import skipped_searches
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import matrix_at, name_of, pairs
from attention_core.heads import MultiHeadTrace
from attention_core.position_trace import PositionTrace
from attention_core.reading.matrix_text import MatrixText
from pages.shared.lessons.check_my_matrix.pairs_of_values import two_numbers
from pages.shared.lessons.check_my_matrix.places import join_names, place_text
from pages.shared.lessons.check_my_matrix.setting import TITLE

NOT_POSED = (
    "Does your task use another mask, another scale, or only one of several heads? Does your model rotate queries and "
    "keys by angles that grow with the position (rotary positions, RoPE), lower each score by the distance of the two "
    f"tokens (ALiBi), or share keys between heads? Choose it under *{TITLE}*. If your task has something "
    "that cannot be chosen there, your numbers may be correct, although the page calls them wrong."
)
ROUNDING = 0.01  # a number that is outside by less may be rounded
LEFT_OUT = {
    "rare": "the rarer mistakes",
    "pairs": "pairs of mistakes",
    "one_number": "a changed number in every matrix",
}


def what_was_tried(problem: Problem) -> str:
    """Return sentences that list what the diagnosis has tried without success: mistakes, and other causes."""
    work = edited_run_of(problem.trace)
    ones = sum(mistake.name in work.shown for mistake in work.mistakes)
    n_pairs = len(pairs(work.pipeline, name_of(problem.stage), work.paired))
    missing = skipped_searches(work, problem.stage)
    of_ones = "the more usual mistakes" if "rare" in missing else f"{ones:,} mistakes"
    of_pairs = "" if "pairs" in missing else f"{n_pairs:,} pairs of the more common ones, "
    told = (
        f"I tried {of_ones} that fit this task, {of_pairs}{_other_causes_text(problem)}and rounding in earlier steps."
    )
    not_tried = [LEFT_OUT[kind] for kind in missing]
    return f"{told} On matrices as large as these, I did not try {join_names(not_tried)}." if not_tried else told


def _other_causes_text(problem: Problem) -> str:
    """Return words for more causes that the diagnosis has tried: other masks if they matter, and a changed number."""
    is_masked = problem.stage in ("weights", "output") and not isinstance(
        problem.trace, (MultiHeadTrace, PositionTrace)
    )
    return f"{'other masks, ' if is_masked else ''}one changed number, "


def outside_the_values(problem: Problem, answer: MatrixText) -> str:
    """Return a sentence that names an impossible number of an output, or "" if there is none.

    An output is an average of values. So each number lies between the smallest and the greatest value in its column.
    """
    if problem.stage != "output" or not isinstance(problem.trace, AttentionTrace):
        return ""
    values = matrix_at(problem.trace, "v")
    if answer.values.shape != problem.correct_result.shape or values.shape[1] != problem.correct_result.shape[1]:
        return ""
    place = _most_outside(answer.values, values)
    if place is None:
        return ""
    row, column = place
    value, least, greatest = (float(each) for each in (answer.values[place], *_range(values)[:, column]))
    is_below = value < least
    written, bound = two_numbers(value, least if is_below else greatest, answer.decimals)
    which, relation = ("smallest", "smaller") if is_below else ("greatest", "greater")
    return (
        f"The number in {place_text(place)} of your output is ${written}$. But the {which} number in column "
        f"{column + 1} of the values is ${bound}$. The output is an average of the values, because the weights of "
        f"a row are not negative and add up to 1. An average cannot be {relation} than the {which} value. So your "
        f"weights in row {row + 1} do not add up to 1, or a weight is negative, or your values or your last product "
        "are wrong."
    )


def _most_outside(output: Array, values: Array) -> tuple[int, int] | None:
    """Return the row and column of the number that is the furthest outside the range of its column of values.

    Return None if no number is outside.
    """
    least, greatest = _range(values)
    outside = np.nan_to_num(np.maximum(least - output, output - greatest), nan=-1.0)
    row, column = np.unravel_index(int(outside.argmax()), outside.shape)
    return (int(row), int(column)) if outside[row, column] > ROUNDING else None


def _range(values: Array) -> Array:
    """Return the smallest and the greatest number of each column."""
    return np.stack([values.min(axis=0), values.max(axis=0)])


def advice(problem: Problem, has_steps: bool) -> str:
    """Return a sentence that says what to try next if nothing explains an answer."""
    if problem.gives_scores:
        return "Check what you pasted against the numbers above."
    if has_steps or not problem.earlier_stages:
        return "Compute the first wrong number again by hand. You find its arithmetic below."
    return "Paste your earlier steps as well. Then I can find the first one that is wrong."
