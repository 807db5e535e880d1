"""Tasks by seed: fair ones, whose numbers can be reached on paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import combinations, product
from typing import Any

import numpy as np

from attention_core.arithmetic import Number, Operation, Symbol, Term, evaluate
from attention_core.arithmetic.attention_rules import ExplainedTrace, rule_of, rules_of
from attention_core.caching import cache_up_to
from attention_core.checks import Array, positive_integer
from attention_core.diagnosis.stages import name_of
from attention_core.mistakes import Mistake, mistakes_of
from attention_core.tasks.recipes import RECIPES, Recipe
from attention_core.tasks.steps import TaskComputation
from attention_core.tasks.task import Draw, Task, TaskMistake, is_between, matrix_of


def ways_to_compute(term: Term) -> tuple[Term, ...]:
    """Return the usual ways to compute a term, as terms with the same value.

    If a power is divided by a sum of powers, the greatest exponent may be subtracted from all exponents first. A
    quotient by a root may also be computed as a product with 1 / root. Any other term has only one way.

    >>> len(ways_to_compute(Number(2.0)))
    1
    """
    match term:
        case Operation("quotient", (above, Operation("root") as root)):
            return term, Operation("product", (above, Operation("quotient", (Number(1.0), root))))
        case Operation("quotient", (above, Operation("sum", powers))) if above in powers and all(
            map(_is_power, powers)
        ):
            return _shares(powers.index(above), powers)
        case _:
            return (term,)


def _is_power(term: Term) -> bool:
    return isinstance(term, Operation) and term.symbol in ("exp", "power")


def _shares(which: int, powers: tuple[Term, ...]) -> tuple[Term, ...]:
    plain = [_exponent(power) for power in powers]
    greatest = Operation("maximum", tuple(plain))
    less = [Operation("difference", (exponent, greatest)) for exponent in plain]
    return _share_of_way(which, powers, plain), _share_of_way(which, powers, less)


def _share_of_way(which: int, powers: tuple[Term, ...], exponents: list[Term] | list[Operation]) -> Term:
    parts = tuple(_with_exponent(*pair) for pair in zip(powers, exponents, strict=True))
    return Operation("quotient", (parts[which], Operation("sum", parts)))


def _exponent(power: Term) -> Term:
    """Return the exponent of a power, without the greatest exponent if this was subtracted."""
    match power:
        case Operation(_, (*_, Operation("difference", (exponent, Operation("maximum"))))):
            return exponent
        case Operation(_, (*_, exponent)):
            return exponent
        case _:
            return power


def _with_exponent(power: Term, exponent: Term) -> Term:
    return Operation(power.symbol, (*power.terms[:-1], exponent)) if isinstance(power, Operation) else exponent


Span = tuple[float, float]  # the least and the greatest number
DECIMALS = range(2, 9)  # a step may be rounded to 2 to 8 decimals; more decimals would make no noticeable difference
HALF_A_THOUSANDTH = 0.0005  # rounding to three decimals changes a number by at most this much
TIE = 1e-9  # a number that is this near to a half of the last decimal may be rounded up or down


def range_of_correct_numbers(worked: ExplainedTrace, name: str, given: Collection[str]) -> tuple[Array, Array]:
    """Return the least and the greatest number that correct rounding of the steps can give, for each cell of a matrix.

    `worked` has the calculation of each cell, `name` is the name of the matrix, and the matrices in `given` are exact.
    All usual ways to compute a number are tried, such as division by √d_k and multiplication by 1/√d_k. An answer may
    also be rounded to two decimals at the end.

    Shapes: both have the shape of the matrix.
    Raises: ValueError if `worked` has no such matrix.
    """
    matrix, rule = rule_of(worked, name)
    spans = _Spans(worked, given)
    ends = [span_as_written(spans.of_any(rule(*place))) for place in np.ndindex(matrix.shape)]
    low, high = np.array(ends).T
    return low.reshape(matrix.shape), high.reshape(matrix.shape)


class _Spans:
    """A calculator for spans. A span is the least and the greatest value that rounding can give to a term.

    Each span is computed only once.
    """

    def __init__(self, worked: ExplainedTrace, given: Collection[str]) -> None:
        """Store the calculations in `worked`, except those of the matrices in `given`, whose numbers are exact."""
        self._rules = {name: rule for name, (_, rule) in rules_of(worked).items() if name not in given}
        self._known = dict[Term, Span]()

    def of_any(self, term: Term) -> Span:
        """Return the smallest and the greatest value that a term can have, over all usual ways to compute the term."""
        lows, highs = zip(*(self._span_of(way) for way in ways_to_compute(term)), strict=True)
        return min(lows), max(highs)

    def _span_of(self, term: Term) -> Span:
        if term not in self._known:
            self._known[term] = (
                self._span_of_number(term) if isinstance(term, Number) else self._span_of_operation(term)
            )
        return self._known[term]

    def _span_of_number(self, number: Number) -> Span:
        if number.name in self._rules and number.index:
            return self.of_any(self._rules[number.name](*number.index))
        return number.value, number.value

    def _span_of_operation(self, operation: Operation) -> Span:
        match operation:
            case Operation("quotient", (part, Operation("sum", parts))) if part in parts:
                found = _share(parts.index(part), [self._span_of(each) for each in parts])
            case _:
                spans = [self._span_of(term) for term in operation.terms]
                found = _BETWEEN.get(operation.symbol, _span_from_ends)(operation.symbol, spans)
        return span_as_written(found)


def span_as_written(span: Span) -> Span:
    """Return the least and the greatest result of rounding a number in `span` to two or more decimals.

    >>> span_as_written((6**0.5, 6**0.5))
    (2.449, 2.45)
    """
    low, high = span
    if not (math.isfinite(low) and math.isfinite(high)):
        return span
    down = (math.ceil(low * 10**d - 0.5 - TIE) / 10**d for d in DECIMALS)
    up = (math.floor(high * 10**d + 0.5 + TIE) / 10**d for d in DECIMALS)
    return min(low, *down), max(high, *up)


# --- the span of an operation, from the spans of its terms ---


def _span_from_ends(symbol: Symbol, spans: list[Span]) -> Span:
    """Return the span of an operation, computed from the least and the greatest values of its terms.

    This is correct only for operations that always rise, or always fall, with each term.
    """
    if symbol == "quotient" and spans[1][0] <= 0 <= spans[1][1]:
        return -math.inf, math.inf  # so small a divisor may be rounded to 0
    if all(low == high for low, high in spans):
        spans = [(low,) for low, _ in spans]  # type: ignore[misc]
    found = [evaluate(Operation(symbol, tuple(map(Number, ends)))) for ends in product(*spans)]
    return min(found), max(found)


def _share(which: int, parts: list[Span]) -> Span:
    low, high = parts[which]
    rest_low, rest_high = _span_of_sum("sum", parts[:which] + parts[which + 1 :])
    least = (_divide(total - rest_high, up) for total, _, up in _totals(low + rest_high, high + rest_high))
    most = (_divide(total - rest_low, down) for total, down, _ in _totals(low + rest_low, high + rest_low))
    return min(least), max(most)


def _totals(low: float, high: float) -> Iterator[tuple[float, float, float]]:
    """Yield the totals from `low` to `high` at which a share can be least or greatest, each with two rounded numbers.

    The order is: the total, the least and the greatest number that rounding can make of it. The totals are `low`,
    `high`, and all numbers between them that are rounded up or down, such as 0.125. For `low` and `high`, rounding to
    more than two decimals changes a total by half a thousandth at most.
    """
    for total in (low, high):
        yield total, *span_as_written((total, total))
    if low < high:
        halves = ((cent + 0.5) / 100 for cent in range(math.ceil(low * 100 - 0.5), math.floor(high * 100 - 0.5) + 1))
        yield from ((half, *span_as_written((half, half))) for half in halves)
        yield from ((total, total - HALF_A_THOUSANDTH, total + HALF_A_THOUSANDTH) for total in (low, high))


def _divide(part: float, total: float) -> float:
    return part / total if total > 0 else math.inf  # so small a total may be rounded to 0


def _span_of_sum(_: Symbol, spans: list[Span]) -> Span:
    return math.fsum(low for low, _ in spans), math.fsum(high for _, high in spans)


def _span_of_maximum(_: Symbol, spans: list[Span]) -> Span:
    return max(low for low, _ in spans), max(high for _, high in spans)


def _span_of_wave(symbol: Symbol, spans: list[Span]) -> Span:
    ((low, high),) = spans
    quarter = 0.5 * math.pi * (symbol == "sin")
    turns = range(math.ceil((low - quarter) / math.pi), math.floor((high - quarter) / math.pi) + 1)
    found = [*_span_from_ends(symbol, spans), *((-1.0) ** turn for turn in turns)]
    return min(found), max(found)


_BETWEEN: Mapping[Symbol, Callable[[Symbol, list[Span]], Span]] = {
    "sum": _span_of_sum,
    "maximum": _span_of_maximum,
    "sin": _span_of_wave,
    "cos": _span_of_wave,
}


GREATEST = 99  # the greatest number that a task may contain
MOST_ZEROS = 1 / 3  # the greatest fraction of zeros in a matrix, because multiplying by 0 is no exercise
WIDEST = 0.05  # the greatest width of a range of accepted numbers, as a fraction of the greatest number


def is_fair(task: Task) -> bool:
    """Return whether a task is fair: it has good numbers, and its answer shows which mistake was made.

    No mistake may give an answer that would be marked correct, or the same answer as another mistake.
    """
    return has_good_numbers(task) and not hidden_mistakes(task) and not mistakes_with_same_answer(task)


def has_good_numbers(task: Task) -> bool:
    """Return whether a task has good numbers.

    No number is large, few numbers are 0, no two tokens have the same position, and rounding the steps hardly changes
    the answer.
    """
    shown = [task.matrix(name) for name in task.given] + [task.correct_answer]
    distinct = "positions" not in task.given or len(set(task.trace.positions.tolist())) == len(task.trace.positions)
    steady = (task.most - task.least).max() <= WIDEST * max(1.0, float(np.abs(task.correct_answer).max()))
    clear = not isinstance(task.trace, TaskComputation) or task.trace.is_clear
    return distinct and clear and bool(steady) and all(map(_has_easy_numbers, shown))


def hidden_mistakes(task: Task) -> tuple[TaskMistake, ...]:
    """Return the mistakes whose wrong answer would be marked correct, because rounding may explain the difference."""
    return tuple(mistake for mistake in task.mistakes if _may_be_marked_correct(task, task.wrong_answer(mistake)))


def _may_be_marked_correct(task: Task, wrong: Array) -> bool:
    return not (
        (wrong < task.least - task.greatest_rounding_error) | (wrong > task.most + task.greatest_rounding_error)
    ).any()


def mistakes_with_same_answer(task: Task) -> tuple[tuple[TaskMistake, TaskMistake], ...]:
    """Return each pair of mistakes that give the same answer, up to rounding of the steps."""
    wrong = {mistake: task.wrong_answer(mistake) for mistake in task.mistakes}
    pairs = combinations(wrong, 2)
    return tuple((a, b) for a, b in pairs if not (np.abs(wrong[a] - wrong[b]) > 2 * task.greatest_rounding_error).any())


def _has_easy_numbers(matrix: Array) -> bool:
    return bool(np.abs(matrix).max() <= GREATEST and np.count_nonzero(matrix == 0) <= MOST_ZEROS * matrix.size)


DIFFICULTIES = (1, 2, 3)
MOST_DRAWS = 500  # usually two draws are enough


@cache_up_to(512)
def task(concept: str, seed: int, difficulty: int = 1) -> Task:
    """Return the task that a seed gives for a concept and a difficulty. The task is the same on every machine.

    Numbers are small and whole, or have two decimals. Tasks are drawn until one is fair, as `is_fair` says.

    Raises: ValueError if the concept has no tasks, the seed is not at least 1, or there is no such
            difficulty; RuntimeError if no draw is fair, for example because two mistakes always give the same answer.

    >>> practised = task("scaling", seed=1)
    >>> practised.given, practised.asked
    (('scores',), 'scaled')
    """
    if concept not in RECIPES:
        raise ValueError(f"concept must be one of {', '.join(RECIPES)}; got {concept}: choose one of these.")
    if difficulty not in DIFFICULTIES:
        raise ValueError(f"difficulty must be 1, 2 or 3; got {difficulty}: choose one of these.")
    place, seed = list(RECIPES).index(concept), positive_integer("seed", seed)
    for attempt in range(MOST_DRAWS):
        recipe = RECIPES[concept][difficulty - 1](Draw(place, seed, difficulty, attempt))
        made = task_from(recipe, concept, seed, difficulty)
        if is_fair(made):
            return made
    raise RuntimeError(
        f"a task must be fair; got none in {MOST_DRAWS} draws of {concept} {difficulty}: change a recipe."
    )


def task_from(recipe: Recipe, concept: str, seed: int, difficulty: int) -> Task:
    """Make a task from the numbers in a recipe, even if the task is not fair (see `is_fair`)."""
    worked = recipe.worked or recipe.trace
    given = {name.partition(".")[0] for name in recipe.given}
    least, most = range_of_correct_numbers(worked, name_of(recipe.asked), given)
    return Task(
        concept=concept, seed=seed, difficulty=difficulty, trace=recipe.trace, given=recipe.given,
        done_until=recipe.done_until, asked=recipe.asked, worked=worked, least=least, most=most, base=recipe.base,
        mistakes=mistakes_in(recipe, concept),
    )  # fmt: skip


def mistakes_in(recipe: Recipe, concept: str) -> tuple[TaskMistake, ...]:
    """Return the mistakes that can be made on the way from the given matrices of a task to the matrix asked for.

    `recipe` has the numbers of the task. The mistakes are those that the page `concept` teaches.
    """
    if isinstance(recipe.trace, TaskComputation):
        return recipe.trace.mistakes(recipe.mistakes)
    return tuple(mistake for mistake in mistakes_of(concept) if _can_happen(mistake, recipe))


def _can_happen(mistake: Mistake[Any], recipe: Recipe) -> bool:
    """Return whether a mistake is possible in a task, and does not change the shape of the matrix asked for."""
    if not is_between(mistake, recipe.trace, recipe.done_until, recipe.asked) or not mistake.shows(recipe.trace):
        return False
    try:
        return matrix_of(mistake.apply(recipe.trace), recipe.asked).shape == matrix_of(recipe.trace, recipe.asked).shape
    except ValueError:
        return False


__all__ = [
    "DIFFICULTIES",
    "Task",
    "task",
]
