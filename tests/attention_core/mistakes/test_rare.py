"""Test all rare mistakes together: each has its texts and its own name, and is wrong from the step that it names."""

import re
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from attention_core import self_attention
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.stages import name_of
from attention_core.examples import EXAMPLES, example
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import lines_with, repair
from attention_core.mistakes.rare import every_mistake, rare_mistakes
from serving import ROOT
from strategies import one_head_trace, random_numbers, three_heads_trace

N = 4
GIVEN = np.array([[1, 0, 0, 0], [1, 1, 0, 1], [0, 1, 1, 0], [1, 0, 1, 1]], dtype=bool)


def traces():
    """Yield the traces (all matrices of a computation) on which each rare mistake is tried."""
    x, *w = (random_numbers(N, N, seed=seed) for seed in (130, 131, 132, 133))
    b = {f"b_{m}": random_numbers(N, seed=134 + i) for i, m in enumerate("qkv")}
    yield self_attention(x, *w, mask=GIVEN, **b)
    yield self_attention(x, *w, mask=GIVEN, context=random_numbers(N, N, seed=138), **b)
    yield one_head_trace()
    yield three_heads_trace()


def test_each_mistake_has_a_title_and_a_unique_name():
    assert max(Counter(mistake.name for mistake in every_mistake()).values()) == 1
    assert len(rare_mistakes()) > 150
    for mistake in rare_mistakes():
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", mistake.name), mistake.name
        assert not mistake.title[0].islower() or mistake.title.startswith(("e ", "b^")), mistake.name
        assert mistake.why.endswith("."), mistake.name
        assert "- " in repair(mistake), mistake.name


@pytest.mark.parametrize("trace", [*traces()], ids=["mask", "context", "causal", "heads"])
def test_each_mistake_is_wrong_from_the_step_that_it_names(trace):
    work = edited_run_of(trace)
    for mistake in rare_mistakes():
        if mistake.name in work.shown and (mistake.concept == "multi_head") == isinstance(trace, MultiHeadTrace):
            given = {name for line in lines_with(work.pipeline, mistake) for name in line.gives}
            first = next(name for name in work.pipeline.names if name in given)
            assert (name_of(mistake.stage) == first) or (mistake.stage == "heads" and first.endswith("_heads")), (
                mistake.name
            )


@pytest.mark.parametrize("name", [name for name in EXAMPLES if not example(name).drawn])
def test_each_gives_numbers_or_says_that_shapes_forbid_it(name):
    this = example(name)
    for right in (this.attention(), this.attention(mask=this.mask("causal")), this.multi_head()):
        work = edited_run_of(right)
        made = [
            work.matrix_after(lines_with(work.pipeline, mistake), "output")
            for mistake in work.mistakes
            if mistake.name in work.shown
        ]
        assert sum(matrix is not None for matrix in made) > 0.7 * len(made)


def test_every_mistake_differs_from_the_right_answer_on_random_numbers():
    x, w_q, w_k, w_v = (
        random_numbers(*shape, seed=seed) for seed, shape in enumerate([(6, 7), (7, 5), (7, 5), (7, 3)])
    )
    b_q, b_k, b_v = random_numbers(5, seed=20), random_numbers(5, seed=21), random_numbers(3, seed=22)
    mask = np.random.default_rng(3).random((6, 6)) > 0.5
    mask[:, 2] = True
    for seen in (None, mask):
        right = self_attention(x, w_q, w_k, w_v, mask=seen, b_q=b_q, b_k=b_k, b_v=b_v)
        assert [*_names_without_effect(right)] == []


def _names_without_effect(right):
    """Yield the names of the rare mistakes that leave the output of the trace `right` unchanged."""
    work = edited_run_of(right)
    for mistake in (mistake for mistake in rare_mistakes() if mistake.name in work.shown):
        made = work.matrix_after(lines_with(work.pipeline, mistake), "output")
        if made is not None and made.shape == right.output.shape and np.allclose(made, right.output, atol=1e-6):
            yield mistake.name


def test_importing_the_mistakes_does_not_import_the_rare_ones():
    code = "import sys, attention_core.mistakes; assert not any('mistakes.rare' in name for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_mistakes_of_heads_cannot_be_made_in_one_head():
    of_heads = [mistake for mistake in rare_mistakes() if mistake.concept == "multi_head"]
    assert all(not mistake.lines_in(edited_run_of(one_head_trace()).pipeline) for mistake in of_heads)
