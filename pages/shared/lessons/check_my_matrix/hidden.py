"""Hidden mistakes: the usual ones that leave a result as it is, so that no diagnosis can find them."""

from __future__ import annotations

from attention_core.caching import cached
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import Trace, possible_slips
from attention_core.slips import blind_spots
from pages.shared.notation.prose import typeset

MOST_NAMED = 6
MOST_NUMBERS = 1000  # with more numbers in the result, trying all mistakes takes half a second


def said(problem: Problem) -> str:
    """Name the usual mistakes that the numbers of a problem cannot reveal. Return "" where there is none."""
    titles = () if problem.scored or problem.trace.output.size > MOST_NUMBERS else _titles(problem.trace)
    if not titles:
        return ""
    more = f", and {len(titles) - MOST_NAMED} more" if len(titles) > MOST_NAMED else ""
    named = ", ".join(map(typeset, titles[:MOST_NAMED]))
    return f"These numbers hide {len(titles)} of the usual mistakes, which give the right result here: {named}{more}."


@cached
def _titles(trace: Trace) -> tuple[str, ...]:
    usual = (slip for slip in possible_slips(trace) if slip.rank == "usual")
    return tuple(slip.title for slip in blind_spots(trace, usual))
