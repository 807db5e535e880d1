"""Test the mistakes: each makes exactly the mistake that its name says, and nothing else.

Also the files that hold them.
"""

import re
import tomllib
from typing import get_args

import numpy as np
import pytest
from scipy.special import softmax

from attention_core import causal_mask, self_attention
from attention_core.mistakes import (
    BORROWED,
    ONE_HEAD_MISTAKES,
    REAL_MODEL_MISTAKES,
    WITH_SWITCH,
    WITHOUT_SWITCH,
    Concept,
    blind_spots,
    mistakes_of,
    visible_mistakes,
)
from attention_core.mistakes.backward import WRONG_GRADIENTS
from attention_core.mistakes.engine.pipelines import ATTENTION, HEADS
from attention_core.mistakes.next_word import CACHE_MISTAKES, SAMPLING_MISTAKES
from attention_core.mistakes.rare import CONCEPTS, rare_mistakes
from attention_core.mistakes.showing import SHOWS, has_mask
from attention_core.mistakes.toml_files import FOLDER, read_mistakes
from house_rules import oracle_of
from notebooks import DATA
from strategies import random_numbers

BY_NAME = {mistake.name: mistake for mistake in ONE_HEAD_MISTAKES}
FIELDS = ("q", "k", "v", "scores", "scaled", "masked", "weights", "output")
ALLOWED = causal_mask(4)


def correct_trace(*batch, n=4, d_model=7, d_k=3, d_v=4, dtype: type = np.float64, **options):
    """Return a correct trace (all matrices) of self-attention on random numbers, with sizes that allow every mistake.

    `batch` holds leading axes, and `options` are options of `self_attention`. By default the values have as many
    columns as there are tokens, because some mistakes need this.
    """
    x = random_numbers(*batch, n, d_model, dtype=dtype)
    w_q, w_k, w_v = (random_numbers(d_model, d, seed=s, dtype=dtype) / 2 for s, d in ((1, d_k), (2, d_k), (3, d_v)))
    return self_attention(x, w_q, w_k, w_v, **{"mask": ALLOWED, **options})


def masked_softmax(scores, axis: int | None = -1):
    """Return the softmax of the scores along `axis`, under the mask ALLOWED."""
    return softmax(np.where(ALLOWED, scores, -np.inf), axis=axis)


def weights_of_inverted_mask(scores):
    """Return the weights of a mask that hides what it should allow, and allows what it should hide."""
    return np.vstack([softmax(np.where(ALLOWED, -np.inf, scores)[:3], axis=1), np.zeros(4)])


# The output of each mistake, computed once more from the description of the mistake.
EXPECTED = {
    "softmax_over_columns": lambda t: masked_softmax(t.scores / np.sqrt(3), axis=0) @ t.v,
    "softmax_over_whole_matrix": lambda t: masked_softmax(t.scores / np.sqrt(3), axis=None) @ t.v,
    "softmax_twice": lambda t: softmax(t.weights, axis=1) @ t.v,
    "softmax_without_maximum": lambda t: t.output,  # correct as long as no number overflows
    "keys_times_queries": lambda t: masked_softmax(t.k @ t.q.T / np.sqrt(3)) @ t.v,
    "one_value_for_every_key": lambda t: t.v,
    "features_weighted": lambda t: np.array([sum(row * t.v) for row in t.weights]),
    "not_scaled": lambda t: masked_softmax(t.scores) @ t.v,
    "divided_by_d_k": lambda t: masked_softmax(t.scores / 3) @ t.v,
    "divided_by_root_d_model": lambda t: masked_softmax(t.scores / np.sqrt(7)) @ t.v,
    "divided_by_root_n": lambda t: masked_softmax(t.scores / np.sqrt(4)) @ t.v,
    "multiplied_by_root": lambda t: masked_softmax(t.scores * np.sqrt(3)) @ t.v,
    "rounded_root": lambda t: masked_softmax(t.scores) @ t.v,
    "scaled_after_softmax": lambda t: masked_softmax(t.scores) / np.sqrt(3) @ t.v,
    "mask_inverted": lambda t: weights_of_inverted_mask(t.scores / np.sqrt(3)) @ t.v,
    "mask_after_softmax": lambda t: (softmax(t.scores / np.sqrt(3), axis=1) * ALLOWED) @ t.v,
    "mask_with_zeros": lambda t: softmax(t.scores / np.sqrt(3) * ALLOWED, axis=1) @ t.v,
    "scores_as_weights": lambda t: (t.scores * ALLOWED) @ t.v,
    "terms_taken_for_outputs": lambda t: t.weights[0][:, None] * t.v,
}
# Others with queries, keys and values need a square matrix or a bias: `test_oracles_by_subject.py` has them all.
AFTER_PROJECTION = [
    mistake for mistake in ONE_HEAD_MISTAKES if mistake.concept != "queries_keys_values" or mistake.name in EXPECTED
]


@pytest.mark.parametrize("mistake", AFTER_PROJECTION, ids=lambda mistake: mistake.name)
def test_each_mistake_does_what_it_says(mistake):
    right = correct_trace()
    np.testing.assert_allclose(
        mistake.apply(right).output, oracle_of(mistake.name, EXPECTED, __file__)(right), rtol=1e-12
    )


@pytest.mark.parametrize("mistake", AFTER_PROJECTION, ids=lambda mistake: mistake.name)
def test_a_mistake_keeps_shapes_and_leaves_the_right_trace_alone(mistake):
    right = correct_trace(dtype=np.float32)
    before = {name: getattr(right, name).copy() for name in FIELDS}
    wrong = mistake.apply(right)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(right, name), before[name])
        assert getattr(wrong, name).shape == before[name].shape
        assert getattr(wrong, name).dtype == np.float32


def test_every_mistake_differs_from_the_right_output_and_from_all_others():
    """Check that the output of every mistake differs from the correct output and from the output of all others.

    The number of tokens, d_model and d_k differ, and so do their square roots. Only d_v equals the number of tokens.
    """
    right = correct_trace(n=30, d_model=50, d_k=10, d_v=30, mask=causal_mask(30))
    mistakes = [
        mistake for mistake in AFTER_PROJECTION if mistake.name != "softmax_without_maximum"
    ]  # this mistake gives correct numbers until a number overflows
    outputs = [right.output, *(mistake.apply(right).output for mistake in mistakes)]
    for i, one in enumerate(outputs):
        for other in outputs[:i]:
            assert np.abs(one - other).max() > 0.01


def test_without_a_mask_the_mistakes_of_the_mask_are_harmless():
    right = correct_trace(mask=None)
    for name in ("mask_after_softmax", "mask_with_zeros"):
        np.testing.assert_array_equal(BY_NAME[name].apply(right).output, right.output)


def test_additive_masks_are_masks():
    additive = correct_trace(mask=np.where(ALLOWED, 0.0, -np.inf))
    for mistake in AFTER_PROJECTION:
        np.testing.assert_array_equal(mistake.apply(additive).output, mistake.apply(correct_trace()).output)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "keys_times_queries",
            r"`output = weights @ v` needs .* fit each other, but the shapes are v \(5, 4\), weights \(5, 4\)\.",
        ),
        (
            "one_value_for_every_key",
            r"`output = weights.sum.* \* v` needs .*, but the shapes are v \(5, 4\), weights \(4, 5\)",
        ),
        ("terms_taken_for_outputs", r"The next step needs output as \(4, 4\), but it is \(5, 4\)"),
        (
            "features_weighted",
            r"`output = weights \* v.sum.*` needs .*, but the shapes are v \(5, 4\), weights \(4, 5\)",
        ),
    ],
)
def test_where_shapes_forbid_the_mistake(name, message):
    trace = correct_trace(context=random_numbers(5, 7), mask=None)
    with pytest.raises(ValueError, match=message):
        BY_NAME[name].apply(trace)


def test_catalogue():
    errata = re.findall(r"^### (\S+)", (DATA / "seed_errata.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(errata) == 74
    assert len({mistake.name for mistake in WITH_SWITCH}) == len(WITH_SWITCH) >= 25
    assert [mistake.name for mistake in AFTER_PROJECTION if mistake.name not in EXPECTED] == [], (
        "their oracle is missing"
    )
    for mistake in WITH_SWITCH:
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", mistake.name)
        assert mistake.concept in get_args(Concept)
        assert all((mistake.title, mistake.formula, mistake.sources))
        assert mistake.why.endswith(".")
        for source in mistake.sources:
            assert source in errata or re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", source)


def test_mistakes_of_a_concept():
    assert {*WITH_SWITCH} == {mistake for concept in get_args(Concept) for mistake in mistakes_of(concept)}
    assert [mistake.name for mistake in mistakes_of("scaling")] == [
        "not_scaled", "divided_by_d_k", "divided_by_root_d_model", "divided_by_root_n", "multiplied_by_root",
        "rounded_root", "scaled_after_softmax",
    ]  # fmt: skip
    assert [mistake.name for mistake in mistakes_of("cross_attention")] == [*BORROWED["cross_attention"]]


def test_overflow_reaches_the_output():
    right = self_attention(40 * np.eye(2), np.eye(2), np.eye(2), np.eye(2))
    wrong = BY_NAME["softmax_without_maximum"].apply(right)
    assert np.isfinite(right.output).all()
    assert np.isnan(wrong.output).all()


def test_an_example_that_shows_every_mistake_has_no_blind_spots():
    assert blind_spots(correct_trace(), ONE_HEAD_MISTAKES) == ()


def test_visible_mistakes_change_the_numbers():
    trace = correct_trace(mask=None, d_k=4, d_model=6)
    visible = {mistake.name for mistake in visible_mistakes(trace, ONE_HEAD_MISTAKES)}
    assert "softmax_twice" in visible  # this mistake changes the output
    assert "mask_after_softmax" not in visible  # this mistake needs a mask
    assert "weights_transposed" not in visible  # the shapes do not allow this mistake
    same = correct_trace(d_k=1)
    # √d_k is 1 here, so dividing by it changes nothing
    assert "not_scaled" not in {mistake.name for mistake in visible_mistakes(same, ONE_HEAD_MISTAKES)}


def test_blind_spots_are_possible_mistakes_that_change_nothing():
    same = self_attention(np.ones((3, 4)), np.ones((4, 4)), np.ones((4, 4)), np.eye(4))
    names = {mistake.name for mistake in blind_spots(same, ONE_HEAD_MISTAKES)}
    assert "not_scaled" in names  # equal scores stay equal, whether they are scaled or not
    assert "softmax_over_whole_matrix" not in names
    assert "features_weighted" not in names  # the shapes do not allow this mistake
    assert "mask_after_softmax" not in names  # this mistake needs a mask, and there is none
    assert "divided_by_root_d_model" in {
        mistake.name for mistake in blind_spots(correct_trace(d_k=7), ONE_HEAD_MISTAKES)
    }


def test_some_mistakes_show_only_in_certain_traces():
    masked, plain = correct_trace(), correct_trace(mask=None)
    great = self_attention(40 * np.eye(2), np.eye(2), np.eye(2), np.eye(2))
    for name, shown, hidden in [
        ("mask_after_softmax", masked, plain),
        ("mask_with_zeros", masked, plain),
        ("mask_inverted", masked, plain),
        ("softmax_without_maximum", great, masked),
        ("rounded_root", masked, correct_trace(d_k=4)),
    ]:
        assert BY_NAME[name].needs.endswith(".")
        assert BY_NAME[name].shows(shown)
        assert not BY_NAME[name].shows(hidden)


GOOD = """
concept = "attention"

[[mistake]]
name = "mask_halved"
stage = "masked"
title = "The mask is halved"
code = '''
half = scaled / 2
masked = np.where(allowed, scaled, half)'''
why = "A mask hides a key."
sources = ["owner/repository#7"]
needs = "It takes a mask."
shows = "has_mask"

[[mistake]]
name = "concat_halved"
concept = "multi_head"
switch = true
stage = "concat"
title = "The heads are halved"
formula = '\\frac{1}{2} Z'
code = "concat = concat / 2"
why = "Half of it is missing."
rank = "rare"
"""


def names_in(text):
    """Return the names of the mistakes in the text of a file."""
    return re.findall('^name = "(.+?)"', text, re.MULTILINE)


@pytest.fixture
def file(tmp_path):
    """Give the test a function that writes a file of mistakes and returns its name."""

    def write(text):
        path = tmp_path / "made_up.toml"
        path.write_text(text, "utf-8")
        return str(path)

    return write


def test_each_field_is_read_as_it_is_written(file):
    one, other = read_mistakes(file(GOOD))
    assert (one.name, one.concept, one.stage, one.switch, one.rank) == (
        "mask_halved", "attention", "masked", False, "usual",
    )  # fmt: skip
    assert one.code == "half = scaled / 2\nmasked = np.where(allowed, scaled, half)"
    assert (one.sources, one.needs, one.state, one.formula) == (("owner/repository#7",), "It takes a mask.", "", "")
    assert one.shows is has_mask
    assert (other.concept, other.switch, other.rank, other.formula) == ("multi_head", True, "rare", r"\frac{1}{2} Z")
    assert (one.pipeline, other.pipeline) == (ATTENTION, HEADS)
    assert other.shows(None)  # a mistake without `shows` shows everywhere


def test_names_may_stand_for_other_values(file):
    text = GOOD.replace('"has_mask"', '"never"').replace('rank = "rare"', 'rank = "rare"\nedits = "heads"')
    one, other = read_mistakes(file(text), shows={"never": lambda _: False}, edits={"heads": HEADS})
    assert not one.shows(None)
    assert other.edits is HEADS


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            '"has_mask"',
            '"hasmask"',
            "mistake mask_halved: shows must be one of .*has_mask.*; got 'hasmask': correct it",
        ),
        ('"has_mask"', "[]", r"mistake mask_halved: shows must be one of .*; got \[\]: correct it"),
        ('stage = "masked"', 'stage = "mask"', "mistake mask_halved: stage must be one of exponents, .*; got 'mask'"),
        (
            'concept = "multi_head"',
            'concept = "heads"',
            "mistake concat_halved: concept must be one of .*; got 'heads'",
        ),
        ('rank = "rare"', 'rank = "often"', "rank must be one of usual, paired, rare; got 'often': correct it"),
        ("why =", "because =", "may have .*; got concept, name, .*because.*: correct because, why"),
        ("title =", "titel =", "mistake mask_halved: it must have name, concept, stage, title, .* titel, title"),
        ('name = "mask_halved"', "", "mistake without a name: it must have .*: correct name"),
        ("switch = true", 'switch = "no"', "switch must be bool; got 'no': write it as in the others"),
        ('["owner/repository#7"]', '"owner/repository#7"', "sources must be list; got 'owner/repository#7'"),
        ("scaled / 2", "scaled / root", "mistake mask_halved: a mistake’s code may read .*; got root in half = "),
        ("[[mistake]]", "[[mistake]", " must be TOML; got .*line 4.*: correct this line"),
    ],
)
def test_anything_else_is_refused_with_the_file_and_the_mistake(right, wrong, message, file):
    assert right in GOOD
    with pytest.raises(ValueError, match=f"made_up.toml.*{message}"):
        read_mistakes(file(GOOD.replace(right, wrong, 1)))


def test_each_file_is_named_by_its_concept():
    for folder, concepts in ((FOLDER, get_args(Concept)), (FOLDER / "rare", CONCEPTS)):
        contents = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in folder.glob("*.toml")}
        named = {stem: content["concept"] for stem, content in contents.items() if "concept" in content}
        assert named == {concept: concept for concept in concepts}


def test_no_entry_of_a_file_is_forgotten():
    written = [mistake for path in FOLDER.glob("*.toml") for mistake in names_in(path.read_text("utf-8"))]
    used = (*WITH_SWITCH, *WITHOUT_SWITCH, *REAL_MODEL_MISTAKES, *SAMPLING_MISTAKES, *CACHE_MISTAKES, *WRONG_GRADIENTS)
    assert sorted(written) == sorted(mistake.name for mistake in used)


def test_every_condition_is_one_that_a_mistake_names():
    named = {mistake.shows for mistake in (*WITH_SWITCH, *WITHOUT_SWITCH, *rare_mistakes())}
    assert {name for name, shows in SHOWS.items() if shows not in named} == set()
