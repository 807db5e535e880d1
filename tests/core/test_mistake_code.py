"""Test the code of a mistake, which edits the steps of a pipeline such as attention.

Code that breaks the rules is refused with the rule, the code that came, and the reason.
"""

import ast
from dataclasses import replace

import pytest

from attention_core.mistakes import WITH_SWITCH
from attention_core.mistakes.engine.code_lines import lines_of, names_read
from attention_core.mistakes.engine.edits import changed_lines, check_edit
from attention_core.mistakes.engine.pipelines import ATTENTION, HEADS, POSITIONS, pipeline_of

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
