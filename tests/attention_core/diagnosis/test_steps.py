"""Test the diagnosis with a visitor's own intermediate matrices: they make it better and never worse.

No matrix that a visitor pastes raises an error.
"""

from dataclasses import replace

import numpy as np
import pytest

from attention_core import softmax
from attention_core.diagnosis.answer import answer_to
from attention_core.diagnosis.diagnose import diagnose, matrix_at
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.stages import name_of, stages_of
from attention_core.examples import example
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import lines_with
from attention_core.mistakes.rare import every_mistake

MISTAKE = {mistake.name: mistake for mistake in every_mistake()}
HAND = example("hand")
ONE, CAUSAL = HAND.attention(), HAND.attention(mask=HAND.mask("causal"))
SEVERAL, STORY = HAND.multi_head(), example("story").multi_head(mask=example("story").mask("causal"))
TRACES = {"one head": ONE, "causal": CAUSAL, "several": SEVERAL, "several, causal": STORY}
EACH = 5  # every fifth mistake is tried on a trace


def steps_of(right):
    """Return the names of the matrices that a visitor can paste before the output."""
    several = isinstance(right, MultiHeadTrace)
    return ("q", "k", "v", "concat") if several else ("q", "k", "v", "scores", "scaled", "weights")


def names_of_findings(found):
    """Return the names of the mistakes in each finding of a diagnosis, as a set of tuples."""
    return {tuple(mistake.name for mistake in finding.mistakes) for finding in found.findings if finding.mistakes}


def matrices_with(mistake, right):
    """Return a dictionary of matrices from a computation with a mistake: those that can be pasted, and the output.

    Return {} if the shapes do not allow the mistake, or if a number is not finite.
    """
    work = edited_run_of(right)
    lines = lines_with(work.pipeline, mistake)
    made = {}
    for stage in (*steps_of(right), "output"):
        ends = [i for i, line in enumerate(lines) if name_of(stage) in line.gives]
        matrix = work.matrix_after(lines[: ends[-1] + 1], stage) if ends else work.expected(stage)
        if matrix is None or matrix.ndim != 2 or not np.isfinite(matrix).all():
            return {}
        made[stage] = matrix
    return made


def mistakes_and_matrices(right, first):
    """Yield every EACH-th visible mistake of the catalogue, with the wrong matrices by name. Begin with number `first`.

    `right` is the correct computation.
    """
    work = edited_run_of(right)
    for mistake in [mistake for mistake in work.mistakes if mistake.name in work.shown][first::EACH]:
        made = matrices_with(mistake, right)
        if made:
            yield mistake, made


@pytest.mark.long
@pytest.mark.parametrize("decimals", [2, 4])
@pytest.mark.parametrize("name", TRACES)
def test_what_the_output_alone_names_stays_named_when_own_steps_are_added(name, decimals):
    right, tried = TRACES[name], 0
    for _, made in mistakes_and_matrices(right, first=[*TRACES].index(name)):
        given = {stage: answer_to(matrix_at(right, stage), np.round(made[stage], decimals), decimals) for stage in made}
        output = given.pop("output")
        alone, both = diagnose(output, right), diagnose(output, right, given=given)
        assert both.all_correct <= alone.all_correct
        if alone.all_correct or not names_of_findings(alone):
            continue
        assert names_of_findings(both)
        tried += 1
    assert tried > 20


@pytest.mark.many
@pytest.mark.parametrize("name", TRACES)
def test_what_the_output_alone_names_stays_named_when_right_steps_are_added(name):
    right, tried = TRACES[name], 0
    for mistake, made in mistakes_and_matrices(right, first=[*TRACES].index(name)):
        stages = stages_of(right)
        of_one_head = isinstance(right, MultiHeadTrace) and mistake.concept != "multi_head"
        begins = "heads" if of_one_head and mistake.stage == "output" else mistake.stage  # it is called heads
        before = stages[: stages.index(begins)] if begins in stages else ()
        given = {stage: np.round(matrix_at(right, stage), 4) for stage in steps_of(right) if stage in before}
        output = np.round(made["output"], 4)
        alone = diagnose(output, right, decimals=4)
        if alone.all_correct or (mistake.name,) not in names_of_findings(alone):
            continue
        both = diagnose(output, right, decimals=4, given=given)
        assert (mistake.name,) in names_of_findings(both)
        assert all(step.kind == "right" for step in both.steps[:-1])
        tried += 1
    assert tried > 20


@pytest.mark.parametrize(
    "name", ["not_scaled", "heads_averaged", "merged_without_transposing", "softmax_over_heads", "split_interleaved"]
)
def test_a_mistake_in_the_heads_is_named_from_concat_and_output(name):
    made = matrices_with(MISTAKE[name], SEVERAL)
    found = diagnose(np.round(made["output"], 2), SEVERAL, decimals=2, given={"concat": np.round(made["concat"], 2)})
    assert not found.all_correct
    assert (name,) in names_of_findings(found)


@pytest.mark.parametrize("decimals", [2, 4])
def test_a_cause_is_named_in_rounded_steps_as_in_exact_ones(decimals):
    this = example("cat").attention()  # its queries and keys have many decimals
    scores = this.k @ this.q.T
    given = {"q": np.round(this.q, decimals), "k": np.round(this.k, decimals), "scores": np.round(scores, decimals)}
    found = diagnose(np.round(softmax(scores * this.scale) @ this.v, decimals), this, decimals=decimals, given=given)
    assert ("keys_times_queries",) in names_of_findings(found)
    assert [step.kind for step in found.steps] == ["right", "right", "wrong", "follows"]


def test_a_correct_pasted_matrix_is_never_blamed():
    """Check that the diagnosis does not blame a matrix that a visitor pasted and that is correct."""
    weights = np.array(ONE.weights)
    weights[0] = [0.2, 0.3, 0.5]
    output = np.round(weights @ ONE.v, 4)
    found = diagnose(output, ONE, decimals=4, given={"q": ONE.q, "k": ONE.k, "v": ONE.v})
    assert all(finding.changed is None or finding.changed.stage not in ("q", "k", "v") for finding in found.findings)
    assert [step.kind for step in found.steps] == ["right", "right", "right", "wrong"]


def test_a_missing_scaling_is_named_if_scaled_scores_are_not_pasted():
    """Check that a missing scaling is found if the visitor pastes the scores and the output, but not the scaled scores.

    The pasted scores are exact, so rounding cannot explain the wrong output.
    """
    unscaled = softmax(ONE.scores) @ ONE.v
    found = diagnose(np.round(unscaled, 2), ONE, decimals=2, given={"scores": ONE.scores})
    assert not found.all_correct
    assert ("not_scaled",) in names_of_findings(found)


def test_a_right_output_with_a_wrong_step_is_right_and_the_step_is_named():
    scores = np.array(ONE.scores)
    scores[1, 2] += 1
    found = diagnose(ONE.output, ONE, given={"scores": scores})
    assert found.answer_is_correct
    assert not found.all_correct
    assert [(step.stage, step.kind) for step in found.steps] == [("scores", "wrong"), ("output", "right")]
    assert found.first_wrong_cell == ("scores", 1, 2)


def test_steps_of_another_shape_are_wrong_and_have_no_expected_number():
    found = diagnose(np.round(ONE.output, 2), ONE, decimals=2, given={"q": HAND.x})
    assert found.steps[0].kind == "wrong"
    assert np.isnan(found.steps[0].correct_value)
    wrong = matrices_with(MISTAKE["not_split"], SEVERAL)
    found = diagnose(wrong["output"], SEVERAL, given={"q": HAND.x, "concat": wrong["concat"]})
    assert found.steps[0].kind == "wrong"


def test_steps_with_a_row_for_each_token_of_the_context_raise_nothing():
    this = example("context")
    right = this.attention()
    q = right.context @ this.w_q  # four queries instead of two
    scores = q @ right.k.T
    output = softmax(scores * right.scale) @ right.v
    found = diagnose(output, right, given={"q": q, "scores": scores, "weights": softmax(scores * right.scale)})
    assert not found.all_correct
    assert found.steps[0].kind == "wrong"


def pasted(rng, shape):
    """Return a random matrix that somebody may paste where a matrix of this shape is expected.

    Its shape may be wrong, and it may contain NaN, infinity or very large numbers.
    """
    other = tuple(max(1, n + int(rng.integers(-1, 2))) for n in shape)
    size = other if rng.random() < 0.4 else shape
    values = np.round(rng.normal(size=size) * 10.0 ** rng.integers(-2, 5), int(rng.integers(0, 6)))
    for odd in (np.nan, np.inf, -np.inf, 0.0, 1e300):
        if rng.random() < 0.2:
            values[tuple(int(rng.integers(n)) for n in size)] = odd
    return values if rng.random() < 0.9 else np.full(size, float(rng.choice([0, 1, np.nan, np.inf, -np.inf])))


@pytest.mark.long
@pytest.mark.parametrize("name", TRACES)
def test_nothing_that_can_be_pasted_raises(name):
    right, rng = replace(TRACES[name]), np.random.default_rng(4)
    for i in range(24):
        asked = stages_of(right)[int(rng.integers(len(stages_of(right))))]
        before = stages_of(right)[: stages_of(right).index(asked)]
        chosen = [stage for stage in before if rng.random() < 0.5]
        given = {
            stage: matrix_at(right, stage) if rng.random() < 0.5 else pasted(rng, matrix_at(right, stage).shape)
            for stage in chosen
        }
        found = diagnose(pasted(rng, matrix_at(right, asked).shape), right, asked, given=given)
        assert not found.all_correct, i
        assert len(found.steps) == (len(chosen) + 1) * bool(chosen)


def test_one_number_off_by_0_01_is_not_right_if_all_steps_are_right():
    for place in np.ndindex(ONE.output.shape):
        answer = np.round(ONE.output, 2)
        answer[place] += 0.01
        found = diagnose(answer, ONE, decimals=2, given={"q": ONE.q, "k": ONE.k, "v": ONE.v, "scores": ONE.scores})
        assert not found.answer_is_correct


def test_a_scale_that_correct_scaled_scores_exclude_is_not_named():
    right = example("story").attention()
    output = np.round(softmax(0.37 * right.scaled) @ right.v, 4)
    assert [each.kind for each in diagnose(output, right).findings] == ["other_scale"]
    assert "other_scale" not in [each.kind for each in diagnose(output, right, given={"scaled": right.scaled}).findings]


def test_a_mask_that_correct_weights_exclude_is_not_named():
    right = example("story").attention()
    band = np.tri(5, dtype=bool) & ~np.tri(5, k=-3, dtype=bool)
    output = np.round(softmax(np.where(band, right.scaled, -np.inf)) @ right.v, 4)
    assert "hidden_keys" in [each.kind for each in diagnose(output, right).findings]
    with_weights = diagnose(output, right, given={"weights": right.weights})
    assert "hidden_keys" not in [each.kind for each in with_weights.findings]


def test_moved_rows_are_looked_for_only_in_matrices_that_are_not_given_as_correct():
    right = example("story").attention()
    reordered, *_ = diagnose(right.output[::-1], right, given={"q": right.q, "scaled": right.scaled}).findings
    assert reordered.stages == ("scores", "weights", "output")


# --- NaN ---


def test_nan_that_follows_from_a_step_with_nan_is_no_mistake_of_its_own():
    right = HAND.attention(mask=np.array([[True, True, False]] * 3))
    wrong = MISTAKE["softmax_over_columns_to_nan"].apply(right)
    made, output = {stage: getattr(wrong, stage) for stage in steps_of(right)}, wrong.output
    assert np.isnan(output).all()
    found = diagnose(np.round(output, 4), right, decimals=4, given={s: np.round(m, 4) for s, m in made.items()})
    assert [step.stage for step in found.wrong_steps] == ["weights"]
    assert {mistake.name for each in found.wrong_steps[0].why for mistake in each.mistakes} == {
        "softmax_over_columns_to_nan"
    }


def test_a_number_beside_nan_that_does_not_follow_is_still_wrong():
    weights = np.array(ONE.weights)
    weights[0, 0] = np.nan
    output = weights @ ONE.v
    given = {"q": ONE.q, "k": ONE.k, "v": ONE.v, "scores": ONE.scores, "scaled": ONE.scaled, "weights": weights}
    assert [step.stage for step in diagnose(output, ONE, given=given).wrong_steps] == ["weights"]
    output[2, 1] += 1
    assert [step.stage for step in diagnose(output, ONE, given=given).wrong_steps] == ["weights", "output"]
