"""Test that no two mistakes of the catalogue give the same numbers, except those that are listed here."""

from functools import cache

import numpy as np

from attention_core import MultiHeadProjections, causal_mask, multi_head_attention, self_attention
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import WRITTEN_OUT, Mistake
from attention_core.mistakes.rare import every_mistake
from house_rules import check_rule
from random_traces import one_head_trace, three_heads_trace
from strategies import random_numbers

IRREGULAR = np.array([[1, 0, 0, 1], [1, 1, 0, 1], [0, 1, 1, 0], [1, 0, 1, 0]], dtype=bool)
SMALL = [name for name in EXAMPLES if not example(name).drawn]


@cache
def traces():
    """Return the traces (all matrices of a computation) on which all mistakes are compared.

    They are every small example with and without a causal mask, and random matrices with biases, masks and several
    heads.
    """
    sizes = {name: (len(example(name).tokens), len(example(name).key_tokens)) for name in SMALL}
    masked = [example(name).attention(mask=causal_mask(*size)) for name, size in sizes.items()]
    x, context, *w = (random_numbers(4, 4, seed=seed) for seed in range(130, 135))
    b = {f"b_{m}": random_numbers(4, seed=140 + i) for i, m in enumerate("qkv")}
    irregular = [self_attention(x, *w, mask=IRREGULAR, context=other, **b) for other in (None, context)]
    wide = {f"w_{m}": random_numbers(8, 8, seed=150 + i) for i, m in enumerate("qkvo")}
    in_heads = [
        multi_head_attention(
            random_numbers(8, 8, seed=160), MultiHeadProjections(**wide, b_o=random_numbers(8, seed=161)), 4, mask=mask
        )
        for mask in (None, np.tri(8, k=2, dtype=bool))
    ]
    return (
        *(example(name).attention() for name in SMALL),
        *masked,
        *irregular,
        one_head_trace(),
        three_heads_trace(),
        *in_heads,
    )


def outputs(mistake: Mistake):
    """Return the output of a mistake for every trace, as a list."""
    return [_output(mistake, trace) for trace in traces()]


def _output(mistake, trace):
    """Return the output of a mistake for one trace, or None if the mistake cannot be made or changes nothing."""
    with np.errstate(all="ignore"):
        try:
            output = mistake.apply(trace).output
        except ValueError:
            return None
    return None if _same(output, trace.output) else output


def are_alike(one, other) -> bool:
    """Return whether two lists of outputs are the same, and hold at least one output that is not None."""
    return any(each is not None for each in one) and all(map(_same, one, other))


def _same(one, other) -> bool:
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True)


def twins() -> dict[str, set[str]]:
    """Return, for each mistake in the core's list `WRITTEN_OUT`, the names of other mistakes with the same outputs.

    Leave out a mistake if no other mistake has the same outputs.
    """
    found, written = (
        {mistake.name: outputs(mistake) for mistake in every_mistake()},
        {mistake.name for mistake in WRITTEN_OUT},
    )
    return {
        name: alike
        for name in written
        if (alike := {other for other in found if other != name and are_alike(found[name], found[other])})
    }


# Mistakes that have their own names although others give the same numbers, each with the reason.
SAME_NUMBERS = {
    "keys_with_query_weights": {"keys_with_query_weights_alone"},  # they differ only if the queries have a bias
    "keys_with_query_weights_alone": {"keys_with_query_weights"},
    "mask_transposed": {"mask_transposed_with_a_billion"},  # they differ only if a query may attend to nothing
    "mask_transposed_with_a_billion": {"mask_transposed"},
}


def test_no_mistake_gives_the_numbers_of_another_unless_that_is_said():
    found = twins()
    check_rule(
        {name: alike - SAME_NUMBERS.get(name, set()) for name, alike in found.items()},
        "Each mistake gives numbers of its own. These give the same numbers as the mistakes named beside them:",
        "use the mistake that is there, or name both in SAME_NUMBERS of test_mistakes_alike.py with a reason.",
    )
    check_rule(
        {name: alike - found.get(name, set()) for name, alike in SAME_NUMBERS.items()},
        "SAME_NUMBERS names only mistakes that give the same numbers.",
        "remove these from SAME_NUMBERS in tests/core/test_mistakes_alike.py.",
    )


def test_a_mistake_that_is_there_under_another_name_is_noticed():
    again = Mistake(
        name="scores_negated",
        concept="softmax_axes",
        stage="weights",
        title="Scores negated",
        why="It is there.",
        code="weights = softmax(np.where(allowed, -masked, -np.inf))",
    )
    there = next(mistake for mistake in every_mistake() if mistake.name == "negated_on_scores")
    other = next(mistake for mistake in every_mistake() if mistake.name == "not_scaled")
    assert are_alike(outputs(again), outputs(there))
    assert not are_alike(outputs(again), outputs(other))
