"""Test the diagnosis of two mistakes at once.

The wrong numbers come from code in this file, in which each step has wrong variants.
"""

from itertools import combinations, islice, product

import numpy as np
import pytest

from attention_core.diagnosis.diagnose import diagnose
from attention_core.examples import example

# The wrong variants of each step, by the name of the mistake. A step gets a dictionary of matrices by name.
PROJECT = {
    "biases_forgotten": lambda s: s | {name: s["x" if name == "q" else "c"] @ s[f"w_{name}"] for name in "qkv"},
    "keys_with_query_weights": lambda s: s | {"k": s["c"] @ s["w_q"] + s["b_q"]},
    "input_as_values": lambda s: s | {"v": s["c"]},
}
SCORE = {
    "keys_times_queries": lambda s: s["k"] @ s["q"].T,
    "queries_meet_queries": lambda s: s["q"] @ s["q"].T,
}
SCALE = {
    "not_scaled": lambda s, d: s,
    "divided_by_d_k": lambda s, d: s / d,
    "multiplied_by_root": lambda s, d: s * np.sqrt(d),
    "divided_by_root_n": lambda s, d: s / np.sqrt(s.shape[1]),
}
MASK = {
    "mask_forgotten": lambda s, m: s,
    "mask_with_zeros": lambda s, m: s * m,
    "mask_transposed": lambda s, m: np.where(m.T, s, -np.inf),
    "mask_one_ahead": lambda s, m: np.where(np.tri(*s.shape, k=1), s, -np.inf),
}
SHARE = {
    "softmax_over_columns": lambda s: np.exp(s) / np.exp(s).sum(axis=0),
    "softmax_over_whole_matrix": lambda s: np.exp(s) / np.exp(s).sum(),
    "softmax_twice": lambda s: softmax_of_rows(softmax_of_rows(s)),
    "never_normalised": np.exp,
    "sigmoid_for_softmax": lambda s: 1 / (1 + np.exp(-s)),
}
MIX = {
    "keys_as_values": lambda s: s["a"] @ s["k"],
    "attention_transposed": lambda s: s["a"].T @ s["v"],
}
MERGE = {
    "merged_without_transposing": lambda heads: np.stack(heads).reshape(len(heads[0]), -1),
    "heads_averaged": lambda heads: np.hstack([sum(heads) / len(heads)] * len(heads)),
}
END = {"w_o_forgotten": lambda z, w: z, "w_o_transposed": lambda z, w: z @ w.T}
EACH = 30  # every thirtieth pair is diagnosed
IN_ONE = (PROJECT, SCORE, SCALE, MASK, SHARE, MIX)


def softmax_of_rows(scores):
    return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)


def chosen_function(names, among, right):
    """Return the function in `among` whose name is in `names`, or the function `right` if there is none."""
    return next((wrong for name, wrong in among.items() if name in names), right)


def one_head(s, names, mask):
    """Return the output of one head. The mistakes in `names` replace the correct steps.

    `s` holds the queries, keys and values by name, and `mask` is True where a query may attend to a key, or None.
    """
    scores = chosen_function(names, SCORE, lambda s: s["q"] @ s["k"].T)(s)
    scaled = chosen_function(names, SCALE, lambda s, d: s / np.sqrt(d))(scores, s["k"].shape[1])
    if mask is not None:
        scaled = chosen_function(names, MASK, lambda s, m: np.where(m, s, -np.inf))(scaled, mask)
    a = chosen_function(names, SHARE, softmax_of_rows)(scaled)
    return chosen_function(names, MIX, lambda s: s["a"] @ s["v"])(s | {"a": a})


def output_with_mistakes(example, mask, names, n_heads=0):
    """Return the output of an example with the mistakes in `names`, in one head or in `n_heads` heads.

    Raises: ValueError if the shapes do not allow the mistakes.
    """
    s = {name: getattr(example, name) for name in ("x", "w_q", "w_k", "w_v")}
    s |= {name: 0 if getattr(example, name) is None else getattr(example, name) for name in ("b_q", "b_k", "b_v")}
    s["c"] = example.x if example.context is None else example.context
    s |= {name: s["x" if name == "q" else "c"] @ s[f"w_{name}"] + s[f"b_{name}"] for name in "qkv"}
    s = chosen_function(names, PROJECT, lambda s: s)(s)
    if not n_heads:
        return one_head(s, names, mask)
    each = zip(*(np.hsplit(s[name], n_heads) for name in "qkv"), strict=True)
    parts = [dict(zip("qkv", matrices, strict=True)) for matrices in each]
    concat = chosen_function(names, MERGE, np.hstack)([one_head(part, names, mask) for part in parts])
    return chosen_function(names, END, lambda z, w: z @ w)(concat, example.w_o)


def pairs(*groups):
    """Return all pairs of names from two different groups."""
    return [names for one, other in combinations(groups, 2) for names in product(one, other)]


def cases():
    """Yield each test case: an example, its mask, its correct trace, a pair of mistakes, and the number of heads.

    The number of heads is 0 for attention without a split into heads.
    """
    for name, kind in product(("hand", "story", "columns"), ("none", "causal", "heads", "heads causal")):
        this, heads = example(name), "heads" in kind
        mask = np.tri(len(this.x), dtype=bool) if "causal" in kind else None
        right = this.multi_head(mask=mask) if heads else this.attention(mask=mask)
        groups = [group for group in IN_ONE if mask is not None or group is not MASK] + [MERGE, END] * heads
        for names in pairs(*groups):
            yield this, mask, right, names, this.n_heads * heads


def wrong_pairs():
    """Yield the correct trace, the two names and the wrong output of each pair of mistakes.

    Pairs are left out if the shapes do not allow them, or if they give the same numbers as one mistake or none.
    """
    for this, mask, right, names, n_heads in cases():
        try:
            both, *alone = (output_with_mistakes(this, mask, some, n_heads) for some in (names, names[:1], names[1:]))
        except ValueError:
            continue
        others = [right.output, *alone]
        if np.isfinite(both).all() and not any(np.array_equal(np.round(both, 4), np.round(m, 4)) for m in others):
            yield right, names, np.round(both, 4)


@pytest.mark.long
def test_two_mistakes_at_once_are_named():
    named = wrong = total = 0
    for right, names, answer in islice(wrong_pairs(), 0, None, EACH):
        found = [
            {mistake.name for mistake in finding.mistakes} for finding in diagnose(answer, right, decimals=4).findings
        ]
        total += 1
        named += {*names} in found
        wrong += bool(found) and {*names} not in found and not all(len(each) <= 1 for each in found)
    assert total >= 50
    assert named >= 0.85 * total
    assert wrong == 0
