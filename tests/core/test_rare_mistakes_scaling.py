"""Test rare mistakes of the scale: each wrong constant is written down as a number."""

import math

import numpy as np
from scipy.special import softmax

from attention_core import self_attention
from attention_core.mistakes.rare.scaling import AFTER, wrong_scaling
from replaceable_steps import one_head
from square_example import attention_output, check_outputs
from strategies import random_numbers

D_MODEL, D_K, D_V, LENGTH = 7, 5, 3, 6  # all sizes differ, so that each constant gives other numbers


def oblong_trace(n_keys=LENGTH):
    """Return a trace (all matrices) of attention with `n_keys` keys, whose sizes all differ."""
    x, context = random_numbers(LENGTH, D_MODEL, seed=110), random_numbers(n_keys, D_MODEL, seed=111)
    w = (random_numbers(D_MODEL, width, seed=112 + i) / 2 for i, width in enumerate((D_K, D_K, D_V)))
    return self_attention(x, *w, context=None if n_keys == LENGTH else context, b_q=random_numbers(D_K, seed=116))


DIVISORS = {
    "two": 2, "root_two": 1.4142135623730951, "three": 3, "four": 4, "eight": 8, "ten": 10, "sixty_four": 64,
    "hundred": 100,
    "root_of_the_papers_width": math.sqrt(512), "thousand": 1000,
    "root_of_twice": math.sqrt(10), "root_of_half": math.sqrt(2.5), "half": 2.5,
    "root_of_one_less": 2, "root_of_one_more": math.sqrt(6), "one_more_than_root": 1 + math.sqrt(5),
    "root_rounded_up": 3, "root_to_one_decimal": 2.2, "fourth_root": math.sqrt(math.sqrt(5)), "cube_root": math.cbrt(5),
    "power_three_halves": 5 * math.sqrt(5), "logarithm": math.log(5), "binary_logarithm": math.log(5, 2),
    "root_n_d_k": math.sqrt(30), "n_root_d_k": 6 * math.sqrt(5), "n_d_k": 30, "all_scores": 36, "d_v": 3,
    "d_model_squared": 49, "fourth_root_d_model": math.sqrt(math.sqrt(7)),
    "root_d_model_and_root_d_k": math.sqrt(35),
}  # fmt: skip
BY_NUMBERS = {
    "standard_deviation": lambda t: np.std(t.scores),
    "standard_deviation_of_rows": lambda t: np.array([[np.std(row)] for row in t.scores]),
    "length_of_query": lambda t: np.array([[math.hypot(*row)] for row in t.q]),
    "length_of_key": lambda t: np.array([math.hypot(*row) for row in t.k]),
    "length_of_all_keys": lambda t: math.hypot(*t.k.ravel()),
}
FACTORS = {
    "root_n": math.sqrt(6), "n": 6, "root_d_model": math.sqrt(7), "d_model": 7, "root_d_v": math.sqrt(3),
    "d_k_squared": 25, "logarithm_of_n": math.log(6), "two": 2, "ten": 10,
}  # fmt: skip
LATER = {
    "root_d_k": math.sqrt(5),
    "d_k": 5,
    "root_n": math.sqrt(6),
    "root_d_model": math.sqrt(7),
    "d_model": 7,
    "root_d_v": math.sqrt(3),
}


def test_constants():
    t = oblong_trace()
    expected = {f"divided_by_{name}": lambda t, c=c: attention_output(t.q, t.k, t.v, c) for name, c in DIVISORS.items()}
    expected |= {
        f"divided_by_{name}": lambda t, f=f: attention_output(t.q, t.k, t.v, f(t)) for name, f in BY_NUMBERS.items()
    }
    expected |= {
        f"multiplied_by_{name}": lambda t, c=c: attention_output(t.q, t.k, t.v, 1 / c) for name, c in FACTORS.items()
    }
    expected |= {f"divided_by_{name}_after": lambda t, c=c: t.output / c for name, c in LATER.items()}
    expected |= {f"multiplied_by_{name}_after": lambda t, c=c: t.output * c for name, c in (LATER | {"n": 6}).items()}
    check_outputs(wrong_scaling(), expected | ELSEWHERE, t)
    names = {mistake.name for mistake in wrong_scaling()}
    assert names - expected.keys() - ELSEWHERE.keys() == {"divided_by_n_queries", "divided_by_root_n_queries"}
    assert len(AFTER) == len(LATER)


ELSEWHERE = {
    "inputs_multiplied_by_root_d_model": lambda t: one_head(t, x=lambda x: x * math.sqrt(D_MODEL)),
    "root_subtracted": lambda t: softmax(t.scores - math.sqrt(5), axis=1) @ t.v,
    "whole_quotient": lambda t: one_head(t, scaled=lambda s: np.array([[math.floor(c) for c in row] for row in s])),
    "root_of_the_quotient": lambda t: softmax(np.sqrt(t.scores.clip(0) / 5), axis=1) @ t.v,
    "root_of_the_scores": lambda t: (
        softmax([[math.copysign(abs(c) ** 0.5, c) for c in row] for row in t.scores], axis=1) @ t.v
    ),
    "raised_to_one_over_root": lambda t: (
        softmax([[math.copysign(abs(c) ** 5**-0.5, c) for c in row] for row in t.scores], axis=1) @ t.v
    ),
    "d_k_after_softmax": lambda t: softmax(t.scores, axis=1) / 5 @ t.v,
    "n_after_softmax": lambda t: softmax(t.scores, axis=1) / 6 @ t.v,
    "power_divided": lambda t: np.exp(t.scores) / math.sqrt(5) @ t.v,
    "query_scaled_before_bias": lambda t: softmax((t.x @ t.w_q / math.sqrt(5) + t.b_q) @ t.k.T, axis=1) @ t.v,
}


def test_the_number_of_queries_is_another_than_that_of_keys():
    t = oblong_trace(n_keys=4)
    expected = {"divided_by_n_queries": 6, "divided_by_root_n_queries": math.sqrt(6)}
    check_outputs(
        wrong_scaling(), {name: lambda t, c=c: attention_output(t.q, t.k, t.v, c) for name, c in expected.items()}, t
    )
