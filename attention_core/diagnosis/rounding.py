"""The greatest error of a matrix if the steps before it are rounded, and whether it explains an answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.answer import FEWEST_DECIMALS, MOST_DECIMALS, SMALLEST_SPREAD, Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.stages import name_of
from attention_core.mistakes.engine.code_lines import Names, lines_of, run
from attention_core.mistakes.engine.named_traces import has_several_heads
from attention_core.mistakes.engine.pipelines import Pipeline

Errors = dict[str, Array]  # for the name of each matrix: the greatest error of each number
Roundings = Mapping[str, float]  # for the name of a matrix: the greatest change by its own rounding
LEAST_TOTAL = 0.25  # the least sum of the powers of a row: nobody rounds powers that are smaller
LARGEST_EXPONENT = 50.0  # greater exponents are cut to this one, so that no power overflows


def greatest_errors(
    pipeline: Pipeline, names: Names, decimals: Mapping[str, int], changed: Collection[str] = ()
) -> Errors:
    """Return the greatest possible error of each matrix in `names`, by name, if somebody rounded some matrices.

    `decimals` holds the number of decimals of each rounded matrix, by name. `changed` holds the names of matrices that
    somebody typed in: their only error is their own rounding, because they do not depend on earlier matrices.

    If the weights are rounded, the powers in the softmax count as rounded, too. If the scaled scores are rounded, the
    root of d_k counts as rounded, too.
    """
    errors, roundings = Errors(), {name: 0.5 * 10.0**-places for name, places in decimals.items()}
    for name in (name for name in pipeline.names if name in names):
        passed_on = None if name in changed else _PASSED_ON.get(name)
        inherited = passed_on(names, errors, roundings) if passed_on else 0.0
        errors[name] = np.broadcast_to(inherited + roundings.get(name, 0.0), np.shape(names[name]))
    return errors


def steps_changed_by_rounding(pipeline: Pipeline, names: Names, before: str, decimals: int) -> Mapping[str, int]:
    """Return {name: decimals} for each matrix before the matrix `before` that rounding to `decimals` changes."""
    reached = pipeline.names[: pipeline.names.index(before)]
    return {name: decimals for name in reached if name in names and _changes(names[name], decimals)}


def _changes(matrix: Array, decimals: int) -> bool:
    return not np.array_equal(np.round(matrix, decimals), matrix)


def _product(a: Array, b: Array, off_a: Array, off_b: Array) -> Array:
    return np.abs(a) @ off_b + off_a @ np.abs(b) + off_a @ off_b


def _split(name: str) -> Callable[[Names, Errors, Roundings], Array]:
    def passed_on(names: Names, errors: Errors, _: Roundings) -> Array:
        cut = "split_keys" if name != "q" and "split_keys" in names else "split"
        return np.asarray(run(lines_of(f"found = {cut}({name})"), names | {name: errors[name]})["found"])

    return passed_on


def _rotated_errors(name: str) -> Callable[[Names, Errors, Roundings], Array]:
    def passed_on(names: Names, errors: Errors, _: Roundings) -> Array:
        off = errors[f"{name}_heads" if f"{name}_heads" in names else name]
        return np.sqrt(2) * np.broadcast_to(off.max(axis=-1, keepdims=True, initial=0.0), np.shape(off))

    return passed_on


def _scores(names: Names, errors: Errors, _: Roundings) -> Array:
    q, k = (next(each for each in (f"{name}_turned", f"{name}_heads", name) if each in names) for name in ("q", "k"))
    return _product(names[q], names[k].swapaxes(-1, -2), errors[q], errors[k].swapaxes(-1, -2))


def _scaled(names: Names, errors: Errors, roundings: Roundings) -> Array:
    rounding = roundings.get("scaled", 0.0)
    root = np.sqrt(names["d_k"])  # it may be rounded as well
    return (errors["scores"] + np.abs(names["scaled"]) * rounding) / max(root - rounding, root / 2)


def _weights(names: Names, errors: Errors, roundings: Roundings) -> Array:
    w, masked, rounding = names["weights"], names["masked"], roundings.get("weights", 0.0)
    spread = np.minimum(2 * errors["masked"].max(axis=-1, keepdims=True), LARGEST_EXPONENT)
    return np.minimum(_from_scores(w, spread) + _weight_errors_from_powers(w, masked, rounding), 1.0)


def _from_scores(w: Array, spread: Array) -> Array:
    grown = -np.expm1(-spread) / (w + (1 - w) * np.exp(-spread))
    shrunk = np.expm1(spread) / (w + (1 - w) * np.exp(spread))
    return w * (1 - w) * np.maximum(grown, shrunk)


def _weight_errors_from_powers(w: Array, masked: Array, rounding: float) -> Array:
    powers: Array = np.exp(np.minimum(masked, LARGEST_EXPONENT))
    others = np.isfinite(masked).sum(axis=-1, keepdims=True) - 1
    total = np.clip(powers.sum(axis=-1, keepdims=True), LEAST_TOTAL, 1.0)  # with the maximum subtracted, at least 1
    return np.where(w > 0, rounding * (1 - w + w * others) / (total - rounding * others).clip(LEAST_TOTAL / 2), 0.0)


def _mixed(weights: str, values: str) -> Callable[[Names, Errors, Roundings], Array]:
    """Return a function that computes the greatest errors of a product: the matrix `weights` times the matrix `values`.

    Before the weights are rounded, the errors in a row sum to 0, because each row sums to 1. A number that is added to
    all values of a column then changes no error. So the middle of each column is subtracted first.
    """

    def passed_on(names: Names, errors: Errors, roundings: Roundings) -> Array:
        w, v, rounding = names[weights], names[values], roundings.get(weights, 0.0)
        middle = (v.max(axis=-2, keepdims=True) + v.min(axis=-2, keepdims=True)) / 2
        moved = np.full(w.shape, rounding) @ np.abs(v) + (errors[weights] - rounding) @ np.abs(v - middle)
        moved = np.minimum(moved, errors[weights] @ np.abs(v))
        return moved + np.abs(w) @ errors[values] + errors[weights] @ errors[values]

    return passed_on


def _output(names: Names, errors: Errors, roundings: Roundings) -> Array:
    if has_several_heads(names):
        return errors["concat"] @ np.abs(names["w_o"])
    return _mixed("weights", "v")(names, errors, roundings)


_PASSED_ON: Mapping[str, Callable[[Names, Errors, Roundings], Array]] = {
    "q_heads": _split("q"),
    "k_heads": _split("k"),
    "v_heads": _split("v"),
    "scores": _scores,
    "scaled": _scaled,
    "q_turned": _rotated_errors("q"),
    "k_turned": _rotated_errors("k"),
    "biased": lambda _, errors, __: errors["scaled"],
    "masked": lambda _, errors, __: errors["scaled"],
    "weights": _weights,
    "heads": _mixed("weights", "v_heads"),
    "concat": lambda names, errors, _: errors["heads"].swapaxes(0, 1).reshape(names["concat"].shape),
    "output": _output,
    "angles": lambda names, errors, _: errors["exponents"] * names["angles"] * np.log(names["base"]),
    "sinusoidal": lambda _, errors, __: errors["angles"],
    "positioned": lambda names, errors, roundings: (
        errors["sinusoidal"] + np.abs(names["x"]) * roundings.get("positioned", 0.0)
    ),
}


# --- whether rounding explains an answer ---

NEAR_BY_CHANCE = 1e-4  # if random numbers are as near with a greater probability, nearness proves nothing
TINY = 1e-12
MOSTLY = 20  # the error of a number is mostly more than a twentieth of its greatest error
TOO_MANY_BY_CHANCE = 1e-3  # with a smaller probability of so many correct numbers, it was not rounding
OFTEN = 5  # the error of a number is often a fifth of its greatest error


def probability_of_nearness(bound: Array, wanted: Array) -> float:
    """Return the probability that random numbers differ from the matrix `wanted` by at most `bound`."""
    finite = wanted[np.isfinite(wanted)]
    spread = max(float(np.ptp(finite)) if finite.size else 0.0, SMALLEST_SPREAD)
    return float(np.exp(np.log(np.clip(2 * bound / spread, TINY, 1.0)).sum()))


def chance_of_rounding(computation: EditedRun, answer: Answer, stage: str, decimals: int) -> float:
    """Return the probability that random errors explain the wrong numbers of an answer.

    The random errors are about as large as the errors from rounding to `decimals` decimals. Wrong numbers of the same
    magnitude count once. A single wrong number gives a large probability, because it may be a slip of the pen. A wrong
    shape gives 1.
    """
    if answer.values.shape != computation.expected(stage).shape:
        return 1.0
    wanted = computation.expected(stage)
    off = ~answer.agrees(wanted)
    usual = (
        greatest_error_of(computation, stage, {}, other_decimals=decimals, decimals_of_stage=decimals) / OFTEN
        + answer.tolerance
    )
    _, first = np.unique(np.abs(wanted[off]).round(answer.decimals), return_index=True)
    return float(np.prod((answer.tolerance / usual)[off][first]))


def is_near(computation: EditedRun, answer: Answer, stage: str, decimals: int) -> bool:
    """Return whether rounding every step to `decimals` decimals explains an answer.

    Return False if random numbers would be as near to the correct matrix, or if the answer has more correct numbers
    than rounding would leave.
    """
    wanted = computation.expected(stage)
    if answer.values.shape != wanted.shape or not FEWEST_DECIMALS <= answer.decimals < MOST_DECIMALS:
        return False
    bound = greatest_error_of(computation, stage, {}, other_decimals=decimals, decimals_of_stage=decimals)
    if not answer.agrees(wanted, bound).all() or probability_of_nearness(bound, wanted) > NEAR_BY_CHANCE:
        return False
    return not _are_too_many_right(answer, wanted, bound)


def _are_too_many_right(answer: Answer, wanted: Array, bound: Array) -> bool:
    right = answer.agrees(wanted) & (bound > 0)
    as_right = np.minimum(answer.tolerance / np.maximum(bound / MOSTLY, TINY), 1.0)
    return bool(np.prod(as_right[right]) < TOO_MANY_BY_CHANCE)


def greatest_error_of(
    computation: EditedRun,
    stage: str,
    decimals_of_steps: Mapping[str, int],
    other_decimals: int,
    decimals_of_stage: int,
) -> Array:
    """Return the greatest error of each number of a matrix if the steps before it are rounded.

    `decimals_of_steps` has the number of decimals of some steps, by name. All other steps are rounded to
    `other_decimals` decimals. The matrix itself and the numbers inside its step, such as the root of d_k, are rounded
    to `decimals_of_stage` decimals.
    """
    name = name_of(stage)
    before = steps_changed_by_rounding(computation.pipeline, computation.names, name, other_decimals)
    before = {each: decimals for each, decimals in before.items() if each not in computation.changed}
    return greatest_errors(
        computation.pipeline,
        computation.names,
        {**before, **decimals_of_steps, name: decimals_of_stage},
        computation.changed,
    )[name]
