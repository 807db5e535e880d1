"""What is said when nothing explains a result: what was tried, and what was not."""

from __future__ import annotations

from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.plans import pairs
from attention_core.diagnosis.stages import name_of

NOT_POSED = (
    "This page cannot pose some problems, so a result that is right for one of them is unknown here: a padding mask, a "
    "window, or any mask but a causal one; another scale than 1/√d_k; one of several heads by itself; fewer heads of "
    "keys than of queries; rotary positions; ALiBi."
)


def tried(problem: Problem) -> str:
    """Say what was tried."""
    work = edited_run_of(problem.trace)
    ones = sum(slip.name in work.shown for slip in work.slips)
    n_pairs = len(pairs(work.pipeline, name_of(problem.stage), work.paired))
    told = "other keys for each row, one changed number, and rounding on the way"
    if not work.tries_all:
        large = "On matrices as large as these, I tried no pairs of mistakes, and not the rarer ones."
        return f"I tried the more usual mistakes, {told}. {large}"
    if not work.can_afford(n_pairs):
        return f"I tried {ones:,} mistakes, {told}. On matrices as large as these, I tried no pairs of mistakes."
    return f"I tried {ones:,} mistakes, {n_pairs:,} pairs of the commoner ones, {told}."


def advice(problem: Problem, has_steps: bool) -> str:
    """Say what to try next."""
    if problem.scored:
        return "Check what you pasted against the numbers above."
    if has_steps or not problem.earlier:
        return "Compute the first wrong number again by hand; its arithmetic stands below."
    return "Paste an earlier step too: then the first that is wrong is found."
