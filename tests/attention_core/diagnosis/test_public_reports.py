"""Test the diagnosis on wrong attention code that people reported in public.

The diagnosis must name each mistake from its numbers, and must call none of them correct. A report is named as
owner/repository#number at github.com. Its wrong computation is written anew from the description, with other numbers.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.special import softmax

from attention_core.diagnosis.pasted import (
    ALL_HEADS,
    POSITIONS,
    Problem,
    Setting,
    diagnose_pasted,
    example_of_embeddings,
    example_of_weights,
    problem_of,
    problem_of_queries,
    problem_of_scores,
)
from attention_core.examples import example
from attention_core.reading.matrix_text import read_matrix, write_matrix

N, D, H = 5, 8, 4
RNG = np.random.default_rng(23)
X = RNG.normal(size=(N, D)).round(2)
W_Q, W_K, W_V, W_O = (RNG.normal(size=(D, D)).round(2) / 2 for _ in range(4))
OWN = example_of_weights(X, W_Q, W_K, W_V)
HEADS = example_of_weights(X, W_Q, W_K, W_V, n_heads=H, w_o=W_O)
SHARED = example_of_weights(X, W_Q, W_K[:, : D // 2], W_V[:, : D // 2], n_heads=H, n_kv_heads=2)
TO_ENCODE = example_of_embeddings(X)
FRENCH = example("french")
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
BACK = np.subtract.outer(np.arange(N), np.arange(N))  # how many positions each key is before the query
TRI, REAL = BACK >= 0, np.arange(N) < 3


class Report(NamedTuple):
    """A public report of wrong attention code: its source, the problem, the wrong result, and the mistakes' names."""

    source: str
    problem: Problem
    wrong: Any
    names: tuple[str, ...]  # the names of the mistakes that were made together


def attention_of(q, k, v, *, factor=None, seen: Any = True, fill=-np.inf, bias: Any = 0.0):
    """Return the output of attention for q, k and v."""
    scores = q @ k.T * (q.shape[1] ** -0.5 if factor is None else factor) + bias
    return softmax(np.where(seen, scores, fill), axis=1) @ v


def attention_in_heads(q, k, v, n=H, **more):
    """Return the outputs of `n` heads of attention side by side. `more` holds options of `attention_of`."""
    return np.hstack([attention_of(*each, **more) for each in zip(*(np.hsplit(m, n) for m in (q, k, v)), strict=True)])


def encoding_of(rates, places=None):
    """Return a positional encoding. Each rate gives two columns: sine and cosine of position × rate."""
    angles = np.outer(np.arange(N) if places is None else places, rates)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(N, -1)


def reports_of_masks() -> Iterator[Report]:
    """Yield the public reports of wrong code about masks."""
    beside_causal = "padding_on_queries_beside_causal_with_a_billion"
    for source, real in (
        ("hyunwoongko/transformer#40", REAL),
        ("lsdefine/attention-is-all-you-need-keras#16", REAL[::-1]),
    ):
        problem = problem_of(OWN, "output", Setting(mask="own", own_mask=TRI & real))
        yield Report(source, problem, attention_of(Q, K, V, seen=TRI & real[:, None], fill=-1e4), (beside_causal,))
    for source, n_q in (
        ("pytorch/pytorch#103082", 2),
        ("tinygrad/tinygrad#15949", 1),
        ("hyprstream/hyprstream#1521", 3),
    ):
        problem = problem_of_queries(Q[-n_q:], K, V, "output", "causal_at_end")
        yield Report(source, problem, attention_of(Q[-n_q:], K, V, seen=TRI[:n_q]), ("cache_at_the_top_left",))
    empty = np.array([[1, 2, 0.5], [-np.inf, -np.inf, -np.inf]])
    for last, name in ((1 / 3, "fill_of_a_billion"), (np.nan, "empty_row_to_nan")):
        wrong = np.vstack([softmax(empty[:1], axis=1), np.full((1, 3), last)])
        yield Report("NVIDIA/apex#1390", problem_of_scores(empty), wrong, (name,))
    for source in ("huggingface/transformers#26792", "microsoft/onnxruntime#25927"):
        problem = problem_of(OWN, "output", Setting(mask="window", window=3))
        yield Report(source, problem, attention_of(Q, K, V, seen=TRI & (BACK < 4)), ("window_too_wide",))


def reports_of_projections_and_scales() -> Iterator[Report]:
    """Yield the public reports of wrong code about projections and scales."""
    plain = problem_of(OWN, "output")
    yield Report("rasbt/LLMs-from-scratch#856", plain, attention_of(Q, K, V, factor=D**0.5), ("multiplied_by_root",))
    turned = attention_of(*(X @ w.T for w in (W_Q, W_K, W_V)))
    yield Report("rasbt/LLMs-from-scratch#857", plain, turned, ("weights_transposed",))
    yield Report("Khaliladib11/Transformer-from-scratch#1", plain, attention_of(K, K, K), ("key_weights_for_all",))
    yield Report("BobMcDear/attorch#14", plain, attention_of(Q, K, V, factor=0.5), ("divided_by_two",))
    weights = softmax(Q @ K.T / np.sqrt(D), axis=1)
    for source in ("heykeetae/Self-Attention-GAN#11", "ok1zjf/VASNet#25"):
        yield Report(source, plain, (V.T @ weights).T, ("attention_transposed",))
    french, across = FRENCH.attention(), problem_of(FRENCH, "output")
    context = french.x @ FRENCH.w_q, french.x @ FRENCH.w_k, french.x @ FRENCH.w_v
    yield Report("keitakurita/Practical_NLP_in_PyTorch#1", across, attention_of(*context), ("context_ignored",))
    asking = french.context @ FRENCH.w_q, french.x @ FRENCH.w_k, french.x @ FRENCH.w_v
    yield Report("humza909/LLM_Survey#2", across, attention_of(*asking), ("roles_swapped",))


def reports_of_several_heads() -> Iterator[Report]:
    """Yield the public reports of wrong code about multi-head attention."""
    keys, values = X @ SHARED.w_k, X @ SHARED.w_v
    sharing = problem_of(SHARED, ALL_HEADS, Setting(n_kv_heads=2))
    for source in ("onnx/onnx#7274", "apple/axlearn#842", "ekzhang/jax-js#180"):
        in_turn = attention_in_heads(Q, np.hstack([keys, keys]), np.hstack([values, values]))
        yield Report(source, sharing, in_turn, ("shared_tiled_kv",))
    groups = np.hstack([Q[:, :2] + Q[:, 2:4], Q[:, 4:6] + Q[:, 6:]])
    fewer = attention_in_heads(groups, keys, values, n=2)
    name = "shared_queries_summed_to_fewer_heads"
    yield Report("fkodom/grouped-query-attention-pytorch#5", sharing, fewer, (name,))
    usual = problem_of(HEADS, ALL_HEADS)
    by_heads = attention_in_heads(Q, K, V, factor=H**-0.5) @ W_O
    yield Report("tenstorrent/tt-metal#56789", usual, by_heads, ("heads_root_n_heads",))
    unscaled = attention_in_heads(Q, K, V, factor=1.0)
    yield Report("ethen8181/machine-learning#13", usual, unscaled, ("not_scaled", "w_o_forgotten"))
    added = X + attention_in_heads(Q, K, V) @ W_O
    normed = (added - added.mean(axis=0)) / np.sqrt(added.var(axis=0) + 1e-5)
    name = "input_added_normed_down_of_heads"
    yield Report("jadore801120/attention-is-all-you-need-pytorch#17", usual, normed, (name,))
    stacked = np.stack([attention_of(*each) for each in zip(*(np.hsplit(m, H) for m in (Q, K, V)), strict=True)])
    merged = stacked.reshape(N, -1) @ W_O
    yield Report("aladdinpersson/Machine-Learning-Collection#165", usual, merged, ("merged_without_transposing",))


def reports_of_positions() -> Iterator[Report]:
    """Yield the public reports of wrong code about positions."""
    alibi = problem_of(OWN, "output", Setting(mask="causal", positions="alibi", slope=0.5))
    for source, slope, name in (
        ("meta-pytorch/attention-gym#86", -1.0, "alibi_slopes_from_nought"),
        ("paiml/aprender#2143", 0.5, "alibi_added"),
    ):
        yield Report(source, alibi, attention_of(Q, K, V, seen=TRI, bias=slope * BACK), (name,))
    encoding, pairs = problem_of(TO_ENCODE, POSITIONS), np.arange(0, D, 2)
    right = 10000.0 ** (-pairs / D)
    for source, place, name in (
        ("cmu-l3/anlp-fall2025-code#1", 0, "position_of_the_first_for_all"),
        ("songyangco/GETNext#2", 1, "position_of_the_second_for_all"),
        ("DiffPoseTalk/DiffPoseTalk#20", N, "number_of_tokens_for_all"),
    ):
        yield Report(source, encoding, encoding_of(right, np.full(N, place)), (name,))
    halved = np.exp(pairs * (-np.log(10000) / D // 2))
    yield Report("zju3dv/LoFTR#41", encoding, encoding_of(halved), ("step_halved_in_whole_numbers",))
    whole = 10000.0 ** -(pairs // D)
    yield Report("codertimo/BERT-pytorch#18", encoding, encoding_of(whole), ("exponent_cut_to_whole_numbers",))
    of_each = np.outer(np.arange(N), 10000.0 ** (-np.arange(D) / D))
    own = np.where(np.arange(D) % 2, np.cos(of_each), np.sin(of_each))
    yield Report("BrianPulfer/PapersReimplementations#9", encoding, own, ("exponent_of_each_column",))
    angles = np.outer(np.arange(N), right)
    first = np.hstack([np.sin(angles), np.cos(angles)])
    yield Report("tensorflow/text#1122", encoding, first, ("sines_then_cosines",))


REPORTS = [
    *reports_of_masks(),
    *reports_of_projections_and_scales(),
    *reports_of_several_heads(),
    *reports_of_positions(),
]


def diagnosis_of(problem, matrix, decimals=4):
    return diagnose_pasted(problem, read_matrix(write_matrix(np.asarray(matrix, dtype=float), decimals)), {})


@pytest.mark.many
@pytest.mark.parametrize("decimals", [4, 2])
@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.source)
def test_the_mistakes_of_each_report_are_named_from_its_numbers(report, decimals):
    found = diagnosis_of(report.problem, report.wrong, decimals)
    assert not found.all_correct
    assert report.names in [tuple(sorted(mistake.name for mistake in each.mistakes)) for each in found.findings]


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.source)
def test_the_right_result_of_each_problem_is_right(report):
    assert diagnosis_of(report.problem, report.problem.correct_result).all_correct


# --- numbers that public pages print, and small inputs of the kinds that the reports showed ---


def names_in(found):
    """Return the names of all mistakes in a diagnosis."""
    return {mistake.name for each in found.findings for mistake in each.mistakes}


def test_the_scale_that_a_problem_sets_is_right():
    """Check that the diagnosis uses the scale that a problem sets itself: here the scores are divided by 3.

    An answer with this scale is correct, and an answer without a scale is wrong. The problem comes from
    answersarena.com.
    """
    problem = problem_of_queries(Q, K, V, "output", Setting(scale=1 / 3))
    assert diagnosis_of(problem, attention_of(Q, K, V, factor=1 / 3)).all_correct
    assert "not_scaled" in names_in(diagnosis_of(problem, attention_of(Q, K, V, factor=1.0)))


def test_a_wrong_printed_result_is_not_right_and_names_no_mistake():
    """Check that the diagnosis does not call a wrong printed result correct, and names no mistake of the catalogue.

    The result is from amanailab.com, which prints 1.66082. The correct number is 1.66048.
    """
    problem = problem_of_queries([[1, 0]], np.eye(2), [[1, 2], [3, 4]], "output")
    np.testing.assert_allclose(problem.correct_result, [[1.66048, 2.66048]], atol=5e-6)
    found = diagnosis_of(problem, [[1.66082, 2.66082]], 5)
    assert not found.answer_is_correct
    assert {each.kind for each in found.findings} <= {"one_free"}


def test_a_causal_mask_with_a_cache_can_begin_at_either_end():
    problem = problem_of_queries(Q[:1], K, V, "weights", "causal")
    assert diagnosis_of(problem, [[1, 0, 0, 0, 0]]).all_correct
    assert [each.kind for each in diagnosis_of(problem, softmax(Q[:1] @ K.T / np.sqrt(D), axis=1)).findings] == [
        "other_end"
    ]
    at_the_end = problem_of_queries(Q[:1], K, V, "weights", "causal_at_end")
    assert not diagnosis_of(at_the_end, [[1, 0, 0, 0, 0]]).answer_is_correct
    assert "cache_at_the_top_left" in names_in(diagnosis_of(at_the_end, [[1, 0, 0, 0, 0]]))


@pytest.mark.parametrize("n_kv_heads", [0, 2])
def test_heads_of_keys_in_turn_whether_they_were_written_once_or_repeated(n_kv_heads):
    step = 2 if n_kv_heads else 1
    w_k, w_v = np.array([[1, 1, 0, 0], [0, 0, 1, 1]]), np.array([[1, 1, 2, 2], [3, 3, 0, 0]])
    given = example_of_weights(
        [[1, 2], [0, 1]],
        [[1, 0, 1, -1], [0, 1, 1, 1]],
        w_k[:, ::step],
        w_v[:, ::step],
        n_heads=4,
        n_kv_heads=n_kv_heads,
    )
    wrong = [[5.9242, 1.7616, 6.8103, 1.4621], [5, 1.4621, 5.9242, 1.4621]]
    found = diagnosis_of(problem_of(given, ALL_HEADS, Setting(n_kv_heads=n_kv_heads)), wrong)
    assert names_in(found) >= {"shared_tiled_kv" if n_kv_heads else "heads_kv_tiled"}


@pytest.mark.parametrize("d", [5, 6])
def test_a_division_cut_to_whole_numbers_in_any_width(d):
    rates = np.exp(np.arange(0, d, 2) * (-np.log(10000) / d // 2))
    found = diagnosis_of(problem_of(example_of_embeddings(np.ones((N, d))), POSITIONS), encoding_of(rates)[:, :d])
    assert "step_halved_in_whole_numbers" in names_in(found)


def test_one_position_for_all_tokens_is_named_as_one_mistake():
    found = diagnosis_of(problem_of(example_of_embeddings(np.ones((3, 5))), POSITIONS), [[0, 1, 0, 1, 0]] * 3)
    assert "position_of_the_first_for_all" in names_in(found)
    assert all(len(each.mistakes) == 1 for each in found.findings)


def test_scores_that_are_scaled_already_are_told_as_such():
    found = diagnosis_of(problem_of(OWN, "scores"), Q @ K.T / np.sqrt(D))
    assert [(each.kind, each.step) for each in found.findings] == [("other_step", "scaled")]
