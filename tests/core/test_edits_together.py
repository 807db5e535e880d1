"""Test that several mistakes can be made together, as one edit of the steps of attention.

The mistakes may be in one head or in several heads, and the lines that are shown are the lines that are run.
"""

import numpy as np
import pytest

from attention_core.mistakes.engine.code_lines import lines_of, run
from attention_core.mistakes.engine.edits import edited_lines, program
from attention_core.mistakes.engine.pipelines import ATTENTION, POSITIONS
from attention_core.mistakes.engine.rewriting import in_several_heads


def lines_edited_together(*codes, changed=()):
    """Return the lines of code of attention after several edits."""
    steps = lines_of("\n".join(step.code for step in ATTENTION.steps))
    return [line.text for line in edited_lines(steps, *map(lines_of, codes), changed=changed)]


@pytest.mark.parametrize(
    ("codes", "lines"),
    [
        (
            # an added line comes after its step, which is computed again
            ("weights = weights * allowed", "scaled = scores"),
            ["scaled = scores", "masked = np.where(allowed, scaled, -np.inf)", "weights = softmax(masked)",
             "weights = weights * allowed", "output = weights @ v"],
        ),
        (
            ("scaled = scores", "scaled = scores / d_k"),  # the later mistake replaces the step
            ["scaled = scores / d_k", "masked = np.where(allowed, scaled, -np.inf)", "weights = softmax(masked)",
             "output = weights @ v"],
        ),
        (
            ("masked = scaled\nweights = weights * allowed", "masked = np.where(allowed, scaled, 0)"),
            ["masked = np.where(allowed, scaled, 0)", "weights = softmax(masked)", "weights = weights * allowed",
             "output = weights @ v"],
        ),
        (("q, k, v = x @ w_q, x @ w_k, x @ w_v", "v = k"), [
            "q, k, v = x @ w_q, x @ w_k, x @ w_v", "v = k", "scores = q @ k.T", "scaled = scores / np.sqrt(d_k)",
            "masked = np.where(allowed, scaled, -np.inf)", "weights = softmax(masked)", "output = weights @ v",
        ]),
    ],
)  # fmt: skip
def test_several_edits_become_one_list_of_lines(codes, lines):
    assert lines_edited_together(*codes) == lines


def test_only_steps_after_changed_matrices_are_computed_again():
    assert lines_edited_together(changed=("scores", "weights")) == [
        "scaled = scores / np.sqrt(d_k)",
        "masked = np.where(allowed, scaled, -np.inf)",
        "output = weights @ v",
    ]


def test_a_program_has_every_step_and_refuses_constants():
    program_lines = program(ATTENTION, lines_of("scaled = scores"))
    assert [name for line in program_lines for name in line.gives] == ["d_k", *ATTENTION.names]
    with pytest.raises(ValueError, match=r"every step must read .* another step; got base = 10000\.0: give its number"):
        program(POSITIONS)


def test_a_mistake_that_indexes_matrices_has_no_form_in_several_heads():
    assert in_several_heads("output = weights[0][:, None] * v") == ()
    assert [line.text for line in in_several_heads("v = k\noutput = weights @ v.T / v.shape[-1]")] == [
        "v = k",
        "heads = weights @ v_heads.mT / v_heads.shape[-1]",
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "scores = q @ k",
            r"`scores = q @ k` needs matrices that fit each other, but the shapes are k \(2, 3\), q \(2, 3\)\. Correct",
        ),
        ("scores = q @ w", r"`scores = q @ w` needs w, but has only q, k, np\. Compute it first"),
    ],
)
def test_a_line_that_cannot_be_run_says_why(line, message):
    with pytest.raises(ValueError, match=message):
        run(lines_of(line), {"q": np.ones((2, 3)), "k": np.ones((2, 3)), "np": np})


def test_a_line_with_the_same_inputs_is_not_run_again():
    names, memory = {"q": np.ones((2, 3)), "np": np}, {}
    once, again = (run(lines_of("twice = 2 * q"), names, memory)["twice"] for _ in range(2))
    other = run(lines_of("twice = 2 * q"), names | {"q": np.zeros((2, 3))}, memory)["twice"]
    assert once is again
    assert other.sum() == 0
    assert "twice" not in names
