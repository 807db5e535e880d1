"""Test functions that do not belong inside attention. Each function is applied to each matrix.

Each result is computed once more in another way.
"""

import numpy as np
import pytest

from attention_core.mistakes.rare.around_attention import wrong_around_attention
from attention_core.mistakes.rare.functions import wrong_functions
from attention_core.mistakes.rare.table_of_functions import FUNCTIONS
from house_rules import check_rule
from random_traces import one_head_trace, three_heads_trace
from replaceable_steps import FUNCTIONS as EXPECTED
from replaceable_steps import one_head, several_heads

MATRICES = {
    "x": "x", "q": "q", "k": "k", "v": "v", "qk": "q k", "qkv": "q k v", "scores": "scores", "scaled": "scaled",
    "weights": "weights", "output": "output", "w_q": "w_q", "w_k": "w_k", "w_v": "w_v", "w_qk": "w_q w_k",
    "w": "w_q w_k w_v",
    "q_heads": "q_heads", "k_heads": "k_heads", "v_heads": "v_heads", "qk_heads": "q_heads k_heads",
    "qkv_heads": "q_heads k_heads v_heads", "concat_of_heads": "concat", "output_of_heads": "output",
}  # fmt: skip


def function_and_matrices(name):
    """Return the function and the matrices in a mistake's name: "tanh_on_scores" means tanh and the scores."""
    function, matrices = name.rsplit("_on_", 1)
    return EXPECTED[function], MATRICES[matrices].split()


ENTRIES = [
    *wrong_functions(),
    *(each for each in wrong_around_attention() if each.name.endswith(("concat_of_heads", "output_of_heads"))),
]


@pytest.mark.parametrize("concept", ["one head", "several heads"])
def test_each_function_does_what_it_says_on_each_matrix(concept):
    is_several = concept == "several heads"
    trace, steps = (three_heads_trace(), several_heads) if is_several else (one_head_trace(), one_head)
    entries = [mistake for mistake in ENTRIES if (mistake.concept == "multi_head") == is_several]
    assert len(entries) > 20
    for mistake in entries:
        function, matrices = function_and_matrices(mistake.name)
        wrong = steps(trace, **dict.fromkeys(matrices, function))
        np.testing.assert_allclose(mistake.apply(trace).output, wrong, atol=1e-9, err_msg=mistake.name)


def test_in_several_heads_a_function_is_put_on_each_head():
    names = {"scores": "scores", "scaled": "scaled", "weights": "weights", "output": "heads", "q": "q", "v": "v"}
    some = [
        mistake
        for mistake in wrong_functions()
        if mistake.name.rsplit("_on_", 1)[1] in names and mistake.concept != "multi_head"
    ]
    tried = 0
    for mistake in some:
        function, matrix = mistake.name.rsplit("_on_", 1)
        if function == "turned":
            continue  # the function needs a square matrix
        wrong = several_heads(three_heads_trace(), **{names[matrix]: EXPECTED[function]})
        np.testing.assert_allclose(mistake.apply(three_heads_trace()).output, wrong, atol=1e-9, err_msg=mistake.name)
        tried += 1
    assert tried > 100


def test_every_function_has_an_oracle():
    check_rule(
        [function.name for function in FUNCTIONS if function.name not in EXPECTED],
        "Each function of table_of_functions.py has an oracle.",
        "add it to EXPECTED of tests/core/test_rare_mistakes_functions.py, from its description alone.",
    )
