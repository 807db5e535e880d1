"""Test that a page computes its numbers again only if they change, not if a visitor looks at something else."""

from dataclasses import replace
from importlib import import_module
from operator import attrgetter

import pytest

from attention_core.examples import example
from pagesutil import DECLARED, KINDS

COMPUTED = {
    "softmax_axes": ("lesson.trace", ["rows"]),
    "queries_keys_values": ("_trace", []),
    "attention": ("_traces", []),
    "multi_head": ("_trace", []),
    "cross_attention": ("_part", []),
    "your_sentence": ("_trace", []),
}
OTHER = {  # a setting of each page that changes its numbers
    "softmax_axes": {"temperature": 2.0},
    "queries_keys_values": {"sharpness": "2"},
    "attention": {"mask": "causal"},
    "multi_head": {"off": (1,)},
    "cross_attention": {"keys": 2},
    "your_sentence": {"causal": True},
}


@pytest.mark.parametrize("page", COMPUTED)
def test_changing_the_view_computes_nothing_again(page):
    name, more = COMPUTED[page]
    module = import_module(DECLARED[page].module)
    compute, parameters, this = attrgetter(name)(module), KINDS[page](), example("hand")
    looking = replace(parameters, digits="4", cell=("scores", 1, 2))
    assert are_same_objects(compute(looking, this, *more), compute(parameters, this, *more))
    assert not are_same_objects(
        compute(replace(parameters, **OTHER[page]), this, *more), compute(parameters, this, *more)
    )


def are_same_objects(a, b):
    """Return whether two results are the same object, or tuples of the same objects."""
    return all(x is y for x, y in zip(a, b, strict=True)) if isinstance(a, tuple) else a is b
