"""Test that no two mistakes of the catalogue give the same numbers, except those that are listed here.

Also that the code of a mistake keeps the rules.
"""

import ast
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from attention_core import MultiHeadProjections, causal_mask, multi_head_attention, self_attention
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import WITH_SWITCH, WRITTEN_OUT, Mistake
from attention_core.mistakes.engine.code_lines import lines_of, names_read
from attention_core.mistakes.engine.edits import changed_lines, check_edit
from attention_core.mistakes.engine.pipelines import ATTENTION, HEADS, POSITIONS, pipeline_of
from attention_core.mistakes.rare import every_mistake
from house_rules import check_rule
from strategies import one_head_trace, random_numbers, three_heads_trace

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
        "use the mistake that is there, or name both in SAME_NUMBERS of test_alike.py with a reason.",
    )
    check_rule(
        {name: alike - found.get(name, set()) for name, alike in SAME_NUMBERS.items()},
        "SAME_NUMBERS names only mistakes that give the same numbers.",
        "remove these from SAME_NUMBERS in tests/attention_core/mistakes/test_alike.py.",
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


MISTAKE = next(mistake for mistake in WITH_SWITCH if mistake.name == "divided_by_d_k")


def names_read_by(code):
    """Return the names whose values a piece of code uses."""
    return {name.id for name in names_read(ast.parse(code))}


# --- lines ---


def test_a_line_knows_what_it_gives_and_what_it_reads():
    code = "# Why.\nscale = 2   # so much\n\ndef twice(m):\n    return scale * m\n(a, [b, c]) = d = twice(q), f(k)\n"
    first, function, last = lines_of(code)
    assert (first.text, first.gives, first.reads) == ("# Why.\nscale = 2   # so much", ("scale",), frozenset())
    assert (function.gives, function.reads, function.is_function) == (("twice",), {"scale"}, True)
    assert (last.gives, last.reads) == (("a", "b", "c", "d"), {"twice", "q", "f", "k"})


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("k.T @ q[:, token]", {"k", "q", "token"}),
        ("[np.outer(q, row) for row in k]", {"np", "q", "k"}),
        ("[k for k in k]", {"k"}),  # the k after `in` is read before the comprehension has its own k
        ("{i: v[i] for i in range(n) if mask[i]}", {"v", "range", "n", "mask"}),
        ("lambda q, *, d=d_k: q / d", {"d_k"}),
        ("def f(q, *rest, v=v):\n    k = q @ v\n    return [k for q in rest] + x", {"v", "x"}),
        ("def f():\n    a = [k for k in keys]\n    return k @ a", {"keys", "k"}),
        ("def f():\n    def g(): return q\n    return g()", {"q"}),
    ],
)
def test_local_names_of_a_function_are_not_counted_as_read(code, names):
    assert names_read_by(code) == names


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("scaled = ", "code must be Python; got scaled = : invalid syntax in line 1"),
        ("a = 1; scaled = a", "code must have one statement a line; got a = 1; scaled = a: break it at the semicolon"),
        ("scaled /= 2", "code must give values to names, or define functions; got scaled /= 2: write “name = …”"),
        ("weights[0] = 1", r"code must give values to names, .*; got weights\[0\] = 1: write"),
        ("for i in x:\n    output = i", "got for i in x:\n    output = i: write “name = …”, and put a loop or a"),
    ],
)
def test_lines_of_another_kind_are_refused(code, message):
    with pytest.raises(ValueError, match=message):
        lines_of(code)


# --- the rules of an edit ---


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("values = k", "must end in a line for one of its steps, q, k, .*, output; got 'values = k': give the name"),
        ("scaled = scores\nhalf = scaled / 2", "must end in a line for one of its steps, .*: give the name"),
        ("", "must end in a line for one of its steps"),
        (
            "weights = softmax(masked)\nscaled = scores",
            "must keep to the order of the steps, .*; got .*: move a",
        ),
        ("x = 2 * x\nq = x @ w_q", r"must leave x, .*d_k, softmax, np as they are; got x = 2 \* x: take another name"),
        ("def softmax(m):\n    return m\nweights = softmax(masked)", "take another name than softmax"),
        ("scaled = scores / root", "may read .*; got root in scaled = scores / root: compute it in a line before"),
        ("def f(m):\n    return m / root\nscaled = f(scores)", "got root in def f"),
    ],
)
def test_code_that_is_no_edit_of_the_steps_is_refused(code, message):
    with pytest.raises(ValueError, match=message):
        check_edit(code, ATTENTION)


def test_a_mistake_is_refused_when_it_is_made():
    with pytest.raises(ValueError, match=r"may read .*; got heads in scaled = heads"):
        replace(MISTAKE, code="scaled = heads")
    assert replace(MISTAKE, concept="multi_head", code="concat = heads").pipeline is HEADS


def test_every_concept_has_its_pipeline():
    assert [pipeline_of(name) for name in ("scaling", "multi_head", "positional_encoding")] == [
        ATTENTION,
        HEADS,
        POSITIONS,
    ]


@pytest.mark.parametrize("pipeline", [ATTENTION, HEADS, POSITIONS])
def test_a_step_reads_what_comes_before_it(pipeline):
    known = {*pipeline.protected_names}
    for line in lines_of(pipeline.start) + tuple(lines_of(step.code)[0] for step in pipeline.steps):
        assert line.reads <= known | {"len"}
        known |= {*line.gives}
    assert {*pipeline.shown} <= {*pipeline.names}


# --- what is computed with a mistake ---


def lines_run(code, pipeline=ATTENTION):
    """Return a pair for each line that runs if `pipeline` is edited with `code`, in order."""
    steps = lines_of("\n".join(step.code for step in pipeline.steps))
    return [(line.gives[0], is_own) for line, is_own in changed_lines(steps, lines_of(code))]


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("v = k", [("v", True), ("output", False)]),
        ("scaled = scores\nweights = softmax(masked) / 2",
         [("scaled", True), ("masked", False), ("weights", True), ("output", False)]),
        ("spread = scores.std()\nscaled = scores / spread\nmean = weights.mean()\noutput = v * mean",
         [("spread", True), ("scaled", True), ("masked", False), ("weights", False), ("mean", True), ("output", True)]),
        ("weights = softmax(masked)\nweights = weights / 2", [("weights", True), ("weights", True), ("output", False)]),
    ],
)  # fmt: skip
def test_a_line_takes_the_place_of_its_step_and_what_follows_is_computed_again(code, lines):
    check_edit(code, ATTENTION)
    assert lines_run(code) == lines
