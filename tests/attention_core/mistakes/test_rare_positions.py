"""Test the rare mistakes of positions: in the scores (RoPE and ALiBi), and in the sinusoidal encoding.

Those in the scores are written down pair by pair, and the diagnosis must name each from its numbers.
"""

import numpy as np
import pytest
from scipy.special import softmax

from attention_core.diagnosis.pasted import (
    ALL_HEADS,
    POSITIONS,
    Setting,
    diagnose_pasted,
    example_of_embeddings,
    example_of_weights,
    problem_of,
    problem_of_queries,
)
from attention_core.mistakes.rare import rare_mistakes
from attention_core.reading.matrix_text import read_matrix, write_matrix
from attention_core.rotation import sinusoidal_steps
from strategies import random_numbers

MISTAKE = {mistake.name: mistake for mistake in rare_mistakes() if mistake.concept == "positional_encoding"}
N, D = 5, 8
Q, K, V = (random_numbers(N, width, seed=seed).round(3) for width, seed in ((D, 310), (D, 311), (3, 312)))
W_Q, W_K = (random_numbers(D, 2 * D, seed=seed).round(2) / 2 for seed in (320, 321))
EXAMPLE = example_of_weights(
    random_numbers(N, D, seed=330).round(2), W_Q, W_K, random_numbers(D, 6, seed=331).round(2), n_heads=2
)


def rotate_in_loops(m, places, pairs, frequencies, sign=1):
    """Rotate the rows of `m` with loops, as RoPE does, and return the result.

    `places` holds the position of each row, and `pairs` the two columns of each pair. Column c turns with the
    frequency number `frequencies[c]` of RoPE. `sign` is the direction of the rotation.
    """
    out = np.array(m, dtype=float)
    for i, place in enumerate(places):
        for a, b in pairs:
            ta, tb = (sign * place / 10000 ** (2 * frequencies[c] / m.shape[1]) for c in (a, b))
            out[i, a] = m[i, a] * np.cos(ta) - m[i, b] * np.sin(ta)
            out[i, b] = m[i, a] * np.sin(tb) + m[i, b] * np.cos(tb)
    return out


def neighbouring_pairs(d):
    """Return the pairs of neighbouring columns: (0, 1), (2, 3), …."""
    return [(i, i + 1) for i in range(0, d, 2)]


def pairs_of_halves(d):
    """Return the pairs of columns from the first and the second half: (0, d/2), (1, d/2 + 1), …."""
    return [(i, i + d // 2) for i in range(d // 2)]


PAIRS = {"pairs": neighbouring_pairs, "halves": pairs_of_halves}
FREQUENCIES = {"pairs": lambda d: [c // 2 for c in range(d)], "halves": lambda d: [c % (d // 2) for c in range(d)]}
OTHER = {"pairs": "halves", "halves": "pairs"}


def attention_of(q, k, v):
    """Return attention without a mask, softmax(q kᵀ / √d_k) v."""
    return softmax(q @ k.T / np.sqrt(q.shape[1]), axis=1) @ v


def rotate_correctly(kind, m, places):
    """Return `m` with row i rotated correctly for the position `places[i]`, as RoPE does.

    `kind` says which columns form a pair: "pairs" (neighbours) or "halves".
    """
    return rotate_in_loops(m, places, PAIRS[kind](m.shape[1]), FREQUENCIES[kind](m.shape[1]))


def attention_after(rotate):
    """Return a function that rotates the queries and the keys with `rotate`, and then computes attention."""
    return lambda kind, q, k, v, at, n: attention_of(rotate(kind, q, at), rotate(kind, k, range(n)), v)


WRONG = {
    "rotation_left_out": attention_after(lambda kind, m, at: m),
    "other_columns": attention_after(lambda kind, m, at: rotate_correctly(OTHER[kind], m, at)),
    "other_frequencies": attention_after(
        lambda kind, m, at: rotate_in_loops(m, at, PAIRS[kind](m.shape[1]), FREQUENCIES[OTHER[kind]](m.shape[1]))
    ),
    "turned_backwards": attention_after(
        lambda kind, m, at: rotate_in_loops(m, at, PAIRS[kind](m.shape[1]), FREQUENCIES[kind](m.shape[1]), sign=-1)
    ),
    "cache_forgotten": lambda kind, q, k, v, at, n: attention_of(
        rotate_correctly(kind, q, range(len(q))), rotate_correctly(kind, k, range(n)), v
    ),
}


def named_in(problem, matrix, decimals=5):
    """Return the names of the mistakes that the diagnosis finds in `matrix`, a wrong answer to `problem`.

    The answer is written with `decimals` decimals.
    """
    found = diagnose_pasted(problem, read_matrix(write_matrix(np.asarray(matrix), decimals)), {})
    assert not found.answer_is_correct
    return {mistake.name for finding in found.findings for mistake in finding.mistakes}


def output_in_two_heads(wrong, kind):
    """Return the outputs of two heads side by side. The function `wrong` makes a mistake in each head.

    `kind` says which columns form a pair in the rotation: "pairs" (neighbours) or "halves".
    """
    t = EXAMPLE.multi_head()
    parts = [np.hsplit(m, 2) for m in (t.q, t.k, t.v)]
    return np.hstack([wrong(kind, q, k, v, range(N), N) for q, k, v in zip(*parts, strict=True)])


@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.parametrize("name", WRONG)
def test_each_wrong_rotation_is_named_from_its_numbers(name, kind):
    setting = Setting(mask="none", positions=f"rotary_{kind}")
    n_q = 2 if name == "cache_forgotten" else N
    problem = problem_of_queries(Q[:n_q], K, V, "output", setting)
    wrong = WRONG[name](kind, Q[:n_q], K, V, range(N - n_q, N), N)
    named = named_in(problem, wrong)
    assert f"{name}_of_{kind}" in named
    assert len(named) <= 2


@pytest.mark.many
@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.parametrize("name", [name for name in WRONG if name != "cache_forgotten"])
def test_each_is_named_in_several_heads_and_in_one_of_them(name, kind):
    wrong = output_in_two_heads(WRONG[name], kind)
    setting = Setting(positions=f"rotary_{kind}")
    assert f"{name}_of_{kind}" in named_in(problem_of(EXAMPLE, ALL_HEADS, setting), wrong)
    one = problem_of(EXAMPLE, "output", Setting(positions=f"rotary_{kind}", head=2))
    assert f"{name}_of_{kind}" in named_in(one, wrong[:, 3:])


@pytest.mark.parametrize("kind", PAIRS)
def test_other_mistakes_are_named_where_queries_and_keys_are_rotated(kind):
    problem = problem_of_queries(Q, K, V, "output", Setting(mask="causal", positions=f"rotary_{kind}"))
    q, k = rotate_correctly(kind, Q, range(N)), rotate_correctly(kind, K, range(N))
    seen = np.tri(N, dtype=bool)
    assert "not_scaled" in named_in(problem, softmax(np.where(seen, q @ k.T, -np.inf), axis=1) @ V)
    assert "mask_forgotten" in named_in(problem, softmax(q @ k.T / np.sqrt(D), axis=1) @ V)
    slow = [rotate_in_loops(m, range(N), PAIRS[kind](D), [0.75 * f for f in FREQUENCIES[kind](D)]) for m in (Q, K)]
    scaled = np.where(seen, slow[0] @ slow[1].T / np.sqrt(D), -np.inf)
    assert "base_misses_a_zero" in named_in(problem, softmax(scaled, axis=1) @ V)


# The number that each mistake adds to a scaled score. `h` is the number of the head, counted from 1, `n` is the number
# of heads, and `i` and `j` are positions.
ADDED = {
    "alibi_left_out": lambda h, n, i, j: 0.0,
    "alibi_added": lambda h, n, i, j: abs(i - j) * slope(h, n),
    "alibi_slopes_from_nought": lambda h, n, i, j: -abs(i - j) * 2 ** (-8 * (h - 1) / n),
    "alibi_before_scaling": lambda h, n, i, j: -abs(i - j) * slope(h, n) / np.sqrt(D),
    "alibi_cache_forgotten": lambda h, n, i, j: -abs(i - (N - 2) - j) * slope(h, n),
}
OF_TWO_QUERIES = "alibi_cache_forgotten"


def slope(h, n):
    """Return the slope of ALiBi (how fast its penalty grows with distance) for head `h` of `n`, counted from 1."""
    return 2 ** (-8 * h / n)


def penalised_scores(scaled, added, h, n, queries):
    """Return scaled scores plus penalties for head `h` of `n` heads.

    `added(h, n, i, j)` gives the penalty of query i and key j, and `queries` holds the numbers of the queries.
    """
    bias = [[added(h, n, i, j) for j in range(scaled.shape[1])] for i in queries]
    return scaled + np.array(bias)


W_OF_TWO = (random_numbers(D, width, seed=340 + i).round(2) / 2 for i, width in enumerate((2 * D, 2 * D, 6)))
TWO_HEADS = example_of_weights(random_numbers(N, D, seed=343).round(2), *W_OF_TWO, n_heads=2)


@pytest.mark.many
@pytest.mark.parametrize("name", ADDED)
def test_each_mistake_of_alibi_is_named_from_its_numbers(name):
    if name == OF_TWO_QUERIES:
        problem = problem_of_queries(Q[-2:], K, V, "output", Setting(positions="alibi", slope=slope(1, 2)))
        scaled = penalised_scores(Q[-2:] @ K.T / np.sqrt(D), ADDED[name], 1, 2, (N - 2, N - 1))
        assert name in named_in(problem, softmax(scaled, axis=1) @ V)
        return
    t, outputs = TWO_HEADS.multi_head(), []
    for h, (q, k, v) in enumerate(zip(*(np.hsplit(m, 2) for m in (t.q, t.k, t.v)), strict=True), start=1):
        scaled = penalised_scores(q @ k.T / np.sqrt(D), ADDED[name], h, 2, range(N))
        outputs.append(softmax(scaled, axis=1) @ v)
    named = named_in(problem_of(TWO_HEADS, ALL_HEADS, Setting(positions="alibi")), np.hstack(outputs))
    assert name in named
    assert len(named) <= 3
    one = problem_of(TWO_HEADS, "output", Setting(positions="alibi", head=1))
    assert name in named_in(one, outputs[0])


def test_other_mistakes_are_named_where_the_distance_counts():
    seen = np.tri(N, dtype=bool)
    far = np.abs(np.subtract.outer(np.arange(N), np.arange(N)))
    problem = problem_of_queries(Q, K, V, "output", Setting(mask="causal", positions="alibi", slope=0.5))
    assert "not_scaled" in named_in(problem, softmax(np.where(seen, Q @ K.T - far / 2, -np.inf), axis=1) @ V)
    assert "mask_forgotten" in named_in(problem, softmax(Q @ K.T / np.sqrt(D) - far / 2, axis=1) @ V)


# --- waves ---

P, WIDTH = np.arange(5.0)[:, None], 8
TWICE = np.repeat(np.arange(0, WIDTH, 2), 2)  # the number 2i in the exponent of each column


def waves(angles):
    """Return sines of the angles in the even columns and cosines in the odd columns."""
    return np.where(np.arange(WIDTH) % 2 == 0, np.sin(angles), np.cos(angles))


WAVES = {
    "position_of_the_first_for_all": waves(0 * P * TWICE),
    "position_of_the_second_for_all": waves(1 / 10000 ** (TWICE / WIDTH) + 0 * P),
    "number_of_tokens_for_all": waves(5 / 10000 ** (TWICE / WIDTH) + 0 * P),
    "step_halved_in_whole_numbers": waves(P * np.exp(TWICE * (-np.log(10000) / WIDTH // 2))),
    "power_before_the_fraction": waves(P / 10000**2 * (TWICE / 2) / WIDTH),
    "width_after_the_power": waves(P / 10000.0**TWICE / WIDTH),
    "exponent_always_one": waves(P / 10000 + 0 * TWICE),
    "exponent_without_the_width": waves(P / 10000.0**TWICE),
    "exponent_to_one": waves(P * np.exp(-np.log(10000) / (WIDTH / 2 - 1) * (TWICE / 2))),
}


def test_each_wrong_encoding_equals_its_formula():
    right, odd = sinusoidal_steps(5, WIDTH), MISTAKE["exponent_of_an_odd_width"]
    for name, expected in WAVES.items():
        np.testing.assert_allclose(MISTAKE[name].apply(right).encoding, expected, atol=1e-12, err_msg=name)
    assert not odd.shows(right)
    of_five = odd.apply(sinusoidal_steps(3, 5)).encoding
    np.testing.assert_allclose(of_five[:, 2], np.sin(np.arange(3) / 10000 ** (2 / 5)))


def test_mistakes_of_the_first_transformer_programs_are_named():
    """Check that the diagnosis names two mistakes that the first Transformer programs made in positional encodings.

    The exponents run from 0 to 1, and all sines come before all cosines.
    """
    problem = problem_of(example_of_embeddings(np.ones((5, WIDTH))), POSITIONS)
    angles = P / 10000 ** (np.arange(WIDTH / 2) / (WIDTH / 2 - 1))
    table = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    for matrix, names in (
        (np.reshape(np.stack([np.sin(angles), np.cos(angles)], axis=-1), (5, WIDTH)), {"exponent_to_one"}),
        (table, {"exponent_to_one", "sines_then_cosines"}),
    ):
        found = diagnose_pasted(problem, read_matrix(write_matrix(matrix, 4)), {})
        assert [{mistake.name for mistake in each.mistakes} for each in found.findings] == [names]


def test_every_mistake_has_an_expected_result():
    rotations = {f"{name}_of_{kind}" for name in WRONG for kind in PAIRS}
    assert rotations | {*ADDED, *WAVES, "exponent_of_an_odd_width"} == MISTAKE.keys()
