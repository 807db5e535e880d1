"""Make tasks for pencil and paper from a seed. Every mistake of their concept changes the answer."""

from __future__ import annotations

from typing import Any

from attention_core.caching import cache_up_to
from attention_core.checks import positive_integer
from attention_core.diagnosis.stages import name_of
from attention_core.mistakes import Mistake, mistakes_of
from attention_core.tasks.fair import is_fair
from attention_core.tasks.own_steps import TaskComputation
from attention_core.tasks.reach import range_of_correct_numbers
from attention_core.tasks.task import Task, TaskMistake, is_between, matrix_of
from attention_core.tasks.task_numbers import Draw
from attention_core.tasks.task_recipes import RECIPES, Recipe

__all__ = ["DIFFICULTIES", "Task", "task"]
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
