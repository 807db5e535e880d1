"""Test what the diagnosis accepts as proof: two decimals, numbers in which a mistake is visible, and enough numbers."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core import MultiHeadProjections, multi_head_attention, self_attention
from attention_core.diagnosis.answer import Answer, answer_to
from attention_core.diagnosis.diagnose import diagnose
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.explaining import rounded_singles
from attention_core.diagnosis.stages import pairs, roundings, singles
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes.rare import every_mistake
from measuring import forward_passes
from strategies import random_numbers

NAMED = {mistake.name: mistake for mistake in every_mistake()}


def kinds(found):
    """Return the kinds of the findings in a diagnosis."""
    return [finding.kind for finding in found.findings]


def mistakes(found):
    """Return the names of the mistakes in each finding, as a set of tuples."""
    return {tuple(mistake.name for mistake in finding.mistakes) for finding in found.findings}


def usual(found):
    of_usual = (f.mistakes for f in found.findings if all(mistake.rank == "usual" for mistake in f.mistakes))
    return {tuple(mistake.name for mistake in mistakes) for mistakes in of_usual}


# --- decimals ---


def test_whole_numbers_prove_nothing_unless_they_are_exact():
    translation = example("translation").attention()
    zeros = diagnose(np.zeros((3, 3)), translation, "weights")
    assert not zeros.all_correct
    argmax = np.eye(3)[example("hand").attention().weights.argmax(axis=1)]
    found = diagnose(argmax, example("hand").attention(), "weights")
    assert not found.all_correct
    assert mistakes(found) == {("greatest_takes_all",)}
    assert diagnose(example("hand").attention().q, example("hand").attention(), "q").all_correct


def test_one_decimal_is_too_coarse_to_tell():
    right = example("hand").attention()
    found = diagnose(np.round(right.output, 1), right)
    assert kinds(found) == ["coarse"]
    assert found.first_wrong_cell is None
    assert not found.all_correct


def test_weights_rounded_on_the_way_are_right_and_it_says_so():
    right = example("hand").attention()
    found = diagnose(np.round(right.weights, 2) @ right.v, right, decimals=2)
    (finding,) = found.findings
    assert (finding.kind, finding.rounded, finding.decimals) == ("on_the_way", ("weights",), 2)
    assert found.all_correct


def test_an_answer_that_rounding_may_explain_is_near_and_not_right():
    right = example("hand").attention()
    found = diagnose(np.add(np.round(right.output, 2), [[0.01, -0.01]]), right, decimals=2)
    assert kinds(found)[0] == "near"
    assert not found.all_correct
    assert found.first_wrong_cell is None
    far = diagnose(np.add(np.round(right.output, 2), [[0.3, -0.3]]), right, decimals=2)
    assert "near" not in kinds(far)


def test_a_mistake_is_named_when_its_author_rounded_on_the_way():
    right = example("hand").attention()
    powers = np.exp(right.scores)
    weights = np.round(powers / powers.sum(axis=1, keepdims=True), 2)
    assert ("not_scaled",) in mistakes(diagnose(np.round(weights @ right.v, 2), right, decimals=2))


# --- what a mistake needs ---


def test_mistakes_that_do_not_show_are_not_named():
    right = example("hand").attention()  # without a mask
    found = diagnose(np.tile(np.round(right.v.mean(axis=0), 4), (3, 1)), right, decimals=4)
    assert usual(found) == {("even_weights",)}
    assert not any("mask" in name for names in mistakes(found) for name in names)


def test_a_forgotten_mask_is_named_alone():
    this = example("hand")
    found = diagnose(np.round(this.attention().output, 2), this.attention(mask=this.mask("causal")), decimals=2)
    assert usual(found) == {("mask_forgotten",)}


def test_a_mask_on_scores_and_weights_is_one_mistake():
    """Check that a mask which multiplies both the scores and the weights is found as one mistake, and not as two."""
    this = example("hand")
    mask = np.tri(3, dtype=bool)
    right = this.attention(mask=mask)
    powers = np.exp(right.scaled * mask)
    wrong = powers / powers.sum(axis=1, keepdims=True) * mask @ right.v
    assert mistakes(diagnose(np.round(wrong, 4), right, decimals=4)) == {("mask_twice",)}


def test_a_forgotten_w_o_is_named_although_it_changes_the_shape():
    right = example("hand").multi_head()
    assert right.concat.shape != right.output.shape
    assert mistakes(diagnose(np.round(right.concat, 2), right, decimals=2)) == {("w_o_forgotten",)}


# --- chance and time ---


def test_few_different_numbers_name_no_mistake():
    """Check that no mistake is named for an answer with only three different numbers: it could be a coincidence."""
    right = example("story").attention()
    means = right.output - right.output.mean(axis=1, keepdims=True)
    exact = means / np.sqrt((means**2).mean(axis=1, keepdims=True) + 1e-5)
    assert {*np.round(exact, 2).ravel()} == {-1, 0, 1}
    assert mistakes(diagnose(np.round(exact, 2), right, decimals=2)) == set()
    assert ("layer_norm_on_output",) in mistakes(diagnose(exact, right))


def test_rarer_mistakes_that_give_the_same_numbers_are_named_too():
    right = example("hand").multi_head()  # a head is 2 wide, so that half of its width is 1
    found = mistakes(diagnose(np.round(NAMED["not_scaled"].apply(right).output, 4), right, decimals=4))
    assert {("not_scaled",), ("divided_by_half",)} <= found


def test_one_number_is_no_proof_and_ten_are():
    answer = Answer(np.full((5, 2), 1.25), 2)
    assert answer.probability_by_chance(1000, 5.0) == pytest.approx(2.0)  # ten times the same number
    assert Answer(np.arange(10.0).reshape(5, 2) / 7, 2).probability_by_chance(1000, 5.0) < 1e-20


@pytest.mark.parametrize("kind", ["none", "causal", "heads"])
def test_no_random_answer_equals_the_result_of_a_mistake(kind):
    """Check that 100,000 random answers with 2 decimals do not equal any matrix that a mistake could give."""
    this = example("hand")
    right = this.multi_head() if kind == "heads" else this.attention(mask=this.mask(kind))
    work, candidates = edited_run_of(right), []
    plans = [*singles(work.pipeline, "output", work.mistakes), *pairs(work.pipeline, "output", work.paired)]
    plans += [*roundings(work.pipeline, "output", 2), *rounded_singles(work.pipeline, "output", work.usual, 2)]
    for plan in plans:
        made = work.matrix_after(plan.lines, "output")
        if made is not None and made.shape == right.output.shape and np.isfinite(made).all():
            candidates.append(made.ravel())
    assert len(candidates) > 1000
    low, high = right.output.min() - 2, right.output.max() + 2
    answers = np.round(np.random.default_rng(7).uniform(low, high, size=(100_000, right.output.size)), 2)
    tolerance = answer_to(right.output, right.output, 2).tolerance
    answers = answers[answers[:, 0].argsort()]  # so that each candidate is compared with few
    for one in np.unique(candidates, axis=0):
        near = answers[np.searchsorted(answers[:, 0], one[0] - tolerance) :]
        near = near[: np.searchsorted(near[:, 0], one[0] + tolerance, side="right")]
        assert not (np.abs(near - one) <= tolerance).all(axis=1).any()


@pytest.mark.long
def test_eight_heads_of_sixty_four_tokens_are_diagnosed_within_8000_forward_passes():
    w_q, w_k, w_v, w_o = (random_numbers(64, 64, seed=seed) / 8 for seed in range(4))
    right = multi_head_attention(
        random_numbers(64, 64, seed=5), MultiHeadProjections(w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o), 8
    )
    assert not edited_run_of(right).tries_all
    assert edited_run_of(example("hand").multi_head()).tries_all
    strange = np.round(random_numbers(64, 64, seed=9), 4)
    assert diagnose(strange, right, decimals=4).findings == ()
    assert forward_passes(lambda: diagnose(strange, right, decimals=4)) < 8000


def test_every_mistake_has_a_title_and_a_reason():
    assert len(NAMED) == len(every_mistake()) >= 300
    assert all(mistake.title and mistake.why.endswith(".") for mistake in every_mistake())
    assert {example(name).name for name in EXAMPLES} == {*EXAMPLES}


# --- what is kept for the next answer ---


@pytest.mark.many
@pytest.mark.parametrize("stage", ["weights", "output"])
def test_an_answer_is_diagnosed_alike_whatever_was_asked_before(stage):
    right = example("hand").attention()
    work = edited_run_of(right)
    assert work is edited_run_of(right)
    wrong = [work.matrix_after(plan.lines, stage) for plan in singles(work.pipeline, stage, work.usual)]
    for answer in (np.round(matrix, 3) for matrix in wrong if matrix is not None):
        found, alone = diagnose(answer, right, stage), diagnose(answer, replace(right), stage)
        assert (kinds(found), mistakes(found)) == (kinds(alone), mistakes(alone))


def test_no_run_is_cached_for_large_or_writable_traces():
    large = example("wide").attention()
    changing = self_attention(random_numbers(3, 4, seed=1), *(random_numbers(4, 4, seed=seed) for seed in (2, 3, 4)))
    assert edited_run_of(large) is not edited_run_of(large)
    assert edited_run_of(changing) is not edited_run_of(changing)
