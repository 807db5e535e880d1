"""Hidden mistakes: usual mistakes that do not change a result, so that no diagnosis can find them."""

from __future__ import annotations

from typing import Any

from attention_core.caching import cache_recent
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import Trace, possible_mistakes
from attention_core.mistakes import Mistake, blind_spots
from attention_core.mistakes.engine.code_lines import lines_of
from pages.shared.lessons.check_my_matrix.places import join_names
from pages.shared.notation.prose import typeset

MOST_IN_A_SENTENCE = 2
OF_THE_SCALE = {"scores", "scaled", "d_k", "np", "math", "int", "round", "float"}
MOST_NUMBERS = 1000  # with more numbers in the result, trying all mistakes takes half a second


def hidden_mistakes_text(problem: Problem) -> str:
    """Return a sentence that names the common mistakes which do not change the result of a problem.

    Return "" if there are none.
    """
    titles = _titles(problem.trace) if _is_searched(problem) else ()
    named = "; ".join(map(typeset, titles))
    many = "one common mistake gives" if len(titles) == 1 else f"{len(titles)} common mistakes give"
    return f"With these inputs, {many} the correct result all the same, up to 0.005: {named}." if titles else ""


def same_result_text(problem: Problem) -> str:
    """Return sentences that name mistakes which give the same correct result here, or "" if there are none."""
    titles = [f"“{typeset(title)}”" for title in _hidden_titles(problem)]
    if not titles:
        return ""
    more = len(titles) - MOST_IN_A_SENTENCE
    named = [*titles[:MOST_IN_A_SENTENCE], *([f"{more} more"] if more > 0 else [])]
    give, it = ("mistake {} gives", "it") if len(titles) == 1 else ("mistakes {} give", "one of them")
    return (
        f"These numbers cannot show every mistake. In this example, the {give.format(join_names(named))} the same "
        f"numbers, up to 0.005. Check that your code does not have {it}."
    )


def same_result_list(problem: Problem) -> str:
    """Return a list of all mistakes that would give the same numbers as a correct result.

    Return "" if `same_result_text` names all of them, because they are few.
    """
    titles = _hidden_titles(problem)
    if len(titles) <= MOST_IN_A_SENTENCE:
        return ""
    named = "; ".join(map(typeset, titles))
    return f"These {len(titles)} mistakes give the correct numbers in this example, up to 0.005: {named}."


def _is_searched(problem: Problem) -> bool:
    return not problem.gives_scores and problem.trace.output.size <= MOST_NUMBERS


def _hidden_titles(problem: Problem) -> tuple[str, ...]:
    return _titles_with_other_sizes(problem.trace) if _is_searched(problem) else ()


@cache_recent
def _titles(trace: Trace) -> tuple[str, ...]:
    usual = (mistake for mistake in possible_mistakes(trace) if mistake.rank == "usual")
    return tuple(mistake.title for mistake in blind_spots(trace, usual))


@cache_recent
def _titles_with_other_sizes(trace: Trace) -> tuple[str, ...]:
    """Return the titles of mistakes that do not change the result of `trace`.

    Usual mistakes are tried, and mistakes that divide by another size, which may have the same value as d_k.
    """
    may_hide = (
        mistake for mistake in possible_mistakes(trace) if mistake.rank == "usual" or _scales_by_another_size(mistake)
    )
    return tuple(dict.fromkeys(mistake.title for mistake in blind_spots(trace, may_hide)))


def _scales_by_another_size(mistake: Mistake[Any]) -> bool:
    """Return whether a mistake scales the scores by the size of a matrix, such as the number of keys, and not by d_k.

    If its code names no size, but has a fixed number, such as 2, return False.
    """
    sizes = {name for line in lines_of(mistake.code) for name in line.reads} - OF_THE_SCALE
    return mistake.stage == "scaled" and bool(sizes)
