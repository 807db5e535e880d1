"""Test the shipped induction models: training gives the same numbers, and the models can do what the page says."""

import json

import numpy as np
import pytest

from attention_core.induction.model import CONTEXT, batch, induction_weight, measure, previous_matrix, previous_weight
from attention_core.induction.training import (
    FILE,
    KEPT,
    MANIFEST,
    SEEDS,
    STEPS,
    ModelId,
    as_thousandths,
    find_model,
    fingerprint,
    is_available,
)
from tools.make_snapshots import train_models

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
