"""Test the gradients against PyTorch, with every case of tests/data/gradients."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

from attention_core import (
    adam_step,
    attend,
    attention_gradient,
    causal_mask,
    cross_entropy,
    cross_entropy_gradient,
    self_attention,
    self_attention_gradient,
    sgd_step,
    softmax_gradient,
    softmax_steps,
    swiglu,
)
from notebooks import DATA
from strategies import read_only

FOLDER = DATA / "gradients"
CASES = {case["name"]: case for case in json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))["cases"]}
BIASES = ("b_q", "b_k", "b_v")


@cache
def archive(file):
    """Return the arrays of `file`, one of the data files with test cases, by name."""
    with np.load(FOLDER / file) as arrays:
        return dict(arrays)


def arrays_of(case, slots):
    """Return the input arrays or the output arrays of a test case, by name. `slots` is "inputs" or "outputs"."""
    return {slot: read_only(archive(case["file"])[entry["key"]]) for slot, entry in case[slots].items()}


def mask_of_case(attrs, x):
    """Return a causal mask for the tokens `x` if the options `attrs` ask for one, or None."""
    return causal_mask(x.shape[-2]) if attrs["causal"] else None


def run_softmax(attrs, arrays):
    """Return the core's softmax and its gradient for one test case. The expected results come from PyTorch."""
    trace = softmax_steps(arrays["x"], attrs["axis"])
    return trace.weights, softmax_gradient(trace, arrays["upstream"])


def run_attention(attrs, arrays):
    """Return the core's output of attention and its gradients for one test case."""
    trace = attend(arrays["q"], arrays["k"], arrays["v"], mask=arrays.get("mask"), scale=attrs.get("scale"))
    return trace.output, attention_gradient(trace, arrays["upstream"])


def run_self_attention(attrs, arrays):
    """Return the core's output of self-attention and its gradients for one test case."""
    matrices = [arrays[name] for name in ("x", "w_q", "w_k", "w_v")]
    optional = {name: arrays.get(name) for name in (*BIASES, "context")}
    trace = self_attention(*matrices, **optional, mask=mask_of_case(attrs, arrays["x"]))
    return trace.output, self_attention_gradient(trace, arrays["upstream"])


def run_cross_entropy(_, arrays):
    """Return the core's cross-entropy and its gradient with respect to the logits, for one test case."""
    trace = cross_entropy(arrays["logits"], arrays["targets"])
    return trace.loss, cross_entropy_gradient(trace)


def run_swiglu(_, arrays):
    """Return the core's output of SwiGLU for one test case, and None, because the core has no gradient of SwiGLU."""
    return swiglu(**arrays).output, None


def run_optimizer(attrs, arrays):
    """Return the parameter after each step of the core's SGD or Adam as one array, and None in place of a gradient."""
    steps = sgd_steps if attrs["optimizer"] == "sgd" else adam_steps
    options = {name: value for name, value in attrs.items() if name != "optimizer"}
    return np.stack([*steps(arrays["parameter"], arrays["gradients"], options)]), None


def sgd_steps(parameter, gradients, options):
    for gradient in gradients:
        parameter = sgd_step(parameter, gradient, **options)
        yield parameter


def adam_steps(parameter, gradients, options):
    trace = None
    for gradient in gradients:
        trace = adam_step(trace.parameter if trace else parameter, gradient, trace, **options)
        yield trace.parameter


RUNNERS = {
    "softmax_gradient": run_softmax,
    "attention_gradient": run_attention,
    "self_attention_gradient": run_self_attention,
    "cross_entropy": run_cross_entropy,
    "swiglu": run_swiglu,
    "optimizer_steps": run_optimizer,
}
FORWARD = {"y", "output", "loss", "parameters"}


@pytest.mark.parametrize("name", CASES)
def test_results_agree_with_pytorch(name):
    case = CASES[name]
    output, gradient = RUNNERS[case["op"]](case["attrs"], arrays_of(case, "inputs"))
    for slot, expected in arrays_of(case, "outputs").items():
        got = output if slot in FORWARD else getattr(gradient, slot.replace("d_", "grad_", 1))
        np.testing.assert_allclose(got, expected, rtol=case["rtol"], atol=case["atol"], strict=True, err_msg=slot)
