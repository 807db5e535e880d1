"""Test the adaptation of code to an example: parts that the example lacks are left out, and nothing else changes."""

import pytest

from attention_core.examples import example
from pages.shared.codes.pieces import Change, Source, for_example, rename_name, without_mask

HAND, BIASED, WITH_CONTEXT = (example(name) for name in ("hand", "columns", "context"))


def test_changes_leave_the_rest_as_it_was_written():
    source = Source("é = (a +   b)   # “a” stays")
    names = {node.id: node for node in ast_names(source)}
    changed = source.with_changes(
        [source.renaming(names["a"], "ä"), source.renaming(names["b"], "b.T"), Change(0, 2, "z")]
    )
    assert changed == "z = (ä +   b.T)   # “a” stays"
    assert source.with_changes([]) == "é = (a +   b)   # “a” stays"


def ast_names(source):
    """Return the two names in the source `é = (a + b)`, as nodes of the syntax tree."""
    return [source.tree.body[0].value.left, source.tree.body[0].value.right]


@pytest.mark.parametrize(
    ("code", "tailored"),
    [
        ("q = x @ w_q + b_q", "q = x @ w_q"),
        ("q = b_q + x @ w_q   # a + b_q", "q = x @ w_q   # a + b_q"),
        ("k = (context @ w_k) + (b_k)", "k = (x @ w_k)"),
        ("k = (\n    context @ w_k\n    + b_k\n)", "k = (\n    x @ w_k\n)"),
        ("q, k = f(x @ w_q + b_q), f((context @ w_k + b_k).T)", "q, k = f(x @ w_q), f((x @ w_k).T)"),
        ("def f(context):\n    return context @ w_q + b_q", "def f(context):\n    return context @ w_q"),
    ],
)
def test_biases_and_a_context_that_are_not_there_are_left_out(code, tailored):
    assert for_example(code, HAND) == tailored
    assert for_example(code, BIASED).count("b_") == code.count("b_")
    assert for_example(code, WITH_CONTEXT).count("context") == code.count("context")


def test_a_bias_that_is_no_summand_is_refused():
    with pytest.raises(ValueError, match=r"a bias must be a summand, .*; got b_q in q = x @ w_q - b_q: add it"):
        for_example("q = x @ w_q - b_q", HAND)


@pytest.mark.parametrize(
    ("code", "tailored"),
    [
        ("masked = np.where(allowed, scaled, -np.inf)\nweights = softmax(masked)\n", "weights = softmax(scaled)\n"),
        ("weights = softmax(np.where(allowed, -masked, -np.inf))", "weights = softmax(-scaled)"),
        ("masked = np.where(allowed, 2 * scaled, 0)", "scaled = 2 * scaled"),
        ("a = np.where(allowed, scores + 1, 0) / 2", "a = (scores + 1) / 2"),
        ("a = np.where(allowed, (scores + 1), 0).T", "a = (scores + 1).T"),
        ("a = np.where(allowed, scores @ np.where(allowed, v, 0), 0)", "a = scores @ v"),
        ("a = np.where(allowed, scores, f(0, (1)))[0]   # (0)", "a = scores[0]   # (0)"),
        ("a = np.where(\n    allowed,\n    b\n    + c,\n    0,\n)", "a = (b\n    + c)"),
        ("a = [masked for masked in rows] + masked", "a = [masked for masked in rows] + scaled"),
        ("a = np.where(scores > 0, masked, 0)", "a = np.where(scores > 0, scaled, 0)"),
    ],
)
def test_code_without_its_mask_keeps_the_rest(code, tailored):
    assert without_mask(code) == tailored


def test_a_mask_in_another_place_is_refused():
    with pytest.raises(ValueError, match=r"read it in np\.where\(allowed, …, …\); got a = scores \* allowed: write"):
        without_mask("a = scores * allowed")
    assert without_mask("a = np.where(mask, b, c)", "mask") == "a = b"


def test_local_names_of_a_function_are_not_renamed():
    assert rename_name("a = k\ndef f(k): return k + a\nk = f(k)", "k", "q") == "a = q\ndef f(k): return k + a\nq = f(q)"
