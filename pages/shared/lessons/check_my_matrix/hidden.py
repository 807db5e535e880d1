"""Hidden mistakes: the usual ones that leave a result as it is, so that no diagnosis can find them."""

from __future__ import annotations

from attention_core.caching import cache_recent
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import Trace, possible_mistakes
from attention_core.mistakes import blind_spots
from pages.shared.lessons.check_my_matrix.places import join_names
from pages.shared.notation.prose import typeset

MOST_NAMED = 6
MOST_IN_A_SENTENCE = 2
MOST_NUMBERS = 1000  # with more numbers in the result, trying all mistakes takes half a second


def hidden_mistakes_text(problem: Problem) -> str:
    """Name the usual mistakes that the numbers of a problem cannot reveal. Return "" where there is none."""
    titles = () if problem.scored or problem.trace.output.size > MOST_NUMBERS else _titles(problem.trace)
    if not titles:
        return ""
    more = f", and {len(titles) - MOST_NAMED} more" if len(titles) > MOST_NAMED else ""
    named = ", ".join(map(typeset, titles[:MOST_NAMED]))
    return f"These numbers hide {len(titles)} of the usual mistakes, which give the right result here: {named}{more}."


def in_a_right_result(problem: Problem) -> str:
    """Say which mistakes a right result may still have, because they give the same numbers here. Return "" if none."""
    if problem.scored or problem.trace.output.size > MOST_NUMBERS:
        return ""
    titles = [typeset(title) for title in _titles_and_scales(problem.trace)]
    if not titles:
        return ""
    named = [f"“{title}”" for title in titles[:MOST_IN_A_SENTENCE]]
    more = [f"{len(titles) - MOST_IN_A_SENTENCE} more mistakes"] if len(titles) > MOST_IN_A_SENTENCE else []
    gives = "gives" if len(titles) == 1 else "give"
    return (
        f"This does not prove how you computed it: {join_names([*named, *more])} {gives} the right numbers here, too."
    )


@cache_recent
def _titles_and_scales(trace: Trace) -> tuple[str, ...]:
    """Return the usual mistakes that a result hides, and the wrong scales that are the right one in this size."""
    may_hide = (mistake for mistake in possible_mistakes(trace) if mistake.rank == "usual" or mistake.stage == "scaled")
    return tuple(dict.fromkeys(mistake.title for mistake in blind_spots(trace, may_hide)))


@cache_recent
def _titles(trace: Trace) -> tuple[str, ...]:
    usual = (mistake for mistake in possible_mistakes(trace) if mistake.rank == "usual")
    return tuple(mistake.title for mistake in blind_spots(trace, usual))
