"""What is said when nothing explains a result: what was tried, and what was not."""

from __future__ import annotations

from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.explaining import left_out
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.plans import pairs
from attention_core.diagnosis.stages import name_of
from attention_core.heads import MultiHeadTrace
from attention_core.position_trace import PositionTrace
from pages.shared.lessons.check_my_matrix.places import join_names
from pages.shared.lessons.check_my_matrix.setting import TITLE

NOT_POSED = (
    "Does your task use another mask, another scale, or only one of several heads? Does your model rotate queries and "
    "keys by angles that grow with the position (rotary positions, RoPE), lower each score by the distance of the two "
    f"tokens (ALiBi), or share keys between heads? Choose it under *{TITLE}*. If your task has something "
    "that cannot be chosen there, your numbers may be correct, although the page calls them wrong."
)
LEFT_OUT = {
    "rare": "the rarer mistakes",
    "pairs": "pairs of mistakes",
    "one_number": "a changed number in every matrix",
}


def what_was_tried(problem: Problem) -> str:
    """Say what was tried."""
    work = edited_run_of(problem.trace)
    ones = sum(mistake.name in work.shown for mistake in work.mistakes)
    n_pairs = len(pairs(work.pipeline, name_of(problem.stage), work.paired))
    missing = left_out(work, problem.stage)
    of_ones = "the more usual mistakes" if "rare" in missing else f"{ones:,} mistakes"
    of_pairs = "" if "pairs" in missing else f"{n_pairs:,} pairs of the more common ones, "
    told = f"I tried {of_ones} that fit this task, {of_pairs}{_more_for(problem)}and rounding in earlier steps."
    not_tried = [LEFT_OUT[kind] for kind in missing]
    return f"{told} On matrices as large as these, I did not try {join_names(not_tried)}." if not_tried else told


def _more_for(problem: Problem) -> str:
    """Say what else is tried: only weights, or the output of one head, may come from another mask."""
    is_masked = problem.stage in ("weights", "output") and not isinstance(
        problem.trace, (MultiHeadTrace, PositionTrace)
    )
    return f"{'other masks, ' if is_masked else ''}one changed number, "


def advice(problem: Problem, has_steps: bool) -> str:
    """Say what to try next."""
    if problem.scored:
        return "Check what you pasted against the numbers above."
    if has_steps or not problem.earlier:
        return "Compute the first wrong number again by hand. You find its arithmetic below."
    return "Paste your earlier steps as well. Then I can find the first one that is wrong."
