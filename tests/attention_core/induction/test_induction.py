"""Test the induction model, which has two heads and learns to copy: its task, numbers, gradient and training."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import attend, cross_entropy
from attention_core.induction.model import (
    ALPHABET,
    CHUNK,
    CONTEXT,
    D_MODEL,
    LONGEST,
    N_SYMBOLS,
    SHORTEST,
    batch,
    draw_parameters,
    induction_weight,
    letters_in,
    measure,
    model_of,
    previous_matrix,
    previous_weight,
    run,
    symbol_numbers,
    uniform_matrix,
    vector_of,
    weights_instead,
)
from attention_core.induction.training import (
    FILE,
    KEPT,
    MANIFEST,
    SEEDS,
    STEPS,
    ModelId,
    as_thousandths,
    begin,
    find_model,
    fingerprint,
    is_available,
    model_gradient,
    train_step,
)
from tools.make_snapshots import train_models

seeds = st.integers(0, 10**6)
MODEL = model_of(draw_parameters(0, 2).astype(np.float64))
TOKENS = np.arange(6) * 5


# --- the task ---


@given(seeds)
def test_a_sequence_is_a_first_part_without_repeats_and_parts_of_it(seed):
    made = batch(np.random.default_rng(seed), 1)
    tokens, counted, found = made.tokens[0].tolist(), made.counted[0], made.found[0]
    first = next((i for i in range(CONTEXT) if tokens[i] in tokens[:i]), CONTEXT)
    assert SHORTEST <= first <= LONGEST + 1
    assert set(tokens) == set(tokens[:first])
    assert not counted[: first - 1].any()
    for place in np.flatnonzero(counted):
        # the same symbol came just before the place that the model has to find
        assert tokens[found[place] - 1] == tokens[place]
        assert tokens[found[place]] == made.targets[0, place]  # the place that the model has to find holds the answer


def test_parts_have_the_planned_average_length():
    made = batch(np.random.default_rng(0), 500)
    again = np.array([[token in row[:i] for i, token in enumerate(row)] for row in made.tokens.tolist()])
    length = sum(CHUNK) / 2  # the average length of a part, in which every symbol but the last is counted
    assert made.counted[again].mean() == pytest.approx((length - 1) / length, abs=0.05)
    assert not made.counted[~again].any()


def test_the_next_symbol_follows_in_the_same_sequence():
    made = batch(np.random.default_rng(1), 4)
    np.testing.assert_array_equal(made.tokens[:, 1:], made.targets[:, :-1])
    assert set(made.tokens.ravel()) <= set(range(N_SYMBOLS))


# --- the model ---


def test_a_layer_adds_what_its_head_finds():
    trace = run(MODEL, TOKENS)
    x = MODEL.embedding[TOKENS] + MODEL.positions[:6]
    for layer in MODEL.layers:
        scores = np.where(np.tri(6, dtype=bool), 0.0, -np.inf)
        x = x + attend(x @ layer.w_q, x @ layer.w_k, x @ layer.w_v, mask=scores).output @ layer.w_o
    np.testing.assert_allclose(trace.logits, x @ MODEL.unembedding, atol=1e-12)


def test_what_comes_later_changes_nothing_before_it():
    changed = TOKENS.copy()
    changed[4] = 31
    np.testing.assert_array_equal(run(MODEL, changed).logits[:4], run(MODEL, TOKENS).logits[:4])


def test_other_weights_of_the_first_head_are_used_and_nothing_else_changes():
    trace, own = run(MODEL, TOKENS, previous_matrix(6)), run(MODEL, TOKENS)
    np.testing.assert_array_equal(trace.layers[0].head.output[3], own.layers[0].head.v[2])
    np.testing.assert_array_equal(trace.layers[0].head.scores, own.layers[0].head.scores)
    same = run(MODEL, TOKENS, own.layers[0].head.weights)
    np.testing.assert_allclose(same.logits, own.logits, atol=1e-12)


def test_a_sequence_alone_and_in_a_batch_give_the_same():
    pair = run(MODEL, np.stack([TOKENS, TOKENS[::-1]]), uniform_matrix(6))
    np.testing.assert_allclose(pair.logits[0], run(MODEL, TOKENS, uniform_matrix(6)).logits, atol=1e-12)


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([0, 32], r"tokens must be whole numbers from 0 to 31; got \[0, 32\]: number the symbols from 0"),
        ([0.5], r"tokens must be whole numbers from 0 to 31; got \[0.5\]"),
        ([[-1]], "tokens must be whole numbers"),
        ([0] * 33, "a sequence must have from 1 to 32 tokens; got 33: there is a vector for no more"),
        (np.zeros((2, 0), dtype=int), "a sequence must have from 1 to 32 tokens; got 0"),
    ],
)
def test_tokens_that_the_model_does_not_know_are_refused(tokens, message):
    with pytest.raises(ValueError, match=message):
        run(MODEL, tokens)


def test_other_weights_must_fit():
    with pytest.raises(ValueError, match=r"first must have one row and one column a token; got \(5, 5\)"):
        run(MODEL, TOKENS, np.eye(5))
    with pytest.raises(ValueError, match="first must be one of trained, previous, uniform; got none"):
        weights_instead("none", 3)


def test_a_model_becomes_a_vector_and_comes_back():
    vector = draw_parameters(3, 1)
    np.testing.assert_array_equal(vector_of(model_of(vector)), vector)
    assert len(model_of(vector).layers) == 1
    with pytest.raises(ValueError, match=r"must hold the tables and whole layers; got 11263 numbers: give 3072"):
        model_of(np.zeros(11263))


# --- the gradient ---


def test_the_gradient_is_that_of_finite_differences():
    made, generator = batch(np.random.default_rng(0), 3), np.random.default_rng(1)
    vector = draw_parameters(0, 2).astype(np.float64)

    def run_model_with(numbers):
        model = model_of(numbers)
        trace = run(model, made.tokens)
        return model, trace, cross_entropy(trace.logits, made.targets, made.counted)

    gradient = vector_of(model_gradient(*run_model_with(vector)))
    for _ in range(12):
        way = generator.normal(size=vector.size)
        ahead, behind = (float(run_model_with(vector + step * way)[2].loss) for step in (1e-6, -1e-6))
        assert gradient @ way == pytest.approx((ahead - behind) / 2e-6, rel=1e-6, abs=1e-8)
    places = generator.choice(np.flatnonzero(gradient), 12)  # single numbers of the model, from every kind of matrix
    for place in [*places, 0, N_SYMBOLS * D_MODEL, 2 * N_SYMBOLS * D_MODEL]:
        nudged = np.zeros_like(vector)
        nudged[place] = 1e-5
        ahead, behind = (float(run_model_with(vector + sign * nudged)[2].loss) for sign in (1, -1))
        assert gradient[place] == pytest.approx((ahead - behind) / 2e-5, rel=1e-4, abs=1e-8)


def test_unused_positions_and_symbols_get_no_gradient():
    tokens = np.array([[1, 2, 1]])
    trace = run(MODEL, tokens)
    gradient = model_gradient(MODEL, trace, cross_entropy(trace.logits, [[2, 1, 2]]))
    assert not gradient.positions[3:].any()
    assert not np.delete(gradient.embedding, [1, 2], axis=0).any()
    assert gradient.positions[:3].all()


# --- training ---


def test_a_step_of_training_depends_only_on_the_state_before():
    before = train_step(begin(7))
    vector = before.vector.copy()
    after, again = train_step(before), train_step(before)
    np.testing.assert_array_equal(after.vector, again.vector)
    np.testing.assert_array_equal(before.vector, vector)
    assert (before.step, after.step, after.loss) == (1, 2, again.loss)
    assert not np.array_equal(after.vector, train_step(replace(before, seed=8)).vector)


def test_a_model_that_knows_nothing_guesses_evenly():
    flat = replace(MODEL, unembedding=np.zeros((D_MODEL, N_SYMBOLS)))
    assert measure(flat).loss == pytest.approx(np.log(N_SYMBOLS))
    assert measure(MODEL).accuracy < 0.1


@pytest.mark.long
def test_a_live_run_learns_to_copy_within_400_steps():
    training = begin(11)  # the page uses other seeds
    while measure(training.model).accuracy < 0.9:
        assert training.step < 400
        for _ in range(50):
            training = train_step(training)
    assert measure(training.model).loss < measure(begin(11).model).loss / 3


# --- letters ---


def test_letters_stand_for_symbols():
    assert len(set(ALPHABET)) == len(ALPHABET) == N_SYMBOLS
    assert symbol_numbers(letters_in("cab!")).tolist() == [2, 0, 1]
    with pytest.raises(ValueError, match=r"letters must be among ABC.*; got ß"):
        symbol_numbers(("ß",))


LAST = STEPS[-1]


def test_each_snapshot_has_the_hash_of_the_manifest():
    written = json.loads(MANIFEST.read_text(encoding="utf-8"))
    with np.load(FILE) as kept:
        assert written["sha256"] == {name: fingerprint(kept[name]) for name in kept.files}
        assert set(kept.files) == {each.key for each in KEPT}
    assert FILE.stat().st_size < 260_000
    assert "make_snapshots" in written["origin"]


def test_another_number_has_another_hash():
    numbers = np.array([1, 2], dtype=np.int16)
    assert fingerprint(numbers) != fingerprint(numbers[::-1])


def test_the_first_snapshot_is_what_training_gives():
    first = min(KEPT, key=lambda each: each.step)
    again = train_models([first])[first.key]
    with np.load(FILE) as kept:
        # in thousandths, because machines add numbers in different orders
        assert np.abs(kept[first.key].astype(int) - again).max() <= 20


@pytest.mark.parametrize("seed", SEEDS)
def test_every_seed_copies_after_its_last_step(seed):
    assert measure(find_model(ModelId(seed, 2, LAST))).accuracy > 0.9


@pytest.mark.parametrize("seed", SEEDS)
def test_the_second_head_needs_one_that_looks_back(seed):
    model = find_model(ModelId(seed, 2, LAST))
    assert measure(model, "previous").accuracy > 0.9
    assert measure(model, "uniform").accuracy < 0.2


def test_one_layer_alone_cannot_copy():
    assert measure(find_model(ModelId(0, 1, LAST))).accuracy < 0.2


def test_the_head_that_looks_back_comes_first_and_the_loss_falls_last():
    measures = [measure(find_model(ModelId(0, 2, step))) for step in STEPS]
    course = {name: np.array([getattr(each, name) for each in measures]) for name in ("previous", "induction", "loss")}
    reached = (course["previous"] > 0.4, course["induction"] > 0.4, course["loss"] < 1)
    assert all(each[-1] and not each[0] for each in reached)
    looks_back, finds, falls = (int(np.argmax(each)) for each in reached)
    assert looks_back < finds <= falls


def test_perfect_heads_get_the_measured_weight_1():
    tested = batch(np.random.default_rng(3), 5)
    back = np.broadcast_to(previous_matrix(CONTEXT), (5, CONTEXT, CONTEXT))
    finds = np.zeros((5, CONTEXT, CONTEXT))
    finds[*np.nonzero(tested.counted), tested.found[tested.counted]] = 1
    assert (previous_weight(back, tested), induction_weight(back, tested)) == (1, pytest.approx(0, abs=0.2))
    assert (previous_weight(finds, tested), induction_weight(finds, tested)) == (0, 1)


def test_a_thousandth_changes_no_guess_and_too_large_a_number_is_refused():
    with pytest.raises(ValueError, match=r"weights must be within ±32.767; got 40.0: train at a smaller rate"):
        as_thousandths(np.array([40.0, 1.0]))
    assert as_thousandths(np.array([0.12345])).tolist() == [123]


def test_a_model_that_is_not_at_hand_is_refused():
    assert is_available(ModelId(5, 1, 0))
    assert not is_available(ModelId(5, 2, 100))
    with pytest.raises(ValueError, match="a model must be kept or untrained; got seed5_layers2_step100: train it"):
        find_model(ModelId(5, 2, 100))
