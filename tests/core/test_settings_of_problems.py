"""Test every mask, scale, grouping and kind of positions of a problem against PyTorch and transformers."""

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
)
from attention_core.mistakes.engine.code_lines import run
from attention_core.mistakes.engine.edits import program
from attention_core.mistakes.engine.named_traces import names_of, pipeline_of_trace
from attention_core.reading.matrix_text import read_matrix, write_matrix
from serving import ROOT

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


def diagnosis_of(problem, matrix, decimals=6):
    return diagnose_pasted(problem, read_matrix(write_matrix(np.asarray(matrix), decimals)), {})


@pytest.mark.parametrize("case", OF_HEADS, ids=lambda case: case["name"])
def test_all_heads_and_each_head(case):
    example, right = example_of(case), ARRAYS[f"{case['name']}_output"]
    problem = problem_of(example, ALL_HEADS, setting_of(case, n_kv_heads=case["n_kv_heads"]))
    np.testing.assert_allclose(problem.correct_result, right, atol=1e-10)
    assert diagnosis_of(problem, right).all_correct
    for head, one in enumerate(ARRAYS[f"{case['name']}_heads"], start=1):
        alone = problem_of(example, "output", setting_of(case, n_kv_heads=case["n_kv_heads"], head=head))
        np.testing.assert_allclose(alone.correct_result, one, atol=1e-10)


@pytest.mark.parametrize("case", OF_QUERIES, ids=lambda case: case["name"])
def test_queries_of_the_last_tokens(case):
    problem = problem_of_queries(ARRAYS["q"], ARRAYS["k"], ARRAYS["v"], "output", setting_of(case))
    np.testing.assert_allclose(problem.correct_result, ARRAYS[f"{case['name']}_output"], atol=1e-10)
    assert diagnosis_of(problem, problem.correct_result).all_correct


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
        (dict(positions="rotary_pairs", base=1.0), "The base must be a finite number above 1, but it is 1.0"),
        (dict(positions="alibi", slope=np.inf), "The slope must be a finite number, but it is inf"),
        (
            dict(n_kv_heads=3, head=1),
            "The number of key heads must divide the number of heads, but 3 does not divide 2",
        ),
        (dict(n_kv_heads=1), "One head must be chosen if heads share keys, but none is chosen"),
    ],
)
def test_a_setting_that_does_not_fit_says_so(setting, said):
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
