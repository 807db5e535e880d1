"""Test that the diagnosis is true: it never hides a second mistake, and claims nothing without proof."""

import numpy as np
import pytest

from attention_core import self_attention, softmax
from attention_core.diagnosis.answer import Finding
from attention_core.diagnosis.diagnose import diagnose
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.own_steps import matrix_with
from attention_core.diagnosis.pasted import example_that_tells_apart, problem_of
from attention_core.diagnosis.problems import same_question
from attention_core.diagnosis.stages import possible_mistakes
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes.rare import every_mistake

MISTAKE = {mistake.name: mistake for mistake in every_mistake()}
STORY, HAND = example("story"), example("hand")
ONE = STORY.attention()


def kinds(found):
    """Return the kinds of the findings in a diagnosis."""
    return [finding.kind for finding in found.findings]


def names_of(findings):
    """Return the names of all mistakes in these findings."""
    return [mistake.name for finding in findings for mistake in finding.mistakes]


def steps_and_output(*, q=None, scale=ONE.scale, axis=-1):
    """Compute attention of the example "story", and return a pair: all steps by name, and the output."""
    steps = {"q": ONE.q if q is None else q, "k": ONE.k, "v": ONE.v}
    steps["scores"] = steps["q"] @ ONE.k.T
    steps["scaled"] = steps["scores"] * scale
    steps["weights"] = softmax(steps["scaled"], axis=axis)
    return steps, steps["weights"] @ ONE.v


def diagnosis_of(steps, output, decimals):
    """Return the diagnosis of `output`, if the matrices in `steps` are pasted too."""
    given = {stage: np.round(matrix, decimals) for stage, matrix in steps.items()}
    return diagnose(np.round(output, decimals), ONE, decimals=decimals, given=given)


def wrong_queries():
    """Return the queries of the example with one wrong number."""
    q = np.array(ONE.q)
    q[1, 0] = 2
    return q


# --- several mistakes, with steps ---


@pytest.mark.parametrize("decimals", [2, 4])
@pytest.mark.parametrize(
    ("how", "stage", "name"),
    [({"scale": 1.0}, "scaled", "not_scaled"), ({"axis": 0}, "weights", "softmax_over_columns")],
)
def test_an_error_in_arithmetic_hides_no_later_mistake(how, stage, name, decimals):
    found = diagnosis_of(*steps_and_output(q=wrong_queries(), **how), decimals)
    assert [step.stage for step in found.wrong_steps] == ["q", stage]
    first, second = found.wrong_steps
    assert (first.place, first.value, first.correct_value) == ((1, 0), 2, 3)
    assert name in names_of(second.why)
    assert "follow_through" not in kinds(found)


def test_a_typo_in_the_output_is_found_after_a_wrong_step():
    steps, output = steps_and_output(q=wrong_queries())
    typed = np.round(output, 4)
    typed[2, 1] += 0.3
    found = diagnosis_of(steps, typed, 4)
    assert [(step.stage, step.n_wrong) for step in found.wrong_steps] == [("q", 1), ("output", 1)]
    last = found.wrong_steps[-1]
    assert last.place == (2, 1)
    assert last.correct_value == pytest.approx(output[2, 1], abs=1e-4)


@pytest.mark.parametrize("decimals", [2, 4])
def test_two_known_mistakes_are_each_told_at_their_own_step(decimals):
    found = diagnosis_of(*steps_and_output(scale=1.0, axis=0), decimals)
    assert [step.stage for step in found.wrong_steps] == ["scaled", "weights"]
    assert names_of(found.wrong_steps[0].why)[0] == "not_scaled"
    assert names_of(found.wrong_steps[1].why)[0] == "softmax_over_columns"


def test_after_a_single_wrong_step_the_later_steps_follow():
    found = diagnosis_of(*steps_and_output(q=wrong_queries()), 4)
    assert [step.kind for step in found.steps] == ["wrong", "right", "right", *["follows"] * 4]
    assert kinds(found) == ["follow_through"]


# --- rounding ---


def test_two_typos_are_no_rounding_and_both_are_named():
    answer = np.round(ONE.output, 4)
    answer[0, 1], answer[3, 0] = 0.8424, 0.6383
    found = diagnose(answer, ONE, decimals=4)
    assert kinds(found) == ["few_numbers", "few_numbers"]
    assert [finding.changed and finding.changed.place for finding in found.findings] == [(0, 1), (3, 0)]


def test_numbers_with_many_decimals_are_not_explained_by_rounding_to_two():
    rng = np.random.default_rng(5)
    for right in (ONE, HAND.attention(), example("columns").attention()):
        for _ in range(5):
            answer = right.output + rng.uniform(-0.02, 0.02, right.output.shape)
            assert "near" not in kinds(diagnose(answer, right))


def computed_from_rounded_inputs(this, decimals):
    """Round the inputs of the example `this` to `decimals` decimals, and return all matrices computed from them."""
    names = ("x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v")
    return self_attention(**{n: np.round(m, decimals) for n in names if (m := getattr(this, n)) is not None})


def test_inputs_copied_as_they_are_shown_are_a_cause_with_a_name():
    this = example("columns")
    copied = computed_from_rounded_inputs(this, 2)
    for decimals in (4, 8):
        found = diagnose(np.round(copied.output, decimals), this.attention(), decimals=decimals)
        assert [(finding.kind, finding.decimals) for finding in found.findings] == [("rounded_inputs", 2)]
        assert not found.all_correct
    steps = {stage: getattr(copied, stage) for stage in ("q", "k", "v", "scores", "scaled", "weights")}
    found = diagnose(copied.output, this.attention(), given=steps)
    assert kinds(found) == ["rounded_inputs"]
    assert {step.kind for step in found.steps} == {"right"}


def test_a_mistake_in_inputs_copied_as_they_are_shown_is_named():
    this = example("columns")
    copied = computed_from_rounded_inputs(this, 2)
    found = diagnose(np.round(softmax(copied.scores) @ copied.v, 6), this.attention(), decimals=6)
    assert names_of(found.findings)[0] == "not_scaled"
    assert found.findings[0].rounded == ("inputs",)


@pytest.mark.parametrize(("name", "how"), [("not_scaled", {"scale": 1.0}), ("softmax_over_columns", {"axis": 0})])
def test_with_one_decimal_a_mistake_is_only_suspected(name, how):
    found = diagnose(np.round(steps_and_output(**how)[1], 1), ONE, decimals=1)
    assert kinds(found) == ["coarse"]
    assert name in [mistake.name for mistake in found.findings[0].further_mistakes]
    assert diagnose(np.round(ONE.output, 1), ONE, decimals=1).findings == (Finding("coarse", decimals=1),)


# --- no numbers, parts, and one of several heads ---


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_no_number_at_all_proves_no_cause(odd):
    for right in (ONE, STORY.attention(mask=STORY.mask("causal")), STORY.multi_head()):
        found = diagnose(np.full_like(right.output, odd), right)
        assert kinds(found) == ["no_numbers"]
        assert not names_of(found.findings)


def test_a_cut_print_out_of_a_wide_matrix_is_right_as_far_as_it_goes():
    right = example("heads_512").multi_head()
    found = diagnose(np.round(right.output[:, :64], 4), right, decimals=4)
    assert found.all_correct
    assert found.findings[0].columns == tuple(range(64))
    assert not diagnose(np.round(right.output[:, :64] + 0.01, 4), right, decimals=4).all_correct
    few = HAND.multi_head()
    assert not diagnose(few.output[:, :2], few).all_correct  # a narrow matrix is printed whole, so a column is missing


def test_the_output_of_one_head_is_said_to_be_that():
    right = example("heads_512").multi_head()
    for head in (0, 2):
        found = diagnose(np.round(right.concat[:, 64 * head : 64 * (head + 1)], 4), right, decimals=4)
        assert [(each.kind, each.step, each.head) for each in found.findings] == [("other_step", "heads", head)]


# --- plain causes ---


def test_dropout_is_told_from_the_output_as_well():
    rng = np.random.default_rng(1)
    for kind in ("none", "causal"):
        right = STORY.attention(mask=STORY.mask(kind))
        dropped = np.where(rng.random(right.weights.shape) < 0.2, 0, right.weights / 0.8)
        found = diagnose(np.round(dropped @ right.v, 4), right, decimals=4)
        assert kinds(found) == ["dropped_out"]
        assert found.findings[0].factor == pytest.approx(1.25)


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_dropout_in_several_heads_is_told_from_the_output(share):
    rng, right = np.random.default_rng(2), HAND.multi_head()
    weights = np.where(rng.random(right.heads.weights.shape) < share, 0, right.heads.weights / (1 - share))
    concat = np.hstack([*(weights @ np.stack(np.hsplit(right.v, right.n_heads)))])
    output = concat @ right.projections.w_o
    found = diagnose(np.round(output, 4), right, decimals=4)
    assert kinds(found) == ["dropped_out"]
    assert found.findings[0].factor == pytest.approx(1 / (1 - share))


@pytest.mark.parametrize("name", ["q", "k", "v", "output"])
def test_a_row_that_was_copied_over_another_is_found(name):
    right = HAND.attention()
    steps = {stage: np.array(getattr(right, stage)) for stage in ("q", "k", "v")}
    if name != "output":
        steps[name][2] = steps[name][0]
    output = softmax(steps["q"] @ steps["k"].T * right.scale) @ steps["v"]
    if name == "output":
        output[2] = output[0]
    found = diagnose(np.round(output, 6), right, decimals=6)
    assert [(each.kind, each.order) for each in found.findings] == [("copied_row", (2, 0))]
    assert found.findings[0].step in (name, "q" if name == "output" else "output")


def test_a_common_factor_of_all_numbers_is_found():
    found = diagnose(np.round(100 * ONE.output, 2), ONE, decimals=2)
    assert kinds(found) == ["one_factor"]
    assert found.findings[0].factor == pytest.approx(100, abs=0.1)


# --- what cannot be told apart ---


def test_a_mistake_that_changes_one_row_may_be_an_error_in_arithmetic():
    right = example("square").attention(mask=example("square").mask("causal"))
    scores = np.array(right.scores)
    scores[1, 0] = 2
    weights = softmax(np.where(np.tri(4, dtype=bool), scores * right.scale, -np.inf))
    found = diagnose(np.round(weights @ right.v, 4), right, decimals=4)
    changed = [(each.changed.stage, each.changed.place) for each in found.findings if each.changed]
    assert names_of(found.findings)[0] == "query_weights_transposed"
    assert ("q", (1, 0)) in changed


@pytest.mark.parametrize(
    ("names", "asked", "are_told"),
    [
        (("not_scaled", "divided_by_root_d_v"), "output", True),
        (("not_scaled", "scaled_after_softmax"), "scaled", False),
    ],
)
def test_an_example_is_named_only_if_it_tells_mistakes_apart(names, asked, are_told):
    findings = [Finding("mistakes", (MISTAKE[name],)) for name in names]
    assert (example_that_tells_apart(problem_of(STORY, asked), findings) is not None) == are_told


def test_the_example_that_is_named_tells_them_apart():
    findings = [Finding("mistakes", (MISTAKE[name],)) for name in ("not_scaled", "divided_by_root_d_v")]
    found = example_that_tells_apart(problem_of(STORY, "output"), findings)
    assert found is not None
    (other,) = [this for this in map(example, ("hand", "book", "square", "context", "cat", "wide", "columns",
                "french", "translation")) if this.title == found[0]]  # fmt: skip
    one, two = (MISTAKE[name].apply(other.attention()).output for name in ("not_scaled", "divided_by_root_d_v"))
    assert not np.allclose(one, two, atol=1e-3)


@pytest.mark.parametrize("name", ["story", "hand", "square"])
def test_every_scale_is_named_from_four_decimals(name):
    right = example(name).attention()
    for factor in (0.23, 0.37, 0.61, 1.3, 1.7, 2.3, 2.7, 3.6):
        weights = softmax(factor * right.scaled)
        for stage, answer in {"weights": weights, "output": weights @ right.v}.items():
            (found,) = diagnose(np.round(answer, 4), right, stage).findings
            assert found.kind == "other_scale", (factor, stage)
            np.testing.assert_allclose(found.factor, factor, rtol=2e-3)


@pytest.mark.many
@pytest.mark.parametrize("name", ["story", "hand", "square"])
def test_every_changed_number_is_found_from_four_decimals(name):
    right = example(name).attention()
    for stage in ("q", "k", "v"):
        for place in np.ndindex(getattr(right, stage).shape):
            made = {each: np.array(getattr(right, each)) for each in ("q", "k", "v")}
            made[stage][place] += 1
            output = softmax(made["q"] @ made["k"].T * right.scale) @ made["v"]
            if np.abs(output - right.output).max() < 0.01:
                continue
            found = diagnose(np.round(output, 4), right).findings
            assert any(each.changed and each.changed.place == place for each in found) or found[0].mistakes, place


def test_one_row_in_every_place_is_not_called_two_mistakes():
    (found,) = diagnose(np.tile(ONE.output[2], (5, 1)), ONE).findings
    assert (found.kind, found.step, found.order) == ("all_equal", "rows", (2,))


@pytest.mark.many
@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("asked", ["output", "weights", "mixed"])
def test_no_example_is_named_in_which_the_mistake_gives_the_correct_numbers(asked, mask):
    asked_of_story = problem_of(STORY, asked, mask)
    examples = {this.title: this for this in map(example, EXAMPLES)}
    n_named = 0
    usual = [mistake for mistake in possible_mistakes(asked_of_story.trace) if mistake.rank == "usual"]
    for mistake in usual[::3]:
        others = [Finding("mistakes", (MISTAKE[name],)) for name in ("not_scaled", "softmax_over_columns")]
        findings = [Finding("mistakes", (mistake,)), *others]
        found = example_that_tells_apart(asked_of_story, findings)
        if found is None:
            continue
        n_named += 1
        other = same_question(asked_of_story, examples[found[0]])
        made = matrix_with(edited_run_of(other.trace), findings[0], other.stage)
        assert made is not None, mistake.name
        assert made.shape != other.correct_result.shape or not np.allclose(made, other.correct_result, atol=5e-3), (
            mistake.name
        )
    assert n_named > 5


def test_merging_one_head_without_transposing_is_no_mistake_so_that_example_is_not_named():
    names = ("merged_without_transposing", "merged_features_turned", "merged_interleaved")
    findings = [Finding("mistakes", (MISTAKE[name],)) for name in names]
    found = example_that_tells_apart(problem_of(STORY, "mixed"), findings)
    assert found is None or next(each for each in map(example, EXAMPLES) if each.title == found[0]).n_heads > 1
