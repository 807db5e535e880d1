"""Test that the diagnosis says "right", "near" or "one number" only if the numbers prove it.

Also the errors of learners, in arithmetic and in typing.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from attention_core import SelfAttentionTrace, softmax
from attention_core.diagnosis.answer import answer_to
from attention_core.diagnosis.diagnose import diagnose, matrix_at
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.one_number import MOST_LISTED, is_plausible
from attention_core.diagnosis.pasted import (
    ALL_HEADS,
    diagnose_pasted,
    example_of_weights,
    problem_of,
    problem_of_queries,
    problem_of_scores,
)
from attention_core.diagnosis.rounding import greatest_errors
from attention_core.examples import example
from attention_core.mistakes import with_mistakes
from attention_core.mistakes.rare import every_mistake
from attention_core.reading.matrix_text import read_matrix, write_matrix
from tasks_on_paper import NAMES, STEPS, Learner, draw_error, written_steps

EMPTY = np.array([[1, 2], [-np.inf, -np.inf]])
STORY, HAND = example("story"), example("hand")
MISTAKE = {mistake.name: mistake for mistake in every_mistake()}


def diagnosis_of(problem, answer, decimals=4, **given):
    """Return the diagnosis of `answer` for `problem`. `given` holds earlier matrices of the same attempt, by name."""
    texts = {stage: read_matrix(write_matrix(np.asarray(matrix), decimals)) for stage, matrix in given.items()}
    text = answer if isinstance(answer, str) else write_matrix(np.asarray(answer, dtype=float), decimals)
    return diagnose_pasted(problem, read_matrix(text), texts)


def kinds(found):
    """Return the kinds of the findings in a diagnosis."""
    return [finding.kind for finding in found.findings]


def names(found):
    """Return the names of the mistakes in each finding, as a list of tuples. Leave out findings without a mistake."""
    return [tuple(mistake.name for mistake in finding.mistakes) for finding in found.findings if finding.mistakes]


def keys_of(found):
    """Return the field `keys` of the first finding: which keys each query attends to. Fail if the field is empty."""
    keys = found.findings[0].keys
    assert keys is not None
    return keys


# --- no numbers, −∞, and rows with every key hidden ---


def test_nan_in_a_row_with_every_key_hidden_is_named_and_never_right():
    found = diagnosis_of(problem_of_scores(EMPTY), "[[0.27, 0.73], [nan, nan]]")
    assert not found.all_correct
    assert names(found) == [("empty_row_to_nan",)]
    assert diagnosis_of(problem_of_scores(EMPTY), "[[0.27, 0.73], [0, 0]]").all_correct


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_are_never_right_or_explained_by_rounding(odd):
    for problem in (problem_of(HAND, "output"), problem_of(STORY, "weights", "causal")):
        answer = np.array(problem.correct_result)
        answer[-1, -1] = odd
        found = diagnosis_of(problem, answer)
        assert not found.all_correct
        assert {*kinds(found)}.isdisjoint({"near", "one_number", "on_the_way"})
        assert {*names(diagnosis_of(problem, np.full_like(answer, odd)))} <= {("mask_times_infinity",)}


@pytest.mark.parametrize("fill", [-1e9, -1e4])
def test_a_finite_fill_is_named_if_every_key_of_a_row_is_hidden(fill):
    found = diagnosis_of(problem_of_scores(EMPTY), softmax(np.where(np.isfinite(EMPTY), EMPTY, fill)))
    assert ("fill_of_a_billion",) == names(found)[0]
    assert ("fill_of_ten_thousand",) in names(found)
    assert ("mask_forgotten",) not in names(found)  # this mistake would need the hidden scores


def test_a_mistake_that_needs_hidden_scores_is_not_named():
    scores = np.array([[1, 2, -np.inf], [0.5, 0.5, -np.inf]])
    problem = problem_of_scores(scores)
    np.testing.assert_array_equal(problem.shown, scores)
    assert names(diagnosis_of(problem, softmax(np.where(np.isfinite(scores), scores, 0.0))))[0] == ("mask_with_zeros",)
    assert ("mask_forgotten",) not in names(diagnosis_of(problem, softmax(np.where(np.isfinite(scores), scores, 0.0))))


def test_scores_that_are_already_masked_are_accepted_as_right():
    right = HAND.attention(mask=HAND.mask("causal"))
    masked = np.where(np.tri(3, dtype=bool), right.scores, -np.inf)
    found = diagnosis_of(problem_of(HAND, "output", "causal"), right.output, scores=masked)
    assert [step.kind for step in found.steps] == ["right", "right"]


# --- other keys ---


def window(example, width):
    """Return the weights of the example if each query attends to its own key and the `width` - 1 keys before it."""
    n = len(example.tokens)
    seen = np.tri(n, dtype=bool) & ~np.tri(n, k=-width, dtype=bool)
    return softmax(np.where(seen, example.attention().scaled, -np.inf))


@pytest.mark.parametrize("asked", ["weights", "output"])
@pytest.mark.parametrize("width", [3, 4])
def test_a_window_of_any_width_is_named_as_hidden_keys(width, asked):
    weights = window(STORY, width)
    found = diagnosis_of(
        problem_of(STORY, asked, "causal"), weights if asked == "weights" else weights @ STORY.attention().v
    )
    assert kinds(found) == ["hidden_keys"]
    assert keys_of(found).mask_clause == f"each token attends only to itself and the {width - 1} tokens before it"


def test_padding_and_a_hidden_key_are_named():
    seen = np.tri(5, dtype=bool) & (np.arange(5) != 0)
    scaled = STORY.attention().scaled
    weights = softmax(np.where(seen, scaled, -np.inf))
    found = diagnosis_of(problem_of(STORY, "weights", "causal"), weights)
    assert names(found) == [("mask_first_key_hidden",)]
    padded = softmax(np.where(np.tri(5, dtype=bool) & (np.arange(5) < 4)[:, None], scaled, -1e4))
    found = diagnosis_of(problem_of(STORY, "weights", "causal"), padded)
    assert keys_of(found).empty == (4,)
    assert keys_of(found).mask_clause == "the last row attends to no key"


@pytest.mark.parametrize("width", [3, 4])
def test_a_window_in_all_heads_is_named(width):
    seen = np.tri(5, dtype=bool) & ~np.tri(5, k=-width, dtype=bool)
    found = diagnosis_of(problem_of(STORY, "mixed", "causal"), STORY.multi_head(mask=seen).output)
    assert kinds(found)[0] == "hidden_keys"
    assert keys_of(found).mask_clause == f"each token attends only to itself and the {width - 1} tokens before it"


def test_dropout_left_on_is_named():
    weights = STORY.attention().weights
    dropped = np.where(np.random.default_rng(1).random(weights.shape) < 0.2, 0, weights / 0.8)
    found = diagnosis_of(problem_of(STORY, "weights"), dropped)
    assert kinds(found) == ["dropped_out"]
    assert found.findings[0].factor == pytest.approx(1.25)


def test_another_scale_is_named_as_a_scale():
    found = diagnosis_of(problem_of(STORY, "weights"), softmax(0.37 * STORY.attention().scaled), 6)
    assert kinds(found) == ["other_scale"]
    assert found.findings[0].factor == pytest.approx(0.37, abs=1e-3)


# --- one number ---


@pytest.mark.parametrize(
    ("value", "instead", "plausible"),
    [
        (-60, 7.34, False), (15, -3.995, False), (-38, 3.69, False), (-36, 0.5, False),
        (-7.34, 7.34, True), (73.4, 7.34, True), (7.43, 7.34, True), (7.3, 7.34, True),
        (7.94, 7.34, True), (52, 5, True), (2, 1, True),
    ],
)  # fmt: skip
def test_a_number_is_plausible_if_somebody_may_have_written_it(value, instead, plausible):
    assert is_plausible(value, instead, np.array([[instead, 0.1, -0.2]])) == plausible


def test_a_plausible_number_is_of_the_size_of_its_neighbours():
    assert is_plausible(3.74, 7.34, np.array([[7.34, 1.0, 2.5]]))
    assert not is_plausible(-12.0, 7.34, np.array([[7.34, 1.0, 2.5]]))


def test_one_free_number_proves_nothing():
    problem = problem_of_queries([[1, 0]], np.eye(2), [[10, 20], [30, 40]], "output")
    found = diagnosis_of(problem, "16.60882 26.60882")
    assert {*kinds(found)} == {"one_free"}
    assert all(
        finding.changed and finding.changed.stage in ("scores", "weights", "scaled") for finding in found.findings
    )  # all other matrices are given and correct


def test_only_steps_of_the_problem_are_blamed():
    rng = np.random.default_rng(3)
    for _ in range(5):
        problem = problem_of_scores(np.round(rng.normal(size=(4, 4)), 1), "causal")
        assert isinstance(problem.trace, SelfAttentionTrace)
        answer = np.round(softmax(problem.trace.masked + rng.normal(size=(4, 4))), 4)
        stages = {finding.changed.stage for finding in diagnosis_of(problem, answer).findings if finding.changed}
        assert stages <= {"scores", "scaled", "weights"}
        assert problem.earlier_stages == ()


# --- print-outs ---


def test_an_answer_from_unrounded_inputs_is_right_if_the_problem_is_rounded():
    rng = np.random.default_rng(2)
    x, *w = (rng.random(size) for size in ((4, 3), (3, 2), (3, 2), (3, 2)))
    exact = problem_of(example_of_weights(x, *w), "weights").correct_result
    for decimals in (4, 8):
        printed = problem_of(example_of_weights(*(np.round(m, decimals) for m in (x, *w))), "weights")
        found = diagnosis_of(printed, np.round(exact, decimals), decimals)
        assert found.all_correct
        assert kinds(found) == ["rounded"]


def test_near_and_one_number_are_never_found_together():
    right = HAND.attention()
    rng = np.random.default_rng(6)
    for _ in range(30):
        answer = np.round(right.output + rng.choice([-0.01, 0, 0.01], size=right.output.shape), 2)
        told = {*kinds(diagnose(answer, right, decimals=2))}
        assert not {"near", "one_number"} <= told


@pytest.mark.parametrize("asked", ["output", ALL_HEADS])
def test_rounding_is_no_explanation_where_a_row_has_one_key(asked):
    problem = problem_of(example("cat"), asked, "causal")
    mistake = MISTAKE["mask_without_self_with_a_billion"]  # its first row has every key hidden
    wrong = with_mistakes(problem.trace, mistake).output
    assert (
        abs(wrong - problem.correct_result)[0].max() > 0.07
    )  # the first weight is 1, so rounding changes at most 0.01 here
    assert names(diagnosis_of(problem, wrong, decimals=2)) == [(mistake.name,)]


def test_rounded_scores_keep_the_sum_of_the_weights_so_a_number_in_all_values_does_not_count():
    right = HAND.attention()
    one, other = (edited_run_of(replace(right, v=right.v + more)) for more in (0, 50))
    at_one, at_other = (greatest_errors(work.pipeline, work.names, {"scores": 2})["output"] for work in (one, other))
    assert at_one.max() > 0
    assert at_other == pytest.approx(at_one)


@pytest.mark.parametrize("stage", ["weights", "output"])
def test_one_number_off_by_0_01_is_never_right(stage):
    for right in (HAND.attention(), STORY.attention()):
        wanted = right.weights if stage == "weights" else right.output
        for place in np.ndindex(wanted.shape):
            answer = np.round(wanted, 2)
            answer[place] += 0.01
            assert not diagnose(answer, right, stage, decimals=2).all_correct


MASKS = ("none", "causal")
HONEST = ("right", "rounded", "on_the_way", "near")
WAYS = [Learner(*how) for how in product((2, 3, 4), (False, True), (False, True))]
ERRORS = 60


def example_mask_and_trace(name, kind):
    """Return three things: the example `name`, its mask, and its correct trace (all matrices) under this mask."""
    this = example(name)
    return this, this.mask(kind), this.attention(mask=this.mask(kind))


@pytest.mark.many
@pytest.mark.parametrize(("name", "kind"), list(product(NAMES, MASKS)))
def test_honest_rounding_is_never_wrong(name, kind):
    this, mask, right = example_mask_and_trace(name, kind)
    for how in WAYS:
        steps = written_steps(this, mask, how)
        if not np.isfinite(steps["output"]).all():
            continue  # all powers were rounded to 0
        for decimals in {2, how.decimals}:
            found = diagnose(np.round(steps["output"], decimals), right, decimals=decimals)
            assert found.findings
            assert found.findings[0].kind in HONEST
        own = {stage: answer_to(matrix_at(right, stage), steps[stage], how.decimals) for stage in STEPS}
        found = diagnose(own.pop("output"), right, given=own)
        assert found.all_correct
        assert {step.kind for step in found.steps} == {"right"}


@pytest.mark.many
@pytest.mark.parametrize("size", [0.3, 1, 2])  # small scores make even weights, and great ones make weights of 0 and 1
@pytest.mark.parametrize("more", [1, 2])
def test_steps_rounded_to_more_decimals_than_the_result_are_no_mistake(size, more):
    rng, different = np.random.default_rng(11), 0
    for _ in range(40):
        x, *w = (np.round(size * rng.normal(size=(n, 4)), 2) for n in (5, 4, 4, 4))
        this = example_of_weights(x, *w)
        right, answer = this.attention(), np.round(written_steps(this, None, Learner(2 + more))["output"], 2)
        different += not np.array_equal(answer, np.round(right.output, 2))
        assert diagnose(answer, right, decimals=2).findings[0].kind in HONEST
    assert different


def test_a_mistake_that_hardly_shows_is_told_beside_the_rounding():
    small = example_of_weights(*(0.1 * np.cos(np.arange(16.0) + i).reshape(4, 4) for i in range(4)))
    right = small.attention()
    wrong = MISTAKE["not_scaled"].apply(right).output
    answer = np.round(wrong, 6)
    assert not np.array_equal(answer, np.round(right.output, 6))
    (found,) = diagnose(answer, right, decimals=6).findings
    assert found.kind == "near"
    assert "not_scaled" in [mistake.name for mistake in found.further_mistakes]


@pytest.mark.long
def test_an_error_is_named_at_its_first_wrong_cell_and_later_steps_are_not_blamed():
    rng, found_alone = np.random.default_rng(19), 0
    for i in range(ERRORS):
        this, mask, right = example_mask_and_trace(NAMES[i % len(NAMES)], MASKS[i % 2])
        error = draw_error(rng, this, mask, right)
        steps = written_steps(this, mask, Learner(error=error))
        own = {stage: answer_to(matrix_at(right, stage), steps[stage], 2) for stage in STEPS}
        found = diagnose(own.pop("output"), right, given=own)
        wrong = [(step.stage, step.place, step.n_wrong) for step in found.steps if step.kind == "wrong"]
        assert wrong == [(error.stage, error.place, 1)]
        assert all(not finding.mistakes for finding in found.findings)
        assert [f.changed.stage for f in found.findings if f.changed] in ([error.stage], [])
        alone = diagnose(
            np.round(written_steps(this, mask, Learner(None, error=error))["output"], 2), right, decimals=2
        )
        listed = [finding.changed for finding in alone.findings if finding.changed]
        assert len(listed) <= MOST_LISTED
        found_alone += any((each.stage, each.place) == (error.stage, error.place) for each in listed)
    assert found_alone >= 0.6 * ERRORS


def random_answers(right, n, seed):
    """Yield `n` random matrices with 2 decimals, with the shape and about the range of the correct output."""
    rng, values = np.random.default_rng(seed), right.output
    for _ in range(n):
        yield np.round(rng.uniform(values.min() - 2, values.max() + 2, size=values.shape), 2)


@pytest.mark.many
@pytest.mark.parametrize("kind", [*MASKS, "heads"])
def test_random_answers_get_no_finding(kind):
    this = example("hand")
    right = this.multi_head() if kind == "heads" else this.attention(mask=this.mask(kind))
    assert all(diagnose(answer, right, decimals=2).findings == () for answer in random_answers(right, 20, seed=3))
