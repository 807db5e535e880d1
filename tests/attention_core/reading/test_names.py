"""Test the reading of several matrices from one text: each with its name, role, place and numbers, and the settings."""

import numpy as np
import pytest

from attention_core.reading.matrix_text import named_matrices, read_matrix, settings_in
from attention_core.reading.names import role_of
from attention_core.reading.written import AmbiguousTextError

Q, K = [[1, 2], [3, 4]], [[5, 6], [7, 8]]
TEXTS = {
    "lines of Python": ("Q = [[1, 2], [3, 4]]\nK = [[5, 6], [7, 8]]\nmask = causal", "q", "k"),
    "printed": ("W_q:\n[[1 2]\n [3 4]]\nW_k:\n tensor([[5., 6.],\n [7., 8.]], grad_fn=<M>)", "w_q", "w_k"),
    "printed in one line": ("Queries: [[1 2]\n [3 4]]\nKeys Matrix: [[5 6]\n [7 8]]", "q", "k"),
    "comments": ("# Query weights\n[[1, 2], [3, 4]]\n# Key weights\n[[5, 6], [7, 8]]", "w_q", "w_k"),
    "source": ("Q = np.array([[1, 2],\n [3, 4]])\nscores = np.array([[5, 6],\n [7, 8]])\nprint(Q[0])", "q", "scores"),
    "a session": (">>> Q\narray([[1, 2],\n  [3, 4]])\n>>> print(attn_weights)\n[[5 6]\n [7 8]]", "q", "weights"),
    "a notebook": (
        "In [1]: Q\nOut[1]: \narray([[1, 2], [3, 4]])\nIn [2]: K\nOut[2]: \narray([[5, 6], [7, 8]])",
        "q",
        "k",
    ),
    "LaTeX": (
        "From $X$ we get $Q = X W^Q = \\begin{bmatrix}1&2\\\\3&4\\end{bmatrix}$ "
        "and $K = \\begin{bmatrix}5&6\\\\7&8\\end{bmatrix}$.",
        "q",
        "k",
    ),
    "parameters": (
        "W_query Parameter containing:\ntensor([[1., 2.], [3., 4.]], requires_grad=True)\nW_key:\n"
        "Parameter containing:\ntensor([[5., 6.], [7., 8.]], requires_grad=True)",
        "w_q",
        "w_k",
    ),
    "JSON": ('{"Q": [[1, 2], [3, 4]], "K": [[5, 6], [7, 8]], "scale": 0.5}', "q", "k"),
    "Octave": ("Q =\n\n   1   2\n   3   4\n\nK =\n\n   5   6\n   7   8\n\n", "q", "k"),
    "MATLAB": ("Q = [1 2; 3 4];\nK = [5 6; 7 8]; % keys", "q", "k"),
    "R": ("$q\n     [,1] [,2]\n[1,]    1    2\n[2,]    3    4\n\n$k\n     [,1] [,2]\n[1,]  5 6\n[2,]  7 8\n", "q", "k"),
    "headings": ("Query weights:\n1 2\n3 4\n\nKey weights:\n5 6\n7 8\nThat is all.", "w_q", "w_k"),
    "Markdown": ("### Queries\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n### Keys\n5 6\n7 8\n", "q", "k"),
    "a spreadsheet": ("Q\t\n1\t2\n3\t4\n\t\nK\t\n5\t6\n7\t8", "q", "k"),
}


@pytest.mark.parametrize(("text", "first", "second"), TEXTS.values(), ids=TEXTS)
def test_each_matrix_has_its_role_and_its_numbers(text, first, second):
    found = named_matrices(text)
    assert [each.role for each in found] == [first, second]
    np.testing.assert_array_equal(found[0].matrix.values, Q)
    np.testing.assert_array_equal(found[1].matrix.values, K)
    lines = text.split("\n")
    assert all(any(digit in lines[each.line - 1] for digit in "15|&") for each in found)


@pytest.mark.parametrize(("text", "first", "second"), TEXTS.values(), ids=TEXTS)
def test_a_text_with_several_names_is_asked_about(text, first, second):
    with pytest.raises(AmbiguousTextError, match="Only one matrix can be read at a time"):
        read_matrix(text)


def test_rows_under_two_roles_may_be_two_matrices_or_one():
    with pytest.raises(AmbiguousTextError) as caught:
        read_matrix("q = [1, 0]\nk = [0, 1]")
    assert [reading.label for reading in caught.value.readings] == ["“q”", "“k”", "All rows as one matrix"]
    assert [read_matrix(reading.text).values.tolist() for reading in caught.value.readings] == [
        [[1, 0]],
        [[0, 1]],
        [[1, 0], [0, 1]],
    ]


def test_the_weight_of_a_linear_layer_is_transposed():
    text = "OrderedDict([('q_proj.weight', tensor([[1., 3.],\n  [2., 4.]])), ('k_proj.bias', tensor([5., 6.]))])"
    weight, bias = named_matrices(text)
    assert (weight.role, weight.is_transposed, bias.role, bias.is_transposed) == ("w_q", True, "b_k", False)
    np.testing.assert_array_equal(weight.matrix.values, Q)
    np.testing.assert_array_equal(bias.matrix.values, [[5, 6]])


@pytest.mark.parametrize(
    ("name", "role"),
    [
        *(("W_q", "w_q"), ("$W^{K}$", "w_k"), (r"\mathbf{W}^V", "w_v"), ("the value weights", "w_v"), ("Wo", "w_o")),
        *(("self_attn.q_proj.weight", "w_q"), ("out_proj.weight", "w_o"), ("Query weights (W_q)", "w_q")),
        *(("attn_weights", "weights"), ("Q K^T", "scores"), ("q @ k.T", "scores"), ("scaled scores", "scaled")),
        *(("context_vec", "output"), ("X", "x"), ("embeddings", "x"), ("b_q", "b_q"), ("2. Scores", "scores")),
        *(("gradient of Q", ""), ("Q.grad", ""), ("relu(Q)", ""), ("K.T", ""), ("Q1", ""), ("Table 2", ""), ("", "")),
    ],
)
def test_a_name_has_the_role_that_it_says(name, role):
    assert role_of(name) == role


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Weight matrix W_q", "w_q"),
        ("Query Q", "q"),
        ("Attention Scores Matrix", "scores"),
        ("Attention Score Matrix Scaled", "scaled"),
        ("Raw attention scores (Q·Kᵀ / sqrt(dk))", "scaled"),
        ("Raw attention scores (Q·Kᵀ)", "scores"),
        ("Masked attention weights", "weights"),
        ("Masked raw scores", "masked"),
        ("Masked Self-Attention Output", "output"),
        ("Context vectors for each word", "output"),
        (r"\text{softmax}\left(\frac{Q K^T}{\sqrt{4}}\right)", "weights"),
        ("softmax(Q K^T) V", ""),
        ("Q_1", "q"),
        (r"\alpha_2", "weights"),
        (r"\text{head}_1", "output"),
        ("q1", ""),
        ("df.head()", ""),
        ("Query weights Q", ""),
        ("Gradient Q", ""),
    ],
)
def test_words_around_a_name_keep_its_role(name, role):
    assert role_of(name) == role


def roles_in(text):
    return {each.name: each.role for each in named_matrices(text)}


def test_scores_that_the_text_divides_are_scaled():
    assert roles_in("Scores: S = (Q K^T) / 2\nS = [[1, 2]]") == {"S": "scaled"}
    assert roles_in("S = Q K^T\nS = [[1, 2]]") == {"S": "scores"}
    # the text says both, so nobody knows whether the scores are divided
    assert roles_in("S = Q K^T\nS = [[1, 2]]\nS = Q K^T / 2") == {"S": "scores"}


def test_a_matrix_has_all_the_names_that_the_text_gives_it():
    found = named_matrices("W_Q = [[1, 2]]\nW_K = W_Q  # the same\nQ = K = [[3,4]]")
    assert [(each.name, each.matrix.values.tolist(), each.line) for each in found] == [
        ("W_Q", [[1, 2]], 1), ("W_K", [[1, 2]], 2), ("Q", [[3, 4]], 3), ("K", [[3, 4]], 3),
    ]  # fmt: skip
    assert settings_in("W_K = W_Q\nmask = causal") == {"mask": "causal"}


def test_the_input_may_have_another_name():
    assert roles_in("S = [[1, 2]]\nW_q = [[1], [2]]\nQ = S @ W_q")["S"] == "x"
    assert roles_in("X = [[1, 2]]\nS = [[1, 2]]\nW_q = [[1], [2]]\nQ = S @ W_q")["S"] == "scores"
    assert roles_in("S = [[1, 2]]\nT = [[1, 2]]\nQ = S @ W_q\nK = T @ W_k")["S"] == "scores"


def test_lists_without_blanks_are_no_headings_of_r():
    assert roles_in("Q = [[1,0],[0,1]]\nK = [[1,2],[3,4]]") == {"Q": "q", "K": "k"}


def test_settings_are_plain_values():
    text = "Q = [[1, 2]]\nmask = causal\nscale = 1/8\nnum_heads: 4\nis_causal = True\nversion = 1.2.3\nwe = are many"
    assert settings_in(text) == {"mask": "causal", "scale": 0.125, "n_heads": 4, "causal": True, "version": "1.2.3"}
    assert isinstance(settings_in(text)["n_heads"], int)
    assert settings_in("[[1, 2]]") == {}


def test_what_cannot_be_read_is_left_out():
    assert named_matrices("Q = [[1, 2], [3]]") == ()
    assert named_matrices("the cat") == ()
    assert named_matrices("") == ()
