"""Test the diagnosis: every mistake is named from its numbers, and correct or random answers are not accused.

Also what it costs, and the wrong implementations.
"""

from itertools import combinations, islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import self_attention
from attention_core.checks import greatest_difference
from attention_core.diagnosis.answer import OneNumber
from attention_core.diagnosis.diagnose import diagnose, matrix_at
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.explaining import skipped_searches
from attention_core.diagnosis.pasted import diagnose_pasted, example_of_weights, problem_of
from attention_core.diagnosis.stages import possible_mistakes
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import HEAD_MISTAKES, ONE_HEAD_MISTAKES, Mistake, with_mistakes
from attention_core.mistakes.engine.pipelines import HEADS
from attention_core.reading.matrix_text import MatrixText
from count_named import SETS, answers, correct_trace_of, is_explained, problems
from measuring import forward_passes
from strategies import law, random_numbers
from wrong_implementations import one_head, several_heads

EACH = 4  # every fourth pair is diagnosed
THIRDS = {name: place % 3 for place, name in enumerate(EXAMPLES)}  # the third of all mistakes that an example tests
EACH_OF_MANY_FEATURES = {"heads_512": 9}  # every ninth, because a diagnosis with many features takes long
HAND = example("hand").attention(mask=example("hand").mask("causal"))
MISTAKE = {mistake.name: mistake for mistake in ONE_HEAD_MISTAKES}


def correct_trace(name, kind):
    """Return the correct trace (all matrices) of the example `name`."""
    this = example(name)
    return this.multi_head() if kind == "heads" else this.attention(mask=this.mask(kind))


def applied(mistakes, trace):
    """Return the trace (all matrices) with all of `mistakes` made together."""
    try:
        return with_mistakes(trace, *mistakes) if all(mistake.shows(trace) for mistake in mistakes) else None
    except ValueError:
        return None


def mistakes_for(kind):
    of_several = (mistake for mistake in (*HEAD_MISTAKES, *ONE_HEAD_MISTAKES) if mistake.lines_in(HEADS))
    return tuple(of_several) if kind == "heads" else ONE_HEAD_MISTAKES


def names_of_findings(diagnosis):
    return [tuple(mistake.name for mistake in finding.mistakes) for finding in diagnosis.findings]


def differs(one, other, decimals):
    """Return whether two matrices differ in shape, or in a number after rounding."""
    return one.shape != other.shape or not np.array_equal(
        np.round(one, decimals), np.round(other, decimals), equal_nan=True
    )


@pytest.mark.many
@pytest.mark.parametrize("kind", ["none", "causal", "heads"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_mistake_is_named_from_two_decimals_wherever_it_makes_a_difference(name, kind):
    right = correct_trace(name, kind)
    for mistake in mistakes_for(kind)[THIRDS[name] :: EACH_OF_MANY_FEATURES.get(name, 3)]:
        wrong = applied([mistake], right)
        if wrong is None or not differs(wrong.output, right.output, 2):
            continue
        found = diagnose(np.round(wrong.output, 2), right, decimals=2)
        assert not found.all_correct
        may_be = [
            {each.name} for finding in found.findings for each in finding.further_mistakes
        ]  # if all numbers are NaN
        assert {mistake.name} in [*map(set, names_of_findings(found)), *may_be]


@pytest.mark.long
@pytest.mark.parametrize("kind", ["none", "causal", "heads"])
def test_pairs_of_mistakes_on_pencil_and_paper_are_named_from_four_decimals(kind):
    """Check that the diagnosis names two mistakes made together, and that few other pairs explain the numbers."""
    right = correct_trace("hand", kind)
    made = [wrong.output for mistake in possible_mistakes(right) if (wrong := applied([mistake], right)) is not None]
    alone = [right.output, right.q, right.k, right.v, *made]
    found = []
    for pair in islice(combinations(mistakes_for(kind), 2), 0, None, EACH):
        wrong = applied(pair, right)
        if wrong is None or any(not differs(wrong.output, one, 4) for one in alone):
            continue  # one mistake alone, none, or an earlier step gives the same numbers
        found.append([{*names} for names in names_of_findings(diagnose(np.round(wrong.output, 4), right, decimals=4))])
        assert {mistake.name for mistake in pair} in found[-1]
    assert sum(len(each) <= 4 for each in found) >= 0.85 * len(found) > 0


@law
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_no_right_answer_is_called_wrong(seed, decimals):
    this = example("hand").with_matrices({"x": np.round(random_numbers(3, 5, seed=seed) * 3, 1)})
    right = this.attention()
    assert diagnose(np.round(right.output, decimals), right, decimals=decimals).all_correct
    assert [f.kind for f in diagnose(right.output, right).findings] == ["right"]


@pytest.mark.long
@law
@given(st.integers(0, 10_000), st.sampled_from(["scores", "weights", "output"]))
def test_no_random_matrix_is_given_a_diagnosis(seed, stage):
    shape = matrix_at(HAND, stage).shape
    found = diagnose(np.round(random_numbers(*shape, seed=seed) * 4, 3), HAND, stage)
    assert found.findings == ()
    assert found.first_wrong_cell is not None
    assert found.first_wrong_cell[0] == stage


def test_a_rounded_answer_is_called_rounded():
    found = diagnose(np.round(HAND.output, 2), HAND)
    assert [(f.kind, f.decimals) for f in found.findings] == [("rounded", 2)]


def test_a_transposed_answer_is_recognized():
    assert [f.kind for f in diagnose(HAND.output.T, HAND).findings] == ["transposed"]
    assert [f.kind for f in diagnose(HAND.weights.T, HAND, "weights").findings] == ["transposed"]


def test_rows_in_another_order_are_recognized():
    (found,) = diagnose(HAND.output[[2, 0, 1]], HAND).findings
    assert (found.kind, found.order) == ("reordered", (2, 0, 1))


def test_reversed_rows_are_recognized_even_if_two_rows_are_equal():
    x = np.array(example("hand").x)
    x[1] = x[0]
    right = example("hand").with_matrices({"x": x}).attention()
    found = diagnose(right.output[::-1], right).findings[0]
    assert (found.kind, found.order) == ("reordered", (2, 1, 0))
    x[1], x[2] = example("hand").x[1], x[0]
    alike = example("hand").with_matrices({"x": x}).attention()  # reversing the rows changes nothing
    assert diagnose(alike.output[::-1], alike).answer_is_correct


def test_nan_is_an_answer_like_any_other():
    right = example("hand").with_matrices({"x": np.full((3, 5), 300.0)}).attention()
    (found,) = diagnose(np.full((3, 2), np.nan), right).findings
    assert found.kind == "no_numbers"
    assert "softmax_without_maximum" in [mistake.name for mistake in found.further_mistakes]


def test_mistakes_that_the_numbers_cannot_tell_apart_are_all_named():
    right = example("book").attention()
    assert {("not_scaled",), ("rounded_root",)} <= set(
        names_of_findings(diagnose(MISTAKE["not_scaled"].apply(right).output, right))
    )


def test_correct_steps_after_a_wrong_matrix_are_recognized():
    wrong = MISTAKE["keys_times_queries"].apply(HAND)
    found = diagnose(wrong.output, HAND, given={"scores": wrong.scores, "weights": wrong.weights})
    assert found.first_wrong_cell is not None
    assert found.first_wrong_cell[0] == "scores"
    assert {(f.kind, f.wrong_from) for f in found.findings} == {("follow_through", "scores")}
    usual = {mistake.name for f in found.findings for mistake in f.mistakes if mistake.rank == "usual"}
    assert usual == {"keys_times_queries", "query_and_key_weights_swapped"}  # in self-attention both give the same
    own = HAND.scores + 1.5 * np.eye(3)
    strange = diagnose(_output_after(own), HAND, given={"scores": own})
    assert [(f.kind, f.wrong_from, f.mistakes) for f in strange.findings] == [("follow_through", "scores", ())]


def _output_after(scores):
    masked = np.where(np.tri(3, dtype=bool), scores * HAND.scale, -np.inf)
    powers = np.exp(masked)
    return powers / powers.sum(axis=1, keepdims=True) @ HAND.v


def test_the_first_wrong_cell_is_found():
    wrong = HAND.scores.copy()
    wrong[1, 2] += 1
    found = diagnose(np.zeros((3, 2)) + 0.123, HAND, given={"scores": wrong, "q": HAND.q})
    assert found.first_wrong_cell == ("scores", 1, 2)
    (finding,) = found.findings
    assert finding.changed == OneNumber("scores", (1, 2), wrong[1, 2], HAND.scores[1, 2])


def test_some_of_the_rows_are_recognized():
    (first,) = diagnose(HAND.output[:1], HAND, decimals=12).findings
    assert (first.kind, first.rows) == ("right", (0,))
    (last,) = diagnose(np.round(MISTAKE["softmax_over_columns"].apply(HAND).output[1:], 4), HAND, decimals=4).findings
    assert ([mistake.name for mistake in last.mistakes], last.rows) == (["softmax_over_columns"], (1, 2))
    assert diagnose([[0.123, 4.567]], HAND).findings == ()


def test_equal_rows_are_not_another_order():
    right = example("hand").with_matrices({"x": np.ones((3, 5))}).attention()
    assert [f.kind for f in diagnose(right.output, right).findings] == ["right"]


@pytest.mark.long
def test_eight_tokens_are_diagnosed_within_8000_forward_passes():
    """Check that a diagnosis of 8 tokens takes less time than 8000 forward passes."""
    x, *w = (random_numbers(8, 8, seed=seed) for seed in range(4))
    right = self_attention(x, *w, mask=np.tri(8, dtype=bool))
    strange = np.round(random_numbers(8, 8, seed=9), 4)
    assert forward_passes(lambda: diagnose(strange, right, decimals=4)) < 8000


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: diagnose([[1.0]], HAND, "heads"), r"stage must be one of q, k.*; got heads: name the"),
        (lambda: diagnose([[1.0]], HAND, "z", given={"y": [[1.0]]}), r"stage must be one of .*; got y, z: name"),
        (lambda: diagnose(HAND.q, HAND, "q", given={"k": HAND.k}), r"given .* before q; got k: leave out what comes"),
        (lambda: diagnose([1.0, 2.0], HAND), r"output must be a matrix; got shape \(2,\): write it as"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_mistakes_of_the_catalogue_are_instances_of_mistake():
    assert all(isinstance(mistake, Mistake) for mistake in MISTAKE.values())
    assert greatest_difference(HAND.output, MISTAKE["not_scaled"].apply(HAND).output) > 0.005


MOST_PASSES = 32_000  # forward passes over 8 tokens: 1 second if a pass takes 31 µs


def random_example(n, width, d_k, n_heads):
    """Return an example with `n` random tokens of `width` numbers, for `n_heads` heads."""
    x, (w_q, w_k, w_v) = random_numbers(n, width), (random_numbers(width, d_k, seed=seed) / 8 for seed in range(3))
    return example_of_weights(x, w_q, w_k, w_v, n_heads=n_heads)


COSTLY = [  # with a wrong row, single changed numbers are searched; with a wrong shape, all else
    (example("heads_512"), "weights", False),
    (example("heads_512"), "mixed", False),
    (random_example(16, 64, 64, 8), "weights", True),
    (random_example(3, 64, 64, 8), "mixed", True),
    (random_example(24, 4, 4, 1), "mixed", True),
]


@pytest.mark.long
@pytest.mark.parametrize(("example", "asked", "of_its_shape"), COSTLY)
def test_a_diagnosis_costs_little_however_wide_the_matrices_are(example, asked, of_its_shape):
    problem = problem_of(example, asked)
    wrong = np.array(problem.correct_result)
    wrong[0] += 0.13
    answer = MatrixText(np.round(wrong if of_its_shape else random_numbers(3, 3), 3), 3)
    diagnose_pasted(problem, answer, {})  # the first diagnosis also makes the plans, which are kept
    assert forward_passes(lambda: diagnose_pasted(problem, answer, {})) < MOST_PASSES


def test_the_diagnosis_says_what_it_left_out():
    def missing(example, asked):
        problem = problem_of(example, asked)
        return skipped_searches(edited_run_of(problem.trace), problem.stage)

    assert missing(example("hand"), "mixed") == missing(example("story"), "output") == []
    assert missing(example("heads_512"), "weights") == ["rare", "pairs", "one_number"]
    assert missing(example("wide"), "output") == ["one_number"]


EACH_WRONG_IMPLEMENTATIONS = 3  # every third mistake is tried
ROUNDS = {"rounded_weights", "rounded_to_two"}  # these only round as people do by hand, so they are not mistakes


@pytest.mark.parametrize("name", problems())
def test_the_correct_parts_give_the_output_of_the_core(name):
    p, _ = problems()[name]
    np.testing.assert_allclose(one_head(p)["output"], correct_trace_of(p, "one").output)
    np.testing.assert_allclose(several_heads(p)["output"], correct_trace_of(p, "several").output)


@pytest.mark.long
def test_most_common_mistakes_are_named_and_none_is_called_right():
    common = [wrong for wrong in SETS["first set"][0].values() if wrong.common and wrong.name not in ROUNDS][
        ::EACH_WRONG_IMPLEMENTATIONS
    ]
    tried = [
        diagnose(np.round(answer, 4), right, decimals=4)
        for wrong in common
        for _, answer, right in list(answers(wrong, ["hand", "story, causal", "hand, biases"]))[:1]
    ]
    assert len(tried) >= 30
    assert not any(found.all_correct for found in tried)
    assert sum(map(is_explained, tried)) >= 0.9 * len(tried)
