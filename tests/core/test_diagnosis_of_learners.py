"""Test the diagnosis of work by hand: honest rounding is never called wrong, and the first wrong cell is named."""

from itertools import product

import numpy as np
import pytest

from attention_core.diagnosis.answer import answer_to
from attention_core.diagnosis.diagnose import diagnose, matrix_at
from attention_core.diagnosis.one_number import MOST_LISTED
from attention_core.diagnosis.problems import example_of_weights
from attention_core.examples import example
from attention_core.mistakes.rare import every_mistake
from learners import NAMES, STEPS, Learner, draw_error, written_steps

MASKS = ("none", "causal")
HONEST = ("right", "rounded", "on_the_way", "near")
WAYS = [Learner(*how) for how in product((2, 3, 4), (False, True), (False, True))]
ERRORS = 60
MISTAKE = {mistake.name: mistake for mistake in every_mistake()}


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
