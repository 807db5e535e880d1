"""Test the settings of a problem: masks, scales and single heads, against formulas that are written out here."""

import json
from dataclasses import replace

import numpy as np
import pytest

from attention_core.diagnosis.pasted import (
    ALL_HEADS,
    Setting,
    diagnose_pasted,
    example_of_weights,
    problem_of,
    problem_of_queries,
    problem_of_scores,
    read_mask,
)
from attention_core.diagnosis.stages import matrix_at, possible_mistakes
from attention_core.examples import example
from attention_core.mistakes.engine.code_lines import run
from attention_core.mistakes.engine.edits import program
from attention_core.mistakes.engine.named_traces import names_of, pipeline_of_trace
from attention_core.reading.matrix_text import read_matrix, write_matrix
from serving import ROOT

STORY, HAND = example("story"), example("hand")
RNG = np.random.default_rng(3)
Q, K, V = RNG.integers(-3, 4, (2, 4)), RNG.integers(-3, 4, (5, 4)), RNG.integers(-3, 4, (5, 3))


def attention_by_hand(q, k, v, seen, factor):
    """Return softmax(factor · q kᵀ) v, row by row in plain Python. Keys that `seen` marks as False get no weight."""
    rows = []
    for i in range(len(q)):
        powers = [np.exp(factor * sum(q[i] * k[j])) if seen[i][j] else 0.0 for j in range(len(k))]
        rows.append(sum(power * v[j] for j, power in enumerate(powers)) / sum(powers))
    return np.array(rows)


def diagnosis_of(problem, matrix, decimals=4):
    """Return the diagnosis of `matrix` (a text or an array) as an answer to `problem`."""
    return diagnose_pasted(
        problem, read_matrix(matrix if isinstance(matrix, str) else write_matrix(matrix, decimals)), {}
    )


def names_in(found):
    """Return the names of all mistakes in a diagnosis."""
    return {mistake.name for finding in found.findings for mistake in finding.mistakes}


MASKED = {
    "none": (Setting(), [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]),
    "causal": (Setting(mask="causal"), [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]]),
    "causal_at_end": (Setting(mask="causal_at_end"), [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]),
    "padding": (Setting(mask="padding", hidden_keys=(2, 5)), [[1, 0, 1, 1, 0], [1, 0, 1, 1, 0]]),
    "window": (Setting(mask="window", window=2), [[0, 0, 1, 1, 0], [0, 0, 0, 1, 1]]),
    "own": (
        Setting(mask="own", own_mask=np.array([[1, 0, 0, 1, 0], [0, 1, 1, 0, 0]]) == 1),
        [[1, 0, 0, 1, 0], [0, 1, 1, 0, 0]],
    ),
}


@pytest.mark.parametrize("kind", MASKED)
@pytest.mark.parametrize("scale", [None, 1.0, 0.3])
def test_each_mask_and_scale_poses_what_its_formula_gives(kind, scale):
    setting, seen = MASKED[kind]
    setting = replace(setting, scale=scale)
    problem = problem_of_queries(Q, K, V, "output", setting)
    right = attention_by_hand(Q, K, V, seen, 0.5 if scale is None else scale)
    np.testing.assert_allclose(problem.correct_result, right, atol=1e-12)
    assert diagnosis_of(problem, right).answer_is_correct
    other = attention_by_hand(Q, K, V, seen, 0.2)
    assert not diagnosis_of(problem, other).answer_is_correct


def test_a_window_in_a_text_of_its_own_has_the_token_and_those_just_before_it():
    assert np.array(Setting(mask="window", window=2).allowed(4, 4), dtype=int).tolist() == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [0, 1, 1, 0],
        [0, 0, 1, 1],
    ]


@pytest.mark.parametrize("head", [1, 2])
def test_the_output_of_one_head_is_that_head_of_all_heads(head):
    problem = problem_of(STORY, "output", Setting(head=head))
    np.testing.assert_allclose(problem.correct_result, STORY.multi_head().heads.output[head - 1], atol=1e-12)


@pytest.mark.parametrize(
    ("setting", "mistake"),
    [
        (Setting(mask="padding", hidden_keys=(5,)), "not_scaled"),
        (Setting(mask="window", window=2), "not_scaled"),
        (Setting(scale=0.25), "not_scaled"),
        (Setting(mask="padding", hidden_keys=(5,)), "softmax_over_columns"),
        (Setting(head=1), "not_scaled"),
    ],
)
def test_a_mistake_is_named_in_the_setting_of_the_problem(setting, mistake):
    problem = problem_of(STORY, "output", setting)
    wrong = next(each for each in possible_mistakes(problem.trace) if each.name == mistake).apply(problem.trace)
    assert mistake in names_in(diagnosis_of(problem, matrix_at(wrong, problem.stage), 6))


@pytest.mark.parametrize(
    ("setting", "asked", "said"),
    [
        (dict(mask="padding"), "output", "Hidden keys must be from 1 to 5, but you named none"),
        (dict(mask="padding", hidden_keys=(9,)), "output", "Hidden keys must be from 1 to 5, but you named 9"),
        (dict(mask="window", window=0), "output", "A window must have at least one token, but it has 0"),
        (dict(mask="own"), "output", "5×5, with a row for each query and a column for each key, but there is none"),
        (dict(mask="own", own_mask=np.ones((2, 3), bool)), "output", "a column for each key, but it is 2×3"),
        (dict(head=3), "output", "The head must be from 1 to 2, but it is 3"),
        (dict(mask="sideways"), "output", "mask must be one of none, causal"),
        (dict(scale=0.0), "output", "The scale must be from a billionth to a billion, with either sign, but it is 0.0"),
    ],
)
def test_a_setting_that_does_not_fit_says_so(setting, asked, said):
    with pytest.raises(ValueError, match=said):
        problem_of(STORY, asked, Setting(**setting))


def test_a_causal_mask_at_the_end_needs_enough_keys():
    with pytest.raises(ValueError, match="needs a key for each query, but there are 3 queries and 2 keys"):
        problem_of_queries(np.ones((3, 2)), np.ones((2, 2)), np.ones((2, 2)), "output", "causal_at_end")


@pytest.mark.parametrize(
    ("text", "ones_hide", "seen"),
    [
        ("1 0\n1 1", False, [[True, False], [True, True]]),
        ("0 1\n0 0", True, [[True, False], [True, True]]),
        ("0 -inf\n0 0", False, [[True, False], [True, True]]),
        ("0 -1e9\n0 0", False, [[True, False], [True, True]]),
        ("0 0\n0 0", False, [[True, True], [True, True]]),
    ],
)
def test_a_mask_is_read_as_programs_print_it(text, ones_hide, seen):
    assert read_mask(read_matrix(text).values, ones_hide=ones_hide).tolist() == seen


@pytest.mark.parametrize("values", [[[0.5, 1]], [[1, -np.inf]], [[0, -3]], [[np.nan, 0]]])
def test_what_is_no_mask_is_refused(values):
    with pytest.raises(ValueError, match="A mask must have ones and zeros, or zeros and −∞"):
        read_mask(values)


def test_a_setting_of_all_heads_holds_in_each_head():
    problem = problem_of(STORY, ALL_HEADS, Setting(mask="padding", hidden_keys=(1,), scale=0.3))
    assert not matrix_at(problem.trace, "weights")[..., 0].any()
    np.testing.assert_allclose(matrix_at(problem.trace, "scaled"), 0.3 * matrix_at(problem.trace, "scores"))


FOLDER = ROOT / "tests" / "data" / "settings"
CASES = json.loads((FOLDER / "manifest.json").read_text("utf-8"))["cases"]
ARRAYS = np.load(FOLDER / "settings.npz")
OF_HEADS = [case for case in CASES if case["from"] == "x"]
OF_QUERIES = [case for case in CASES if case["from"] == "queries"]


def setting_of(case, **more):
    """Return the setting of a problem, read from the dictionary `case`."""
    values = {**case["setting"], **more}
    if "own_mask" in values:
        values["own_mask"] = np.array(values["own_mask"])
    return Setting(**{**values, "hidden_keys": tuple(values.get("hidden_keys", ()))})


def example_of(case):
    kv = case["n_kv_heads"]
    names = {"x": "x", "w_q": "w_q", "w_k": f"w_k_{kv}", "w_v": f"w_v_{kv}", "w_o": "w_o"}
    matrices = {name: ARRAYS[key] for name, key in names.items()}
    return example_of_weights(**matrices, n_heads=case["n_heads"], n_kv_heads=kv)


def diagnosis_of_of_settings_of_problems(problem, matrix, decimals=6):
    return diagnose_pasted(problem, read_matrix(write_matrix(np.asarray(matrix), decimals)), {})


@pytest.mark.parametrize("case", OF_HEADS, ids=lambda case: case["name"])
def test_all_heads_and_each_head(case):
    example, right = example_of(case), ARRAYS[f"{case['name']}_output"]
    problem = problem_of(example, ALL_HEADS, setting_of(case, n_kv_heads=case["n_kv_heads"]))
    np.testing.assert_allclose(problem.correct_result, right, atol=1e-10)
    assert diagnosis_of_of_settings_of_problems(problem, right).all_correct
    for head, one in enumerate(ARRAYS[f"{case['name']}_heads"], start=1):
        alone = problem_of(example, "output", setting_of(case, n_kv_heads=case["n_kv_heads"], head=head))
        np.testing.assert_allclose(alone.correct_result, one, atol=1e-10)


@pytest.mark.parametrize("case", OF_QUERIES, ids=lambda case: case["name"])
def test_queries_of_the_last_tokens(case):
    problem = problem_of_queries(ARRAYS["q"], ARRAYS["k"], ARRAYS["v"], "output", setting_of(case))
    np.testing.assert_allclose(problem.correct_result, ARRAYS[f"{case['name']}_output"], atol=1e-10)
    assert diagnosis_of_of_settings_of_problems(problem, problem.correct_result).all_correct


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_steps_whose_mistakes_are_known_give_the_same(case):
    if case["from"] == "x":
        problem = problem_of(example_of(case), ALL_HEADS, setting_of(case, n_kv_heads=case["n_kv_heads"]))
    else:
        problem = problem_of_queries(ARRAYS["q"], ARRAYS["k"], ARRAYS["v"], "output", setting_of(case))
    pipeline, names = pipeline_of_trace(problem.trace), names_of(problem.trace)
    given = {name: names[name] for name in (*pipeline.matrices, *pipeline.other_inputs, "np", "softmax")}
    usual = case["setting"]["scale"] is None  # with another scale, `d_k` in a trace stands for that scale
    made = run(program(pipeline), given) if usual else run(pipeline.lines, names)
    np.testing.assert_allclose(made["output"], problem.correct_result, atol=1e-10)


X, W = np.arange(8.0).reshape(2, 4), np.eye(4)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (dict(positions="learned"), "positions must be one of none, rotary_pairs, rotary_halves, alibi; got learned"),
        (dict(positions="rotary_pairs", base=1.0), "The base must be above 1 and at most a billion, but it is 1.0"),
        (dict(positions="alibi", slope=np.inf), "The slope must be at most a billion, but it is inf"),
        (
            dict(n_kv_heads=3, head=1),
            "The number of key heads must divide the number of heads, but 3 does not divide 2",
        ),
        (dict(n_kv_heads=1), "One head must be chosen if heads share keys, but none is chosen"),
    ],
)
def test_a_setting_that_does_not_fit_says_so_of_settings_of_problems(setting, said):
    with pytest.raises(ValueError, match=said):
        problem_of(example_of_weights(X, W, W, W, n_heads=2), "output", Setting(**setting))


def test_an_odd_width_is_not_rotated():
    with pytest.raises(ValueError, match="must be even"):
        problem_of_queries(X[:, :3], X[:, :3], X, "output", Setting(positions="rotary_halves"))


def test_positions_are_not_added_to_scores_that_are_given():
    plain = problem_of_scores(X)
    np.testing.assert_array_equal(problem_of_scores(X, Setting(positions="alibi")).correct_result, plain.correct_result)


def test_settings_with_positions_or_shared_heads_are_not_usual():
    assert all(not replace(Setting(), **more).is_usual for more in (dict(positions="alibi"), dict(n_kv_heads=2)))
