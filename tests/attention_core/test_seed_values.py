"""Test that every number of the five notebooks is reproduced, in full precision and as printed, where possible."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from attention_core import merge_heads, project, split_heads
from notebooks import DATA, REPRODUCED, VALUES, notebook_values

PRINTED = json.loads((DATA / "printed.json").read_text(encoding="utf-8"))
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:e[-+]?\d+)?")

GIVEN = (  # inputs; another test below draws them again
    "step1_input|step2_weights|someArray|inputs/|unstable_softmax/input|q1/h_i|q1_given_column_weights/weights"
    "|q2/(W_|tokens)|sentence_x/(words|x_)|4/printed/|least_squares"
)
NOT_ATTENTION = (  # texts, errors of other libraries, limits of floats, facts about the weights, and simulations
    "as_printed|running_it_raises|wrong_if_only|context/what|permutation_covariance|overflow_above|condition_number"
    "|singular_values|recovered_W_./(rms|lower|upper|feasible|widest|max_abs_error)|recovered_W_v/max_abs_residual"
    "|_by_print_rounding|_error_bound|4/part1_"
)


@pytest.mark.parametrize("path", REPRODUCED)
def test_full_precision(path):
    np.testing.assert_allclose(REPRODUCED[path], notebook_values(path), rtol=1e-12, atol=2e-15)


def test_every_value_is_reproduced_or_has_its_reason():
    elsewhere = {path for path in VALUES if re.search(f"{GIVEN}|{NOT_ATTENTION}", path)}
    assert REPRODUCED.keys() | elsewhere == VALUES.keys()
    assert not REPRODUCED.keys() & elsewhere


def flat_array(*items):
    return np.concatenate([np.ravel(np.asarray(item, dtype=float)) for item in items])


def book_prints(seed, first_lines):
    """Return the numbers that notebooks 000 and 001 both print, by the line on which each output begins.

    `seed` is "0" for notebook 000 and "1" for notebook 001. `first_lines` holds these lines in order.
    """
    steps = ("step3_qkv/Q", "step3_qkv/K", "step3_qkv/V", "step4_scores_k_d_1/scores")
    matrices = [REPRODUCED[f"{seed}/{step}"] for step in steps]
    weights = REPRODUCED[f"{seed}/step5_weights_unscaled/attention"]
    terms = [REPRODUCED[f"{seed}/step6_weighted_values_row0/attention{i}"] for i in (1, 2, 3)]
    rows = [weights, matrices[2], *terms, REPRODUCED[f"{seed}/step7_output_row0/output"]]
    shapes = [flat_array(matrix, matrix.shape) if seed == "0" else matrix for matrix in matrices]
    return dict(zip(first_lines, [*shapes, *rows], strict=True))


def book_expected():
    """Return the numbers that notebooks 000 and 001 should print, by (notebook, line on which the output begins)."""
    zero = book_prints("0", (80, 96, 109, 125, 208, 244, 248, 250, 252, 263))
    one = book_prints("1", (111, 123, 135, 148, 164, 187, 191, 193, 195, 205))
    one[164] = np.tile(one[164][0], 3)  # the notebook prints row 0 three times
    weights = ("w_query", "w_key", "w_value")
    zero |= {21: notebook_values("0/step1_input/x").shape, 218: REPRODUCED["0/step5_weights_unscaled/row_sums"]}
    zero |= {line: notebook_values(f"0/step2_weights/{w}").shape for line, w in zip((39, 51, 63), weights, strict=True)}
    one |= {47: notebook_values("1/step1_input/x")}
    one |= {line: notebook_values(f"1/step2_weights/{w}") for line, w in zip((64, 80, 96), weights, strict=True)}
    names = {153: "all", 160: "total", 170: "axis0", 177: "sums_axis0", 185: "axis1", 192: "sums_axis1"}
    zero |= {line: REPRODUCED[f"0/softmax_side_note/{name}"] for line, name in names.items()}
    eight_heads = np.zeros((8, 3, 64))
    zero[307] = (*eight_heads[0].shape, 8, merge_heads(eight_heads).shape[1])
    return {(seed, line): numbers for seed, lines in enumerate((zero, one)) for line, numbers in lines.items()}


def columns_expected():
    """Return the numbers that notebook 002 should print, by (notebook, line on which the output begins)."""
    outer, output = REPRODUCED["2/wrong_notebook/attention"], REPRODUCED["2/right_unscaled/X_prime"].T
    return {
        (2, 34): random_as_notebook(3, 3, 4), (2, 162): outer[0], (2, 177): flat_array(outer[1])[:11],
        (2, 154): output[0], (2, 156): output[1], (2, 158): output[2],
    }  # fmt: skip


def translation_expected():
    """Return the numbers that notebook 003 should print, by (notebook, line on which the output begins)."""
    q1, q2 = "3/q1/", "3/q2/"
    weights = {255: "W_Q", 276: "W_K", 297: "W_V"}
    shapes = {
        73: notebook_values(q1 + "h_i_d").shape, 117: notebook_values(q1 + "h_i_e").shape[1],
        176: notebook_values(q2 + "tokens").shape[1],
        187: REPRODUCED[q2 + "Q_is"].shape, 200: REPRODUCED[q2 + "K"].T.shape, 205: REPRODUCED[q2 + "Q_is"][0].shape,
        320: merge_heads(split_heads(notebook_values(q2 + "W_V"), 2)).shape,
    }  # fmt: skip
    numbers = {
        111: REPRODUCED[q1 + "scores"], 123: REPRODUCED[q1 + "scaled_scores"],
        133: REPRODUCED[q1 + "attention_weights"], 139: REPRODUCED["3/q1_wrong_context/context"],
        168: notebook_values(q2 + "tokens"), 182: REPRODUCED[q2 + "Q_is"], 193: REPRODUCED[q2 + "K"],
        211: REPRODUCED[q2 + "V"], 219: REPRODUCED[q2 + "attention_weights"], 225: REPRODUCED[q2 + "output"],
        **{line: notebook_values(q2 + name) for line, name in weights.items()},
        **{line + 9: split_heads(notebook_values(q2 + name), 2) for line, name in weights.items()},
    }  # fmt: skip
    return {(3, line): found for line, found in {**shapes, **numbers}.items()}


def cat_expected():
    """Return the numbers that notebook 004 should print, by (notebook, line on which the output begins).

    The first part of the notebook prints shapes, and the second part prints the numbers of a sentence.
    """
    x = np.random.RandomState(0).rand(5, 4)  # the random generator of the notebook
    q, k, v = (project(x, notebook_values(f"4/recovered_W_{name}/least_squares")) for name in "qkv")
    shapes = [(10, 64)] * 3 + [(10, 10)] * 2 + [(10, 64)]
    return {
        **{(4, 47 + i): shape for i, shape in enumerate(shapes)},
        **{(4, 129 + i): x[i] for i in range(5)},
        (4, 136): np.hstack([q, k, v])[:4],
        (4, 140): flat_array(q[4], k[4]),
    }


def random_as_notebook(seed, *shape):
    return np.random.RandomState(seed).normal(size=shape)  # the random generator of the notebooks


EXPECTED = {**book_expected(), **columns_expected(), **translation_expected(), **cat_expected()}
HALF_A_UNIT = {0: 0.5e-8, 1: 0.5e-8, 2: 0.5e-8, 3: 0.5e-8, 4: 0.5e-4}  # NumPy prints 8 decimals, and PyTorch prints 4


@pytest.mark.parametrize("entry", PRINTED, ids=lambda entry: f"{entry['notebook']}-{entry['lines'][0]}")
def test_printed_digits(entry):
    tokens = NUMBER.findall(entry["text"])
    found = flat_array(EXPECTED[entry["notebook"], entry["lines"][0]])
    tolerances = [HALF_A_UNIT[entry["notebook"]] * 10.0 ** int((token + "e0").split("e")[1]) for token in tokens]
    assert found.shape == (len(tokens),)
    assert (np.abs(found - [float(token) for token in tokens]) <= np.array(tolerances) * (1 + 1e-6)).all()


def test_draws_of_the_notebooks():
    np.testing.assert_array_equal(random_as_notebook(3, 3, 4).T, notebook_values("2/inputs/X"))
    draws = random_as_notebook(0, 60)
    named = zip(("omega_q", "omega_k", "omega_v", "beta_q", "beta_k", "beta_v"), (0, 16, 32, 48, 52, 56), strict=True)
    for name, start in named:
        expected = notebook_values(f"2/inputs/{name}")
        np.testing.assert_array_equal(draws[start : start + expected.size].reshape(expected.shape), expected)
